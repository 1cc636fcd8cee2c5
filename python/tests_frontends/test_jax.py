# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from check import GRIDS, check, check_layouts
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

import shard
from shard import OPEN, Grid, P


def normal(seed, *shape):
    return jax.random.normal(jax.random.PRNGKey(seed), shape) * 0.5


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(tree)]


def mlp(params, x):
    return jnp.tanh(x @ params["up"]) @ params["down"]


PARAMS = {"up": normal(1, 16, 24), "down": normal(2, 24, 8)}
X = normal(3, 12, 16)

MLP_LAYOUTS = {
    "data parallel": {"x": P("model", ...)},
    "tensor parallel": {"params.up": P(None, "model"), "params.down": P("model")},
    "fsdp": {"x": P("model", ...), "params.*": P("model")},
}


@pytest.mark.parametrize("grid", GRIDS, ids=repr)
@pytest.mark.parametrize("layout", MLP_LAYOUTS)
def test_mlp(grid, layout):
    program = shard.from_jax(mlp, PARAMS, X)
    assert [v.name for v in program.arguments] == ["params.down", "params.up", "x"]
    part = check(program, (PARAMS, X), leaves(mlp(PARAMS, X)), grid, MLP_LAYOUTS[layout])
    kinds = {row.kind for row in part.collectives}
    if layout == "data parallel":
        assert not kinds
    if layout == "tensor parallel":
        assert kinds == {"all_reduce"}


def test_places_are_those_of_the_python_source():
    part = shard.from_jax(mlp, PARAMS, X).partition(Grid(2), {"params.up": P(None, 0)})
    (row,) = part.collectives
    file, line, _ = row.location.rsplit(":", 2)
    assert file.endswith("test_jax.py")
    assert int(line) == mlp.__code__.co_firstlineno + 1


def test_places_of_sorts_are_those_of_the_python_source():
    program = shard.from_jax(lambda x: jnp.sort(x, axis=0), jnp.ones((12, 4)))
    rows = program.partition(Grid(d=4), {"x": P("d")}).collectives
    assert len(rows) > 0
    assert all("test_jax.py:" in row.location for row in rows)


def adam(params, state, gradients, step):
    def one(p, m, v, g):
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g * g
        scale = jnp.sqrt(1 - 0.99**step) / (1 - 0.9**step)
        return p - 0.01 * scale * m / (jnp.sqrt(v) + 1e-3), m, v

    triples = jax.tree.map(one, params, state["m"], state["v"], gradients)
    pick = [
        jax.tree.map(lambda t, i=i: t[i], triples, is_leaf=lambda t: isinstance(t, tuple))
        for i in range(3)
    ]
    return pick[0], {"m": pick[1], "v": pick[2]}


def zeros(params):
    return {"m": jax.tree.map(jnp.zeros_like, params), "v": jax.tree.map(jnp.zeros_like, params)}


def mlp_train_step():
    """The program, its arguments and the results of JAX."""

    def loss(params, x, y):
        return jnp.mean((mlp(params, x) - y) ** 2)

    def step(params, state, x, y, count):
        value, gradients = jax.value_and_grad(loss)(params, x, y)
        return value, *adam(params, state, gradients, count)

    arguments = (PARAMS, zeros(PARAMS), X, normal(4, 12, 8), jnp.float32(3))
    return shard.from_jax(step, *arguments), arguments, leaves(jax.jit(step)(*arguments))


def test_mlp_train_step():
    program, arguments, expected = mlp_train_step()
    tensor = {"*up": P(None, "model"), "*down": P("model")}
    check_layouts(program, arguments, expected, ["x", "y"], tensor)


def attention(params, x, heads=4):
    def split(t):
        return t.reshape(*t.shape[:-1], heads, -1).swapaxes(-3, -2)

    q, k, v = (split(x @ params[name]) for name in ("q", "k", "v"))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    joined = (weights @ v).swapaxes(-3, -2).reshape(x.shape)
    return joined @ params["o"]


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def transformer(params, tokens):
    x = params["embed"][tokens]
    for layer in params["layers"]:
        x = x + attention(layer, layer_norm(x))
        x = x + jax.nn.gelu(layer_norm(x) @ layer["up"]) @ layer["down"]
    return layer_norm(x) @ params["embed"].T


