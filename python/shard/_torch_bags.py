# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a look-up; sums, means and maxima of bags of rows (`EmbeddingBag`), with theirs.

Which row belongs to which bag is a matrix of flags: a sum of each bag is a product with it. Every
dimension can then be split like any other.
"""

from typing import Any

# The numbers that PyTorch gives to what is made of a bag.
_SUM, _MEAN, _MAX = 0, 1, 2


def bag_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.embedding_dense_backward.default: _embedding_backward,
        aten._embedding_bag.default: _bags,
        aten._embedding_bag_forward_only.default: _bags,
        aten._embedding_bag_backward.default: _bags_backward,
        aten._embedding_bag_per_sample_weights_backward.default: _weights_backward,
    }


def _embedding_backward(
    grad: Any, indices: Any, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    import torch

    rows = indices.reshape(-1, 1)
    chosen = rows == torch.arange(num_weights)
    if padding_idx >= 0:
        chosen = chosen & (rows != padding_idx)
    one_hot = chosen.to(grad.dtype)
    if scale_grad_by_freq:
        one_hot = one_hot / one_hot.sum(0).clamp(min=1)
    return one_hot.t() @ grad.reshape(-1, grad.shape[-1])


def _members(indices: Any, offsets: Any, bags: int, padding: int) -> Any:
    """Whether a row is in a bag: flags of [bags, rows]."""
    import torch

    places = torch.arange(indices.shape[0])
    ends = offsets[1:]
    if offsets.shape[0] == bags:
        ends = torch.cat([ends, torch.full([1], indices.shape[0], dtype=offsets.dtype)])
    members = (offsets[:bags].unsqueeze(1) <= places) & (places < ends.unsqueeze(1))
    return members if padding < 0 else members & (indices != padding)


def _bags(
    weight: Any,
    indices: Any,
    offsets: Any,
    scale_grad_by_freq: bool = False,
    mode: int = _SUM,
    sparse: bool = False,
    per_sample_weights: Any = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> tuple[Any, Any, Any, Any]:
    """What is made of the bags, the bag of each row, the sizes of the bags, and the row of the
    table that a maximum comes from: -1 in a bag without rows.
    """
    import torch

    bags = offsets.shape[0] - include_last_offset
    members = _members(indices, offsets, bags, padding_idx)
    sizes = members.sum(1)
    bag_of_row = torch.where(members, torch.arange(bags).unsqueeze(1), 0).sum(0)
    rows = weight.index_select(0, indices)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    if mode != _MAX:
        made = members.to(rows.dtype) @ rows
        if mode == _MEAN:
            made = made / sizes.clamp(min=1).unsqueeze(1)
        return made, bag_of_row, sizes, torch.zeros_like(sizes)
    some = (sizes > 0).unsqueeze(1)
    if rows.shape[0] == 0:
        made = torch.zeros([bags, weight.shape[1]], dtype=weight.dtype)
        return made, bag_of_row, sizes, torch.full_like(made, -1, dtype=indices.dtype)
    inside = members.unsqueeze(-1)
    best = torch.where(inside, rows, -torch.inf).amax(1)
    places = torch.arange(rows.shape[0]).unsqueeze(1)
    found = inside & ((rows == best.unsqueeze(1)) | (rows != rows))
    first = torch.where(found, places, rows.shape[0] - 1).amin(1)
    chosen = indices.index_select(0, first.reshape(-1)).reshape(first.shape)
    return torch.where(some, best, 0), bag_of_row, sizes, torch.where(some, chosen, -1)


def _bags_backward(
    grad: Any,
    indices: Any,
    offsets: Any,
    offset2bag: Any,
    bag_size: Any,
    maximum_indices: Any,
    num_weights: int,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Any,
    padding_idx: int = -1,
) -> Any:
    import torch

    if mode == _MAX:
        hits = maximum_indices.unsqueeze(1) == torch.arange(num_weights).unsqueeze(1)
        return torch.where(hits, grad.unsqueeze(1), 0).sum(0)
    members = _members(indices, offsets, grad.shape[0], padding_idx)
    if mode == _MEAN:
        grad = grad / members.sum(1).clamp(min=1).unsqueeze(1)
    rows = members.to(grad.dtype).t() @ grad
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(1)
    return _embedding_backward(rows, indices, num_weights, padding_idx, scale_grad_by_freq)


def _weights_backward(
    grad: Any,
    weight: Any,
    indices: Any,
    offsets: Any,
    offset2bag: Any,
    mode: int,
    padding_idx: int = -1,
) -> Any:
    members = _members(indices, offsets, grad.shape[0], padding_idx)
    rows = weight.index_select(0, indices)
    return ((members.to(grad.dtype).t() @ grad) * rows).sum(1)
