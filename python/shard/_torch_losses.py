# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of PyTorch whose classes are numbers, with their gradients.

The numbers of classes are compared with all numbers: sums and products, which can be split like
any other.
"""

from typing import Any

# The numbers that PyTorch gives to what is made of the losses.
_NONE, _MEAN = 0, 1


def loss_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.nll_loss_forward.default: _nll_loss,
        aten.nll_loss2d_forward.default: _nll_loss,
        aten.nll_loss_backward.default: _nll_loss_backward,
        aten.nll_loss2d_backward.default: _nll_loss_backward,
        aten.multilabel_margin_loss.default: lambda *how: labels_loss(*how)[0],
        aten.multilabel_margin_loss_forward.default: labels_loss,
    }


def _chosen_classes(x: Any, target: Any, weight: Any, ignored: int) -> tuple[Any, Any]:
    """Of the loss: which class of `x` counts where, and how much, shaped as `x`.

    The classes are dimension 1 of `x`, or 0 if it has no other.
    """
    import torch

    dim = min(1, x.dim() - 1)
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    wanted = target.unsqueeze(dim)
    chosen = (wanted == torch.arange(x.shape[dim]).reshape(shape)) & (wanted != ignored)
    counts = torch.ones((), dtype=x.dtype) if weight is None else weight.reshape(shape)
    return dim, torch.where(chosen, counts, torch.zeros((), dtype=x.dtype))


def _nll_loss(
    x: Any, target: Any, weight: Any, reduction: int, ignore_index: int
) -> tuple[Any, Any]:
    import torch

    dim, counts = _chosen_classes(x, target, weight, ignore_index)
    losses = -torch.where(counts != 0, counts * x, 0).sum(dim)
    if reduction == _NONE:
        return losses, torch.zeros((), dtype=x.dtype)
    total = counts.sum()
    return (losses.sum() / total if reduction == _MEAN else losses.sum()), total


def _nll_loss_backward(
    grad: Any,
    x: Any,
    target: Any,
    weight: Any,
    reduction: int,
    ignore_index: int,
    total_weight: Any,
) -> Any:
    dim, counts = _chosen_classes(x, target, weight, ignore_index)
    if reduction == _MEAN:
        grad = grad / total_weight
    elif reduction == _NONE:
        grad = grad.unsqueeze(dim)
    return -grad * counts


def margin_loss(
    x: Any,
    target: Any,
    p: float = 1,
    margin: float = 1,
    weight: Any = None,
    reduction: int = _MEAN,
) -> Any:
    """Each class but the target adds (margin - x[target] + x[class])^p, if that is positive."""
    import torch

    rows, target = (x if x.dim() == 2 else x.unsqueeze(0)), target.reshape(-1, 1)
    chosen = target == torch.arange(rows.shape[1])
    wanted = torch.where(chosen, rows, 0).sum(1, True)
    above = torch.where(chosen, 0, margin - wanted + rows).clamp(min=0)
    losses = (above**p).sum(1) / rows.shape[1]
    if weight is not None:
        losses = losses * torch.where(chosen, weight, 0).sum(1)
    if reduction == _NONE:
        return losses.reshape(x.shape[:-1])
    return losses.mean() if reduction == _MEAN else losses.sum()


def _labels(x: Any, target: Any) -> tuple[Any, Any, Any]:
    """Rows of `x`, which of their classes each place of `target` names, [rows, places, classes],
    and which classes are named. Places behind the first negative number name none.
    """
    import torch

    rows, target = (v if v.dim() == 2 else v.unsqueeze(0) for v in (x, target))
    counts = torch.cumsum((target < 0).to(torch.int32), 1) == 0
    named = counts.unsqueeze(-1) & (target.unsqueeze(-1) == torch.arange(rows.shape[1]))
    return rows, named, named.any(1)


def labels_loss(x: Any, target: Any, reduction: int = _MEAN) -> tuple[Any, Any]:
    """Each class that is not named adds 1 - x[label] + x[class] for each label, if that is
    positive.
    """
    import torch

    rows, named, is_target = _labels(x, target)
    wanted = torch.where(named, rows.unsqueeze(1), 0).sum(-1, True)
    counts = named.any(-1, True) & ~is_target.unsqueeze(1)
    above = torch.where(counts, 1 - wanted + rows.unsqueeze(1), 0).clamp(min=0)
    losses = above.sum((1, 2)) / rows.shape[1]
    flags = is_target.to(x.dtype).reshape(x.shape)
    if reduction == _NONE:
        return losses.reshape(x.shape[:-1]), flags
    return (losses.mean() if reduction == _MEAN else losses.sum()), flags
