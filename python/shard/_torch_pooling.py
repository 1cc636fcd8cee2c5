# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of pooling and of what repeats borders, which torch-mlir lacks.

What a window takes at one offset, for all windows, is a slice with the stride of the windows. What
goes back there is zero elsewhere: it is written as one of `stride` elements, which a dimension that
is split keeps apart, so that borders are exchanged at most.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any

from shard._torch_resampling import _padded


def pooling_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.max_pool2d_with_indices_backward.default: _max_pool_backward,
        aten.max_pool3d_with_indices_backward.default: _max_pool_backward,
        **_of_batches(),
        aten.adaptive_max_pool2d.default: _adaptive_max,
        aten.adaptive_max_pool3d.default: _adaptive_max,
        aten.avg_pool2d_backward.default: functools.partial(_avg_pool_backward, 2),
        aten.avg_pool3d_backward.default: functools.partial(_avg_pool_backward, 3),
        aten.replication_pad1d_backward.default: _replication_backward,
        aten.replication_pad2d_backward.default: _replication_backward,
        aten.replication_pad3d_backward.default: _replication_backward,
    }


def _of_batches() -> dict[Any, Any]:
    """Pooling of one example as that of a batch of one: torch-mlir takes batches alone."""
    import torch

    def decomposed(op: Any, rank: int) -> Any:
        def of_batch(x: Any, *how: Any, **more: Any) -> Any:
            if x.dim() == rank:
                return NotImplemented
            made = op(x.unsqueeze(0), *how, **more)
            return (
                made.squeeze(0) if isinstance(made, torch.Tensor) else [v.squeeze(0) for v in made]
            )

        return of_batch

    aten = torch.ops.aten
    planes = aten.avg_pool2d, aten.max_pool2d, aten.max_pool2d_with_indices
    volumes = aten.avg_pool3d, aten.max_pool3d, aten.max_pool3d_with_indices
    ranks = {**dict.fromkeys(planes, 4), **dict.fromkeys(volumes, 5)}
    return {op.default: decomposed(op.default, rank) for op, rank in ranks.items()}


def _taken(x: Any, dim: int, offset: int, stride: int, count: int) -> Any:
    """Elements `offset`, `offset + stride` and so on, `count` of them."""
    import torch

    return torch.ops.aten.slice(x, dim, offset, offset + (count - 1) * stride + 1, stride)


