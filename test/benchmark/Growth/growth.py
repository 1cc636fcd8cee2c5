#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how the time of each pass grows with the size of the program.

    growth.py [--shard-opt build/bin/shard-opt] [--seconds 0.5] [--pass P] [SHAPE...]
    growth.py --instructions 1000 ...
    growth.py --ratio optimize partition [SHAPE...]

For each shape of shapes.py and each pass: n is doubled until the pass takes so many
seconds of processor time, without what reading and writing the program takes. Then
the exponent e of time ~ n^e is that of n and n / 4, and the row says n and the
seconds. 1 is linear. Nothing below a twentieth of the seconds is measured.

With --instructions valgrind counts millions of instructions instead, which are the same
in each run, also on a busy machine.

With --ratio the row says the seconds of two passes on the same program and the first by
the second: the least of five measurements each, which alternate, by the timers of MLIR
(--mlir-timing). `parse` is there the parsing of what the first pass reads, in the same run.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

from shapes import SHAPES

# Each pass reads what the one named by the second entry wrote.
PASSES = {
    "parse": ([], None),
    "propagate": (["--sharding-propagation"], None),
    "explain": (["--shard-explain"], None),
    "materialize": (["--shard-materialize-reshards"], "propagate"),
    "partition": (["--shard-partition"], "propagate"),
    "groups": (["--shard-assign-groups"], "partition"),
    "optimize": (["--shard-optimize-collectives"], "partition"),
    "verify": (["--shard-verify-spmd"], "partition"),
    "report": (["--shard-report"], "partition"),
    "lower": (["--shard-lower-to-llvm"], "optimize"),
}
LIMIT = 1 << 20
MOST_COMPARED = 1 << 15


def seconds_of(tool, source, out, options, instructions=False):
    """Processor seconds of one run, in user mode; or millions of instructions."""
    command = [tool, source, "--mlir-disable-threading", "-o", out, *options]
    if instructions:
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command]
    with open(out + ".stderr", "w") as errors:
        process = subprocess.Popen(command, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    if status:
        with open(out + ".stderr") as errors:
            raise RuntimeError(" ".join(command) + "\n" + errors.read(1000))
    if instructions:
        with open(out + ".stderr") as errors:
            return int(re.search(r"Collected : (\d+)", errors.read()).group(1)) / 1e6
    return usage.ru_utime


class Shape:
    """The programs of one shape, with what the passes make of them."""

    def __init__(self, tool, make, folder, instructions=False):
        self.tool, self.make, self.folder = tool, make, folder
        self.instructions = instructions
        self.times = {}

    def source(self, n):
        path = os.path.join(self.folder, f"{self.make.__name__}.{n}.mlir")
        if not os.path.exists(path):
            with open(path, "w") as out:
                out.write(self.make(n))
        return path

    def output(self, name, n):
        options, before = PASSES[name]
        path = os.path.join(self.folder, f"{self.make.__name__}.{n}.{name}.mlir")
        if not os.path.exists(path):
            source = self.output(before, n) if before else self.source(n)
            seconds_of(self.tool, source, path, options)
        return path

    def seconds(self, name, n):
        """Of the pass alone; the smaller of two runs."""
        if (name, n) in self.times:
            return self.times[name, n]
        options, before = PASSES[name]
        source = self.output(before, n) if before else self.source(n)
        out = os.path.join(self.folder, "out.mlir")
        both = self.least(source, out, options)
        if options:
            both -= self.least(source, out, [])
        self.times[name, n] = both
        return both

    def least(self, source, out, options):
        if self.instructions:
            return seconds_of(self.tool, source, out, options, True)
        return min(seconds_of(self.tool, source, out, options) for _ in range(2))


def measure(shape, name, seconds):
    """Returns n, its seconds, and the exponent, if there is one."""
    n = 64
    while shape.seconds(name, n) < seconds and n < LIMIT:
        if shape.seconds(name, n) < seconds / 16:
            n *= 2
        n *= 2
    large, small = shape.seconds(name, n), shape.seconds(name, n // 4)
    if small < seconds / 20:
        return n, large, None
    return n, large, math.log(large / small, 4)


def timers(tool, source, options):
    """The wall seconds of parsing and of the passes of one run."""
    command = [tool, source, "--mlir-disable-threading", "-o", os.devnull, *options]
    report = subprocess.run(
        [*command, "--mlir-timing", "--mlir-timing-display=list"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if report.returncode:
        raise RuntimeError(" ".join(command) + "\n" + report.stderr[:1000])
    lines = re.findall(r"^ *([0-9.]+) \([ 0-9.]+%\)  (\w+)$", report.stderr, re.MULTILINE)
    parsing = sum(float(time) for time, name in lines if name == "Parser")
    others = ("Parser", "root", "Output", "Rest", "Total")
    return parsing, sum(float(time) for time, name in lines if name not in others)


def compare(shape, first, second, seconds):
    """Prints n, the least seconds of both passes in five runs, and their ratio."""

    def both(n):
        def of(name):
            options, before = PASSES[name]
            source = shape.output(before, n) if before else shape.source(n)
            return timers(shape.tool, source, options)

        parsing, one = of(first)
        return one, parsing if second == "parse" else of(second)[1]

    n = 64
    while both(n)[1] < seconds and n < MOST_COMPARED:
        n *= 2
    one, other = (min(times) for times in zip(*(both(n) for _ in range(5))))
    row = f"{shape.make.__name__:12} {n:8} {one:10.2f} {other:10.2f}"
    print(row, f"{one / other:6.2f}" if other > 0 else f"{'-':>6}", flush=True)


def print_ratios(arguments):
    first, second = arguments.ratio
    print(f"{'shape':12} {'n':>8} {first:>10} {second:>10} {'ratio':>6}")
    for make in SHAPES:
        if arguments.shapes and make.__name__ not in arguments.shapes:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                shape = Shape(arguments.shard_opt, make, folder)
                compare(shape, first, second, arguments.seconds)
            except RuntimeError as error:
                print(f"{make.__name__:12} failed: {error}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shard-opt", default="build/bin/shard-opt")
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--instructions", type=float, metavar="MILLIONS")
    parser.add_argument("--pass", dest="passes", action="append", choices=PASSES)
    parser.add_argument("--ratio", nargs=2, choices=PASSES, metavar="PASS")
    parser.add_argument("shapes", nargs="*")
    arguments = parser.parse_args()
    known = [make.__name__ for make in SHAPES]
    for name in arguments.shapes:
        if name not in known:
            sys.exit(f"unknown shape {name}; there are {', '.join(known)}")
    if arguments.ratio:
        return print_ratios(arguments)
    unit = "millions" if arguments.instructions else "seconds"
    print(f"{'shape':12} {'pass':10} {'n':>8} {unit:>8} {'exponent':>8}")
    for make in SHAPES:
        if arguments.shapes and make.__name__ not in arguments.shapes:
            continue
        for name in arguments.passes or PASSES:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    counts = bool(arguments.instructions)
                    shape = Shape(arguments.shard_opt, make, folder, counts)
                    most = arguments.instructions or arguments.seconds
                    n, taken, exponent = measure(shape, name, most)
                except RuntimeError as error:
                    print(f"{make.__name__:12} {name:10} failed: {error}", flush=True)
                    continue
            shown = "-" if exponent is None else f"{exponent:.2f}"
            print(f"{make.__name__:12} {name:10} {n:8} {taken:8.2f} {shown:>8}", flush=True)


if __name__ == "__main__":
    main()
