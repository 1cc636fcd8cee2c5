# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the shardings that Shardy propagates with those chosen here, by bytes.

usage: compare_shardy.py [name...]

Each program is a function of JAX with hints for some of its arguments. Shardy's own
propagation, which comes with jaxlib, runs on its StableHLO; what it chooses for each
value is then stated as a closed hint, and the program is partitioned here. The same
program with the user's hints alone is partitioned too. The table has the bytes that one
device sends in each of them, and the ratio of ours to Shardy's. With one name it prints
the two partitioned programs. Needs the packages of
python/requirements-frontends.txt and the package `shard`.
"""

import multiprocessing
import re
import sys
from concurrent.futures import ProcessPoolExecutor

import jax
import jax.numpy as jnp
from jax.interpreters.mlir import make_ir_context
from jax.sharding import PartitionSpec as S
from jaxlib.mlir import ir, passmanager

import shard
from shard import _from_jax as front
from shard._jax_rewrites import rewrite
from shard._program import load

GRID = {"x": 4, "y": 2}


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def mlp(x, up, down):
    return jax.nn.relu(x @ up) @ down


def gated(x, gate, up, down):
    return (jax.nn.silu(x @ gate) * (x @ up)) @ down


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def attend(x, wq, wk, wv, wo):
    def split(w):
        return jnp.einsum("bsm,mhd->bshd", x, w)

    return jnp.einsum("bshd,hdm->bsm", attention(split(wq), split(wk), split(wv)), wo)


def block(x, wq, wk, wv, wo, scale, gate, up, down):
    x = x + attend(norm(x, scale), wq, wk, wv, wo)
    return x + gated(norm(x, scale), gate, up, down)


def step(x, y, up, down):
    def loss(params):
        return jnp.mean((mlp(x, *params) - y) ** 2)

    grads = jax.grad(loss)((up, down))
    return tuple(p - 0.1 * g for p, g in zip((up, down), grads, strict=True))


def experts(x, router, up, down):
    gates = jax.nn.softmax(x @ router, axis=-1)
    hidden = jax.nn.relu(jnp.einsum("tm,emf->etf", x, up))
    return jnp.einsum("etf,efm,te->tm", hidden, down, gates)


def embed(table, ids, out):
    return jnp.take(table, ids, axis=0) @ out


def layers(x, ups, downs):
    def layer(carry, weights):
        return carry + mlp(carry, *weights), None

    return jax.lax.scan(layer, x, (ups, downs))[0]


X, UP, DOWN = f32(64, 128), f32(128, 512), f32(512, 128)
BLOCK = [
    f32(8, 32, 128),
    *[f32(128, 8, 16)] * 3,
    f32(8, 16, 128),
    f32(128),
    f32(128, 512),
    f32(128, 512),
    f32(512, 128),
]
QKV = f32(8, 32, 8, 16)

# name: function, arguments, hints of the arguments.
PROGRAMS = {
    "mlp-data": (mlp, [X, UP, DOWN], [S("x"), None, None]),
    "mlp-megatron": (mlp, [X, UP, DOWN], [None, S(None, "x"), S("x", None)]),
    "mlp-megatron-up": (mlp, [X, UP, DOWN], [None, S(None, "x"), None]),
    "mlp-data-megatron": (mlp, [X, UP, DOWN], [S("y"), S(None, "x"), S("x", None)]),
    "mlp-fsdp": (mlp, [X, UP, DOWN], [S("x"), S("x"), S("x")]),
    "mlp-fsdp-few": (mlp, [f32(8, 128), UP, DOWN], [S("x"), S("x"), S("x")]),
    "mlp-fsdp-many": (mlp, [f32(4096, 128), UP, DOWN], [S("x"), S("x"), S("x")]),
    "mlp-fsdp-megatron": (
        mlp, [X, UP, DOWN], [S("y"), S("y", "x"), S("x", "y")]),
    "mlp-2d": (mlp, [X, UP, DOWN], [S(None, "x"), S("x", "y"), S("y", "x")]),
    "gated-megatron": (
        gated, [X, UP, UP, DOWN], [None, S(None, "x"), S(None, "x"), S("x")]),
    "gated-fsdp": (gated, [X, UP, UP, DOWN], [S("x"), S("x"), S("x"), S("x")]),
    "norm-sequence": (norm, [f32(8, 32, 128), f32(128)], [S(None, "x"), None]),
    "norm-hidden": (norm, [f32(8, 32, 128), f32(128)], [S(None, None, "x"), None]),
    "attention-batch": (attention, [QKV] * 3, [S("x"), S("x"), S("x")]),
    "attention-heads": (attention, [QKV] * 3, [S(None, None, "x")] * 3),
    "attention-query": (attention, [QKV] * 3, [S(None, "x"), None, None]),
    "attention-context": (attention, [QKV] * 3, [S(None, "x")] * 3),
    "attention-keys": (attention, [QKV] * 3, [None, S(None, "x"), S(None, "x")]),
    "attend-heads": (
        attend, BLOCK[:5], [S("y"), *[S(None, "x")] * 3, S("x")]),
    "attend-fsdp": (attend, BLOCK[:5], [S("x"), *[S("x")] * 3, S(None, None, "x")]),
    "block-megatron": (
        block, BLOCK,
        [S("y"), *[S(None, "x")] * 3, S("x"), None, S(None, "x"), S(None, "x"), S("x")]),
    "block-fsdp": (
        block, BLOCK,
        [S("x"), *[S("x")] * 3, S(None, None, "x"), None, S("x"), S("x"), S("x")]),
    "block-data": (block, BLOCK, [S("x")] + [None] * 8),
    "block-sequence": (block, BLOCK, [S(None, "x")] + [None] * 8),
    "step-data": (step, [X, X, UP, DOWN], [S("x"), S("x"), None, None]),
    "step-megatron": (step, [X, X, UP, DOWN], [None, None, S(None, "x"), S("x")]),
    "step-fsdp": (step, [X, X, UP, DOWN], [S("x")] * 4),
    "experts": (
        experts, [X, f32(128, 8), f32(8, 128, 256), f32(8, 256, 128)],
        [None, None, S("x"), S("x")]),
    "experts-tokens": (
        experts, [X, f32(128, 8), f32(8, 128, 256), f32(8, 256, 128)],
        [S("y"), None, S("x"), S("x")]),
    "embed-vocabulary": (
        embed, [f32(1024, 128), jax.ShapeDtypeStruct((64,), jnp.int32), f32(128, 1024)],
        [S("x"), None, S(None, "x")]),
    "embed-batch": (
        embed, [f32(1024, 128), jax.ShapeDtypeStruct((64,), jnp.int32), f32(128, 1024)],
        [None, S("x"), None]),
    "layers-megatron": (
        layers, [X, f32(4, 128, 512), f32(4, 512, 128)],
        [None, S(None, None, "x"), S(None, "x")]),
    "layers-fsdp": (
        layers, [X, f32(4, 128, 512), f32(4, 512, 128)],
        [S("x"), S(None, "x"), S(None, "x")]),
}  # fmt: skip


def sharding_text(spec, rank):
    dims = [*(spec or ()), *[None] * (rank - len(spec or ()))]
    axes = [() if d is None else (d,) if isinstance(d, str) else d for d in dims]
    return "[" + ", ".join("{" + ", ".join(f'"{a}"' for a in d) + "}" for d in axes) + "]"


def functions_of(module):
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def state_hints(module, arguments, hints):
    """Adds the hints of the arguments to `module`, in Shardy's form."""
    main = next(f for f in functions_of(module) if f.attributes["sym_name"].value == "main")
    main.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [
            ir.Attribute.parse(
                "{}"
                if hint is None
                else "{sdy.sharding = #sdy.sharding<@mesh, "
                f"{sharding_text(hint, len(argument.shape))}>}}"
            )
            for argument, hint in zip(arguments, hints, strict=True)
        ]
    )


