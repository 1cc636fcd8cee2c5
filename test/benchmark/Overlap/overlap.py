#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times a program with and without overlap on an artificial link between threads.

    overlap.py [--shard-run build/bin/shard-run] [--size 768] [--layers 6] [--runs 3]

The program gathers a weight for each of its products. Measured, smallest of several runs by
turns: computing (no link), the sum (link, no overlap) and the time with overlap. The link
takes about as long as the products: it is set from the first measurement. Without overlap
the time is the sum of both parts; the best that overlap can do is the maximum of both and
the first collective, which nothing hides.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile


def program(size, layers):
    part, full = f"tensor<{size // 2}x{size}xf32>", f"tensor<{size}x{size}xf32>"
    arguments = ", ".join([f"%x: {full}"] + [f"%w{i}: {part}" for i in range(layers)])
    text = "shard.grid @g(shape = 2)\n"
    text += f"func.func @main({arguments}) -> {full} {{\n  %z = arith.constant 0.0 : f32\n"
    value = "%x"
    for i in range(layers):
        text += f"  %g{i} = shard.all_gather %w{i} on @g grid_axes = [0] gather_axis = 0"
        text += f" : {part} -> {full}\n"
        text += f"  %e{i} = tensor.empty() : {full}\n"
        text += f"  %f{i} = linalg.fill ins(%z : f32) outs(%e{i} : {full}) -> {full}\n"
        text += f"  %y{i} = linalg.matmul ins({value}, %g{i} : {full}, {full})"
        text += f" outs(%f{i} : {full}) -> {full}\n"
        value = f"%y{i}"
    return text + f"  return {value} : {full}\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shard-run", default="build/bin/shard-run")
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    folder = pathlib.Path(options.shard_run).parent
    with tempfile.TemporaryDirectory() as temporary:
        plain = pathlib.Path(temporary) / "plain.mlir"
        plain.write_text(program(options.size, options.layers))
        overlapped = pathlib.Path(temporary) / "overlapped.mlir"
        subprocess.run(
            [folder / "shard-opt", plain, "--shard-overlap-collectives=min-gain=0", "-o", overlapped], check=True
        )

        def seconds(path, link=None):
            command = [options.shard_run, path, "--report=json"] + ([f"--link={link}"] if link else [])
            report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            return json.loads(report)["seconds_grid"]

        computing = min(seconds(plain) for _ in range(options.runs))
        latency = computing / options.layers
        sums, times = [], []
        for _ in range(options.runs):
            sums.append(seconds(plain, f"0,{latency}"))
            times.append(seconds(overlapped, f"0,{latency}"))
    link = latency * options.layers
    print(f"computing {computing * 1e3:.1f} ms, link {link * 1e3:.1f} ms, {options.layers} layers")
    print(f"without overlap {min(sums) * 1e3:.1f} ms: {min(sums) / (computing + link):.2f} of the sum")
    print(f"with overlap    {min(times) * 1e3:.1f} ms: {min(times) / (computing + link):.2f} of the sum,")
    best = max(computing, link) + latency
    print(f"                {min(times) / max(computing, link):.2f} of the maximum, {min(times) / best:.2f} of the best")


if __name__ == "__main__":
    main()
