# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of PyTorch of fewer than 64 bits.

Unsigned integers and bytes are computed in wider signed integers: torch-mlir takes the sign of
some ops on `uint8` for one of `int8` (sums, comparisons), and crashes at numbers of type `int8`.
Arguments and results keep their types.

Floats become integers of fewer than 32 bits by way of 64 bits, as PyTorch converts to `uint8`:
arith.fptosi has no number for 200.0 in 8 bits.

A number beside a tensor, or a tensor without dimensions, becomes one of its type in PyTorch: 255
and -1 are equal in `uint8`. torch-mlir computes with both in 64 bits.

Integers and flags become complex numbers by way of floats: torch-mlir takes `True` for -1.
"""

from collections.abc import Callable, Mapping
from typing import Any

from shard._torch_trace import graphs_of

# Ops that only hand elements on, and one that checks types.
_KEPT = frozenset(
    """_assert_tensor_metadata alias cat clone detach expand permute select slice squeeze t
    transpose unsqueeze view _unsafe_view""".split()
)

# Ops that compute with flags beside complex numbers.
_ARITHMETIC = frozenset("add sub rsub mul div eq ne pow".split())


def _wide() -> dict[Any, tuple[Any, int | None]]:
    """For types the signed type that has all their numbers, and of unsigned ones their bits."""
    import torch

    return {
        torch.int8: (torch.int32, None),
        torch.uint8: (torch.int32, 0xFF),
        torch.uint16: (torch.int32, 0xFFFF),
        torch.uint32: (torch.int64, 0xFFFFFFFF),
    }


def has_narrow(exported: Any) -> bool:
    """Whether a graph has tensors that `widened` computes with in another type."""
    import torch
    from torch.utils import _pytree as pytree

    types = _wide()

    def dtypes(nodes: Any) -> set[Any]:
        values = pytree.tree_leaves([node.meta.get("val") for node in nodes])
        return {value.dtype for value in values if isinstance(value, torch.Tensor)}

    return any(
        dtypes([node]).intersection(types) or _mixes(dtypes(node.all_input_nodes))
        for module in graphs_of(exported)
        for node in module.graph.nodes
    )


def _mixes(dtypes: set[Any]) -> bool:
    """Whether there are complex numbers and flags."""
    import torch

    return torch.bool in dtypes and any(dtype.is_complex for dtype in dtypes)


def widened(node: Any, target: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What the op `target` of `node` gives, computed in wider integers if that is needed."""
    import torch
    from torch.utils import _pytree as pytree

    types = _wide()
    # What takes functions computes by these. `view.dtype` looks at the bits.
    if not isinstance(target, torch._ops.OpOverload):
        return target(*args, **kwargs)
    if target.overloadpacket.__name__ in _KEPT:
        return target(*args, **kwargs)

    tensors = [v for v in pytree.tree_leaves((args, dict(kwargs))) if isinstance(v, torch.Tensor)]
    is_mixed = _mixes({tensor.dtype for tensor in tensors})
    # Others, such as `where`, choose by flags.
    is_mixed = is_mixed and target.overloadpacket.__name__ in _ARITHMETIC

    def widen(value: Any) -> Any:
        if is_mixed and isinstance(value, torch.Tensor) and value.dtype == torch.bool:
            return value.to(torch.float32)
        if not isinstance(value, torch.Tensor) or value.dtype not in types:
            return value
        wide, bits = types[value.dtype]
        return value.to(wide) if bits is None else value.to(wide) & bits

    def narrow(value: Any, wanted: Any) -> Any:
        is_tensor = isinstance(value, torch.Tensor) and isinstance(wanted, torch.Tensor)
        return value.to(wanted.dtype) if is_tensor else value

    args, keywords = pytree.tree_map(widen, (args, dict(kwargs)))
    if keywords.get("dtype") in types:
        keywords["dtype"] = types[keywords["dtype"]][0]
    return pytree.tree_map(narrow, target(*args, **keywords), node.meta.get("val"))


def conversion_decompositions() -> dict[Any, Any]:
    import torch

    return {torch.ops.prims.convert_element_type.default: _converted}


def _converted(x: Any, dtype: Any) -> Any:
    import torch

    narrow = (torch.int8, torch.int16, torch.uint8, torch.uint16, torch.uint32)
    if dtype.is_complex and not (x.dtype.is_floating_point or x.dtype.is_complex):
        return x.to(dtype.to_real()).to(dtype)
    if not x.dtype.is_floating_point or dtype not in narrow:
        return NotImplemented
    return x.to(torch.int64).to(dtype)


def cut_decompositions(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """Of ops that depend on it, with numbers cut to the type of the tensors.

    Args:
        table: the decompositions of ops whose operands need not be cut.
    """
    import torch

    names = """clamp.default clamp.Tensor clamp_max.default clamp_max.Tensor clamp_min.default
        clamp_min.Tensor div.Scalar_mode div.Tensor_mode eq.Scalar eq.Tensor floor_divide.Scalar
        floor_divide.default fmod.Scalar fmod.Tensor ge.Scalar ge.Tensor gt.Scalar gt.Tensor
        le.Scalar le.Tensor lt.Scalar lt.Tensor maximum.default minimum.default ne.Scalar
        ne.Tensor remainder.Scalar remainder.Tensor threshold.default"""
    ops = [getattr(getattr(torch.ops.aten, n), v) for n, v in (s.split(".") for s in names.split())]
    return {op: _of_cut_operands(op, table.get(op)) for op in ops}


def _of_cut_operands(op: Any, decomposition: Callable[..., Any] | None) -> Callable[..., Any]:
    def decomposed(*args: Any, **kwargs: Any) -> Any:
        cut = _cut(args)
        if any(mine is not theirs for mine, theirs in zip(cut, args, strict=True)):
            return op(*cut, **kwargs)
        return decomposition(*args, **kwargs) if decomposition else NotImplemented

    return decomposed


def _cut(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands in the type of integers that they have in common, if one of them has it."""
    import torch

    operands = [arg for arg in args if isinstance(arg, (torch.Tensor, int, float))]
    tensors = [arg for arg in operands if isinstance(arg, torch.Tensor)]
    dtype = next((torch.result_type(tensors[0], operand) for operand in operands[1:]), None)
    if dtype is None or dtype.is_floating_point or dtype.is_complex or dtype == torch.bool:
        return args
    if any(torch.result_type(tensors[0], operand) != dtype for operand in operands[1:]):
        return args
    least, count = torch.iinfo(dtype).min, 1 << torch.iinfo(dtype).bits

    def cut(arg: Any) -> Any:
        if isinstance(arg, torch.Tensor):
            return arg if arg.dtype == dtype else arg.to(dtype)
        is_number = isinstance(arg, int) and not isinstance(arg, bool)
        is_outside = is_number and not least <= arg < least + count
        return (arg - least) % count + least if is_outside else arg

    return tuple(cut(arg) for arg in args)