def constrain(function):
    """States the propagated sharding of each value of `function` as a closed constraint."""
    constants = []
    values = list(function.regions[0].blocks[0].arguments)

    def visit(op):
        if op.name == "sdy.constant":
            constants.append(op)
        elif op.name not in ("func.func", "sdy.mesh") and not op.name.startswith("sdy."):
            values.extend(op.results)
        return ir.WalkResult.ADVANCE

    function.walk(visit)
    for op in constants:
        plain = ir.Operation.create(
            "stablehlo.constant", results=[op.results[0].type],
            attributes={"value": op.attributes["value"]}, ip=ir.InsertionPoint(op),
            loc=op.location)  # fmt: skip
        op.results[0].replace_all_uses_with(plain.results[0])
        op.erase()
    stated = [sharding_of(function, value) for value in values]
    for value, sharding in zip(values, stated, strict=True):
        owner = value.owner
        if not isinstance(owner, ir.Block) and "sdy.sharding" in owner.attributes:
            del owner.attributes["sdy.sharding"]
        uses = list(value.uses)
        if sharding is None or not uses:
            continue
        if isinstance(value.owner, ir.Block):
            point = ir.InsertionPoint.at_block_begin(value.owner)
        else:
            point = ir.InsertionPoint.after(value.owner)
        op = ir.Operation.create(
            "sdy.sharding_constraint", results=[value.type], operands=[value],
            attributes={"sharding": sharding}, ip=point, loc=value.location)  # fmt: skip
        for use in uses:
            use.owner.operands[use.operand_number] = op.results[0]


