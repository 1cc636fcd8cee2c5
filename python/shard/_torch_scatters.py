# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters of PyTorch in terms of comparisons, as those of JAX (_jax_scatters.py).

The numbers of rows are compared with all rows. What is added is a product with the matrix of 0
and 1 that this gives; what is set is a look-up of the last update of each row. Every dimension
can then be split like any other.
"""

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
        aten.scatter_reduce.two: _scatter_reduce,
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
    """By a mask. NotImplemented if the number of values depends on it."""
    import torch

    ((dim, mask),) = given.items() if len(given) == 1 else ((0, None),)
    if mask is None or mask.dtype != torch.bool or values.numel() != 1:
        return NotImplemented
    mask = mask.reshape([*[1] * dim, *mask.shape, *[1] * (x.dim() - dim - mask.dim())])
    value = values.reshape(()).to(x.dtype)
    return torch.where(mask, x + value if accumulate else value, x)


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


def _scatter_reduce(
    x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True
) -> Any:
    if not include_self or reduce not in ("sum", "amax", "amin"):
        return NotImplemented
    return _scattered(x, dim, index, src, reduce)


def _scattered(x: Any, dim: int, index: Any, src: Any, kind: str) -> Any:
    """Updates at indices along `dim`; along other dimensions they have the places of `index`."""
    import torch

    if x.dim() == 0:
        made = _scattered(x.reshape(1), 0, index.reshape(-1), src, kind)
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
    made = _combined(hits, src.to(x.dtype), target, kind)
    return made.movedim(-1, dim)


def _combined(hits: Any, src: Any, target: Any, kind: str) -> Any:
    import torch

    if kind == "set":
        numbers = torch.arange(hits.shape[-2]).unsqueeze(-1)
        last = torch.where(hits, numbers, -1).amax(-2)
        hits = hits & (numbers == last.unsqueeze(-2))
    src = src.unsqueeze(-1)
    if src.dtype == torch.bool:
        value = (hits & src).any(-2)
        return torch.where(hits.any(-2), value, target) if kind == "set" else target | value
    if kind in ("set", "sum"):
        value = torch.where(hits, src, 0).sum(-2, dtype=src.dtype)
        return torch.where(hits.any(-2), value, target) if kind == "set" else target + value
    if kind == "amax":
        least = -torch.inf if src.is_floating_point() else torch.iinfo(src.dtype).min
        return torch.maximum(target, torch.where(hits, src, least).amax(-2))
    most = torch.inf if src.is_floating_point() else torch.iinfo(src.dtype).max
    return torch.minimum(target, torch.where(hits, src, most).amin(-2))
