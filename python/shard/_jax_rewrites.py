# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of StableHLO is written otherwise before iree-opt lowers it.

* Converting i1 or unsigned integers to floats: iree-opt moves such a conversion into a
  `linalg.matmul` of mixed types, which takes all integers for signed, so true becomes -1.
* `stablehlo.scatter`: iree-opt has an op of its own for it, in the dialect
  `iree_linalg_ext`. A scatter that adds rows of a tensor to rows of another, the gradient
  of a look-up, is written as a product with a matrix of 0 and 1, which can be split like
  any other product.
"""

import re
from typing import Any, NoReturn

from shard._errors import ProgramError
from shard._jax_calls import replace_by_call


def rewrite(module: Any) -> None:
    """Rewrites `module`, of jaxlib's MLIR, in place.

    Raises ProgramError for a scatter of another form.
    """
    from jaxlib.mlir import ir

    scatters: list[Any] = []
    conversions: list[Any] = []
    unknown: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.scatter":
            scatters.append(op)
        elif op.name == "stablehlo.convert":
            conversions.append(op)
        elif op.name in ("stablehlo.fft", "stablehlo.custom_call"):
            unknown.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    for op in unknown:
        _reject(op)
    with module.context, ir.Location.unknown():
        _rewrite_scatters(module, scatters)
        for op in conversions:
            _rewrite_conversion(op)


def _reject(op: Any) -> NoReturn:
    if op.name == "stablehlo.fft":
        raise ProgramError(
            f"{place_of(op)}: Fourier transforms are not supported; a short one can be "
            "written as a product with its matrix"
        )
    target = str(op.attributes["call_target_name"]).strip('"')
    raise ProgramError(
        f"{place_of(op)}: calls the function '{target}' of a library of XLA, which is "
        "not there in other programs; write the function without it"
    )


def place_of(op: Any) -> str:
    """`file:line:column` of the first line of Python that `op` comes from.

    What JAX puts into functions of its own has the place of their first call.
    """
    found = re.search(r'"([^"<>]+\.py)":(\d+):(\d+)', str(op.location))
    if found:
        return ":".join(found.groups())
    function = op.parent
    while function is not None and function.name != "func.func":
        function = function.parent
    if function is None:
        return "unknown place"
    callee = str(function.attributes["sym_name"]).strip('"')
    calls: list[Any] = []

    def visit(other: Any) -> Any:
        if other.name == "func.call" and str(other.attributes["callee"]) == f"@{callee}":
            calls.append(other)
        return ir.WalkResult.ADVANCE

    from jaxlib.mlir import ir

    function.parent.operation.walk(visit)
    return place_of(calls[0]) if calls else "unknown place"


def _rewrite_conversion(op: Any) -> None:
    from jaxlib.mlir import ir

    source, target = op.operands[0].type, op.results[0].type
    kind = str(source.element_type)
    if not isinstance(target.element_type, ir.FloatType):
        return
    if kind == "i1":
        values = [
            ir.Operation.create(
                "stablehlo.constant",
                results=[target],
                attributes={
                    "value": ir.DenseElementsAttr.get_splat(
                        target, ir.FloatAttr.get(target.element_type, value)
                    )
                },
                ip=ir.InsertionPoint(op),
            ).results[0]
            for value in (1.0, 0.0)
        ]
        made = ir.Operation.create(
            "stablehlo.select",
            results=[target],
            operands=[op.operands[0], *values],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
    elif kind in ("ui8", "ui16", "ui32"):
        # A signed integer of twice the width holds the same values. The mask changes none of
        # them; without it iree-opt makes one conversion of the two.
        wide = ir.RankedTensorType.get(
            source.shape, ir.IntegerType.get_signless(2 * source.element_type.width)
        )
        widened = ir.Operation.create(
            "stablehlo.convert",
            results=[wide],
            operands=[op.operands[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
        mask = ir.Operation.create(
            "stablehlo.constant",
            results=[wide],
            attributes={
                "value": ir.DenseElementsAttr.get_splat(
                    wide,
                    ir.IntegerAttr.get(wide.element_type, 2**source.element_type.width - 1),
                )
            },
            ip=ir.InsertionPoint(op),
        )
        masked = ir.Operation.create(
            "stablehlo.and",
            results=[wide],
            operands=[widened.results[0], mask.results[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
        made = ir.Operation.create(
            "stablehlo.convert",
            results=[target],
            operands=[masked.results[0]],
            ip=ir.InsertionPoint(op),
            loc=op.location,
        )
    else:
        return
    op.results[0].replace_all_uses_with(made.results[0])
    op.erase()


def _rewrite_scatters(module: Any, found: list[Any]) -> None:
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    for number, op in enumerate(found):
        dims = stablehlo.ScatterDimensionNumbers(op.attributes["scatter_dimension_numbers"])
        if not _adds_rows(op, dims):
            raise ProgramError(
                f"{place_of(op)}: a scatter that does not add to whole rows along one "
                "dimension is not supported"
            )
        name = f"__shard_add_rows_{number}"
        parsed = ir.Module.parse(_function_text(name, op, dims))
        function = parsed.body.operations[0].operation.clone(ip=ir.InsertionPoint(module.body))
        assert function is not None
        replace_by_call(op, name)


def _adds_rows(op: Any, dims: Any) -> bool:
    body = [inner.name for inner in op.regions[0].blocks[0]]
    along = list(dims.scattered_dims_to_operand_dims)
    indices = op.operands[1].type.shape if len(op.operands) == 3 else []
    operand = op.operands[0].type.shape
    updates = op.operands[-1].type.shape
    windows = [updates[i] for i in dims.update_window_dims]
    return (
        len(op.operands) == 3
        and body == ["stablehlo.add", "stablehlo.return"]
        and len(along) == 1
        and list(dims.inserted_window_dims) == along
        and not list(dims.input_batching_dims)
        and (dims.index_vector_dim == len(indices) or indices[dims.index_vector_dim] == 1)
        and windows == [e for i, e in enumerate(operand) if i != along[0]]
    )


def _tensor(shape: list[int], element: Any) -> str:
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


def _function_text(name: str, op: Any, dims: Any) -> str:
    """The function that a scatter `op` computes."""
    operand, indices, updates = (value.type for value in op.operands)
    element, index = operand.element_type, indices.element_type
    (along,) = dims.scattered_dims_to_operand_dims
    rows = operand.shape[along]
    window = list(dims.update_window_dims)
    batch = [i for i in range(len(updates.shape)) if i not in window]
    extents = [updates.shape[i] for i in batch]
    one_hot = [*extents, rows]
    # The product has the rows first, then the window.
    product = [rows, *(updates.shape[i] for i in window)]
    order = [*range(1, along + 1), 0, *range(along + 1, len(product))]
    places = list(range(len(extents)))
    flags = _tensor(one_hot, "i1")
    one, zero = ("1", "0") if "i" in str(element) else ("1.0", "0.0")
    return f"""