def transformer_params(layers=2, width=16):
    shapes = {
        "q": (width, width),
        "k": (width, width),
        "v": (width, width),
        "o": (width, width),
        "up": (width, 2 * width),
        "down": (2 * width, width),
    }
    return {
        "embed": normal(9, 32, width),
        "layers": [
            {name: normal(10 * i + j, *shape) for j, (name, shape) in enumerate(shapes.items())}
            for i in range(layers)
        ],
    }


MEGATRON = {
    "params.layers.*.[qkv]": P(None, "model"),
    "params.layers.*.up": P(None, "model"),
    "params.layers.*.o": P("model"),
    "params.layers.*.down": P("model"),
}


def transformer_train_step():
    """The program, its arguments and the results of JAX."""
    params = transformer_params()
    tokens = jnp.arange(24, dtype=jnp.int32).reshape(4, 6) * 7 % 32

    def loss(params, tokens):
        scores = jax.nn.log_softmax(transformer(params, tokens[:, :-1]))
        wanted = jax.nn.one_hot(tokens[:, 1:], scores.shape[-1])
        return -jnp.sum(scores * wanted) / wanted.sum()

    def step(params, state, tokens, count):
        value, gradients = jax.value_and_grad(loss)(params, tokens)
        return value, *adam(params, state, gradients, count)

    arguments = (params, zeros(params), tokens, jnp.float32(2))
    return shard.from_jax(step, *arguments), arguments, leaves(jax.jit(step)(*arguments))


def test_transformer_train_step():
    program, arguments, expected = transformer_train_step()
    check_layouts(program, arguments, expected, ["tokens"], MEGATRON)


