# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses with integer labels, scatters and look-ups of JAX."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from check import check

import shard
from shard import Grid, P

X = jax.random.normal(jax.random.key(0), (4, 6))
W = jax.random.normal(jax.random.key(1), (6, 8))
LABELS = jnp.array([7, 0, 3, 3])
# With fewer rows it sends less to gather scores than to sum up gradients of the weights.
MANY = jax.random.normal(jax.random.key(2), (32, 6))
MANY_LABELS = jnp.arange(32) * 5 % 8
# 9 is outside, -1 the last one, two are equal.
ROWS = jnp.array([3, 9, -1, 1, 3])


def log_probabilities(w, x):
    return jax.nn.log_softmax(x @ w)


def taken_along(w, x, labels):
    return -jnp.take_along_axis(log_probabilities(w, x), labels[:, None], axis=-1).mean()


def pairs(w, x, labels):
    return -log_probabilities(w, x)[jnp.arange(len(labels)), labels].mean()


def mapped(w, x, labels):
    return jnp.mean(jax.vmap(lambda a, b: -jax.nn.log_softmax(a @ w)[b])(x, labels))


def in_sequences(w, x, labels):
    scores = log_probabilities(w, x).reshape(2, -1, 8)
    return -jnp.take_along_axis(scores, labels.reshape(2, -1, 1), axis=-1).mean()


@pytest.mark.parametrize("loss", [taken_along, pairs, mapped, in_sequences])
def test_losses_with_integer_labels(loss):
    step = jax.value_and_grad(loss)

    def collectives(x, labels, hints):
        expected = [np.asarray(t) for t in jax.jit(step)(W, x, labels)]
        program = shard.from_jax(step, W, x, labels)
        return check(program, (W, x, labels), expected, Grid(2), hints).collectives

    rows = collectives(MANY, MANY_LABELS, {"x": P(0), "labels": P(0)})
    # The loss and the gradient: nothing of the scores is gathered.
    assert {row.kind for row in rows} == {"all_reduce"}
    assert sorted(row.bytes for row in rows) == [4, 6 * 8 * 4]
    rows = collectives(X, LABELS, {"w": P(None, 0)})
    assert {row.kind for row in rows} == {"all_reduce"}


