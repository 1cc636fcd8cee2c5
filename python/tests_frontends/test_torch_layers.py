# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of PyTorch and what they send where their batch or their features are split."""

import pytest
import torch
from check import check

import shard
from shard import Grid, P

nn, functional = torch.nn, torch.nn.functional


def sent(model, args, hints, grid=None):
    """The collectives of `model`, whose results are checked."""
    program = shard.from_torch(model, *args)
    with torch.no_grad():
        expected = torch.utils._pytree.tree_leaves(model(*args))
    if isinstance(model, nn.Module):
        args = (program.weights, *args)
    part = check(program, args, [e.numpy() for e in expected], grid or Grid(a=2), hints)
    return part.collectives


def test_variances_are_two_sums():
    x = torch.randn(6, 8, 12)
    for layer in (nn.LayerNorm(12), lambda x: torch.var_mean(x, -1), nn.GroupNorm(4, 8)):
        name = "x" if not isinstance(layer, nn.Module) else "arg0"
        rows = sent(layer, (x,), {name: P(None, None, "a")})
        groups = 6 * 4 if isinstance(layer, nn.GroupNorm) else 6 * 8
        # A sum over two devices sends as many bytes as it has.
        assert [row.kind for row in rows] == ["all_reduce"] * 2
        assert rows.bytes == 2 * groups * 4
    for layer in (nn.GroupNorm(4, 8), nn.GroupNorm(2, 8, affine=False)):
        assert len(sent(layer, (x,), {"arg0": P("a")}, Grid(a=4))) == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_variances(dtype):
    def variances(x):
        return (
            x.var(1),
            x.std(),
            torch.var_mean(x, (0, -1), correction=0, keepdim=True),
            x.std(0, correction=2),
            x[0, 0, 0].var(unbiased=False),
            x[:, :1].var(1),
        )

    x = torch.randn(6, 8, 12).to(dtype)
    part = shard.from_torch(variances, x).partition(Grid(2), {"x": P(0)})
    leaves = torch.utils._pytree.tree_leaves
    for mine, theirs in zip(leaves(part(x)), leaves(variances(x)), strict=True):
        assert mine.dtype == theirs.dtype
        close = {"rtol": 1e-2, "atol": 1e-2} if dtype == torch.bfloat16 else {}
        torch.testing.assert_close(mine, theirs, equal_nan=True, **close)


def test_stacks_of_as_many_tensors_as_devices():
    x = torch.randn(6, 8, 12)
    for dim in (0, 1, 2, -1):
        for hint in (P("a"), P(None, "a"), P(None, None, "a")):
            rows = sent(lambda x, dim=dim: torch.stack([x, x * 2], dim), (x,), {"x": hint})
            assert len(rows) == 0


def test_rolls_send_what_crosses_blocks():
    x = torch.randn(6, 8, 12)
    for shifts, dims, columns in ((1, 1, 1), (-3, 1, 3), ((2, -1), (0, 1), 1)):
        rows = sent(lambda x, s=shifts, d=dims: x.roll(s, d), (x,), {"x": P(None, "a")})
        assert rows.bytes == columns * 6 * 12 * 4
    assert len(sent(lambda x: x.roll(1, 2), (x,), {"x": P("a")})) == 0
    sent(lambda x: (x.roll(5), x.roll(0, 0)), (x,), {"x": P("a")})
