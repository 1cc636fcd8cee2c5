#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same functions of JAX and shardings through XLA's partitioner and through ours.

    PYTHONPATH=build/python build/venv-frontends/bin/python test/benchmark/Frontends/compare_xla.py

prints a table (in Markdown) of collectives, of the bytes that one device sends, of the time to
partition and compile, and of the bytes of temporaries. XLA runs Shardy for CPU devices of
the host. Bytes of both are those of rings: an all-reduce of n bytes among k devices sends
2 n (k-1)/k, an all-gather to n bytes and a reduce-scatter and an all-to-all of n bytes
n (k-1)/k, a permutation n. Collectives in loops count once for both.

All arguments and results have the same closed shardings on both sides. Results are compared
with those of one device.
"""

import argparse
import collections
import math
import os
import re
import sys
import time

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

import shard

S = PartitionSpec
PROGRAMS = []
WIDTHS = {
    "f64": 8,
    "f32": 4,
    "bf16": 2,
    "f16": 2,
    "s64": 8,
    "s32": 4,
    "u32": 4,
    "s8": 1,
    "u8": 1,
    "pred": 1,
}


def program(mesh, specs, out):
    """Registers a function; `specs` has (shape, PartitionSpec) of each argument."""

    def add(fn):
        PROGRAMS.append((fn.__name__, fn, mesh, specs, out))
        return fn

    return add


ONE = {"model": 4}
TWO = {"data": 2, "model": 2}
BIG = {"data": 2, "model": 4}


@program(ONE, [((64, 128), S("model")), ((128, 96), S())], S("model"))
def matmul_rows(x, w):
    return x @ w


@program(ONE, [((64, 128), S(None, "model")), ((128, 96), S("model"))], S())
def matmul_inner(x, w):
    return x @ w


@program(ONE, [((64, 128), S(None, "model")), ((128, 96), S("model"))], S("model"))
def matmul_inner_result_by_rows(x, w):
    return x @ w


@program(ONE, [((64, 128), S("model")), ((128, 96), S(None, "model"))], S("model"))
def matmul_both_outer(x, w):
    return x @ w


MLP = [((64, 64), S()), ((64, 256), S(None, "model")), ((256, 64), S("model"))]


@program(ONE, MLP, S())
def megatron(x, up, down):
    return jnp.tanh(x @ up) @ down


@program(BIG, [((64, 64), S("data")), *MLP[1:]], S("data"))
def megatron_and_batch(x, up, down):
    return jnp.tanh(x @ up) @ down


@program(ONE, [((64, 64), S("model")), *MLP[1:]], S("model"))
def sequence_parallel(x, up, down):
    return x + jnp.tanh(x @ up) @ down


@program(
    ONE, [((1024, 64), S("model")), ((64, 256), S("model")), ((256, 64), S("model"))], S("model")
)
def fsdp(x, up, down):
    return jnp.tanh(x @ up) @ down


@program(
    TWO,
    [((512, 64), S("data")), ((64, 256), S("data", "model")), ((256, 64), S("model", "data"))],
    S("data"),
)
def fsdp_and_megatron(x, up, down):
    return jnp.tanh(x @ up) @ down


def attention_of(x, q, k, v, o, heads=4):
    """Multi-head attention with a causal mask."""

    def split(t):
        return t.reshape(*t.shape[:-1], heads, -1).swapaxes(-3, -2)

    q, k, v = split(x @ q), split(x @ k), split(x @ v)
    scores = q @ k.swapaxes(-1, -2) / np.float32(math.sqrt(q.shape[-1]))
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    return (weights @ v).swapaxes(-3, -2).reshape(x.shape) @ o


COLUMNS, ROWS = ((64, 64), S(None, "model")), ((64, 64), S("model"))


@program(ONE, [((2, 32, 64), S()), COLUMNS, COLUMNS, COLUMNS, ROWS], S())
def attention_heads(x, q, k, v, o):
    return attention_of(x, q, k, v, o)


@program(BIG, [((2, 32, 64), S("data")), COLUMNS, COLUMNS, COLUMNS, ROWS], S("data"))
def attention_heads_and_batch(x, q, k, v, o):
    return attention_of(x, q, k, v, o)


@program(ONE, [((2, 32, 64), S(None, "model")), *[((64, 64), S())] * 4], S(None, "model"))
def attention_tokens(x, q, k, v, o):
    return attention_of(x, q, k, v, o)


@program(ONE, [((64, 256), S(None, "model")), ((256,), S("model"))], S(None, "model"))
def layer_norm_features(x, scale):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale


@program(ONE, [((64, 256), S(None, "model"))], S(None, "model"))
def softmax_features(x):
    return jax.nn.softmax(x, axis=-1)


@program(ONE, [((64, 256), S("model"))], S(None, "model"))
def rows_to_columns(x):
    return x * 2


@program(TWO, [((64, 256), S("data", "model"))], S("model", "data"))
def swap_axes(x):
    return jnp.sin(x)


@program(TWO, [((64, 256), S("data", "model"))], S())
def total(x):
    return jnp.sum(x)


@program(ONE, [((8, 32, 64), S("model")), ((8, 64, 48), S("model"))], S("model"))
def batched_matmul(x, y):
    return x @ y


@program(ONE, [((4, 16, 16, 8), S("model")), ((3, 3, 8, 16), S())], S("model"))
def convolution_batch(x, kernel):
    return jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@program(ONE, [((2, 16, 16, 8), S(None, "model")), ((3, 3, 8, 16), S())], S(None, "model"))
def convolution_rows(x, kernel):
    return jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


@program(
    ONE,
    [((64, 64), S("model")), ((64, 256), S()), ((256, 64), S()), ((64, 64), S("model"))],
    (S(), S()),
)
def gradient_data_parallel(x, up, down, y):
    return jax.grad(lambda u, d: jnp.mean((jnp.tanh(x @ u) @ d - y) ** 2), argnums=(0, 1))(up, down)


@program(ONE, [*MLP, ((64, 64), S())], (S(None, "model"), S("model")))
def gradient_megatron(x, up, down, y):
    return jax.grad(lambda u, d: jnp.mean((jnp.tanh(x @ u) @ d - y) ** 2), argnums=(0, 1))(up, down)


def sizes_of(text):
    """The bytes of the shapes in the type of an HLO op."""
    total = 0
    for kind, extents in re.findall(r"(\w+)\[([\d,]*)\]", text):
        if kind in WIDTHS:
            total += WIDTHS[kind] * math.prod(int(n) for n in extents.split(",") if n)
    return total


def group_size(line, devices):
    """The devices of a group of an HLO collective."""
    if match := re.search(r"replica_groups=\{\{([\d,]*)\}", line):
        return len(match[1].split(","))
    if match := re.search(r"replica_groups=\[(\d+),(\d+)\]", line):
        return int(match[2])
    return devices


HLO = re.compile(
    r"= (.*?) (all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute)(-start)?\("
)


def xla_collectives(text, devices):
    """Kinds and bytes sent by one device, of the text of optimised HLO."""
    kinds, sent = collections.Counter(), 0
    for line in text.splitlines():
        match = HLO.search(line)
        if not match:
            continue
        kind, result = match[2], sizes_of(match[1])
        if match[3] and kind in ("all-gather", "collective-permute"):
            result = sizes_of(match[1]) // 2
        k = group_size(line, devices)
        kinds[kind.replace("-", "_")] += 1
        if kind == "collective-permute":
            pairs = re.findall(r"\{(\d+),(\d+)\}", line.split("source_target_pairs=")[1])
            moved = sum(a != b for a, b in pairs)
            sent += result if moved else 0
        else:
            factor = {"all-reduce": 2, "all-gather": 1, "reduce-scatter": k, "all-to-all": 1}[kind]
            sent += factor * result * (k - 1) // k
    return kinds, sent


def through_xla(fn, mesh, specs, out, arguments):
    shape = tuple(mesh.values())
    devices = np.array(jax.devices()[: math.prod(shape)]).reshape(shape)
    real = jax.sharding.Mesh(devices, tuple(mesh))
    inputs = tuple(NamedSharding(real, spec) for _, spec in specs)
    outputs = jax.tree.map(
        lambda spec: NamedSharding(real, spec), out, is_leaf=lambda x: isinstance(x, S)
    )
    begin = time.perf_counter()
    compiled = jax.jit(fn, in_shardings=inputs, out_shardings=outputs).lower(*arguments).compile()
    seconds = time.perf_counter() - begin
    kinds, sent = xla_collectives(compiled.as_text(), devices.size)
    return kinds, sent, seconds, compiled.memory_analysis().temp_size_in_bytes


def through_shard(fn, mesh, specs, out, arguments):
    begin = time.perf_counter()
    traced = shard.from_jax(
        fn, *arguments, in_shardings=tuple(spec for _, spec in specs), out_shardings=out
    )
    middle = time.perf_counter()
    part = traced.partition(shard.Grid(**mesh))
    partitioned = time.perf_counter() - middle
    part(*arguments)
    seconds = partitioned + part.last_run.seconds_compile
    kinds = collections.Counter()
    for row in part.last_run.collectives:
        kinds[row.kind] += row.calls
    sent = sum(row.bytes for row in part.last_run.collectives)
    part.verify(*arguments)
    return kinds, sent, seconds, part.memory.temporaries


def in_words(kinds):
    return ", ".join(f"{n} {kind}" for kind, n in sorted(kinds.items())) or "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="a part of the names of the programs to compare")
    options = parser.parse_args()
    print("| program | XLA | sent | shard | sent | compile ms | temporaries |")
    print("|---|---|--:|---|--:|--:|--:|")
    worse = []
    for name, fn, mesh, specs, out in PROGRAMS:
        if options.only not in name:
            continue
        rng = np.random.default_rng(0)
        arguments = [rng.standard_normal(size).astype(np.float32) for size, _ in specs]
        theirs = through_xla(fn, mesh, specs, out, arguments)
        ours = through_shard(fn, mesh, specs, out, arguments)
        if ours[1] > theirs[1]:
            worse.append(name)
        print(
            f"| {name} | {in_words(theirs[0])} | {theirs[1]:,} | {in_words(ours[0])} | {ours[1]:,} "
            f"| {theirs[2] * 1e3:.0f} / {ours[2] * 1e3:.0f} | {theirs[3]:,} / {ours[3]:,} |",
            flush=True,
        )
    print(f"\n{len(worse)} of them send more than XLA{': ' if worse else ''}{', '.join(worse)}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
