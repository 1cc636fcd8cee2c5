# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops, distances and sums of rows that torch-mlir does not lower, in terms of
others.
"""

from typing import Any


def number_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.fmod.Scalar: _fmod,
        aten.hypot.default: _hypot,
        aten.signbit.default: _signbit,
        aten.copysign.Tensor: _copysign,
        aten.copysign.Scalar: _copysign,
        aten._cdist_forward.default: _cdist,
        aten._cdist_backward.default: _cdist_backward,
        aten.embedding_bag.padding_idx: _embedding_bag,
    }


def _fmod(x: Any, divisor: Any) -> Any:
    import torch

    dtype = torch.result_type(x, divisor)
    return torch.fmod(x.to(dtype), torch.full((), divisor, dtype=dtype))


def _hypot(x: Any, y: Any) -> Any:
    """Of the quotient of both, so that no square overflows."""
    import torch

    x, y = x.abs(), y.abs()
    most, least = torch.maximum(x, y), torch.minimum(x, y)
    zero = torch.zeros((), dtype=most.dtype)
    quotient = torch.where(most == 0, zero, least / most)
    length = most * torch.sqrt(1 + quotient * quotient)
    is_infinite = (x == float("inf")) | (y == float("inf"))
    return torch.where(is_infinite, torch.full((), float("inf"), dtype=most.dtype), length)


def _signbit(x: Any) -> Any:
    """Also of zeros, whose reciprocals are infinities; a NaN counts as positive."""
    import torch

    if not x.is_floating_point():
        return x < 0 if x.dtype != torch.bool else torch.zeros_like(x)
    return torch.where(x == 0, 1 / x, x) < 0


def _copysign(x: Any, sign: Any) -> Any:
    import torch

    if not isinstance(sign, torch.Tensor):
        sign = torch.full((), sign, dtype=x.dtype)
    dtype = torch.result_type(x, sign)
    size = x.to(dtype if dtype.is_floating_point else torch.get_default_dtype()).abs()
    return torch.where(_signbit(sign), -size, size)


def _cdist(x: Any, y: Any, p: float, compute_mode: int | None) -> Any:
    """Of the differences of all pairs of rows."""
    import torch

    size = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (size != 0).to(x.dtype).sum(-1)
    if p == 1:
        return size.sum(-1)
    if p == float("inf"):
        return torch.amax(size, -1)
    if p == 2:
        return torch.sqrt((size * size).sum(-1))
    return (size**p).sum(-1) ** (1 / p)


def _cdist_backward(grad: Any, x: Any, y: Any, p: float, distance: Any) -> Any:
    """With respect to `x`. Zero where two rows are the same."""
    import torch

    difference = x.unsqueeze(-2) - y.unsqueeze(-3)
    grad, distance = grad.unsqueeze(-1), distance.unsqueeze(-1)
    sign = difference.sign()
    if p == 0:
        return torch.zeros_like(x)
    if p == 1:
        return (grad * sign).sum(-2)
    if p == float("inf"):
        return (grad * sign * (difference.abs() == distance)).sum(-2)
    zero = torch.zeros((), dtype=x.dtype)
    share = sign * torch.where(difference == 0, zero, difference.abs() ** (p - 1))
    scaled = torch.where(distance == 0, zero, grad / distance ** (p - 1))
    return (scaled * share).sum(-2)


def _embedding_bag(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int | None,
) -> tuple[Any, Any, Any, Any]:
    """The sums, means (mode 1) or maxima (mode 2) of bags of rows.

    An index is in the last bag whose offset is not behind it. What is not chosen is not computed
    with, because it may be NaN.
    """
    import torch

    places = torch.arange(indices.shape[0])
    begins = offsets[:-1] if include_last_offset else offsets
    bag = (begins.unsqueeze(-1) <= places).sum(0) - 1
    chosen = bag == torch.arange(begins.shape[0]).unsqueeze(-1)
    if include_last_offset:
        chosen = chosen & (places < offsets[-1:])
    if padding_idx is not None:
        chosen = chosen & (indices != padding_idx % weight.shape[0])
    rows = torch.nn.functional.embedding(indices, weight)
    size = chosen.to(torch.int64).sum(-1)
    if mode == 2:
        low = torch.full((), -float("inf"), dtype=weight.dtype)
        best = torch.where(chosen.unsqueeze(-1), rows, low).amax(-2)
        found = torch.where(size.unsqueeze(-1) == 0, torch.zeros((), dtype=weight.dtype), best)
        return found, bag, size, bag
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    zero = torch.zeros((), dtype=weight.dtype)
    total = torch.where(chosen.unsqueeze(-1), rows, zero).sum(-2)
    if mode == 1:
        total = total / size.clamp(min=1).unsqueeze(-1)
    return total, bag, size, bag
