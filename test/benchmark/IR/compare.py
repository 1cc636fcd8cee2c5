#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times parsing and printing of shard ops against mlir-opt.

    compare.py [--shard-opt build/bin/shard-opt] [--mlir-opt mlir-opt] [--ops N]
               [--runs N]

Generates one module of N ops of the dialect (100000 by default), all of them in
LLVM's dialect too, and lets both tools parse, verify and print it, by turns.
Prints the least user time of each and the ratio, which is to be at most 1.1. Fails
if the two print different texts.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile

PEER = "/usr/lib/llvm-22/bin"
HALF, WHOLE = "tensor<8x16xf32>", "tensor<16x16xf32>"


def group(i):
    """Ten ops; the value %{i} is the next group's operand."""
    last = f"%v{i - 1}" if i else "%in"
    return f"""\
  %p{i}, %q{i} = shard.process_multi_index on @grid : index, index
  %l{i} = shard.process_linear_index on @grid : index
  %m{i}:2 = shard.grid_shape @grid : index, index
  %s{i} = shard.sharding @grid split_axes = [[0], [1]] : !shard.sharding
  %a{i} = shard.shard {last} to %s{i} : {WHOLE}
  %u{i} = shard.shard %a{i} to %s{i} annotate_for_users : {WHOLE}
  %b{i} = shard.all_reduce %u{i} on @grid grid_axes = [1] reduction = max : {WHOLE} -> {WHOLE}
  %c{i} = shard.all_slice %b{i} on @grid grid_axes = [0] slice_axis = 0 : {WHOLE} -> {HALF}
  %d{i} = shard.all_gather %c{i} on @grid grid_axes = [0] gather_axis = 0 : {HALF} -> {WHOLE}
  %v{i} = shard.broadcast %d{i} on @grid grid_axes = [0] root = [0] : ({WHOLE}) -> {WHOLE}
"""


def generate(path, ops):
    with open(path, "w") as out:
        out.write("shard.grid @grid(shape = 2x4)\n")
        out.write(f"func.func @f(%in: {WHOLE}) -> {WHOLE} {{\n")
        count = max(ops // 10, 1)
        for i in range(count):
            out.write(group(i))
        out.write(f"  return %v{count - 1} : {WHOLE}\n}}\n")


def user_seconds(tool, source, out):
    process = subprocess.Popen([tool, source, "-o", out])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        sys.exit(f"{tool} failed on the generated module")
    return usage.ru_utime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shard-opt", default="build/bin/shard-opt")
    parser.add_argument(
        "--mlir-opt", default=shutil.which("mlir-opt") or os.path.join(PEER, "mlir-opt")
    )
    parser.add_argument("--ops", type=int, default=100000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    if not os.path.exists(options.mlir_opt):
        sys.exit("no mlir-opt to compare with")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "in.mlir")
        generate(source, options.ops)
        tools = [options.shard_opt, options.mlir_opt]
        outs = [os.path.join(folder, name) for name in ("ours.mlir", "peer.mlir")]
        best = [float("inf")] * 2
        for _ in range(options.runs):
            for i, tool in enumerate(tools):
                best[i] = min(best[i], user_seconds(tool, source, outs[i]))
        for tool, seconds in zip(tools, best):
            print(f"{os.path.basename(tool):16}{seconds:10.3f} s")
        print(f"ratio {best[0] / best[1]:.2f}")
        if not filecmp.cmp(*outs, shallow=False):
            sys.exit("the two tools print different texts")


if __name__ == "__main__":
    main()
