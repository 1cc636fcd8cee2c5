# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch that put elements in order, or look at those before each, in terms of others.

They become a comparison of all pairs along the dimension: the place of an element is the number
of those that come before it. That is n^2 work for n elements, all of which can be split, and no
data leave a device where other dimensions are split.
"""

from typing import Any


def order_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.topk.default: _topk,
        aten.sort.default: _sort,
        aten.sort.stable: _stable_sort,
        aten.kthvalue.default: _kthvalue,
        aten.median.dim: _median_along,
        aten.median.default: _median,
        aten.nanmedian.dim: _nanmedian_along,
        aten.nanmedian.default: _nanmedian,
        aten.searchsorted.Tensor: _searchsorted,
        aten.cummax.default: _cummax,
        aten.cummin.default: _cummin,
        aten.logcumsumexp.default: _logcumsumexp,
    }


def _topk(
    x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Any, Any]:
    return _first(x, k, dim, largest)


def _sort(x: Any, dim: int = -1, descending: bool = False) -> tuple[Any, Any]:
    return _first(x, x.shape[dim] if x.dim() else 1, dim, descending)


def _stable_sort(
    x: Any, *, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> tuple[Any, Any]:
    return _sort(x, dim, descending)


def _first(x: Any, k: int, dim: int, descending: bool) -> tuple[Any, Any]:
    """The first `k` elements along `dim` in order, and their places in `x`."""
    return _in_order(x, 0, k, dim, descending)


def _in_order(x: Any, begin: int, end: int, dim: int, descending: bool) -> tuple[Any, Any]:
    """The elements along `dim` from number `begin` of their order to before number `end`, and their
    places in `x`.

    NaN counts as the largest. Of equal elements the one with the lower place comes first.
    """
    import torch

    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    x = x.movedim(dim, -1)
    places = torch.arange(x.shape[-1])
    # Row i, column j: does element j come before element i?
    this, other = x.unsqueeze(-1), x.unsqueeze(-2)
    before = other > this if descending else other < this
    equal = other == this
    if x.is_floating_point():
        this_nan, other_nan = this != this, other != other
        equal = equal | (this_nan & other_nan)
        before = before | (other_nan & ~this_nan if descending else this_nan & ~other_nan)
    before = before | (equal & (places.unsqueeze(0) < places.unsqueeze(1)))
    rank = before.to(torch.int64).sum(-1)
    chosen = rank.unsqueeze(-2) == torch.arange(begin, end).unsqueeze(-1)
    zero = torch.zeros((), dtype=x.dtype)
    values = torch.where(chosen, x.unsqueeze(-2), zero)
    values = values.any(-1) if x.dtype == torch.bool else values.sum(-1, dtype=x.dtype)
    indices = torch.where(chosen, places, 0).sum(-1)
    return values.movedim(-1, dim), indices.movedim(-1, dim)


def _kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Any, Any]:
    values, places = _in_order(x, k - 1, k, dim, False)
    if keepdim or x.dim() == 0:
        return values, places
    return values.squeeze(dim), places.squeeze(dim)


def _median_along(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The lower one of two elements in the middle. A NaN, if there is one."""
    import torch

    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    value, place = _kthvalue(x, (x.shape[dim] + 1) // 2, dim, keepdim)
    if not x.is_floating_point():
        return value, place
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    places = torch.arange(x.shape[dim]).reshape(shape)
    first = torch.amin(torch.where(x != x, places, x.shape[dim]), dim, keepdim)
    is_nan = first < x.shape[dim]
    nan = torch.full((), float("nan"), dtype=x.dtype)
    return torch.where(is_nan, nan, value), torch.where(is_nan, first, place)


def _median(x: Any) -> Any:
    return _median_along(x.reshape(-1), 0)[0]


def _nanmedian_along(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    """The median of what is no NaN. A NaN, if there is nothing else."""
    import torch

    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    values, places = _sort(x, dim)
    middle = (((x == x).sum(dim, keepdim=True) - 1) // 2).clamp(min=0)
    values, places = values.gather(dim, middle), places.gather(dim, middle)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _nanmedian(x: Any) -> Any:
    return _nanmedian_along(x.reshape(-1), 0)[0]


def _searchsorted(
    sorted_sequence: Any,
    values: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """The number of elements that come before each value. None comes behind a NaN."""
    import torch

    if sorter is not None:
        return NotImplemented
    this, others = values.unsqueeze(-1), sorted_sequence.unsqueeze(-2)
    if sorted_sequence.dim() == 1:
        others = sorted_sequence
    is_behind = others > this if right or side == "right" else others >= this
    return (~is_behind).sum(-1).to(torch.int32 if out_int32 else torch.int64)


def _up_to_each(x: Any) -> Any:
    """For the elements i and j along the last dimension: whether j is not behind i."""
    import torch

    places = torch.arange(x.shape[-1])
    return places <= places.unsqueeze(-1)


def _running_extreme(x: Any, dim: int, largest: bool) -> tuple[Any, Any]:
    """The extreme of the elements up to each, and the last place of it. The last NaN, if there is
    one.
    """
    import torch

    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    numbers = (x.to(torch.int32) if x.dtype == torch.bool else x).movedim(dim, -1)
    if numbers.is_floating_point():
        most = float("inf")
        lowest, highest = -most, most
    else:
        limits = torch.iinfo(numbers.dtype)
        lowest, highest = limits.min, limits.max
    neutral = torch.full((), lowest if largest else highest, dtype=numbers.dtype)
    seen, others = _up_to_each(numbers), numbers.unsqueeze(-2)
    masked = torch.where(seen, others, neutral)
    best = torch.amax(masked, -1) if largest else torch.amin(masked, -1)
    found = others == best.unsqueeze(-1)
    if x.is_floating_point():
        is_nan = others != others
        found = torch.where((best != best).unsqueeze(-1), is_nan, found)
    places = torch.where(seen & found, torch.arange(numbers.shape[-1]), -1).amax(-1)
    if x.dtype == torch.bool:
        best = best != 0
    return best.movedim(-1, dim), places.movedim(-1, dim)


def _cummax(x: Any, dim: int) -> tuple[Any, Any]:
    return _running_extreme(x, dim, True)


def _cummin(x: Any, dim: int) -> tuple[Any, Any]:
    return _running_extreme(x, dim, False)


def _logcumsumexp(x: Any, dim: int) -> Any:
    import torch

    if x.dim() == 0:
        return x.clone()
    x = x.movedim(dim, -1)
    low = torch.full((), -float("inf"), dtype=x.dtype)
    masked = torch.where(_up_to_each(x), x.unsqueeze(-2), low)
    most = torch.amax(masked, -1, True)
    # Infinities would give a difference that is NaN.
    offset = torch.where(most.abs() == float("inf"), torch.zeros((), dtype=x.dtype), most)
    total = torch.exp(masked - offset).sum(-1)
    return (torch.log(total) + offset.squeeze(-1)).movedim(-1, dim)
