# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch that torch-mlir lowers to its own dialect, in terms of others.

`sort` and `topk` become a comparison of all pairs along the dimension: the place of an
element is the number of those that come before it. That is n^2 work for n elements, all
of which can be split, and no data leave a device where other dimensions are split.
"""

from typing import Any


def decompositions() -> dict[Any, Any]:
    """Those of torch-mlir, and of the ops above."""
    import torch
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    aten = torch.ops.aten
    return {
        **get_decomposition_table(),
        **torch._decomp.get_decompositions([aten.cumsum.default]),
        aten.topk.default: _topk,
        aten.sort.default: _sort,
        aten.sort.stable: _stable_sort,
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
    """The first `k` elements along `dim` in order, and their places in `x`.

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
    chosen = rank.unsqueeze(-2) == torch.arange(k).unsqueeze(-1)
    zero = torch.zeros((), dtype=x.dtype)
    values = torch.where(chosen, x.unsqueeze(-2), zero)
    values = values.any(-1) if x.dtype == torch.bool else values.sum(-1, dtype=x.dtype)
    indices = torch.where(chosen, places, 0).sum(-1)
    return values.movedim(-1, dim), indices.movedim(-1, dim)