def windows(x, starts, given):
    """What is outside as a whole or in part is dropped."""
    return jax.lax.scatter_add(
        x,
        starts,
        given,
        jax.lax.ScatterDimensionNumbers((1, 2), (), (0, 1)),
        mode="drop",
    )


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x.at[ROWS].set(x[0] * jnp.arange(5.0)[:, None]),
        lambda x: x.at[ROWS].add(x[0] + jnp.arange(5.0)[:, None]),
        lambda x: x.at[ROWS].subtract(x[0]),
        lambda x: x.at[ROWS].multiply(x[1]),
        lambda x: x.at[ROWS].max(0.25),
        lambda x: x.at[:, ROWS].min(-0.25),
        lambda x: x.at[2].set(-jnp.inf),
        lambda x: x.at[ROWS].set(jnp.array([-jnp.inf, 1, jnp.nan, 2, jnp.inf])[:, None]),
        lambda x: x.at[1:3, 2:5].set(1.0),
        lambda x: x.at[:, 2:5].add(x[:, :3]),
        lambda x: x.at[ROWS[:4] % 4, ROWS[:4]].add(2.0),
        lambda x: x.at[jnp.arange(4), ROWS[:4]].set(x[:, 0]),
        lambda x: x.at[jnp.arange(4)[:, None], jnp.array([[0, 5]] * 4)].add(x[:, :2]),
        lambda x: windows(x, jnp.array([[0, 0], [1, 3], [2, 4], [-1, 0]]), jnp.ones((4, 2, 3))),
        lambda x: x.at[1:-1, 2:].set(x[1:-1, :-2]),
        lambda x: x.at[-1].subtract(x[0]),
        lambda x: x.at[:, 3].multiply(x[0, 0]),
        lambda x: x.at[2, 4].max(0.5),
        lambda x: x.at[4].set(7.0, mode="drop"),
        lambda x: windows(x, jnp.array([[1, 2]]), x[None, :2, :3]),
        lambda x: windows(x, jnp.array([[3, 2]]), x[None, :2, :3]),
        lambda x: (x > 0).at[1:, 2].set(False),
        lambda x: x.at[1::2, ::3].set(x[:2, :2]),
        lambda x: x.at[::-2, 1:4].add(x[2:, :3]),
        lambda x: x.at[::-1].set(x),
        lambda x: jnp.abs(x * 9).astype(jnp.uint8).at[::-1, 2:4].set(jnp.arange(8).reshape(4, 2)),
        lambda x: jnp.flip(jnp.abs(x * 9).astype(jnp.uint16), 1),
        lambda x: x.at[:, 1::2].multiply(x[:, ::2]),
        lambda x: x.at[::3].min(0.25),
        lambda x: x.at[jnp.arange(3)[:, None], jnp.arange(2)[None] * 4].set(x[:3, :2]),
        lambda x: x.at[jnp.arange(2)[None], jnp.arange(3)[:, None] * 2].set(x[:3, :2]),
        lambda x: x.at[jnp.arange(4), jnp.arange(4)].set(x[:, 5]),
        lambda x: x.at[jnp.arange(2, 6)].set(x, mode="drop"),
        lambda x: x.at[jnp.array([1, 1, 1])].add(x[:3]),
        lambda x: x.at[jnp.zeros(0, jnp.int32)].set(1.0),
        lambda x: jnp.abs((x + 1j).at[::2].set(0)),
        lambda x: jnp.abs((x + 1j).at[1:3].set(x[:2] * 1j)),
        lambda x: x.reshape(2, 2, 6).at[1, :, ::2].set(x.reshape(2, 2, 6)[0, :, 1::2]),
        lambda x: (x > 0).at[ROWS].set(True),
        lambda x: x.astype(jnp.int32).at[ROWS].max(1),
        lambda x: x.astype(jnp.bfloat16).at[ROWS].set(jnp.bfloat16(3)),
        lambda x: jnp.abs(x * 9).astype(jnp.uint8).at[ROWS.astype(jnp.uint8)].min(jnp.uint8(4)),
        lambda x: jnp.zeros(300).at[(ROWS + 200).astype(jnp.uint8)].add(x[:, 0].sum()),
        lambda x: jnp.bincount((x * 3).astype(jnp.int32).ravel() % 5, length=5),
        lambda x: x[jnp.arange(4), ROWS[:4]],
        lambda x: x[jnp.arange(3), jnp.array([1, 2, 0])],
        lambda x: (x > 0)[jnp.arange(4), ROWS[:4]],
        lambda x: jnp.take_along_axis(x, jnp.argsort(x, 1)[:, :1] + 5, 1, mode="clip"),
        lambda x: jax.vmap(lambda a, i: jax.lax.dynamic_slice(a, (i,), (3,)))(x, LABELS),
        jax.grad(lambda x: jnp.sum(jnp.sort(x, axis=1)[:, :3] ** 2)),
        jax.grad(lambda x: jnp.sum(jax.lax.top_k(x, 2)[0] ** 2)),
        jax.grad(
            lambda x: jnp.sum(
                jax.vmap(lambda a, i: jax.lax.dynamic_slice(a, (i,), (3,)))(x, LABELS) ** 2
            )
        ),
    ],
)
def test_scatters_and_look_ups(fn):
    program = shard.from_jax(fn, X)
    expected = np.asarray(jax.jit(fn)(X))
    for hint in (P(0), P(None, 0)):
        result = np.asarray(program.partition(Grid(2), {0: hint})(X))
        assert result.dtype == expected.dtype
        if result.dtype.kind in "iub":
            np.testing.assert_array_equal(result, expected)
        else:
            result, wanted = (a.astype(np.float64) for a in (result, expected))
            np.testing.assert_allclose(result, wanted, rtol=4 * np.finfo(np.float32).eps)


def test_windows_at_known_places():
    """An update of the inside of a field, as large as the field: its borders alone are sent."""

    def step(u, _):
        inner = u[1:-1, 1:-1]
        around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
        return u.at[1:-1, 1:-1].set(inner + 0.1 * (around - 4 * inner)), None

    def fn(u):
        return jax.lax.scan(step, u, None, length=3)[0]

    u = jax.random.normal(jax.random.key(5), (256, 128))
    program = shard.from_jax(fn, u)
    collectives = check(program, (u,), [np.asarray(fn(u))], Grid(2), {"u": P(0)}).collectives
    assert {row.kind for row in collectives} == {"update_halo"}
    # A row for the stencil and a row for the update, of 128 elements, in each step.
    assert sum(row.bytes for row in collectives) <= 3 * 2 * 128 * 4


def test_red_and_black():
    """Every other element of a large field is updated, without comparisons of all with all."""

    def relax(u, row, column):
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
        return u.at[1 + row : -1 : 2, 1 + column : -1 : 2].set(around[row::2, column::2] / 4)

    def fn(u):
        for row, column in ((0, 0), (1, 1), (0, 1), (1, 0)):
            u = relax(u, row, column)
        return u.at[0].set(0.0).at[:, -1].set(1.0)

    u = jax.random.normal(jax.random.key(6), (128, 64))
    program = shard.from_jax(fn, u)
    collectives = check(program, (u,), [np.asarray(fn(u))], Grid(4), {"u": P(0)}).collectives
    assert {row.kind for row in collectives} == {"update_halo"}


