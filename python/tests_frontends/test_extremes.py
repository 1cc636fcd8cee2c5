# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The largest and smallest elements along a dimension, and their places."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from check import check

import shard
from shard import Grid, P


def integers(kind, *shape):
    return np.random.default_rng(1).integers(0, 9, shape).astype(kind)


def special(*shape):
    """Equal largest elements, NaN, and infinities of both signs."""
    x = np.random.default_rng(2).standard_normal(shape).astype(np.float32)
    x[1, 3] = x[1, 9] = 9
    x[2, 5] = x[2, 11] = np.nan
    x[3] = -np.inf
    x[4, 7] = np.inf
    return x


ARRAYS = [special(8, 16), *(integers(kind, 8, 16) for kind in ("int8", "int32", "uint8"))]


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: str(x.dtype))
@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dim", [0, 1, None])
def test_places_of_jax(x, name, dim):
    def fn(x):
        return getattr(jnp, name)(x, dim)

    part = check(
        shard.from_jax(fn, x), (x,), [np.asarray(jax.jit(fn)(x))], Grid(4), {0: P(None, 0)}
    )
    kinds = {row.kind for row in part.collectives}
    if dim is not None:
        assert kinds == ({"all_reduce"} if dim == 1 else set())


class Module(torch.nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return self.fn(x)


FUNCTIONS = {
    "argmax": lambda x: torch.argmax(x, 1),
    "argmin kept": lambda x: torch.argmin(x, -1, keepdim=True),
    "argmax of columns": lambda x: x.argmax(0),
    "argmax of all": lambda x: torch.argmax(x),
    "argmax of all kept": lambda x: torch.argmax(x, None, True),
    "max": lambda x: x.max(1),
    "min kept": lambda x: x.min(1, keepdim=True),
    "max of bool": lambda x: (x > 1).max(1),
    "argmax of a row": lambda x: x[1].argmax(),
}


@pytest.mark.parametrize("x", ARRAYS, ids=lambda x: str(x.dtype))
@pytest.mark.parametrize("name", FUNCTIONS)
def test_places_of_torch(x, name):
    fn, values = FUNCTIONS[name], torch.tensor(x)
    results = fn(values)
    expected = [results] if isinstance(results, torch.Tensor) else list(results)
    program = shard.from_torch(Module(fn), values)
    if x.dtype.kind == "f" and len(expected) == 2 and name != "max of bool":
        # `check` compares no NaN.
        program, expected = shard.from_torch(Module(lambda x: fn(x)[1]), values), expected[1:]
    arguments = (program.weights, values)
    part = check(program, arguments, [e.numpy() for e in expected], Grid(4), {0: P(None, 0)})
    kinds = {row.kind for row in part.collectives}
    # Blocks of small integers are exchanged for less.
    if name in ("argmax", "argmin kept", "max", "min kept") and x.dtype.itemsize == 4:
        assert kinds == {"all_reduce"}
    if name == "argmax of columns":
        assert not kinds


@pytest.mark.parametrize(
    ("fn", "calls"),
    [
        (lambda x: torch.amax(x, 1), 1),
        (lambda x: torch.softmax(x, 1), 2),
        (lambda x: torch.log_softmax(x, 1), 2),
        (lambda x: torch.logsumexp(x, 1), 2),
    ],
)
def test_rows_are_not_gathered(fn, calls):
    x = torch.randn(8, 64)
    program = shard.from_torch(Module(fn), x)
    arguments = (program.weights, x)
    part = check(program, arguments, [fn(x).numpy()], Grid(4), {0: P(None, 0)})
    assert [(row.kind, row.bytes) for row in part.collectives] == [("all_reduce", 48)] * calls


@pytest.mark.parametrize("hint", [P(0), P(None, 0), P(None, None, 0)], ids=repr)
def test_places_among_all_elements(hint):
    x = special(8, 16).reshape(8, 4, 4)

    def both(x):
        return jnp.argmax(x), jnp.argmin(x)

    expected = [np.asarray(place) for place in both(x)]
    part = check(shard.from_jax(both, x), (x,), expected, Grid(4), {0: hint})
    # A maximum and a place, each a number.
    assert [(row.kind, row.bytes) for row in part.collectives] == [("all_reduce", 6)] * 4
    values = torch.from_numpy(np.array(x))
    program = shard.from_torch(lambda x: (x.argmax(), x.argmin(keepdim=True)), values)
    part = check(
        program,
        (values,),
        [expected[0].astype("i8"), expected[1].astype("i8").reshape(1, 1, 1)],
        Grid(4),
        {0: hint},
    )
    assert {row.kind for row in part.collectives} == {"all_reduce"}
    assert part.collectives.bytes == 2 * (6 + 12)
