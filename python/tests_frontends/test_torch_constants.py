# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that a program of PyTorch holds itself, and what is computed of them."""

import operator

import pytest
import torch
from test_torch_values import Of

import shard
from shard import Grid, P

MAKERS = {
    "ones": lambda: torch.ones_like(torch.zeros(6)).unsqueeze(0),
    "integers": lambda: torch.full((6,), -3),
    "flags": lambda: torch.ones(6, dtype=torch.bool),
    "scalar": lambda: torch.tensor(2.5),
}
OPS = [
    *(getattr(operator, name) for name in ("eq", "ne", "lt", "ge", "add", "mul", "truediv")),
    lambda c, n: torch.where(c > n, c, n),
    lambda c, n: torch.sign(c * n).sum(),
    lambda c, n: torch.clamp(c * n, -1, 1).to(torch.int32),
]


@pytest.mark.parametrize("maker", MAKERS)
def test_ops_on_repeated_numbers(maker):
    def all_of_them(x):
        c = MAKERS[maker]()
        return x, [op(c, n) for op in OPS for n in (1, -3, 1.5, True)]

    x = torch.randn(4)
    part = shard.from_torch(all_of_them, x).partition(Grid(2), {"x": P(0)})
    for mine, theirs in zip(part(x)[1], all_of_them(x)[1], strict=True):
        assert mine.dtype == theirs.dtype
        assert torch.equal(mine, theirs)


def test_a_mask_that_a_module_makes():
    def of_ones(x):
        wanted = torch.ones(x.shape[0])
        return torch.where(wanted == 1, x.sum(-1), 0.0), wanted * -3

    x = torch.randn(4, 3)
    part = shard.from_torch(Of(of_ones), x).partition(Grid(2), {"arg0": P(0)})
    for mine, theirs in zip(part({}, x), of_ones(x), strict=True):
        assert torch.allclose(mine, theirs)


INDICES = torch.tensor([3, 0, 2, 2])
ROWS = torch.randn(2, 3)


def squared(x):
    return (x[INDICES] * x[INDICES]).sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[INDICES],
        lambda x: x[:, INDICES % 3],
        lambda x: torch.cat([x, ROWS, ROWS]),
        torch.func.grad(squared),
    ],
    ids=["rows", "columns", "concatenation", "gradient"],
)
@pytest.mark.parametrize("is_module", [False, True])
def test_tensors_that_a_function_holds_in_lists(function, is_module):
    if is_module and function.__name__ != "<lambda>":
        pytest.skip("a module takes no gradients")
    x = torch.randn(4, 3)
    program = shard.from_torch(Of(function) if is_module else function, x)
    part = program.partition(Grid(2), {program.arguments[0].name: P(0)})
    mine = part({}, x) if is_module else part(x)
    assert torch.allclose(mine, function(x))
