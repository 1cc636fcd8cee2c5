# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch that torch-mlir lowers to its own dialect, in terms of others.

The place of the largest or smallest element along a dimension is the lowest one whose element is
the maximum, or NaN: a maximum and a minimum, which can be split. torch-mlir makes a reduction of
pairs, which cannot, and which gives another place where there are NaNs.
"""

from typing import Any

from shard._torch_bags import bag_decompositions
from shard._torch_convolutions import convolution_decompositions
from shard._torch_exact import exact_decompositions
from shard._torch_fourier import fourier_decompositions
from shard._torch_integers import conversion_decompositions, cut_decompositions
from shard._torch_losses import loss_decompositions
from shard._torch_norms import norm_decompositions
from shard._torch_numbers import number_decompositions
from shard._torch_orders import order_decompositions
from shard._torch_pooling import pooling_decompositions
from shard._torch_scalars import scalar_decompositions
from shard._torch_scatters import scatter_decompositions
from shard._torch_special import special_decompositions
from shard._torch_trace import strided


def decompositions() -> dict[Any, Any]:
    """Those of torch-mlir, and of the ops above."""
    import torch
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    aten = torch.ops.aten
    table = {
        **get_decomposition_table(),
        **torch._decomp.get_decompositions([aten.cumsum.default, aten.cumprod.default]),
        **scatter_decompositions(),
        **norm_decompositions(),
        aten.reciprocal.default: _reciprocal,
        aten.stack.default: _stack,
        aten.roll.default: _roll,
        aten.repeat.default: _repeat,
        aten._efficientzerotensor.default: lambda size, **how: torch.zeros(size, **how),
        aten.as_strided.default: _as_strided,
        aten.empty_strided.default: lambda size, stride, **how: torch.empty(size, **how),
        aten.new_empty_strided.default: lambda x, size, stride, **how: x.new_empty(size, **how),
        aten.view.default: _view,
        aten.constant_pad_nd.default: _pad,
        **convolution_decompositions(),
        **pooling_decompositions(),
        **bag_decompositions(),
        **loss_decompositions(),
        aten.diagonal_backward.default: _diagonal_backward,
        aten.diagonal_scatter.default: _diagonal_scatter,
        aten.argmax.default: _argmax,
        aten.argmin.default: _argmin,
        aten.max.dim: _max,
        aten.min.dim: _min,
        **order_decompositions(),
        **number_decompositions(),
        **special_decompositions(),
        **fourier_decompositions(),
        **exact_decompositions(),
        **conversion_decompositions(),
    }
    return {**table, **cut_decompositions(table), **scalar_decompositions(table)}


def _reciprocal(x: Any) -> Any:
    """A quotient: torch-mlir asserts that no element is zero, nor NaN, of which PyTorch makes
    infinity and NaN.
    """
    import torch

    return torch.ones((), dtype=x.dtype) / x


def _as_strided(x: Any, size: Any, stride: Any, offset: int | None = None) -> Any:
    """Slices and a permutation of dimensions. PyTorch decomposes averages of channels that are
    innermost to such views; torch-mlir looks each element up.
    """
    view = strided(x, x, size, stride, offset)
    return NotImplemented if view is None else view


def _stack(tensors: Any, dim: int = 0) -> Any:
    """With a dimension of its own for the number: PyTorch joins the tensors along dimension
    `dim` and splits that, so that what splits it would split the number.
    """
    import torch

    return torch.cat([tensor.unsqueeze(dim) for tensor in tensors], dim)


def _roll(x: Any, shifts: Any, dims: Any = ()) -> Any:
    """Of slices with known extents, which torch-mlir hides."""
    import torch

    if not dims:
        return _roll(x.reshape(-1), shifts, [0]).reshape(x.shape)
    for shift, dim in zip(shifts, dims, strict=True):
        size = x.shape[dim]
        if size and (first := shift % size):
            parts = x.narrow(dim, size - first, first), x.narrow(dim, 0, size - first)
            x = torch.cat(parts, dim)
    return x.clone()


def _repeat(x: Any, counts: Any) -> Any:
    """Zero times is nothing: torch-mlir crashes at it."""
    import torch

    if 0 not in counts:
        return NotImplemented
    shape = [1] * (len(counts) - x.dim()) + list(x.shape)
    extents = [count * extent for count, extent in zip(counts, shape, strict=True)]
    return torch.zeros(extents, dtype=x.dtype)


def _view(x: Any, shape: Any) -> Any:
    """Of elements in order: a decomposition may have given `x` other strides than the op had that
    was traced, as that of attention on a CPU does, and a view of those is an error.
    """
    import torch

    return NotImplemented if x.is_contiguous() else torch.ops.aten.view(x.contiguous(), shape)


def _pad(x: Any, pad: Any, value: float = 0) -> Any:
    """Removes first what negative numbers remove: torch-mlir takes a pad that removes as many
    elements at one end as it adds at the other for no pad, because the shape stays the same.
    """
    import torch

    if all(number >= 0 for number in pad):
        return NotImplemented
    for i in range(len(pad) // 2):
        before, behind = (max(-number, 0) for number in pad[2 * i : 2 * i + 2])
        dim = -1 - i
        x = x.narrow(dim, before, x.shape[dim] - before - behind)
    return torch.ops.aten.constant_pad_nd(x, [max(number, 0) for number in pad], value)


def _diagonal_backward(grad: Any, sizes: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros beside the diagonal."""
    import torch

    return _diagonal_scatter(torch.zeros(sizes, dtype=grad.dtype), grad, offset, dim1, dim2)


def _diagonal_scatter(x: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """A choice between the diagonal, by rows, and the tensor."""
    import torch

    dim1, dim2 = dim1 % x.dim(), dim2 % x.dim()
    x = x.movedim([dim1, dim2], [-2, -1])
    rows, columns = torch.arange(x.shape[-2]).unsqueeze(1), torch.arange(x.shape[-1])
    first = max(-offset, 0)
    behind = x.shape[-2] - first - src.shape[-1]
    by_row = torch.constant_pad_nd(src, [first, behind]).unsqueeze(-1)
    chosen = torch.where(columns - rows == offset, by_row, x)
    return chosen.movedim([-2, -1], [dim1, dim2])


def _extreme(x: Any, dim: int | None, keepdim: bool, largest: bool) -> tuple[Any, Any]:
    """The largest or smallest elements along `dim`, and their places."""
    import torch

    rank = x.dim()
    if dim is None:
        x, dim = x.reshape(-1), 0
    if x.dim() == 0:
        return x.clone(), torch.zeros((), dtype=torch.int64)
    # Bool has no maximum.
    numbers = x.to(torch.int32) if x.dtype == torch.bool else x
    best = torch.amax(numbers, dim, True) if largest else torch.amin(numbers, dim, True)
    found = numbers == best
    if x.is_floating_point():
        found = found | (x != x)
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    places = torch.arange(x.shape[dim]).reshape(shape)
    index = torch.amin(torch.where(found, places, x.shape[dim]), dim, keepdim)
    if x.dtype == torch.bool:
        best = best != 0
    if keepdim:
        return best, index.reshape([1] * rank) if x.dim() < rank else index
    return best.reshape(index.shape), index


def _argmax(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _extreme(x, dim, keepdim, True)[1]


def _argmin(x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _extreme(x, dim, keepdim, False)[1]


def _max(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    return _extreme(x, dim, keepdim, True)


def _min(x: Any, dim: int, keepdim: bool = False) -> tuple[Any, Any]:
    return _extreme(x, dim, keepdim, False)