def convolution_net_and_its_gradient():
    """The program, its arguments and the results of JAX."""

    def net(params, images):
        x = images
        for kernel in params["kernels"]:
            x = jax.lax.conv_general_dilated(
                x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
            x = jax.nn.relu(x)
        return x.mean((1, 2)) @ params["head"]

    def step(params, images):
        return jax.value_and_grad(lambda p: jnp.sum(net(p, images) ** 2))(params)

    params = {
        "kernels": [normal(1, 3, 3, 3, 8), normal(2, 3, 3, 8, 12)],
        "head": normal(3, 12, 5),
    }
    images = normal(4, 4, 8, 8, 3)
    program = shard.from_jax(step, params, images)
    return program, (params, images), leaves(jax.jit(step)(params, images))


def test_convolution_net_and_its_gradient():
    program, arguments, expected = convolution_net_and_its_gradient()
    channels = {
        "params.kernels.0": P(None, None, None, "model"),
        "params.kernels.1": P(None, None, "model"),
    }
    check_layouts(program, arguments, expected, ["images"], channels)


def test_constraints_and_shardings_of_jax():
    mesh = AbstractMesh((2, 2), ("data", "model"))

    def layer(params, x):
        hidden = jnp.tanh(x @ params["up"])
        hidden = jax.lax.with_sharding_constraint(
            hidden, NamedSharding(mesh, PartitionSpec("data", "model"))
        )
        return hidden @ params["down"]

    program = shard.from_jax(
        layer,
        PARAMS,
        X,
        in_shardings=(None, PartitionSpec("data")),
        out_shardings=PartitionSpec("data", PartitionSpec.UNCONSTRAINED),
    )
    assert "shard.constraint" in program.text
    part = check(program, (PARAMS, X), leaves(mlp(PARAMS, X)), None, {})
    assert part.grid == Grid(data=2, model=2)
    assert [v.sharding for v in part.arguments] == [
        "[[model], []]",
        "[[], [model]]",
        "[[data], []]",
    ]
    assert [(row.kind, row.axes) for row in part.collectives] == [("all_reduce", ("model",))]
    # Hints of a call count instead of those of the program.
    assert program.partition(None, {"x": P()}).arguments[2].sharding == "[[], []]"


def test_meshes_and_named_shardings_in_and_out():
    mesh = AbstractMesh((2, 2), ("data", "model"))
    program = shard.from_jax(
        mlp,
        PARAMS,
        X,
        in_shardings=(
            {"up": NamedSharding(mesh, PartitionSpec(None, "model")), "down": None},
            NamedSharding(mesh, PartitionSpec("data")),
        ),
    )
    # The grid is that of the mesh.
    part = check(program, (PARAMS, X), leaves(mlp(PARAMS, X)), None, {})
    assert part.grid == Grid(data=2, model=2) == Grid.of(mesh)
    shardings = {value.name: value.spec.to_partition_spec() for value in part.arguments}
    assert shardings == {
        "params.down": PartitionSpec("model", None),
        "params.up": PartitionSpec(None, "model"),
        "x": PartitionSpec("data", None),
    }
    again = program.partition(mesh, {name: spec for name, spec in shardings.items()})
    assert again.text == part.text
    other = AbstractMesh((4,), ("x",))
    with pytest.raises(shard.ProgramError, match="several meshes"):
        shard.from_jax(
            lambda a, b: a + b,
            X,
            X,
            in_shardings=(
                NamedSharding(mesh, PartitionSpec("data")),
                NamedSharding(other, PartitionSpec("x")),
            ),
        )


def test_hints_for_places_and_scopes():
    def layer(params, x):
        with jax.named_scope("up"):
            hidden = jnp.tanh(x @ params["up"] + 1)
        return hidden @ params["down"]

    program = shard.from_jax(layer, PARAMS, X)
    line = layer.__code__.co_firstlineno + 2
    # The two ways to name what the scope gives to the rest.
    for key in ("*/up/*", f"test_jax.py:{line}"):
        part = program.partition(Grid(model=2), {key: P(None, "model"), "result0": P()})
        assert [v.sharding for v in part.arguments] == [
            "[[model], []]",
            "[[], [model]]",
            "[[], []]",
        ]
        part.verify(PARAMS, X)
    with pytest.raises(shard.HintError, match=f"there are ops at lines {line}, {line + 1}, "):
        program.partition(Grid(model=2), {f"test_jax.py:{line + 2}": P()})


def test_types_and_trees():
    def fn(counts, flags, *, bias):
        return {"sum": counts + jnp.uint32(7), "pair": (flags & True, bias * jnp.bfloat16(2))}

    counts = jnp.array([1, 2**32 - 3], jnp.uint32)
    flags = jnp.array([True, False])
    bias = jnp.array([1.5, -2.0], jnp.bfloat16)
    program = shard.from_jax(fn, counts, flags, bias=bias)
    assert [v.name for v in program.arguments] == ["counts", "flags", "bias"]
    part = program.partition(Grid(2), {"counts": P(0), "bias": P(0)})
    result = part(counts, flags, bias=bias)
    expected = fn(counts, flags, bias=bias)
    assert jax.tree.structure(result) == jax.tree.structure(expected)
    for mine, theirs in zip(leaves(result), leaves(expected), strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(mine, theirs)
    with pytest.raises(shard.RunError, match="structure"):
        part(counts, flags)


def test_arguments_that_are_not_used_stay():
    program = shard.from_jax(lambda a, b: b * 2, X, X)
    assert len(program.arguments) == 2
    np.testing.assert_array_equal(program.partition(Grid(2), {"b": P(OPEN, 0)})(X, X), X * 2)


def test_what_cannot_be_lowered():
    with pytest.raises(
        shard.ProgramError, match=r"test_jax.py:\d+:\d+: calls the function 'lapack"
    ):
        shard.from_jax(lambda a: jnp.linalg.eigvals(a), normal(1, 4, 4))


def special(x):
    """`x` with numbers that sorts and sums can get wrong."""
    return x.at[0, 0].set(jnp.nan).at[0, 3].set(-jnp.inf).at[1, 2].set(x[1, 1]).at[2, 0].set(-0.0)


@pytest.mark.parametrize(
    "fn",
    [
        jnp.sort,
        jnp.argsort,
        lambda x: jnp.sort(x, axis=0, descending=True),
        lambda x: jnp.argsort(x, axis=0, descending=True),
        lambda x: jnp.sort(x.astype(jnp.bfloat16)),
        lambda x: jnp.argsort((jnp.nan_to_num(x, neginf=-9) * 3 + 40).astype(jnp.uint8)),
        lambda x: jnp.sort((jnp.nan_to_num(x, neginf=-9) * 3).astype(jnp.int32)),
        lambda x: jnp.sort(x > 0),
        lambda x: jax.lax.sort((jnp.round(x), x, x > 0), num_keys=2),
        lambda x: jnp.median(x, axis=1),
        lambda x: jax.lax.top_k(jnp.nan_to_num(x), 3),
        lambda x: jax.lax.top_k((jnp.nan_to_num(x, neginf=-9) * 3).astype(jnp.int32), 2),
        lambda x: jax.random.permutation(jax.random.key(1), x[:, 0]),
    ],
)
def test_sorts(fn):
    x = special(normal(5, 4, 6) * 3)
    program = shard.from_jax(fn, x)
    for hint in (P(0), P(None, 0)):
        results = program.partition(Grid(2), {0: hint})(x)
        for mine, theirs in zip(leaves(results), leaves(jax.jit(fn)(x)), strict=True):
            assert mine.dtype == theirs.dtype
            if mine.dtype == jnp.bfloat16:
                mine, theirs = mine.astype(np.float32), theirs.astype(np.float32)
            np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: jnp.cumsum(x, axis=1),
        lambda x: jax.lax.cumsum(x, axis=0, reverse=True),
        lambda x: jnp.cumprod(x, axis=1),
        lambda x: jax.lax.cummax(x, axis=1),
        lambda x: jax.lax.cumlogsumexp(x, axis=1),
        lambda x: jnp.cumsum((x * 3).astype(jnp.int32), axis=0),
        jax.grad(lambda x: jnp.sum(jnp.cumsum(x, axis=1) ** 2)),
    ],
)
def test_cumulative_reductions(fn):
    x = normal(6, 4, 6)
    program = shard.from_jax(fn, x)
    expected = leaves(jax.jit(fn)(x))
    for hint in (P(0), P(None, 0)):
        check(program, (x,), expected, Grid(2), {0: hint})


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_gradients_of_look_ups(shape):
    table = normal(1, 7, 5)
    # The last index is out of bounds: JAX drops what goes there.
    indices = (jnp.arange(max(1, int(np.prod(shape)))) * 3 % 8).reshape(shape)
    given = normal(2, *shape, 5)

    def gradient(table, indices, given):
        return jax.vjp(lambda t: t[indices], table)[1](given)[0]

    def along_columns(table, indices, given):
        return jax.vjp(lambda t: t[:, indices], table.T)[1](jnp.moveaxis(given, -1, 0))[0]

    for fn in (gradient, along_columns):
        program = shard.from_jax(fn, table, indices, given)
        expected = leaves(jax.jit(fn)(table, indices, given))
        check(
            program,
            (table, indices, given),
            expected,
            Grid(2),
            {"given": P(*[None] * len(shape), 0)},
        )
        if shape:
            check(program, (table, indices, given), expected, Grid(2), {"given": P(0)})


def test_flags_and_unsigned_integers_become_numbers():
    x = normal(1, 6, 4)
    flags = jnp.array([[True, False, True, True, False, False]] * 3)
    counts = jnp.array([[1, 200, 255, 0, 128, 7]] * 3, jnp.uint8)

    def fn(flags, counts, x):
        return flags.astype(jnp.float32) @ x, counts.astype(jnp.float32) @ x

    program = shard.from_jax(fn, flags, counts, x)
    expected = leaves(jax.jit(fn)(flags, counts, x))
    check(program, (flags, counts, x), expected, Grid(2), {"x": P(0)})


def test_numbers_of_python_take_the_type_of_the_program():
    def step(x, n, scale):
        return jax.lax.dynamic_slice(x, (n, 0), (4, 16)) * scale

    program = shard.from_jax(step, X, 3, 2.0)
    part = program.partition(Grid(2), {"x": P(0)})
    np.testing.assert_allclose(part(X, 5, 0.5), step(X, 5, 0.5), rtol=1e-6)
    with pytest.raises(shard.RunError, match="n"):
        part(X, 1 << 40, 0.5)
