#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --shard-optimize-collectives saves, for all models under the hints of the tests.

    layouts.py [--bin build/bin] --examples docs/examples [--models FOLDER] [--check PAGE]

Prints a row for each program: the bytes that a device sends and the collectives before and
after, at full size, as predicted; then whether the optimised program sends less, when it
runs, as many bytes as predicted, and gives the results of one device. Models that are too
large to run do so with smaller extents. A last line counts the rows that are worse and those whose
run differs. With --check it also compares the rows with those of PAGE.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "run" / "Inputs"))

from layouts import layouts

PARTITION = [
    "--shard-lower-tosa",
    "--shard-raise-extracts",
    "--shard-block-scans",
    "--shard-expand-reshapes",
    "--sharding-propagation",
    "--shard-partition",
]


def predicted(tool, layout, passes):
    """Bytes that a device sends, and collectives, of the entry."""
    command = [tool, "-", *layout.options(), *passes, "--shard-report=json", "-o", "/dev/null"]
    done = subprocess.run(command, input=layout.text, capture_output=True, text=True, check=True)
    # Remarks come first.
    reports = json.loads(done.stderr[done.stderr.index("[\n") :])
    calls = next(r for r in reports if layout.entry in ("", r["program"]))["collectives"]
    return (
        sum(call["bytes_sent_per_device"] for call in calls),
        sum(call["calls"] for call in calls),
    )


def run(tool, layout):
    """Whether a run counts what is predicted and verifies."""
    command = [tool, "-", *layout.options(), "--verify", "--report=json"]
    if layout.entry:
        command.append(f"--entry={layout.entry}")
    done = subprocess.run(
        command, input=layout.small or layout.text, capture_output=True, text=True
    )
    report = json.loads(done.stdout)
    return report["pass"] and all(
        row["bytes_sent_per_device"] == row["predicted_bytes_sent_per_device"]
        for row in report["collectives"]
    )


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--examples", default="docs/examples")
    parser.add_argument("--models")
    parser.add_argument("--check")
    options = parser.parse_args()
    os.environ["PATH"] = f"{pathlib.Path(options.bin).resolve()}:{os.environ['PATH']}"
    print("| program | grid | bytes sent before | after | collectives before | after |")
    print("|---|---|---:|---:|---:|---:|")
    rows, worse, differ = [], 0, 0
    for layout in layouts(options.examples, options.models):
        before = predicted("shard-opt", layout, PARTITION)
        after = predicted("shard-opt", layout, [*PARTITION, "--shard-optimize-collectives"])
        rows.append(
            f"| {layout.name} | {layout.grid} "
            f"| {before[0]} | {after[0]} | {before[1]} | {after[1]} |"
        )
        print(rows[-1], flush=True)
        worse += after[0] > before[0]
        if not run("shard-run", layout):
            print(f"{layout.name}: the run differs")
            differ += 1
    print(f"{worse} of {len(rows)} worse, {differ} runs differ")
    if options.check:
        page = pathlib.Path(options.check).read_text().splitlines()
        missing = [row for row in rows if row not in page]
        print(f"{len(missing)} rows are not on the page")
        print("\n".join(missing))


main()
