# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: others in each call, the same on every grid."""

import pytest
import torch
import torch.nn.functional

import shard
from shard import Grid, P

LAYOUTS = [(Grid(a=2), {}), (Grid(a=2), {"x": P("a")}), (Grid(a=2, b=2), {"x": P("b", "a")})]


def dropped(x):
    return torch.nn.functional.dropout(x, 0.25, training=True)


def drawn(x):
    return (
        x + torch.rand_like(x),
        torch.randn(40, 50) * x[0, 0],
        torch.bernoulli(torch.full_like(x, 0.5)),
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_calls_draw_other_numbers(layout):
    x = torch.ones(40, 50)
    part = shard.from_torch(dropped, x).partition(*layout)
    torch.manual_seed(7)
    first, second = part(x), part(x)
    torch.manual_seed(7)
    assert torch.equal(part(x), first)
    assert not torch.equal(first, second)
    for y in (first, second):
        assert set(y.unique().tolist()) == {0.0, torch.tensor(1 / 0.75).item()}
        assert 0.15 < (y == 0).float().mean() < 0.35
    part.verify(x)


def test_grids_draw_the_same_numbers():
    x = torch.ones(40, 50)
    program = shard.from_torch(drawn, x)
    found = []
    for layout in LAYOUTS:
        torch.manual_seed(7)
        found.append(program.partition(*layout)(x))
    for others in found[1:]:
        for mine, theirs in zip(found[0], others, strict=True):
            assert torch.equal(mine, theirs)
    uniform, normal, coins = found[0]
    assert 1 <= uniform.min() < 1.1 < 1.9 < uniform.max() < 2
    assert abs(normal.mean()) < 0.2
    assert 0.8 < normal.std() < 1.2
    assert 0.4 < coins.mean() < 0.6


def test_steps_of_training():
    """The gradient takes the mask of its own call, as a module in training has it."""
    model = torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.Dropout(0.5)).train()
    params = {name: p.detach() for name, p in model.named_parameters()}
    x = torch.ones(4, 8)

    def step(params, x):
        def loss(params):
            y = torch.func.functional_call(model, params, x)
            return y.sum(), y

        gradients, (_, y) = torch.func.grad_and_value(loss, has_aux=True)(params)
        return gradients, y

    program = shard.from_torch(step, params, x)
    assert [value.name for value in program.arguments][-1] == "seed"
    part = program.partition(Grid(a=2), {"x": P("a")})
    gradients, y = part(params, x)
    other, _ = part(params, x)
    assert torch.allclose(gradients["0.bias"], (y != 0).float().sum(0) * 2)
    assert not torch.equal(gradients["0.bias"], other["0.bias"])

    of_module = shard.from_torch(model, x)
    part = of_module.partition(Grid(a=2), {"0.weight": P("a")})
    assert not torch.equal(part(of_module.weights, x), part(of_module.weights, x))