def _placed(parts: dict[int, Any], dim: int, stride: int, low: int, size: int) -> Any:
    """A sum of tensors that are zero but for elements `offset - low`, `offset - low + stride` and
    so on along `dim`, which has `size`; these are those of the part of that offset.
    """
    import torch

    some = next(iter(parts.values()))
    # Without rows that no window reaches.
    last = max((offset - low) // stride for offset in parts) + some.shape[dim]
    rows = min(-(-size // stride), last)
    zeros = _moved(torch.zeros_like(some), dim, 0, rows)
    phases: list[Any] = [None] * stride
    for offset, part in parts.items():
        first, phase = divmod(offset - low, stride)
        part = _moved(part, dim, first, rows)
        phases[phase] = part if phases[phase] is None else phases[phase] + part
    filled = [zeros if phase is None else phase for phase in phases]
    made = filled[0] if stride == 1 else torch.stack(filled, dim + 1).flatten(dim, dim + 1)
    return _moved(made, dim, 0, size)


def _moved(x: Any, dim: int, by: int, size: int) -> Any:
    """`size` elements along `dim`: `x` from place `by` on, which may be negative, and zeros."""
    first = min(max(-by, 0), x.shape[dim])
    count = max(min(x.shape[dim] - first, size - max(by, 0)), 0)
    low = min(max(by, 0), size)
    return _padded(x.narrow(dim, first, count), dim, low, size - low - count)


def _each(values: Sequence[int] | int, dims: int) -> list[int]:
    """One value for each dimension, where one stands for all."""
    values = [values] if isinstance(values, int) else list(values)
    return values * dims if len(values) == 1 else values


def _max_pool_backward(
    grad: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    ceil_mode: bool,
    indices: Any,
) -> Any:
    """To the element of each window that is its maximum: the first of several, the last NaN.

    One dimension after the other is taken, from the last one on: of the maxima of the rows of a
    window the maximum is chosen then. That takes as many ops as the extents of the window have in
    sum.
    """
    import torch

    dims = len(kernel)
    kernel = _each(kernel, dims)
    stride = _each(stride, dims) if stride else kernel
    padding, dilation = _each(padding, dims), _each(dilation, dims)
    first = x.dim() - dims
    best, choices = x, []
    for d in reversed(range(dims)):
        offsets = range(0, dilation[d] * kernel[d], dilation[d])
        best, which = _choose(
            best, first + d, offsets, stride[d], padding[d], grad.shape[first + d]
        )
        choices.append((d, offsets, which))
    zero = torch.zeros((), dtype=grad.dtype)
    for d, offsets, which in reversed(choices):
        parts = {offset: torch.where(which == offset, grad, zero) for offset in offsets}
        grad = _placed(parts, first + d, stride[d], padding[d], x.shape[first + d])
    return grad


def _choose(x: Any, dim: int, offsets: range, stride: int, low: int, count: int) -> tuple[Any, Any]:
    """The maximum of each of `count` windows along `dim`, and its offset there."""
    import torch

    high = (count - 1) * stride + offsets[-1] + 1 - low - x.shape[dim]
    padded = _padded(x, dim, low, max(high, 0), -math.inf)
    best = _taken(padded, dim, offsets[0], stride, count)
    which = torch.zeros_like(best, dtype=torch.int32)
    if low:
        # The first element that a window has of `x` is chosen where none is more than padding.
        outside = torch.clamp(low - torch.arange(count, dtype=torch.int32) * stride, min=0)
        starts = (outside + offsets.step - 1) // offsets.step * offsets.step
        which = which + starts.reshape([-1] + [1] * (x.dim() - dim - 1))
    for offset in offsets[1:]:
        value = _taken(padded, dim, offset, stride, count)
        better = (value > best) | (value != value)
        best = torch.where(better, value, best)
        which = torch.where(better, offset, which)
    return best, which


def _adaptive_max(x: Any, counts: Sequence[int]) -> Any:
    """`adaptive_max`, unless torch-mlir has it: where all windows are of one size."""
    first = x.dim() - len(counts)
    if all(x.shape[first + d] % count == 0 for d, count in enumerate(counts)):
        return NotImplemented
    return adaptive_max(x, counts)


def adaptive_max(x: Any, counts: Sequence[int]) -> tuple[Any, Any]:
    """The maxima of windows, `counts` along each of the last dimensions, which together have all
    elements, and their places among these elements.
    """
    first, place = x.dim() - len(counts), None
    sizes = x.shape[first:]
    for d in reversed(range(len(counts))):
        x, which = _adaptive_line(x, first + d, counts[d])
        if place is None:
            place = which
        else:
            place = place.gather(first + d, which) + which * math.prod(sizes[d + 1 :])
    return x, place


def _adaptive_line(x: Any, dim: int, count: int) -> tuple[Any, Any]:
    """The maxima of `count` windows along `dim`, and their places."""
    import torch

    size = x.shape[dim]
    if size % count == 0:
        best, which = x.unflatten(dim, (count, size // count)).max(dim + 1)
        starts = torch.arange(0, size, size // count)
        return best, which + starts.reshape([-1] + [1] * (x.dim() - dim - 1))
    values, places = [], []
    for n in range(count):
        start, end = n * size // count, -(-(n + 1) * size // count)
        best, which = x.narrow(dim, start, end - start).max(dim, True)
        values.append(best)
        places.append(which + start)
    return torch.cat(values, dim), torch.cat(places, dim)


def _avg_pool_backward(
    dims: int,
    grad: Any,
    x: Any,
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Any:
    import torch

    kernel, padding = _each(kernel, dims), _each(padding, dims)
    stride = _each(stride, dims) if stride else kernel
    first = x.dim() - dims
    for d, (k, s, p) in enumerate(zip(kernel, stride, padding, strict=True), first):
        n, count = x.shape[d], grad.shape[d]
        if not divisor_override:
            # Windows that begin in the padding or end behind it have fewer elements.
            low, high = (p, p) if count_include_pad else (0, 0)
            starts = range(-p, count * s - p, s)
            counts = [min(i + k, n + p, n + high) - max(i, -low) for i in starts]
            if len(set(counts)) == 1:
                grad = grad / counts[0]
            else:
                starts_of = torch.arange(count) * s - p
                ends = torch.clamp(starts_of + k, max=n + high)
                by_window = (ends - torch.clamp(starts_of, min=-low)).to(grad.dtype)
                grad = grad / by_window.reshape([-1] + [1] * (x.dim() - d - 1))
        grad = _placed({i: grad for i in range(k)}, d, s, p, n)
    return grad / divisor_override if divisor_override else grad


def _replication_backward(grad: Any, x: Any, padding: Sequence[int]) -> Any:
    if min(padding) < 0:
        return NotImplemented
    for d in range(len(padding) // 2):
        dim = x.dim() - 1 - d
        low, high = padding[2 * d : 2 * d + 2]
        size = x.shape[dim]
        result = grad.narrow(dim, low, size)
        if low:
            border = grad.narrow(dim, 0, low).sum(dim, True)
            result = result + _padded(border, dim, 0, size - 1)
        if high:
            border = grad.narrow(dim, low + size, high).sum(dim, True)
            result = result + _padded(border, dim, size - 1, 0)
        grad = result
    return grad
