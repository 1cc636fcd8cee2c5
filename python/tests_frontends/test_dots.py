# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products with several batch dimensions, of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from check import check

import shard
from shard import Grid, P


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("equation", "left", "right"),
    [
        ("bhik,bhkj->bhij", (2, 4, 6, 3), (2, 4, 3, 5)),
        ("bhik,bhjk->bhij", (2, 4, 6, 3), (2, 4, 5, 3)),
        ("kbhi,jhbk->bhij", (3, 2, 4, 6), (5, 4, 2, 3)),
        ("abcikl,abclkj->abcij", (2, 2, 2, 3, 4, 5), (2, 2, 2, 5, 4, 3)),
        ("abi,abi->ab", (2, 4, 3), (2, 4, 3)),
        ("ab,ab->ab", (2, 4), (2, 4)),
    ],
)
def test_products(equation, left, right):
    def fn(a, b):
        return jnp.einsum(equation, a, b), jax.grad(lambda t: jnp.einsum(equation, t, b).sum())(a)

    a, b = normal(1, *left), normal(2, *right)
    program = shard.from_jax(fn, a, b)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(fn)(a, b))]
    for dim in range(len(left)):
        check(program, (a, b), expected, Grid(2), {0: P(*[None] * dim, 0)})


def test_heads_of_attention_are_not_gathered():
    def attention(x, q, k, v, o):
        def split(t):
            return t.reshape(2, 8, 4, 4).swapaxes(1, 2)

        q, k, v = split(x @ q), split(x @ k), split(x @ v)
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2), axis=-1)
        return (weights @ v).swapaxes(1, 2).reshape(x.shape) @ o

    arguments = [normal(0, 2, 8, 16), *(normal(i, 16, 16) for i in range(1, 5))]
    program = shard.from_jax(attention, *arguments)
    columns = P(None, "model")
    hints = {"x": P(), "q": columns, "k": columns, "v": columns, "o": P("model"), "result0": P()}
    expected = [np.asarray(jax.jit(attention)(*arguments))]
    part = check(program, tuple(arguments), expected, Grid(model=4), hints)
    assert [row.kind for row in part.collectives] == ["all_reduce"]
    # The place is that of the program in Python.
    assert "test_dots.py" in part.collectives[0].location


def test_a_function_may_be_taken_again():
    """What JAX keeps of the first time is not changed."""

    def scores(q, k):
        return jnp.einsum("bqhd,bkhd->bhqk", q, k)

    q, k = jnp.ones((2, 3, 2, 4)), jnp.arange(48.0).reshape(2, 3, 2, 4)
    lowered = jax.jit(scores, keep_unused=True).lower(q, k).as_text()
    for grid in (Grid(2), Grid(3)):
        program = shard.from_jax(scores, q, k)
        program.partition(grid, {"q": P(0)}).verify(q, k)
    assert jax.jit(scores, keep_unused=True).lower(q, k).as_text() == lowered
