# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of maxima and minima over windows."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shard
from shard import Grid, P

# Windows have equal elements; no sum of them is rounded.
IMAGES = jnp.round(jnp.sin(jnp.arange(4 * 8 * 9 * 2) * 1.7) * 3).reshape(4, 8, 9, 2)
# Whole windows of what padding is taken for, and NaNs.
SPECIAL = IMAGES.at[0, :4, :4].set(-jnp.inf).at[1, 2, 3].set(jnp.nan).at[2].set(jnp.inf)
CASES = {
    "apart": ((2, 2), (2, 2), "VALID"),
    "overlapping": ((2, 3), (1, 1), "VALID"),
    "padded": ((3, 3), (1, 1), "SAME"),
    "of ResNet": ((3, 3), (2, 2), [(1, 1), (1, 1)]),
    "with gaps": ((2, 1), (3, 2), [(0, 2), (1, 0)]),
    "more padding than window": ((2, 2), (2, 1), [(3, 3), (0, 0)]),
}


def pooled(x, window, strides, padding, reduce=jax.lax.max, worst=-jnp.inf):
    if isinstance(padding, list):
        padding = [(0, 0), *padding, (0, 0)]
    return jax.lax.reduce_window(x, worst, reduce, (1, *window, 1), (1, *strides, 1), padding)


def gradient(*case, **how):
    """Windows count otherwise, so that it shows which of them have chosen an element."""

    def loss(x):
        y = pooled(x, *case, **how)
        places = jnp.arange(y.size, dtype=y.dtype).reshape(y.shape) % 31
        return jnp.vdot(jax.lax.stop_gradient(places), y)

    return jax.grad(loss)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("images", [IMAGES, SPECIAL], ids=["finite", "special"])
def test_maxima(case, images):
    step = gradient(*CASES[case])
    program = shard.from_jax(step, images)
    expected = np.asarray(step(images))
    for hints in ({"x": P("d")}, {"x": P(None, "d")}):
        found = program.partition(Grid(d=2), hints)(images)
        np.testing.assert_array_equal(np.asarray(found), expected)
    data = program.partition(Grid(d=2), {"x": P("d")})
    assert not data.collectives


def test_minima_and_other_ranks():
    least = gradient((3, 2), (2, 1), "SAME", reduce=jax.lax.min, worst=jnp.inf)

    def lines(x):
        windows = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3), (1, 2), "SAME")
        return (windows * jnp.arange(windows.shape[1])).sum()

    flat = IMAGES.reshape(8, -1)
    for step, x in ((least, IMAGES), (jax.grad(lines), flat)):
        part = shard.from_jax(step, x).partition(Grid(d=2), {"x": P("d")})
        np.testing.assert_array_equal(np.asarray(part(x)), np.asarray(step(x)))


@pytest.mark.parametrize("strides", [(1, 1), (2, 2)])
def test_borders_are_exchanged(strides):
    step = gradient((3, 3), strides, "SAME")
    part = shard.from_jax(step, IMAGES).partition(Grid(d=2), {"x": P(None, "d")})
    assert {collective.kind for collective in part.collectives} == {"update_halo"}


def test_large_windows_take_few_ops():
    images = jnp.sin(jnp.arange(64.0 * 64)).reshape(1, 64, 64, 1)
    program = shard.from_jax(gradient((32, 32), (32, 32), "VALID"), images)
    assert program.text.count("\n") < 5 * 32 * 32