def sharding_of(function, value):
    """What the propagated program says of `value`; whole where it says nothing."""
    if not isinstance(value.type, ir.RankedTensorType) or value.type.rank == 0:
        return None
    whole = ir.Attribute.parse(f"#sdy.sharding<@mesh, {sharding_text(None, value.type.rank)}>")
    if isinstance(value.owner, ir.Block):
        if value.owner != function.regions[0].blocks[0]:
            return None  # an argument of a loop follows what the loop is given
        attributes = function.attributes
        named = {}
        if "arg_attrs" in attributes:
            named = {a.name: a.attr for a in attributes["arg_attrs"][value.arg_number]}
        stated = named.get("sdy.sharding", whole)
    elif "sdy.sharding" in value.owner.attributes:
        stated = value.owner.attributes["sdy.sharding"]
        text = str(stated)
        parts = re.findall(r"<@mesh, \[[^\]]*\][^>]*>", text)
        stated = ir.Attribute.parse("#sdy.sharding" + parts[value.result_number])
    else:
        stated = whole
    return ir.Attribute.parse(str(stated).replace(", ?", "").replace("?", ""))


def partition(module):
    grid, constraints = front._take_shardings(module)
    rewrite(module)
    text = front._lower(module.operation.get_asm(enable_debug_info=True))
    return load(front._put_shardings(text, grid, constraints)).partition()


def propagated(text, arguments, hints):
    """The text of a program after Shardy's propagation.

    As text, because Python's handles of ops do not know what a pass erases.
    """
    axes = ", ".join(f'"{name}"={size}' for name, size in GRID.items())
    text = re.sub(r"^(module .*\{)$", rf"\1\n  sdy.mesh @mesh = <[{axes}]>", text, flags=re.M)
    with make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        state_hints(module, arguments, hints)
        passmanager.PassManager.parse("builtin.module(sdy-propagation-pipeline)").run(
            module.operation
        )
        return module.operation.get_asm(enable_debug_info=True)


def measure(fn, arguments, hints):
    lowered = jax.jit(fn, keep_unused=True).lower(*arguments)
    text = lowered.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True)
    text = propagated(text, arguments, hints)
    with make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        for function in functions_of(module):
            constrain(function)
        theirs = partition(module)
    program = shard.from_jax(fn, *arguments, in_shardings=hints)
    ours = program.partition(shard.Grid(**GRID))
    return theirs, ours


def bytes_of(name):
    """What a device sends under Shardy's shardings and under ours."""
    theirs, ours = measure(*PROGRAMS[name])
    return theirs.collectives.bytes, ours.collectives.bytes


def main(names):
    if len(names) == 1:
        theirs, ours = measure(*PROGRAMS[names[0]])
        print(theirs, ours, theirs.text, ours.text, sep="\n")
        return
    fewer = same = more = 0
    print(f"{'program':22} {'Shardy':>10} {'ours':>10} {'ratio':>6}")
    # Each in a process of its own: Shardy's pipeline does not survive many runs in one.
    with ProcessPoolExecutor(
        1, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        for name in names or PROGRAMS:
            a, b = pool.submit(bytes_of, name).result()
            if a is None or b is None:
                print(f"{name:22} {a!s:>10} {b!s:>10}")
                continue
            fewer, same, more = fewer + (b < a), same + (b == a), more + (b > a)
            print(f"{name:22} {a:10} {b:10} {b / a if a else 1 if not b else float('inf'):6.2f}")
    print(f"ours sends fewer bytes in {fewer}, the same in {same}, more in {more}")


if __name__ == "__main__":
    main(sys.argv[1:])
