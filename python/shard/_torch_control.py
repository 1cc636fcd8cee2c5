# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch that take functions: `cond`, `while_loop`, `scan`, `map` and `flex_attention`.

`map` becomes its function for a batch, and `flex_attention` the products and the softmax that it
stands for, before anything is decomposed. Of `cond`, `while_loop` and `scan` the functions are
lowered by torch-mlir, each to a function of linalg. The op itself becomes a call of a function that
has no body. When torch-mlir is done, this function gets a body of `scf` that calls the others, and
all of them are inlined.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shard._torch_trace import nodes_of

# The function that stands for the op of this number.
_STUB = "shard_control_{}"


def takes_functions(exported: Any) -> bool:
    """Whether a program has ops that `expanded` writes otherwise."""
    return any(_name(node.target) in _expansions() for node in nodes_of(exported))


def inner_batches(node: Any) -> str:
    """The name of an op that `expanded` writes otherwise in a function of `node`, if there is one.

    In such a function `torch.export` keeps what makes batches.
    """
    inner = (other for function in functions_of(node) for other in function.graph.nodes)
    return next((_name(op.target) for op in inner if _name(op.target) in _expansions()), "")


def _name(target: Any) -> str:
    import torch

    return str(target.name()) if isinstance(target, torch._ops.HigherOrderOperator) else ""


def _expansions() -> dict[str, Callable[..., Any]]:
    return {"map_impl": _map, "flex_attention": _flex_attention}