def random_index(rng, extent):
    start = int(rng.integers(extent))
    return [
        start,
        slice(None),
        slice(start, int(rng.integers(start, extent + 1))),
        slice(rng.choice([0, 1]), rng.choice([-1, extent]), rng.integers(1, 4)),
        slice(None, None, -rng.integers(1, 3)),
        jnp.arange(rng.integers(1, extent + 1)),
        jnp.arange(0, extent, 2),
        jnp.asarray(rng.permutation(extent)[:2]),
    ][rng.integers(8)]


@pytest.mark.parametrize("seed", range(8))
def test_updates_at_random(seed):
    rng = np.random.default_rng(seed)
    for _ in range(6):
        shape = rng.choice([2, 3, 4, 6, 8], rng.integers(1, 4))
        element = rng.choice(["float32", "int32", "uint8", "bfloat16"])
        index = [random_index(rng, extent) for extent in shape][: rng.integers(1, 4)]
        # Arrays would be combined with each other.
        arrays = [i for i, entry in enumerate(index) if isinstance(entry, jax.Array)]
        index = tuple(slice(None) if i in arrays[1:] else e for i, e in enumerate(index))
        kind = rng.choice(["set", "set", "add", "multiply", "max", "min"])
        x = jnp.asarray(rng.integers(9, size=shape), element)
        given = jnp.asarray(rng.integers(1, 5, size=x[index].shape), element)
        if rng.integers(3) == 0 and given.size:
            given = given.ravel()[0]

        def fn(x, given, index=index, kind=kind):
            return getattr(x.at[index], kind)(given)

        expected = np.asarray(jax.jit(fn)(x, given))
        program = shard.from_jax(fn, x, given)
        result = np.asarray(program.partition(Grid(2), {0: P(0)})(x, given))
        np.testing.assert_array_equal(result, expected, f"{shape} {element} {index} {kind}")


def test_scatters_in_loops():
    def fn(x):
        def body(i, rows):
            return rows.at[i].set(rows[i - 1] + x[i])

        return jax.lax.fori_loop(1, 4, body, x)

    expected = [np.asarray(jax.jit(fn)(X))]
    program = shard.from_jax(fn, X)
    for hint in (P(0), P(None, 0)):
        check(program, (X,), expected, Grid(2), {"x": hint})


def test_scatters_of_another_form():
    with pytest.raises(shard.ProgramError, match=r"test_scatters.py:\d+:\d+: a scatter that comb"):
        shard.from_jax(lambda a: a.at[ROWS].apply(jnp.sin), X)


def test_keys_of_random_numbers_and_checkpoints():
    def fn(key, w, x):
        first, second = jax.random.split(key)
        layer = jax.checkpoint(lambda w, x: jnp.tanh(x @ w))
        kept = jax.random.bernoulli(first, 0.5, (4, 8))
        return second, jax.grad(lambda w: jnp.sum(layer(w, x) * kept))(w)

    key = jax.random.key(3)
    program = shard.from_jax(fn, key, W, X)
    assert [value.name for value in program.arguments] == ["key", "w", "x"]
    part = program.partition(Grid(2), {"x": P(0)})
    second, gradient = part(key, W, X)
    wanted_second, wanted = jax.jit(fn)(key, W, X)
    assert second.dtype == wanted_second.dtype
    assert jnp.array_equal(jax.random.key_data(second), jax.random.key_data(wanted_second))
    np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-6)
    part.verify(key, W, X)


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, at: jax.vmap(lambda row, i: row[i])(x, at[:, 0, :]),
        lambda x, at: jnp.take_along_axis(x, at, axis=1),
        lambda x, at: jax.vmap(lambda row, i: jax.lax.dynamic_slice(row, (i, 0), (2, 4)))(
            x, at[:, 0, 0]
        ),
    ],
    ids=["rows", "elements", "slices"],
)
def test_look_ups_of_a_batch_send_nothing(fn):
    x = np.random.default_rng(0).standard_normal((6, 8, 4)).astype(np.float32)
    at = np.random.default_rng(1).integers(0, 8, (6, 3, 4)).astype(np.int32)
    program = shard.from_jax(fn, x, at)
    part = check(program, (x, at), [np.asarray(fn(x, at))], Grid(3), {"x": P(0)})
    assert not list(part.collectives)
