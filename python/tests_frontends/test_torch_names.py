# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What arguments of a module are called."""

import numpy as np
import pytest
import torch

import shard
from shard import Grid, P


def test_weights_and_names():
    model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6)).eval()
    program = shard.from_torch(model, torch.zeros(2, 4))
    names = [value.name for value in program.arguments]
    assert names[:4] == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert names[-1] == "arg0"
    assert set(program.weights) == set(model.state_dict())
    np.testing.assert_array_equal(program.weights["0.weight"], model[0].weight.detach().numpy())


def test_hints_name_what_forward_names():
    class Each(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("b", torch.ones(4, 2))

        def forward(self, a, b, tables):
            return self.b * 2, a * 2, b * 2, tables["c"] * 2

    ones = torch.ones(4, 2)
    program = shard.from_torch(Each(), ones, ones, {"c": ones})

    def split(hint):
        part = program.partition(Grid(2), {hint: P(0)})
        return [value.name for value in part.arguments if value.sharding == "[[0], []]"]

    assert split("a") == split("arg0") == ["arg0"]
    assert split("tables.c") == split("tab*") == split("arg2.c") == ["arg2.c"]
    # The name of a weight is that of nothing else.
    assert split("b") == ["b"]
    part = program.partition(Grid(2), {"a": P(0)})
    assert part.explain("a") == part.explain("arg0") == part.explain("%arg1")
    with pytest.raises(shard.HintError, match=r"did you mean 'tables\.c'"):
        program.partition(Grid(2), {"table.c": P(0)})
