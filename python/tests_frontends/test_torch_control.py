# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of PyTorch that take functions, on one device and on several."""

import pytest
import torch
from check import check
from torch._higher_order_ops import associative_scan, scan, while_loop
from torch._higher_order_ops.map import map as map_rows
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.utils import _pytree as pytree

import shard
from shard import Grid, P

X, W, Q = torch.rand(4, 6), torch.rand(6, 6), torch.rand(2, 2, 16, 8)


def same_ops(x):
    return torch.cond(x.sum() > 3, lambda x: (x * 2, x.sum(0)), lambda x: (x - 1, x.mean(0)), (x,))


def nested(x):
    def inner(x):
        return torch.cond(x.max() > 5, lambda x: x.sin(), lambda x: x.cos(), (x,))

    return torch.cond(x.sum() > 3, inner, lambda x: x - 1, (x,))


def doubled(x):
    def is_small(i, x):
        return (x.sum() < 100) & (i < 50)

    def next_one(i, x):
        return i + 1, x * 2 + x.mean(0, keepdim=True)

    return while_loop(is_small, next_one, (torch.tensor(0), x))


def layers(x, w):
    def step(i, x):
        return i + 1, torch.tanh(x @ w)

    return while_loop(lambda i, x: i < 3, step, (torch.tensor(0), x))[1]


def running(x, **how):
    return scan(lambda c, row: (c + row, c * row), x.select(how.get("dim", 0), 0).clone(), x, **how)


def recurrent(x, w):
    def step(carried, rows):
        h = torch.tanh(carried["h"] @ w + rows[0])
        return {"h": h}, (carried["h"].sum(-1), rows[1] * 2)

    return scan(step, {"h": torch.zeros(3, 6)}, (x, x))


def products(x, y):
    def combine(a, b):
        return a[0] * b[0], b[0] * a[1] + b[1]

    return associative_scan(combine, (x, y), 0, combine_mode="generic")


def causal(score, batch, head, i, j):
    return torch.where(i >= j, score, -float("inf"))


BLOCKS = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cpu")
LONG = torch.rand(1, 2, 128, 8)

CASES = {
    "cond": (same_ops, X),
    "cond, the other branch": (same_ops, X - 2),
    "cond in cond": (nested, X),
    "cond of constants": (
        lambda x: torch.cond(
            x.sum() > 3, lambda x: x * torch.ones(6) + torch.arange(6), lambda x: x + 1, (x,)
        ),
        X,
    ),
    "cond of bytes": (
        lambda x: torch.cond((x > 100).any(), lambda x: x + 200, lambda x: x - 1, (x,)),
        torch.randint(0, 250, (4, 6)).to(torch.uint8),
    ),
    "cond of a closure": (
        lambda x, w: torch.cond(x.sum() > 3, lambda: x @ w, lambda: x - w[0], ()),
        X,
        W,
    ),
    "cond of a resampling": (
        lambda x: torch.cond(
            x.sum() > 3,
            lambda x: torch.nn.functional.interpolate(x, scale_factor=2, mode="bilinear"),
            lambda x: torch.zeros(2, 2, 32, 16),
            (x,),
        ),
        Q,
    ),
    "while_loop": (doubled, X),
    "while_loop of a closure": (layers, X, W),
    "scan": (running, X),
    "scan from the end": (lambda x: running(x, reverse=True), X),
    "scan of columns": (lambda x: running(x, dim=1), X),
    "scan of trees": (recurrent, torch.rand(5, 3, 6), W),
    "map": (lambda x, w: map_rows(lambda row, w: torch.tanh(row @ w), x, w), Q, W.new_ones(8, 5)),
    "scan in cond": (
        lambda x: torch.cond(x.sum() > 3, lambda x: running(x)[1], lambda x: x - 1, (x,)),
        X,
    ),
    "associative_scan": (products, torch.rand(7, 6), torch.rand(7, 6)),
    "flex_attention": (lambda q: flex_attention(q, q + 1, q - 1), Q),
    "flex_attention, causal": (lambda q: flex_attention(q, q, q, score_mod=causal), Q),
    "flex_attention with a table": (
        lambda q, t: flex_attention(q, q, q, score_mod=lambda s, b, h, i, j: s + t[h, i - j + 15]),
        Q,
        torch.rand(2, 31),
    ),
    "flex_attention of rows": (
        lambda x: flex_attention(*(x.unflatten(2, (2, 4)).transpose(1, 2) for _ in range(3))),
        torch.rand(2, 16, 8),
    ),
    "flex_attention in blocks": (lambda q: flex_attention(q, q, q, block_mask=BLOCKS), LONG),
}


