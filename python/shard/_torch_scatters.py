# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters of PyTorch in terms of comparisons, as those of JAX (_jax_scatters.py).

The numbers of rows are compared with all rows. What is added is a product with the matrix of 0
and 1 that this gives; what is set is a look-up of the last update of each row. Every dimension
can then be split like any other.
"""

import math
from collections.abc import Sequence
from typing import Any


def scatter_decompositions() -> dict[Any, Any]:
    """Of the ops that torch-mlir lowers to `tm_tensor.scatter`."""
    import torch

    aten = torch.ops.aten
    return {
        aten.index_put.default: _index_put,
        aten._unsafe_index_put.default: _index_put,
        aten.scatter.src: _scatter,
        aten.scatter.value: _scatter,
        aten.scatter_add.default: _scatter_add,
        aten.scatter.reduce: _scatter_with,
        aten.scatter.value_reduce: _scatter_with,
        aten.scatter_reduce.two: _scatter_reduce,
        aten.index_reduce.default: _index_reduce,
        aten.masked_scatter.default: _masked_scatter,
        aten.masked_scatter_backward.default: _masked_scatter_backward,
        aten.put.default: _put,
        aten.take.default: _take,
    }


def _index_put(x: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    import torch

    given = {d: index for d, index in enumerate(indices) if index is not None}
    if any(index.dtype in (torch.bool, torch.uint8) for index in given.values()):
        return _put_where(x, given, values, accumulate)
    dims = list(given)
    whole = [d for d in range(x.dim()) if d not in given]
    columns = torch.broadcast_tensors(*given.values())
    points = list(columns[0].shape)
    # Where the points stand in x[indices]: together with the indexed dimensions, or in front.
    first = dims[0] if dims == list(range(dims[0], dims[-1] + 1)) else 0
    shape = [x.shape[d] for d in whole]
    values = values.expand([*shape[:first], *points, *shape[first:]])
    values = values.movedim(list(range(first, first + len(points))), list(range(len(points))))
    rows = [x.shape[d] for d in dims]
    count = 1
    for extent in points:
        count *= extent
    values = values.reshape([count, *shape])
    hits = _hits(columns, rows, count)
    target = x.permute([*dims, *whole])
    if accumulate:
        made = target + _sums(hits, values.to(x.dtype)).reshape(target.shape)
    else:
        made = _last(target, hits, values.to(x.dtype), rows)
    order = [*dims, *whole]
    return made.permute([order.index(d) for d in range(x.dim())])


def _put_where(x: Any, given: dict[int, Any], values: Any, accumulate: bool) -> Any:
    """By a mask, whose set elements have the values one after the other.

    NotImplemented where other dimensions have indices as well.
    """
    import torch

    ((dim, mask),) = given.items() if len(given) == 1 else ((0, None),)
    if mask is None or mask.dtype != torch.bool:
        return NotImplemented
    if values.numel() == 0:
        return x.clone()
    behind = x.dim() - dim - mask.dim()
    along = values.dim() - behind - 1
    if along >= 0:
        # The dimension of the values that stands for those of the mask.
        shape = [1] * mask.dim()
        if (count := values.shape[along]) > 1:
            numbers = _numbers(mask).clamp(0, count - 1)
            values, shape = values.index_select(along, numbers), list(mask.shape)
        values = values.reshape([*values.shape[:along], *shape, *values.shape[along + 1 :]])
    values = values.to(x.dtype)
    flags = mask.reshape([*mask.shape, *[1] * behind])
    return torch.where(flags, x + values if accumulate else values, x)


def _numbers(mask: Any) -> Any:
    """Of each element, in order, how many are set in front of it; of the unset ones, one less."""
    import torch

    return mask.reshape(-1).to(torch.int64).cumsum(0) - 1


def _hits(columns: Sequence[Any], rows: Sequence[int], count: int) -> Any:
    """Whether a point goes to a row: flags of [points, *rows]."""
    import torch

    flags = None
    for number, (column, extent) in enumerate(zip(columns, rows, strict=True)):
        index = column.reshape([count, *[1] * len(rows)])
        index = torch.where(index < 0, index + extent, index)
        along = [1] * (len(rows) + 1)
        along[number + 1] = extent
        same = index == torch.arange(extent).reshape(along)
        flags = same if flags is None else flags & same
    return flags


def _sums(hits: Any, values: Any) -> Any:
    """The sum of the values of the points that go to a row."""
    import torch

    count = values.shape[0]
    flags, flat = hits.reshape([count, -1]), values.reshape([count, -1])
    if values.dtype == torch.bool:
        return (flags.unsqueeze(-1) & flat.unsqueeze(1)).any(0)
    return flags.to(values.dtype).t() @ flat


def _last(target: Any, hits: Any, values: Any, rows: Sequence[int]) -> Any:
    """`target` with the values of the points that go to its rows, of several the last one's."""
    import torch

    count = values.shape[0]
    ones = [1] * (target.dim() - len(rows))
    if count == 0:
        return target.clone()
    if count == 1:
        value = values.reshape([*[1] * len(rows), *values.shape[1:]])
        return torch.where(hits[0].reshape([*rows, *ones]), value, target)
    numbers = torch.arange(count).reshape([count, *[1] * len(rows)])
    last = torch.where(hits, numbers, -1).amax(0)
    chosen = values.index_select(0, last.clamp(min=0).reshape(-1)).reshape(target.shape)
    return torch.where((last >= 0).reshape([*rows, *ones]), chosen, target)


def _scatter(x: Any, dim: int, index: Any, src: Any) -> Any:
    return _scattered(x, dim, index, src, "set")


def _scatter_add(x: Any, dim: int, index: Any, src: Any) -> Any:
    return _scattered(x, dim, index, src, "sum")