def expanded(node: Any, target: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What `target` gives, by ops that take no functions where there are some for it."""
    return _expansions().get(_name(target), target)(*args, **kwargs)


def _map(function: Any, tensors: Any, others: Any) -> Any:
    """The function takes rows of `tensors`, and `others` as they are."""
    import torch

    dims = (0,) * len(tensors) + (None,) * len(others)
    return torch.vmap(function, dims)(*tensors, *others)


def _flex_attention(*args: Any, **kwargs: Any) -> Any:
    from torch._higher_order_ops.flex_attention import sdpa_dense

    return sdpa_dense(*args, **kwargs)


@dataclass
class _Call:
    """An op that takes functions: the names of these, its operands, in groups, and its place."""

    define: Callable[["_Stub"], str]
    functions: list[str]
    groups: list[int]
    type: Any
    location: str


class Importer:
    """Makes torch-mlir's importer write calls for ops that take functions."""

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._before: dict[str, Any] = {}

    def __enter__(self) -> "Importer":
        from torch_mlir.extras.fx_importer import GraphNodeImporter

        for kind in _KINDS:
            name = f"_import_hop_{kind}"
            self._before[name] = getattr(GraphNodeImporter, name, None)
            setattr(GraphNodeImporter, name, self._reader_of(kind))
        return self

    def __exit__(self, *error: object) -> None:
        from torch_mlir.extras.fx_importer import GraphNodeImporter

        for name, before in self._before.items():
            if before is None:
                delattr(GraphNodeImporter, name)
            else:
                setattr(GraphNodeImporter, name, before)

    def _reader_of(self, kind: str) -> Callable[..., None]:
        define = _KINDS[kind][1]

        def read(importer: Any, loc: Any, node: Any, _: Any) -> None:
            from torch_mlir.ir import FlatSymbolRefAttr, FunctionType, Operation

            groups = _operands(node)
            operands = [importer._import_argument(loc, arg) for group in groups for arg in group]
            results = [importer._cc.value_info_to_type(value) for value in node.meta["val"]]
            called = FlatSymbolRefAttr.get(_STUB.format(len(self._calls)))
            made = Operation.create("func.call", results, operands, {"callee": called}, loc=loc)
            names = importer.fx_importer._graph_module_to_func_name
            given = [names[id(function)] for function in functions_of(node)]
            type_of_call = FunctionType.get([operand.type for operand in operands], results)
            self._calls.append(
                _Call(define, given, [len(group) for group in groups], type_of_call, str(loc))
            )
            importer._multi_result_nodes.add(node)
            for number, value in enumerate(made.results):
                importer.bind_node_value(node, value, number)

        return read

    def declare(self, module: Any) -> None:
        """Declares what the calls in `module` call, and keeps their functions."""
        from torch_mlir.ir import InsertionPoint, Location, Operation, StringAttr, TypeAttr

        given = {name for call in self._calls for name in call.functions}
        with module.context, Location.unknown():
            for op in module.body.operations:
                if "sym_name" in op.attributes and op.attributes["sym_name"].value in given:
                    op.attributes["sym_visibility"] = StringAttr.get("public")
            for number, call in enumerate(self._calls):
                Operation.create(
                    "func.func",
                    attributes={
                        "sym_name": StringAttr.get(_STUB.format(number)),
                        "function_type": TypeAttr.get(call.type),
                        "sym_visibility": StringAttr.get("private"),
                    },
                    regions=1,
                    ip=InsertionPoint(module.body),
                )

    def define(self, text: str) -> str:
        """`text`, which torch-mlir has made of the module, with bodies of what is called."""
        for number, call in enumerate(self._calls):
            name = _STUB.format(number)
            declared = re.search(
                rf"func\.func private @{name}\((.*?)\) -> (.*?)(?: loc.*)?$", text, re.M
            )
            if not declared:
                continue  # Nothing calls the function with the op.
            stub = _Stub(call, _types(declared[1]), _types(declared[2].strip("()")))
            text = text[: declared.start()] + stub.function(name) + text[declared.end() :]
            for given in call.functions:
                text = text.replace(f"func.func public @{given}(", f"func.func private @{given}(")
        return text

    @property
    def is_used(self) -> bool:
        return bool(self._calls)


def _types(text: str) -> list[str]:
    """The types in a list of them, without locations."""
    return re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", text)


class _Stub:
    """A function that stands for an op, and what its body is written with."""

    def __init__(self, call: _Call, operands: list[str], results: list[str]) -> None:
        self.call, self.results = call, results
        names = [f"%a{number}" for number in range(len(operands))]
        self.groups: list[list[tuple[str, str]]] = []
        given = list(zip(names, operands, strict=True))
        for count in call.groups:
            self.groups.append(given[:count])
            given = given[count:]

    def function(self, name: str) -> str:
        values = [value for group in self.groups for value in group]
        results = _list(_results("%r", self.results))
        text = (
            f"func.func private @{name}({_typed(values)}) -> ({', '.join(self.results)}) {{\n"
            f"{self.call.define(self)}return {results}\n}}"
        )
        # Each op has the place of the call.
        lines = text.splitlines()
        ends = (line if line[-1] in "{:" else f"{line} {self.call.location}" for line in lines)
        return "\n".join(ends)

    def called(
        self, name: str, function: int, values: list[tuple[str, str]], results: list[str]
    ) -> str:
        """A call of a function of the op; `name` is that of its results."""
        types = ", ".join(kind for _, kind in values)
        return (
            f"{name}:{len(results)} = func.call @{self.call.functions[function]}"
            f"({', '.join(value for value, _ in values)}) : ({types}) -> ({', '.join(results)})\n"
        )

    def flag(self, name: str, tensor: str) -> str:
        return f"{name} = tensor.extract {tensor}[] : tensor<i1>\n"


def _typed(values: list[tuple[str, str]]) -> str:
    return ", ".join(f"{value}: {kind}" for value, kind in values)


def _list(values: list[tuple[str, str]]) -> str:
    """The operands of a terminator."""
    names, kinds = zip(*values, strict=True)
    return f"{', '.join(names)} : {', '.join(kinds)}"


def _results(name: str, kinds: list[str]) -> list[tuple[str, str]]:
    return [(f"{name}#{number}", kind) for number, kind in enumerate(kinds)]


def _cond(stub: _Stub) -> str:
    (flag,), operands = stub.groups
    kinds = stub.results
    branches = [
        f"{{\n{stub.called('%x', branch, operands, kinds)}"
        f"scf.yield {_list(_results('%x', kinds))}\n}}"
        for branch in range(2)
    ]
    return (
        stub.flag("%p", flag[0])
        + f"%r:{len(kinds)} = scf.if %p -> ({', '.join(kinds)}) {' else '.join(branches)}\n"
    )


def _while_loop(stub: _Stub) -> str:
    carried, others = stub.groups
    kinds = [kind for _, kind in carried]
    types = ", ".join(kinds)
    before, inside = ([(f"%{name}{n}", kind) for n, kind in enumerate(kinds)] for name in "bi")
    begins = ", ".join(f"{a} = {b}" for (a, _), (b, _) in zip(before, carried, strict=True))
    return (
        f"%r:{len(kinds)} = scf.while ({begins}) : ({types}) -> ({types}) {{\n"
        + stub.called("%c", 0, before + others, ["tensor<i1>"])
        + stub.flag("%p", "%c#0")
        + f"scf.condition(%p) {_list(before)}\n}} do {{\n^bb0({_typed(inside)}):\n"
        + stub.called("%x", 1, inside + others, kinds)
        + f"scf.yield {_list(_results('%x', kinds))}\n}}\n"
    )


def _row(kind: str) -> tuple[int, str, str]:
    """Of a type: how many rows it has, that of one, and sizes and strides of one."""
    extents = re.findall(r"(\d+)x", kind)
    rows, *sizes = map(int, extents)
    row = kind.replace(f"{rows}x", "", 1)
    zeros = "".join(", 0" for _ in sizes)
    part = (
        f"[%i{zeros}] [{', '.join(map(str, [1, *sizes]))}] [{', '.join('1' for _ in [1, *sizes])}]"
    )
    return rows, row, part


def _scan(stub: _Stub) -> str:
    carried, tensors, others = stub.groups
    kinds = [kind for _, kind in carried]
    made = stub.results[len(kinds) :]
    inside = [(f"%i{n}", kind) for n, kind in enumerate(stub.results)]
    starts = [value for value, _ in carried] + [f"%e{n}" for n in range(len(made))]
    begins = ", ".join(f"{a} = {b}" for (a, _), b in zip(inside, starts, strict=True))
    text = "".join(f"%e{n} = tensor.empty() : {kind}\n" for n, kind in enumerate(made))
    rows = _row(tensors[0][1])[0]
    text += "%zero = arith.constant 0 : index\n%one = arith.constant 1 : index\n"
    text += (
        f"%rows = arith.constant {rows} : index\n"
        f"%r:{len(inside)} = scf.for %i = %zero to %rows step %one iter_args({begins}) "
        f"-> ({', '.join(stub.results)}) {{\n"
    )
    slices = []
    for n, (value, kind) in enumerate(tensors):
        _, row, part = _row(kind)
        text += f"%s{n} = tensor.extract_slice {value}{part} : {kind} to {row}\n"
        slices.append((f"%s{n}", row))
    parts = [_row(kind) for kind in made]
    results = kinds + [row for _, row, _ in parts]
    text += stub.called("%x", 0, inside[: len(kinds)] + slices + others, results)
    ends = _results("%x", kinds)
    for n, (kind, (_, row, part)) in enumerate(zip(made, parts, strict=True)):
        place = len(kinds) + n
        into = inside[place][0]
        text += f"%y{n} = tensor.insert_slice %x#{place} into {into}{part} : {row} into {kind}\n"
        ends.append((f"%y{n}", kind))
    return text + f"scf.yield {_list(ends)}\n}}\n"


# The ops, with the places of their functions among their operands, and what defines them.
_KINDS: dict[str, tuple[slice, Callable[[_Stub], str]]] = {
    "cond": (slice(1, 3), _cond),
    "while_loop": (slice(0, 2), _while_loop),
    "scan": (slice(0, 1), _scan),
}


def functions_of(node: Any) -> list[Any]:
    """The graphs that an op of `_KINDS` takes."""
    taken = node.args[_KINDS[_name(node.target)][0]] if is_read(node.target) else ()
    return [getattr(node.graph.owning_module, arg.target) for arg in taken]


def _operands(node: Any) -> list[list[Any]]:
    """The operands of an op of `_KINDS`, in groups, without its functions."""
    functions = _KINDS[_name(node.target)][0]
    groups = [*node.args[: functions.start], *node.args[functions.stop :]]
    return [list(group) if isinstance(group, list | tuple) else [group] for group in groups]


def takes_numbers(node: Any) -> bool:
    """Whether an op of `_KINDS` has operands that are no tensors."""
    import torch

    def is_tensor(arg: Any) -> bool:
        return isinstance(arg, torch.fx.Node) and isinstance(arg.meta.get("val"), torch.Tensor)

    return not all(is_tensor(arg) for group in _operands(node) for arg in group)


def is_read(target: Any) -> bool:
    """Whether `target`, an op that takes functions, is one of those that `Importer` reads."""
    return _name(target) in _KINDS