module {{
  func.func private @{name}(%operand: {operand}, %indices: {indices}, %updates: {updates})
      -> {operand} {{
    %i = stablehlo.reshape %indices : ({indices}) -> {_tensor(extents, index)}
    %b = stablehlo.broadcast_in_dim %i, dims = {places}
        : ({_tensor(extents, index)}) -> {_tensor(one_hot, index)}
    %n = stablehlo.iota dim = {len(extents)} : {_tensor(one_hot, index)}
    %c = stablehlo.compare EQ, %b, %n
        : ({_tensor(one_hot, index)}, {_tensor(one_hot, index)}) -> {flags}
    %one = stablehlo.constant dense<{one}> : {_tensor(one_hot, element)}
    %zero = stablehlo.constant dense<{zero}> : {_tensor(one_hot, element)}
    %h = stablehlo.select %c, %one, %zero : {flags}, {_tensor(one_hot, element)}
    %p = stablehlo.dot_general %h, %updates, contracting_dims = {places} x {batch}
        : ({_tensor(one_hot, element)}, {updates}) -> {_tensor(product, element)}
    %t = stablehlo.transpose %p, dims = {order}
        : ({_tensor(product, element)}) -> {operand}
    %r = stablehlo.add %operand, %t : {operand}
    return %r : {operand}
  }}
}}
"""