def _scatter_with(x: Any, dim: int, index: Any, src: Any, *, reduce: str) -> Any:
    return _scattered(x, dim, index, src, "sum" if reduce == "add" else "prod")


def _scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    return _scattered(x, dim, index, src, reduce, include_self)


def _index_reduce(
    x: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    if x.dim() == 0:
        index, source = index.reshape(-1), source.reshape(-1)
    along = [1] * source.dim()
    along[dim] = index.numel()
    index = index.reshape(along).expand(source.shape)
    return _scattered(x, dim, index, source, reduce, include_self)


def _masked_scatter(x: Any, mask: Any, source: Any) -> Any:
    """The element of `source` whose number is that of the set elements of the mask up to here."""
    import torch

    mask, x = torch.broadcast_tensors(mask, x)
    if source.numel() == 0:
        return x.clone()
    numbers = _numbers(mask).clamp(0, source.numel() - 1)
    chosen = source.reshape(-1).index_select(0, numbers)
    return torch.where(mask, chosen.reshape(x.shape), x)


def _masked_scatter_backward(grad: Any, mask: Any, sizes: Any) -> Any:
    import torch

    mask = mask.expand(grad.shape)
    places = torch.where(mask.reshape(-1), _numbers(mask), -1)
    none = torch.zeros(math.prod(sizes), dtype=grad.dtype)
    return _scattered(none, 0, places, grad.reshape(-1), "sum").reshape(sizes)


def _put(x: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """Of elements in order."""
    flat = _index_put(x.reshape(-1), [index.reshape(-1)], source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def _take(x: Any, index: Any) -> Any:
    """Of elements in order, also of a tensor without dimensions."""
    import torch

    places = torch.where(index < 0, index + x.numel(), index).reshape(-1)
    return x.reshape(-1).index_select(0, places).reshape(index.shape)


def _scattered(x: Any, dim: int, index: Any, src: Any, kind: str, include_self: bool = True) -> Any:
    """Updates at indices along `dim`; along other dimensions they have the places of `index`.

    `kind` is `set`, or how the updates of one element are combined, with the element of `x` itself
    if `include_self`.
    """
    import torch

    if x.dim() == 0:
        src = src.reshape(-1) if isinstance(src, torch.Tensor) else src
        made = _scattered(x.reshape(1), 0, index.reshape(-1), src, kind, include_self)
        return made.reshape(())
    if index.numel() == 0:
        return x.clone()
    dim %= x.dim()
    if not isinstance(src, torch.Tensor):
        src = torch.full(index.shape, src, dtype=x.dtype)
    src = src.expand(index.shape) if src.dim() == 0 else src
    for d, extent in enumerate(index.shape):
        src = src.narrow(d, 0, extent)
    for d in range(x.dim()):
        if d != dim and index.shape[d] < x.shape[d]:
            # Rows without updates: their indices are those of no element.
            rest = list(index.shape)
            rest[d] = x.shape[d] - index.shape[d]
            index = torch.cat([index, torch.full(rest, -1, dtype=index.dtype)], d)
            src = torch.cat([src, torch.zeros(rest, dtype=src.dtype)], d)
    # Along the last two dimensions the updates, and the elements that they go to.
    index, src, target = (value.movedim(dim, -1) for value in (index, src, x))
    extent = target.shape[-1]
    hits = index.unsqueeze(-1) == torch.arange(extent)
    src = src.to(x.dtype)
    if kind == "set":
        numbers = torch.arange(hits.shape[-2]).unsqueeze(-1)
        last = torch.where(hits, numbers, -1).amax(-2)
        made = _combined(hits & (numbers == last.unsqueeze(-2)), src, "sum")
        made = torch.where(hits.any(-2), made, target)
    else:
        made = _reduced(hits, src, target, kind, include_self)
    return made.movedim(-1, dim)


def _reduced(hits: Any, src: Any, target: Any, kind: str, include_self: bool) -> Any:
    """`target` with the updates that go to its elements; without those, it stays."""
    import torch

    value = _combined(hits, src, kind)
    if include_self:
        value = _both(target, value, kind)
    if kind == "mean":
        count = hits.sum(-2) + (1 if include_self else 0)
        count = count.clamp(min=1).to(src.dtype)
        rounding = None if src.is_floating_point() else "floor"
        value = torch.div(value, count, rounding_mode=rounding)
    return value if include_self else torch.where(hits.any(-2), value, target)


def _combined(hits: Any, src: Any, kind: str) -> Any:
    """The updates of each element, combined."""
    import torch

    src = src.unsqueeze(-1)
    if src.dtype == torch.bool:
        if kind in ("prod", "amin"):
            return ~(hits & ~src).any(-2)
        return (hits & src).any(-2)
    if kind in ("sum", "mean"):
        return torch.where(hits, src, 0).sum(-2, dtype=src.dtype)
    if kind == "prod":
        return torch.where(hits, src, 1).prod(-2, dtype=src.dtype)
    if kind == "amax":
        least = -torch.inf if src.is_floating_point() else torch.iinfo(src.dtype).min
        return torch.where(hits, src, least).amax(-2)
    most = torch.inf if src.is_floating_point() else torch.iinfo(src.dtype).max
    return torch.where(hits, src, most).amin(-2)


def _both(target: Any, value: Any, kind: str) -> Any:
    """An element combined with the updates of it."""
    import torch

    if value.dtype == torch.bool:
        return target & value if kind in ("prod", "amin") else target | value
    if kind in ("sum", "mean"):
        return target + value
    if kind == "prod":
        return target * value
    return torch.maximum(target, value) if kind == "amax" else torch.minimum(target, value)
