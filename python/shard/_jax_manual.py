# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shard_map of JAX: code for the blocks of one device.

JAX writes it as `sdy.manual_computation`, with collectives of StableHLO in its body. The body
becomes a function of its own, and the op, like each collective, a call of a function without a
body, which crosses iree-opt as it is. `put_manual` then writes the ops of `shard` in the place of
these calls.
"""

import itertools
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shard._errors import ProgramError
from shard._jax_calls import declare, replace_by_call
from shard._jax_rewrites import place_of

_CALL, _BODY = "__shard_manual_", "__shard_body_"
_COLLECTIVE = "__shard_collective_"
_TYPE = r"tensor<(?:[^<>]|<[^<>]*>)*>"
_REDUCTIONS = {
    "add": "sum",
    "multiply": "product",
    "maximum": "max",
    "minimum": "min",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
}


@dataclass
class _Mesh:
    name: str
    axes: list[str]
    sizes: list[int]

    def axes_of(self, groups: list[tuple[int, ...]]) -> tuple[int, ...] | None:
        """The axes, major first, along which `groups` of devices lie, if there are any."""
        devices = np.arange(np.prod(self.sizes)).reshape(self.sizes)
        for axes in self._lists_of_axes():
            rest = [axis for axis in range(len(self.sizes)) if axis not in axes]
            lines = devices.transpose([*rest, *axes]).reshape(
                -1, int(np.prod([self.sizes[axis] for axis in axes]))
            )
            if set(map(tuple, lines.tolist())) == set(groups):
                return axes
        return None

    def moves_of(
        self, pairs: list[tuple[int, int]]
    ) -> tuple[tuple[int, ...], dict[int, int]] | None:
        """The axes along which `pairs` of sources and targets lie, and the sources of the
        positions along them, if these are the same in all groups.
        """
        for axes in self._lists_of_axes():
            groups: dict[tuple[int, ...], dict[int, int]] = {}
            for source, target in pairs:
                group, begin = self._position(source, axes)
                other, end = self._position(target, axes)
                if group != other:
                    break
                groups.setdefault(group, {})[end] = begin
            else:
                moves = next(iter(groups.values()), {})
                devices = len(groups) * int(np.prod([self.sizes[axis] for axis in axes]))
                if devices == np.prod(self.sizes) and all(g == moves for g in groups.values()):
                    return axes, moves
        return None

    def _position(self, device: int, axes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """The coordinates of `device` on the other axes, and its position along `axes`."""
        at = [int(place) for place in np.unravel_index(device, self.sizes)]
        position = 0
        for axis in axes:
            position = position * self.sizes[axis] + at[axis]
        return tuple(place for axis, place in enumerate(at) if axis not in axes), position

    def _lists_of_axes(self) -> list[tuple[int, ...]]:
        numbers = range(len(self.sizes))
        return [axes for count in numbers for axes in itertools.permutations(numbers, count + 1)]


@dataclass
class Manual:
    """What `take_manual` has taken out of a module."""

    mesh: _Mesh = field(default_factory=lambda: _Mesh("", [], []))
    computations: list[tuple[str, str, str]] = field(default_factory=list)
    # Each makes the text of a collective of a result, an operand, and their types.
    collectives: list[Any] = field(default_factory=list)


def take_manual(module: Any) -> Manual:
    """Makes calls of the manual computations in `module`, and of the collectives."""
    from jaxlib.mlir import ir

    manual = Manual()
    computations: list[Any] = []
    collectives: list[Any] = []

    def visit(op: Any) -> Any:
        if op.name == "sdy.manual_computation":
            computations.append(op)
        elif op.name in _WRITERS:
            collectives.append(op)
        elif op.name == "sdy.mesh" and (mesh := _mesh(op)).axes:
            manual.mesh = mesh
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if not computations:
        return manual
    with module.context, ir.Location.unknown():
        for op in collectives:
            number = len(manual.collectives)
            manual.collectives.append(_WRITERS[op.name](op, manual.mesh))
            if len(op.operands) > 1:
                raise ProgramError(f"{place_of(op)}: '{op.name}' of several operands")
            declare(module, f"{_COLLECTIVE}{number}", op)
            replace_by_call(op, f"{_COLLECTIVE}{number}")
        for op in computations:
            _outline(module, op, manual)
    return manual


def put_manual(text: str, manual: Manual) -> str:
    """`text` with the ops of `shard` in the place of the calls that `take_manual` made."""
    if not manual.computations:
        return text
    text = re.sub(
        rf"^ *func\.func private @(?:{_CALL}|{_COLLECTIVE})\d+\(.*\n", "", text, flags=re.M
    )
    types = {}
    for header in re.finditer(rf"func\.func (?:public )?@{_BODY}(\d+)(\(.*)\{{$", text, re.M):
        inputs, _, results = header[2].partition("->")
        types[int(header[1])] = [
            re.findall(_TYPE, re.sub(r"\{[^{}]*\}", "", part))
            for part in (inputs, re.split(r"\battributes\b", results)[0])
        ]
    text = re.sub(rf"func\.func (?:public )?@{_BODY}", f"func.func private @{_BODY}", text)
    call = (
        rf"(?P<results>(?:%[\w]+(?::\d+)? = )?)(?:func\.)?call @{{name}}(?P<number>\d+)"
        rf"\((?P<operands>[^()]*)\) : (?P<type>\((?:{_TYPE}|, )*\) -> "
        rf"(?:\((?:{_TYPE}|, )*\)|{_TYPE}))(?P<place> loc\(#?\w+\))?"
    )

    def computation(match: re.Match[str]) -> str:
        number = int(match["number"])
        inputs, results = types[number]
        names = [f"%shard_block_{number}_{i}" for i in range(len(inputs))]
        arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, inputs, strict=True))
        made = f"%shard_made_{number}"
        values = [made] if len(results) == 1 else [f"{made}#{i}" for i in range(len(results))]
        place = match["place"] or ""
        gives = f"{made}{f':{len(results)}' if len(results) > 1 else ''} = " if results else ""
        returned = f" {', '.join(values)} : {', '.join(results)}" if results else ""
        ins, outs, axes = manual.computations[number]
        return (
            f"{match['results']}shard.manual_computation({match['operands']}) "
            f"on @{manual.mesh.name} in = {ins} out = {outs} axes = {axes} ({arguments}) {{\n"
            f"      {gives}func.call @{_BODY}{number}({', '.join(names)}) : "
            f"({', '.join(inputs)}) -> ({', '.join(results)}){place}\n"
            f"      shard.return{returned}{place}\n    }} : {match['type']}{place}"
        )

    def collective(match: re.Match[str]) -> str:
        number = int(match["number"])
        inputs, _, results = match["type"].partition(" -> ")
        found = re.findall(_TYPE, inputs)
        made = manual.collectives[number](
            match["results"].partition(" =")[0],
            match["operands"],
            found[0] if found else "",
            re.findall(_TYPE, results)[0],
            f"%shard_{number}",
        )
        return "\n".join(line + (match["place"] or "") for line in made.split("\n"))

    text = re.sub(call.replace("{name}", _CALL), computation, text)
    return re.sub(call.replace("{name}", _COLLECTIVE), collective, text)


def _mesh(op: Any) -> _Mesh:
    axes = re.findall(r'"((?:[^"\\]|\\.)*)"=(\d+)', str(op.attributes["mesh"]))
    name = str(op.attributes["sym_name"]).strip('"')
    return _Mesh(name, [axis for axis, _ in axes], [int(size) for _, size in axes])


def _outline(module: Any, op: Any, manual: Manual) -> None:
    """Makes a function of the body of `op`, and a call of one without a body of `op`."""
    from jaxlib.mlir import ir

    number = len(manual.computations)
    axes = re.findall(r'"([^"]*)"', str(op.attributes["manual_axes"]))
    axes.sort(key=manual.mesh.axes.index)
    manual.computations.append(
        (
            _shardings_text(op.attributes["in_shardings"], axes, manual.mesh),
            _shardings_text(op.attributes["out_shardings"], axes, manual.mesh),
            "[" + ", ".join(f'"{axis}"' for axis in axes) + "]",
        )
    )
    body = op.regions[0].blocks[0]
    terminator = body.operations[len(body.operations) - 1]
    values = list(terminator.operands)
    types = ir.FunctionType.get(
        [argument.type for argument in body.arguments], [value.type for value in values]
    )
    function = ir.Operation.create(
        "func.func",
        attributes={
            "sym_name": ir.StringAttr.get(f"{_BODY}{number}"),
            "function_type": ir.TypeAttr.get(types),
        },
        regions=1,
        ip=ir.InsertionPoint(module.body),
        loc=op.location,
    )
    ir.Operation.create("func.return", operands=values, ip=ir.InsertionPoint(terminator))
    terminator.erase()
    body.append_to(function.regions[0])
    declare(module, f"{_CALL}{number}", op)
    replace_by_call(op, f"{_CALL}{number}")


def _shardings_text(attribute: Any, axes: list[str], mesh: _Mesh) -> str:
    """The shardings, in which the manual axes that they do not mention are replicated."""
    texts = []
    for text in re.findall(r"<@\w+, \[[^\]]*\][^>]*>", str(attribute)):
        listed = re.search(r", replicated=\{([^}]*)\}", text)
        kept = re.findall(r'"[^"]*"(?::\(\d+\)\d+)?', listed[1]) if listed else []
        kept += [f'"{axis}"' for axis in axes if f'"{axis}"' not in text]
        kept.sort(key=lambda axis: mesh.axes.index(axis.split('"')[1]))
        text = text.replace(listed[0], "") if listed else text
        text = text.replace("{", "[").replace("}", "]")
        if kept:
            text = f"{text[:-1]}, replicated = [{', '.join(kept)}]>"
        texts.append(text)
    return "[" + ", ".join(texts) + "]"


def _groups(op: Any, mesh: _Mesh) -> str:
    """`on @mesh grid_axes = [0, 1]` of the groups of devices of `op`."""
    groups = [tuple(map(int, row)) for row in np.array(op.attributes["replica_groups"])]
    axes = mesh.axes_of(groups)
    if axes is None:
        raise ProgramError(
            f"{place_of(op)}: '{op.name}' has groups of devices, {groups}, that do not lie along "
            "axes of the mesh: axis_index_groups are not read here"
        )
    return f"on @{mesh.name} grid_axes = {list(axes)}"


def _reduction(op: Any) -> str:
    body = list(op.regions[0].blocks[0].operations)
    kinds = [inner.operation.name.removeprefix("stablehlo.") for inner in body[:-1]]
    kinds = [kind for kind in kinds if not kind.startswith("sdy.")]
    if len(kinds) != 1 or kinds[0] not in _REDUCTIONS:
        raise ProgramError(f"{place_of(op)}: '{op.name}' combines by {kinds}, not read here")
    kind = _REDUCTIONS[kinds[0]]
    is_unsigned = re.match(r"tensor<(?:\d+x)*ui", str(op.results[0].type))
    return f"u{kind}" if is_unsigned and kind in ("max", "min") else kind


def _plain(form: str) -> Any:
    """A collective of one op."""

    def write(result: str, operand: str, type_in: str, type_out: str, name: str) -> str:
        if not _is_scalar(type_in):
            return f"{result} = {form.format(operand)} : {type_in} -> {type_out}"
        one = _with_dimension(type_in)
        return "\n    ".join(
            [
                _expand(f"{name}_in", operand, type_in),
                f"{name}_out = {form.format(f'{name}_in')} : {one} -> {one}",
                _collapse(result, f"{name}_out", type_in),
            ]
        )

    return write


def _is_scalar(kind: str) -> bool:
    return not re.match(r"tensor<\d+x", kind)


def _with_dimension(kind: str) -> str:
    return kind.replace("tensor<", "tensor<1x", 1)


def _expand(result: str, operand: str, kind: str) -> str:
    """A tensor of one element of a scalar: collectives have dimensions."""
    return (
        f"{result} = tensor.expand_shape {operand} [] output_shape [1] : "
        f"{kind} into {_with_dimension(kind)}"
    )


def _collapse(result: str, operand: str, kind: str) -> str:
    return f"{result} = tensor.collapse_shape {operand} [] : {_with_dimension(kind)} into {kind}"


def _zero(kind: str) -> str:
    if "complex" in kind:
        return "(0.0, 0.0)"
    if kind.endswith(("xi1>", "<i1>")):
        return "false"
    return "0.0" if "f" in kind else "0"


def _number(op: Any, key: str) -> int:
    return int(op.attributes[key])


def _all_reduce(op: Any, mesh: _Mesh) -> Any:
    return _plain(f"shard.all_reduce {{}} {_groups(op, mesh)} reduction = {_reduction(op)}")


def _all_gather(op: Any, mesh: _Mesh) -> Any:
    dim = _number(op, "all_gather_dim")
    return _plain(f"shard.all_gather {{}} {_groups(op, mesh)} gather_axis = {dim}")


def _reduce_scatter(op: Any, mesh: _Mesh) -> Any:
    dim = _number(op, "scatter_dimension")
    return _plain(
        f"shard.reduce_scatter {{}} {_groups(op, mesh)} reduction = {_reduction(op)} "
        f"scatter_axis = {dim}"
    )


def _all_to_all(op: Any, mesh: _Mesh) -> Any:
    split, concat = _number(op, "split_dimension"), _number(op, "concat_dimension")
    return _plain(
        f"shard.all_to_all {{}} {_groups(op, mesh)} split_axis = {split} concat_axis = {concat}"
    )


def _partition_id(op: Any, mesh: _Mesh) -> Any:
    def write(result: str, operand: str, type_in: str, type_out: str, name: str) -> str:
        return (
            f"{name}_at = shard.process_linear_index on @{mesh.name} : index\n"
            f"    {name}_id = arith.index_cast {name}_at : index to i32\n"
            f"    {result} = tensor.from_elements {name}_id : {type_out}"
        )

    return write


def _collective_permute(op: Any, mesh: _Mesh) -> Any:
    """A shift for each distance, of which the devices that something comes to by it take what
    comes. A device that nothing comes to has zeros.
    """
    pairs = [(int(a), int(b)) for a, b in np.array(op.attributes["source_target_pairs"])]
    found = mesh.moves_of(pairs)
    if found is None:
        raise ProgramError(
            f"{place_of(op)}: '{op.name}' does not move alike along axes of the mesh: {pairs}"
        )
    axes, moves = found
    sizes = [mesh.sizes[axis] for axis in axes]
    count = int(np.prod(sizes))
    distances = sorted({(target - source) % count for target, source in moves.items()})
    minor = f" minor_axes = {list(axes[1:])}" if axes[1:] else ""

    def write(result: str, operand: str, type_in: str, type_out: str, name: str) -> str:
        is_scalar = _is_scalar(type_in)
        kind = _with_dimension(type_in) if is_scalar else type_in
        value = f"{name}_in" if is_scalar else operand
        places = ", ".join(f"{name}_p{i}" for i in range(len(axes)))
        lines = [
            f"{name}_zero = arith.constant dense<{_zero(type_in)}> : {kind}",
            f"{places} = shard.process_multi_index on @{mesh.name} axes = {list(axes)} : "
            + ", ".join(["index"] * len(axes)),
        ]
        if is_scalar:
            lines.append(_expand(value, operand, type_in))
        taken = f"{name}_zero"
        shape = "x".join(map(str, sizes))
        for distance in distances:
            here, shifted = f"{name}_d{distance}", value
            if distance:
                shifted = here
                lines.append(
                    f"{here} = shard.shift {value} on @{mesh.name} grid_axes = {list(axes)} "
                    f"shift_axis = {axes[0]}{minor} offset = {distance} rotate : {kind} -> {kind}"
                )
            takes = [i in moves and (i - moves[i]) % count == distance for i in range(count)]
            if all(takes):
                taken = shifted
                continue
            table = str(np.reshape(takes, sizes).tolist()).lower()
            lines += [
                f"{here}_t = arith.constant dense<{table}> : tensor<{shape}xi1>",
                f"{here}_b = tensor.extract {here}_t[{places}] : tensor<{shape}xi1>",
                f"{here}_v = arith.select {here}_b, {shifted}, {taken} : {kind}",
            ]
            taken = f"{here}_v"
        if is_scalar:
            lines.append(_collapse(result, taken, type_in))
        else:
            lines.append(f"{result} = tensor.cast {taken} : {kind} to {kind}")
        return "\n    ".join(lines)

    return write


_WRITERS = {
    "stablehlo.all_reduce": _all_reduce,
    "stablehlo.all_gather": _all_gather,
    "stablehlo.reduce_scatter": _reduce_scatter,
    "stablehlo.all_to_all": _all_to_all,
    "stablehlo.collective_permute": _collective_permute,
    "stablehlo.partition_id": _partition_id,
}
