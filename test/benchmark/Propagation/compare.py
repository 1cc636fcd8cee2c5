#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times the propagation pass against the parser, and against mlir-opt.

    compare.py [--shard-opt build/bin/shard-opt] [--mlir-opt mlir-opt] [--small]

For each program of generate.py: seconds of the parser and of the pass in one run,
their ratio (the pass is to take no longer: at most 1), the largest memory. Then
one chain that LLVM's own pass can do, with both tools: seconds and annotations.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAMS = [
    ("chain", 100000),
    ("fanout", 50000),
    ("wide", 100000),
    ("mlp", 10000),
    ("args", 25000),
]
HERE = os.path.dirname(os.path.abspath(__file__))


def generate(path, *arguments):
    with open(path, "w") as out:
        command = [sys.executable, os.path.join(HERE, "generate.py")]
        subprocess.run(command + list(arguments), stdout=out, check=True)


def run(tool, source, out, pipeline, *extra):
    """Returns seconds of the parser, of propagation, and peak kilobytes."""
    command = [tool, source, f"--pass-pipeline={pipeline}", "--mlir-timing"]
    command += ["--mlir-disable-threading", "-o", out, *extra]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    text = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        sys.exit(f"{tool} failed on {source}:\n{text[:2000]}")

    def seconds(name):
        found = re.findall(r"([0-9.]+) \(\s*[0-9.]+%\)\s+" + name, text)
        return sum(float(number) for number in found)

    return seconds("Parser"), seconds("ShardingPropagation"), usage.ru_maxrss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shard-opt", default="build/bin/shard-opt")
    parser.add_argument("--mlir-opt", default=shutil.which("mlir-opt"))
    parser.add_argument("--small", action="store_true", help="a tenth of the ops")
    options = parser.parse_args()
    share = 10 if options.small else 1
    with tempfile.TemporaryDirectory() as folder:
        source, out = os.path.join(folder, "in.mlir"), os.path.join(folder, "out.mlir")
        module = "builtin.module(sharding-propagation)"
        print(f"{'program':16}{'parse s':>10}{'pass s':>10}{'ratio':>8}{'MB':>8}")
        for kind, count in PROGRAMS:
            generate(source, kind, str(count // share))
            parse, propagate, memory = run(options.shard_opt, source, out, module)
            print(
                f"{kind + ' ' + str(count // share):16}{parse:10.3f}{propagate:10.3f}"
                f"{propagate / parse:8.2f}{memory // 1024:8}"
            )
        if not options.mlir_opt:
            print("no mlir-opt to compare with")
            return
        generate(source, "peer", str(50000 // share), "2x2", "ssa")
        in_function = "builtin.module(func.func(sharding-propagation))"
        results = []
        for tool in [options.mlir_opt, options.shard_opt]:
            # MLIR's verifier, which runs in both, is not what is compared.
            propagate = min(
                run(tool, source, out, in_function, "--verify-each=0")[1]
                for _ in range(3)
            )
            with open(out) as text:
                annotations = text.read().count("shard.shard ")
            results.append(propagate)
            print(f"{os.path.basename(tool):16}{propagate:10.3f} s{annotations:8} annotations")
        print(f"ratio {results[0] / results[1]:.1f}")


if __name__ == "__main__":
    main()
