# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients whose ops depend on how PyTorch lays elements out in memory."""

import pytest
import torch
from test_torch_values import run

import shard
from shard import Grid, P


def resampled(x, w):
    """What is resampled in backward order is laid out otherwise than PyTorch does."""
    y = (x.flatten(2).transpose(1, 2) @ w).transpose(1, 2).reshape(4, 5, 4, 4)
    return torch.nn.functional.interpolate(y, size=(8, 8), mode="bilinear").square().sum()


def changed_in_place(x, w):
    y = (x.reshape(4, 16, 3) @ w).transpose(1, 2)
    y /= 4
    y[:, 1:3] *= 2
    y[1, 0, ::3] += 5
    y[..., 7].mul_(3)
    return y.square().sum()


def changed_behind_an_unsqueeze(x, w):
    y = (x.reshape(4, 16, 3) @ w).permute(2, 0, 1).unsqueeze(0)
    y.mul_(3)
    return (y * y).sum() + y[0, 1].sum()


@pytest.mark.parametrize("loss", [resampled, changed_in_place, changed_behind_an_unsqueeze])
def test_gradients(loss):
    # No sum of these numbers and of their halves is rounded.
    x, w = torch.randint(-3, 4, (4, 3, 4, 4)).float(), torch.randint(-3, 4, (3, 5)).float()
    step = torch.func.grad(loss, argnums=(0, 1))
    part = shard.from_torch(step, x, w).partition(Grid(2), {"x": P(0)})
    for mine, theirs in zip(part(x, w), step(x, w), strict=True):
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize(
    ("size", "stride", "offset"),
    [((8, 6), (1, 8), 0), ((3, 4), (16, 2), 1), ((5, 1, 2), (9, 7, 4), 2), ((2, 0), (6, 1), 0)],
)
def test_as_strided(size, stride, offset, module):
    def strided(x):
        return torch.as_strided(x * 2, size, stride, offset).sum(0)

    x = torch.randn(6, 8)
    torch.testing.assert_close(run(strided, x, module=module), strided(x))


def changed_through_a_view(x):
    y = x * 1
    y.t().view(2, 3, 8).mul_(2)
    return y


def seen_through_a_view(x):
    y = x * 1
    view = y.t().view(2, 3, 8)
    y.add_(1)
    return view


@pytest.mark.parametrize("module", [False, True])
@pytest.mark.parametrize("function", [changed_through_a_view, seen_through_a_view])
def test_views_of_transposed_tensors(function, module):
    x = torch.arange(48.0).reshape(8, 6)
    assert torch.equal(run(function, x, module=module), function(x))


def test_a_view_that_is_no_permutation_is_not_read():
    def loss(x):
        y = x * 1
        torch.as_strided(y, (3, 2), (1, 2)).mul_(2)
        return (y * y).sum()

    with pytest.raises(shard.ProgramError, match="as_strided"):
        shard.from_torch(torch.func.grad(loss), torch.randn(8))
