#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a large program with few hints, for benchmarks of propagation.

    generate.py chain|fanout|wide|mlp|args|peer N [grid] [ssa]

N is the number of ops (layers for mlp, arguments for args). With `ssa` the hint
is a shard.shard, which LLVM's own dialect understands too; `peer` is a chain of
ops that LLVM's pass has models for.
"""

import sys

TYPE = "tensor<64x64xf32>"


def main():
    kind, n = sys.argv[1], int(sys.argv[2])
    grid = sys.argv[3] if len(sys.argv) > 3 else "2x2"
    ssa = "ssa" in sys.argv
    out = [f"shard.grid @g(shape = {grid})"]
    attr = "" if ssa else " {shard.sharding = #shard.sharding<@g, [[0, ?], [?]]>}"
    rows = "" if ssa else " {shard.sharding = #shard.sharding<@g, [[1], [?]]>}"
    cols = "" if ssa else " {shard.sharding = #shard.sharding<@g, [[?], [1]]>}"

    def begin(extra=""):
        out.append(f"func.func @f(%in: {TYPE}{attr}{extra}) -> {TYPE} {{")
        if ssa:
            out.append("  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding")
            out.append(f"  %x = shard.shard %in to %s : {TYPE}")
        return "%x" if ssa else "%in"

    def end(last):
        out.append(f"  return {last} : {TYPE}\n}}")

    if kind == "chain":
        last = begin()
        for i in range(n):
            out.append(f"  %{i} = arith.addf {last}, {last} : {TYPE}")
            last = f"%{i}"
        end(last)
    elif kind == "peer":
        last = begin()
        for i in range(n):
            out.append(f"  %{i} = tosa.sigmoid {last} : ({TYPE}) -> {TYPE}")
            last = f"%{i}"
        end(last)
    elif kind == "fanout":
        first = begin()
        last = first
        for i in range(n):
            out.append(f"  %{i} = math.exp {first} : {TYPE}")
        end(f"%{n - 1}")
    elif kind == "wide":
        # Every op takes the 20 values before it.
        last = [begin()] * 20
        dims = "affine_map<(d0, d1) -> (d0, d1)>"
        maps = ", ".join([dims] * 21)
        scalars = ", ".join(f"%a{i}: f32" for i in range(21))
        for i in range(n):
            ins = ", ".join(last[-20:])
            types = ", ".join([TYPE] * 20)
            out.append(
                f"  %{i} = linalg.generic {{indexing_maps = [{maps}], "
                f'iterator_types = ["parallel", "parallel"]}} ins({ins} : {types}) '
                f"outs({last[-1]} : {TYPE}) {{\n  ^bb0({scalars}):\n"
                f"    %e{i} = arith.addf %a0, %a19 : f32\n"
                f"    linalg.yield %e{i} : f32\n  }} -> {TYPE}"
            )
            last.append(f"%{i}")
        end(last[-1])
    elif kind == "mlp":
        # Megatron hints: the first weight by columns, the second by rows.
        weights = ""
        for i in range(n):
            weights += f", %w{i}: {TYPE}{cols}, %v{i}: {TYPE}{rows}"
        last = begin(weights)
        out.append("  %c0 = arith.constant 0.0 : f32")
        out.append(f"  %e = tensor.empty() : {TYPE}")
        out.append(
            f"  %z = linalg.fill ins(%c0 : f32) outs(%e : {TYPE}) -> {TYPE}"
        )
        for i in range(n):
            out.append(
                f"  %h{i} = linalg.matmul ins({last}, %w{i} : {TYPE}, {TYPE}) "
                f"outs(%z : {TYPE}) -> {TYPE}"
            )
            out.append(f"  %r{i} = math.tanh %h{i} : {TYPE}")
            out.append(
                f"  %o{i} = linalg.matmul ins(%r{i}, %v{i} : {TYPE}, {TYPE}) "
                f"outs(%z : {TYPE}) -> {TYPE}"
            )
            out.append(f"  %q{i} = arith.addf {last}, %o{i} : {TYPE}")
            last = f"%q{i}"
        end(last)
    elif kind == "args":
        extra = "".join(f", %a{i}: {TYPE}" for i in range(n))
        last = begin(extra)
        for i in range(n):
            out.append(f"  %{i} = arith.addf {last}, %a{i} : {TYPE}")
            last = f"%{i}"
        end(last)
    else:
        sys.exit(f"unknown program {kind}")
    print("\n".join(out))


if __name__ == "__main__":
    main()
