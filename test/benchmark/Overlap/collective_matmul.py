#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times products that are cut into parts beside their collectives (collective matmul).

    collective_matmul.py [--shard-run build/bin/shard-run] [--size 1152] [--runs 5] [--devices 2 4]

One product of which an operand is gathered, or the result reduced and scattered, on an
artificial link between threads. The link takes as long for the bytes of the collective as
the product takes to compute, which is measured first. Printed for each program, the
smallest of several runs by turns: computing whole and in parts (no link), without overlap,
which is the sum of both, and with it, against the sum, the maximum of both, and the best
that parts can do: k devices send k - 1 times and compute k parts, so that 1/k of computing
is left.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

# Name, shardings of the operands and the result: rows of a are gathered, columns that are
# summed over are, sums are scattered.
PROGRAMS = {
    "all_gather, parallel loop": ("[[0], []]", "[[], [0]]", "[[], [0]]", "m"),
    "all_gather, reduction loop": ("[[0], []]", "[[0], []]", "[[0], []]", "k"),
    "reduce_scatter": ("[[], [0]]", "[[0], []]", "[[0], []]", "s"),
}


def program(name, devices, size):
    a, b, result, kind = PROGRAMS[name]
    # The work of one device is the same for every number of devices.
    m, n, k = {"m": (size, size * devices, size), "k": (size * devices, size, size), "s": (size, size, size * devices)}[
        kind
    ]
    # The machine makes the passes cut; the artificial link is what runs.
    text = f"shard.grid @g(shape = {devices}) {{shard.machine = {{flops32 = 1.0e10, link_bandwidth = 1.0e8}}}}\n"

    def argument(name, rows, columns, sharding):
        return f"%{name}: tensor<{rows}x{columns}xf32> {{shard.sharding = #shard.sharding<@g, {sharding}>}}"

    out = f"tensor<{m}x{n}xf32>"
    text += f"func.func @main({argument('a', m, k, a)}, {argument('b', k, n, b)})"
    text += f" -> ({out} {{shard.sharding = #shard.sharding<@g, {result}>}}) {{\n"
    text += "  %z = arith.constant 0.0 : f32\n"
    text += f"  %e = tensor.empty() : {out}\n"
    text += f"  %f = linalg.fill ins(%z : f32) outs(%e : {out}) -> {out}\n"
    text += f"  %y = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>) outs(%f : {out}) -> {out}\n"
    return text + f"  return %y : {out}\n}}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shard-run", default="build/bin/shard-run")
    parser.add_argument("--size", type=int, default=1152)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--devices", type=int, nargs="+", default=[2, 4])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        path = pathlib.Path(temporary) / "program.mlir"

        def report(*arguments):
            command = [options.shard_run, path, "--report=json", *arguments]
            return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

        for devices in options.devices:
            for name in PROGRAMS:
                path.write_text(program(name, devices, options.size))
                whole, parts = report(), report("--overlap")
                kinds = {call["kind"] for call in parts["collectives"]}
                assert kinds == {"shift"}, f"not cut: {kinds}"
                sent = [sum(call["bytes_sent_per_device"] for call in run["collectives"]) for run in (whole, parts)]
                assert sent[0] == sent[1], f"{sent[1]} bytes are sent instead of {sent[0]}"
                computing = min(report()["seconds_grid"] for _ in range(options.runs))
                cut = min(report("--overlap")["seconds_grid"] for _ in range(options.runs))
                link = f"--link={sent[0] / computing},0"
                times = {"whole": [], "parts": []}
                for _ in range(options.runs):
                    times["whole"].append(report(link)["seconds_grid"])
                    times["parts"].append(report(link, "--overlap")["seconds_grid"])
                whole, parts = min(times["whole"]), min(times["parts"])
                print(f"{devices} devices, {name}")
                print(f"  link {computing * 1e3:.1f} ms, computing {computing * 1e3:.1f} ms, in parts {cut * 1e3:.1f} ms")
                print(f"  without overlap {whole * 1e3:.1f} ms: {whole / (2 * computing):.2f} of the sum")
                print(
                    f"  in parts        {parts * 1e3:.1f} ms: {parts / (2 * computing):.2f} of the sum, "
                    f"{parts / computing:.2f} of the maximum, "
                    f"{parts / (computing * (1 + 1 / devices)):.2f} of the best"
                )


if __name__ == "__main__":
    main()
