# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with several batch dimensions, such as those of attention.

iree-opt makes one batch dimension of them by reshapes. A tensor that is split by heads,
the minor of the two, is not in blocks of the joint dimension, and would be gathered. So
these products cross iree-opt as calls of functions without bodies, and become a
`linalg.generic` with all dimensions behind it.
"""

import re
from typing import Any

from shard._jax_calls import declare, replace_by_call

_MARK = "__shard_dot_"
_CALL = re.compile(
    rf"^( *)(%[\w]+) = (?:func\.)?call @{_MARK}(\d+)\((%[\w#]+), (%[\w#]+)\) : [^\n]*?"
    r"-> tensor<[^()<>]*>( loc\([^\n]*\))?$",
    re.MULTILINE,
)


def take_dots(module: Any) -> list[str]:
    """Replaces such products in `module`, of jaxlib's MLIR, by calls.

    Returns what stands for the calls of each function, for `put_dots`.
    """
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo

    found: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "stablehlo.dot_general":
            found.append(op)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    texts: list[str] = []
    with module.context, ir.Location.unknown():
        for op in found:
            dims = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
            types = [op.operands[0].type, op.operands[1].type, op.results[0].type]
            if len(dims.lhs_batching_dimensions) < 2 or not _is_plain(types):
                continue
            declare(module, f"{_MARK}{len(texts)}", op)
            replace_by_call(op, f"{_MARK}{len(texts)}")
            texts.append(_generic(dims, types))
    return texts


def put_dots(text: str, texts: list[str]) -> str:
    """`text` with the products in the place of their calls."""
    count = 0

    def product(match: re.Match[str]) -> str:
        nonlocal count
        indent, result, number, lhs, rhs, location = match.groups()
        count += 1
        made = texts[int(number)].format(
            result=result, lhs=lhs, rhs=rhs, id=f"%shard_dot_{count}", loc=location or ""
        )
        return "\n".join(indent + line for line in made.splitlines())

    text = re.sub(rf"^ *func\.func private @{_MARK}\d+\(.*\n", "", text, flags=re.MULTILINE)
    return _CALL.sub(product, text)


def _is_plain(types: list[Any]) -> bool:
    from jaxlib.mlir import ir

    element = types[0].element_type
    return isinstance(element, ir.FloatType) and all(
        t.element_type == element and t.has_static_shape for t in types
    )


def _generic(dims: Any, types: list[Any]) -> str:
    """A `linalg.generic` with `{result}`, `{lhs}`, `{rhs}`, `{id}`, `{loc}` to be filled in."""
    lhs, rhs, result = types
    element = lhs.element_type
    left = dict(enumerate(dims.lhs_batching_dimensions))
    places: list[dict[int, int]] = [{d: loop for loop, d in left.items()}, {}]
    places[1] = {d: loop for loop, d in enumerate(dims.rhs_batching_dimensions)}
    loops = len(left)
    contracting = [list(dims.lhs_contracting_dimensions), list(dims.rhs_contracting_dimensions)]
    for side, tensor in enumerate((lhs, rhs)):
        for dim in range(tensor.rank):
            if dim not in places[side] and dim not in contracting[side]:
                places[side][dim] = loops
                loops += 1
    parallel = loops
    for pair in zip(*contracting, strict=True):
        for side in (0, 1):
            places[side][pair[side]] = loops
        loops += 1
    variables = ", ".join(f"d{i}" for i in range(loops))

    def access(dims_of: list[int]) -> str:
        return f"affine_map<({variables}) -> ({', '.join(f'd{i}' for i in dims_of)})>"

    maps = [
        access([places[0][d] for d in range(lhs.rank)]),
        access([places[1][d] for d in range(rhs.rank)]),
        access(list(range(parallel))),
    ]
    kinds = ['"parallel"'] * parallel + ['"reduction"'] * (loops - parallel)
    return f"""\
{{id}}_zero = arith.constant 0.0 : {element}{{loc}}
{{id}}_empty = tensor.empty() : {result}{{loc}}
{{id}}_init = linalg.fill ins({{id}}_zero : {element}) outs({{id}}_empty : {result}) -> {result}{{loc}}
{{result}} = linalg.generic {{{{indexing_maps = [{", ".join(maps)}], iterator_types = [{", ".join(kinds)}]}}}} ins({{lhs}}, {{rhs}} : {lhs}, {rhs}) outs({{id}}_init : {result}) {{{{
^bb0(%l: {element}, %r: {element}, %sum: {element}):
  %product = arith.mulf %l, %r : {element}
  %more = arith.addf %sum, %product : {element}
  linalg.yield %more : {element}
}}}} -> {result}{{loc}}"""  # noqa: E501