def hints_of(program):
    """One for each dimension of the arguments that two devices can split."""
    for value in program.arguments:
        for dim, extent in enumerate(value.shape):
            if extent % 2 == 0:
                yield {value.name: P(*[None] * dim, 0)}


def compare(function, tensors):
    expected = [result.numpy() for result in pytree.tree_leaves(function(*tensors))]
    program = shard.from_torch(function, *tensors)
    for hints in hints_of(program):
        check(program, tensors, expected, Grid(2), hints)
    return program


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    function, *tensors = CASES[case]
    compare(function, tensors)


class Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = torch.nn.GRUCell(6, 8)
        self.last = torch.nn.Linear(8, 8)

    def forward(self, x):
        def step(h, row):
            h = self.cell(row, h)
            return h, h.clone()

        last, rows = scan(step, torch.zeros(x.shape[1], 8), x)
        return torch.cond(last.sum() > 0, lambda h: self.last(h), lambda h: h * 2, (last,)), rows


def test_module():
    module, x = Recurrent(), torch.rand(5, 4, 6)
    expected = [result.detach().numpy() for result in module(x)]
    program = shard.from_torch(module, x)
    # A loop with a known number of iterations.
    assert "scf.for" in program.text and "scf.if" in program.text
    assert "func.func private" not in program.text
    for hints in ({"x": P(None, 0)}, {"x": P(0)}, {"cell.weight_hh": P(0)}):
        part = check(program, (program.weights, x), expected, Grid(2), hints)
        # The batch is split, and nothing is sent in the loop.
        if hints == {"x": P(None, 0)}:
            assert all(row.calls == 1 for row in part.collectives)


@pytest.mark.parametrize("function", [same_ops, nested])
def test_gradient(function):
    def gradient(x):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            results = pytree.tree_leaves(function(x))
            return torch.autograd.grad(sum((r * r).sum() for r in results), x)

    compare(gradient, [X])


def test_gradient_of_map():
    def gradient(x, w):
        with torch.enable_grad():
            w = w.detach().requires_grad_()
            rows = map_rows(lambda row, w: torch.tanh(row @ w), x, w)
            return torch.autograd.grad((rows * rows).sum(), w)

    compare(gradient, [torch.rand(4, 3, 6), W])


def test_places():
    def function(x):
        y = torch.cond(
            x.sum() > 3,
            lambda x: x.mean(0),
            lambda x: x.sum(0),
            (x,),
        )
        return y + x.sum(0)

    line = function.__code__.co_firstlineno
    places = shard.from_torch(function, X).partition(Grid(2), {"x": P(0)}).collectives
    assert all(row.location.startswith(f"{__file__}:") for row in places)
    lines = [int(row.location.split(":")[1]) for row in places]
    assert set(lines) <= {*range(line + 1, line + 8)}


def test_errors():
    def counted(x):
        return while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x + i), (0, x))[1]

    def aliased(x):
        return torch.cond(x.sum() > 3, lambda x: x.T, lambda x: x.T + 1, (x,))

    def batched(x):
        def rows(x):
            return map_rows(lambda row: row.cumsum(0), x)

        return torch.cond(x.sum() > 3, rows, lambda x: x + 1, (x,))

    line = batched.__code__.co_firstlineno + 4
    with pytest.raises(shard.ProgramError, match=rf"{line}: 'map_impl' in a function that 'cond'"):
        shard.from_torch(batched, X)
    with pytest.raises(shard.ProgramError, match=r"depends on the values|takes numbers"):
        shard.from_torch(counted, X)
    with pytest.raises(shard.ProgramError, match=r"PyTorch cannot take the function: .*alias"):
        shard.from_torch(aliased, X)
