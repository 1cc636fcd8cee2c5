# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers that `verify` is not given have the values that the program was made with."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import shard
from shard import Grid, P


class Tied(torch.nn.Module):
    """Embeds tokens and scores them by the same table."""

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(12, 4)
        self.register_buffer("places", torch.arange(6))

    def forward(self, tokens):
        return self.table(tokens) @ self.table.weight[self.places].T


def test_tokens_of_torch():
    tokens = torch.tensor([[0, 11, 5], [7, 1, 3]])
    program = shard.from_torch(Tied(), tokens)
    tokens.fill_(99)
    part = program.partition(Grid(m=4), {"table.weight": P("m", None)})
    assert part.verify().passed
    with pytest.raises(shard.RunError, match="index"):
        part.verify(program.weights, torch.full((2, 3), 99))


def test_places_of_jax():
    def rows(table, places, scale, factors):
        return jnp.take(table, places, axis=0, mode="clip") * scale * factors

    places = np.array([0, 11, 5, 7])
    program = shard.from_jax(
        rows, np.ones((12, 4), np.float32), places, 3, jax.ShapeDtypeStruct((4,), np.int32)
    )
    assert sorted(program.examples) == ["places", "scale"]
    np.testing.assert_array_equal(program.examples["places"], places)
    part = program.partition(Grid(m=4), {"table": P("m", None)})
    assert part.verify().passed
