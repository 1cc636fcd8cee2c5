# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from check import check, check_layouts

import shard
from shard import P

nn = pytest.importorskip("flax.linen", reason="flax is missing: pip install flax")
optax = pytest.importorskip("optax")


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        # Gradients of biases of keys are 0 but for rounding, which Adam would scale up.
        attend = nn.MultiHeadDotProductAttention(num_heads=4, use_bias=False, name="attention")
        y = attend(nn.LayerNorm()(x), mask=nn.make_causal_mask(x[..., 0]))
        x = x + y
        y = nn.Dense(32, name="up")(nn.LayerNorm()(x))
        return x + nn.Dense(16, name="down")(nn.gelu(y))


class Transformer(nn.Module):
    @nn.compact
    def __call__(self, tokens):
        embed = nn.Embed(32, 16, name="embed")
        return embed.attend(nn.LayerNorm()(Block()(embed(tokens))))


class Normalised(nn.Module):
    """Statistics of the batch, and elements dropped at random."""

    @nn.compact
    def __call__(self, x):
        # A bias in front of a norm has a gradient of 0 but for rounding.
        x = nn.BatchNorm(use_running_average=False)(nn.Dense(6, use_bias=False)(x))
        return nn.Dropout(0.5, deterministic=False)(x)


class Convolutions(nn.Module):
    @nn.compact
    def __call__(self, images):
        x = nn.relu(nn.Conv(8, (3, 3), strides=2)(images))
        x = nn.relu(nn.Conv(12, (3, 3), strides=2)(nn.GroupNorm(num_groups=2)(x)))
        return nn.Dense(5)(x.mean((1, 2)))


MEGATRON = {
    "*.attention.[!o]*.kernel": P(None, "model"),
    "*.attention.out.kernel": P("model"),
    "*.up.kernel": P(None, "model"),
    "*.up.bias": P("model"),
    "*.down.kernel": P("model"),
}


def train_transformer():
    tokens = jnp.arange(24, dtype=jnp.int32).reshape(4, 6) * 7 % 32
    return Transformer(), tokens, jnp.roll(tokens, -1, 1), MEGATRON


def train_convolutions():
    images = jax.random.normal(jax.random.key(1), (4, 8, 8, 3))
    # The channels between the two convolutions.
    channels = {
        "params.*Conv_0.kernel": P(None, None, None, "model"),
        "params.*Conv_1.kernel": P(None, None, "model"),
    }
    return Convolutions(), images, jnp.array([0, 3, 1, 4]), channels


@pytest.mark.parametrize(
    "make", [train_transformer, train_convolutions], ids=lambda make: make.__name__
)
def test_train_steps_with_adam(make):
    model, x, y, hints = make()
    params = model.init(jax.random.key(0), x)
    optimizer = optax.adam(1e-2, eps=1e-3)
    state = optimizer.init(params)

    def step(params, state, x, y):
        def loss(params):
            scores = model.apply(params, x)
            wanted = jax.nn.one_hot(y, scores.shape[-1])
            return optax.softmax_cross_entropy(scores, wanted).mean()

        value, gradients = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradients, state)
        return value, optax.apply_updates(params, updates), state

    arguments = (params, state, x, y)
    program = shard.from_jax(step, *arguments)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(step)(*arguments))]
    check_layouts(program, arguments, expected, ["x", "y"], hints)


def test_statistics_of_batches_and_dropout():
    x = jax.random.normal(jax.random.key(1), (8, 4))
    labels = jnp.arange(8) % 6
    key = jax.random.key(2)
    state = Normalised().init({"params": key, "dropout": key}, x)

    def step(params, statistics, key, x, labels):
        def loss(params):
            scores, changed = Normalised().apply(
                {"params": params, "batch_stats": statistics},
                x,
                mutable=["batch_stats"],
                rngs={"dropout": key},
            )
            losses = optax.softmax_cross_entropy_with_integer_labels(scores, labels)
            return losses.mean(), changed["batch_stats"]

        return jax.value_and_grad(loss, has_aux=True)(params)

    arguments = (state["params"], state["batch_stats"], key, x, labels)
    program = shard.from_jax(step, *arguments)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jax.jit(step)(*arguments))]
    part = check(program, arguments, expected, shard.Grid(2), {"x": P(0), "labels": P(0)})
    assert {row.kind for row in part.collectives} == {"all_reduce"}
