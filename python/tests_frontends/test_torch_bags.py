# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bags of rows of a table (`EmbeddingBag`), and their gradients."""

import pytest
import torch
from check import check

import shard
from shard import Grid, P

functional = torch.nn.functional

ROWS = torch.tensor([3, 6, 6, 7, 9, 6, 3, 4])
# The third bag has no rows.
STARTS = torch.tensor([0, 2, 5, 5])
BORDERS = torch.tensor([0, 2, 2, 8])
HOW = {
    "sum": {"mode": "sum"},
    "mean": {"mode": "mean"},
    "max": {"mode": "max"},
    "sum with an end": {"mode": "sum", "include_last_offset": True},
    "sum without a row": {"mode": "sum", "padding_idx": 6},
    "mean without a row": {"mode": "mean", "padding_idx": 6},
    "max without a row": {"mode": "max", "padding_idx": 3},
}


def table():
    return torch.randn(10, 4)


def checked(fn, *args):
    program = shard.from_torch(fn, *args)
    expected = torch.utils._pytree.tree_leaves(fn(*args))
    values = [tensor.numpy() for tensor in expected]
    for hint in (P("a"), P(None, "a")):
        check(program, args, values, Grid(a=2), {0: hint})


def with_gradients(fn):
    def both(*args):
        made, back = torch.func.vjp(fn, *args)
        weights = torch.arange(1, made.numel() + 1, dtype=made.dtype).reshape(made.shape)
        return made, *back(weights)

    return both


@pytest.mark.parametrize("how", HOW)
def test_bags_and_their_gradients(how):
    places = BORDERS if how == "sum with an end" else STARTS

    def bags(table):
        return functional.embedding_bag(ROWS, table, places, **HOW[how])

    checked(with_gradients(bags), table())


def test_weights_of_rows():
    def bags(table, weights):
        return functional.embedding_bag(ROWS, table, STARTS, mode="sum", per_sample_weights=weights)

    checked(with_gradients(bags), table(), torch.randn(8))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_modules_take_bags_of_equal_size(mode):
    module, bags = torch.nn.EmbeddingBag(10, 4, mode=mode), torch.randint(0, 10, (6, 3))
    program = shard.from_torch(module, bags)
    part = program.partition(Grid(a=2), {"weight": P(None, "a"), "arg0": P("a")})
    made = part({"weight": module.weight}, bags)
    torch.testing.assert_close(torch.as_tensor(made), module(bags).detach())
