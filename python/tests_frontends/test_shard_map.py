# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""shard_map of JAX becomes shard.manual_computation, and its collectives those of shard."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from check import check
from jax.sharding import AbstractMesh, AxisType
from jax.sharding import PartitionSpec as S

import shard

PLANE = AbstractMesh((2, 2), ("x", "y"), axis_types=(AxisType.Auto,) * 2)
LINE = AbstractMesh((4,), ("x",), axis_types=(AxisType.Auto,))
A = jax.random.normal(jax.random.key(0), (8, 16))
B = jax.random.normal(jax.random.key(1), (16, 8))


def mapped(fn, mesh, in_specs, out_specs, **options):
    options = {"check_vma": False} | options
    return jax.shard_map(fn, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **options)


def run(fn, *arguments, expected):
    """The partition of `fn`, which gives what `expected` does with whole arrays."""
    program = shard.from_jax(fn, *arguments)
    wanted = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(expected(*arguments))]
    return check(program, arguments, wanted, None, {})


def kinds(part):
    return [collective.kind for collective in part.collectives]


def test_a_product_is_summed_where_it_is_written():
    fn = mapped(lambda a, b: jax.lax.psum(a @ b, "y"), PLANE, (S("x", "y"), S("y")), S("x"))
    part = run(fn, A, B, expected=lambda a, b: a @ b)
    assert [(c.kind, c.axes) for c in part.collectives] == [("all_reduce", ("y",))]
    line = test_a_product_is_summed_where_it_is_written.__code__.co_firstlineno + 1
    assert part.collectives[0].location.startswith(f"{__file__}:{line}:")


def test_collectives_of_blocks():
    def fn(a):
        at = jax.lax.axis_index("x")
        return (
            jax.lax.all_gather(a, "x", axis=0, tiled=True),
            jax.lax.psum_scatter(a, "y", scatter_dimension=1, tiled=True),
            jax.lax.all_to_all(a, "x", 1, 0, tiled=True),
            jax.lax.pmax(a, ("y", "x")),
            jax.lax.pmin(a.sum(), "x")[None],
            jax.lax.pmean(a, "x"),
            jnp.full((1,), at),
            jax.lax.all_gather(a, ("y", "x")),
        )

    def expected(a):
        blocks = a.reshape(2, 4, 16)
        sums = blocks.sum((1, 2))
        return (
            a,
            2 * a,
            jnp.concatenate([a[:, :8], a[:, 8:]]),
            blocks.max(0),
            jnp.full((1,), sums.min()),
            jnp.tile(blocks.mean(0), (2, 1)),
            jnp.arange(2),
            jnp.stack([blocks[0], blocks[1]] * 2),
        )

    specs = (S(), S("x", "y"), S("x"), S(), S(), S("x"), S("x"), S())
    part = run(mapped(fn, PLANE, S("x"), specs), A, expected=expected)
    assert {"all_gather", "reduce_scatter", "all_to_all", "all_reduce"} == set(kinds(part))


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


@pytest.mark.parametrize(
    "pairs, shifts",
    [
        (RING, 1),
        (RING[:3], 1),
        ([(3, 2), (2, 1)], 1),
        ([(0, 1), (1, 0), (2, 3), (3, 2)], 2),
        ([(0, 3), (1, 2), (2, 1), (3, 0)], 2),
        ([(0, 0), (1, 2)], 1),
    ],
)
def test_permutations_are_shifts(pairs, shifts):
    def expected(a):
        blocks = a.reshape(4, 2, 16)
        moved = jnp.zeros_like(blocks)
        for source, target in pairs:
            moved = moved.at[target].set(blocks[source])
        return moved.reshape(a.shape), moved.sum((1, 2))

    def fn(a):
        return jax.lax.ppermute(a, "x", pairs), jax.lax.ppermute(a.sum(), "x", pairs)[None]

    part = run(mapped(fn, LINE, S("x"), (S("x"), S("x"))), A, expected=expected)
    assert kinds(part) == ["shift"] * (2 * shifts)


def test_permutations_along_several_axes():
    pairs = RING
    rows = S(("x", "y"))
    fn = mapped(lambda a: jax.lax.ppermute(a, ("x", "y"), pairs), PLANE, rows, rows)
    part = run(fn, A, expected=lambda a: jnp.roll(a, 2, 0))
    assert kinds(part) == ["shift"]


def test_ring_attention():
    def fn(q, k, v):
        def step(_, state):
            k, v, most, total, out = state
            scores = q @ k.T
            new = jnp.maximum(most, scores.max(-1))
            weights, scale = jnp.exp(scores - new[:, None]), jnp.exp(most - new)
            total = total * scale + weights.sum(-1)
            out = out * scale[:, None] + weights @ v
            return jax.lax.ppermute(k, "x", RING), jax.lax.ppermute(v, "x", RING), new, total, out

        rows = q.shape[0]
        state = (k, v, jnp.full(rows, -jnp.inf), jnp.zeros(rows), jnp.zeros_like(q))
        state = jax.lax.fori_loop(0, 4, step, state)
        return state[4] / state[3][:, None]

    part = run(
        mapped(fn, LINE, (S("x"),) * 3, S("x")),
        *(A, A + 1, A * 2),
        expected=lambda q, k, v: jax.nn.softmax(q @ k.T) @ v,
    )
    # Of keys and values each block goes round once: 2 rows of 16 f32, four times.
    assert [(c.kind, c.bytes) for c in part.collectives] == [("shift", 512)] * 2


def test_gradients_and_functions_around():
    def loss(a, b):
        summed = mapped(
            lambda a, b: jax.lax.psum(jnp.sum((a @ b) ** 2), ("x", "y")),
            *(PLANE, (S(("x", "y")), S()), S()),
            check_vma=True,
        )
        return summed(jnp.tanh(a), b)

    def whole(a, b):
        return jnp.sum((jnp.tanh(a) @ b) ** 2)

    run(jax.value_and_grad(loss, (0, 1)), A, B, expected=jax.value_and_grad(whole, (0, 1)))


def test_free_axes_and_nested_maps():
    fn = mapped(lambda a: jax.lax.psum(a, "x") * 2, PLANE, S("x"), S(), axis_names={"x"})
    run(fn, A, expected=lambda a: 2 * (a[:4] + a[4:]))

    def outer(a):
        mesh = jax.sharding.get_abstract_mesh()
        inner = mapped(lambda a: jax.lax.psum(a, "y"), mesh, S(None, "y"), S(), axis_names={"y"})
        return inner(a) + jax.lax.psum(a.sum(), "x")

    run(
        mapped(outer, PLANE, S("x"), S("x"), axis_names={"x"}),
        A,
        expected=lambda a: a[:, :8] + a[:, 8:] + a.sum(),
    )


def test_unsigned_integers():
    x = jnp.arange(8, dtype=jnp.uint32) + jnp.uint32(2**32 - 6)
    fn = mapped(lambda a: (jax.lax.pmax(a, "x"), jax.lax.psum(a, "x")), LINE, S("x"), (S(), S()))
    run(fn, x, expected=lambda a: (a.reshape(4, 2).max(0), a.reshape(4, 2).sum(0, dtype=a.dtype)))


def test_other_groups_are_not_read():
    def fn(a):
        return jax.lax.psum(a, "x", axis_index_groups=[[0, 3], [1, 2]])

    with pytest.raises(shard.ProgramError, match="axis_index_groups are not read here") as caught:
        shard.from_jax(mapped(fn, LINE, S("x"), S("x")), A)
    assert str(caught.value).startswith(f"{__file__}:{fn.__code__.co_firstlineno + 1}:")
