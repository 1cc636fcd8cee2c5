#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs shard-fuzz needs to find each seeded fault.

    faults.py [--shard-fuzz build-faults/bin/shard-fuzz] [--seed 1] [--count 2000]
              [--jobs 2] [fault...]

The build is that of the preset `faults`. A fault is found by the first program
that fails with it and does not fail in the same way without it. Prints the table of
docs/SeededFaults.md; exit code 1 if a fault is not found.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "faults"))
import seed  # noqa: E402


def read_list():
    """Name, floor, description and options of each fault."""
    return [
        (fault.name, fault.floor, fault.breaks, fault.options.split()) for fault in seed.read_all()
    ]


def first_failure(program, fault, options, seed, count):
    """Seed and words of the first program that fails, if one does."""
    command = [program, "--quiet", "--jobs", "1", "--stop-at-first", "--reduce=0", *options]
    command += ["--seed", str(seed), "--count", str(count)]
    if fault:
        command += ["--fault", fault]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode == 0:
        return None
    told = re.search(r"^first failure: program \d+, seed (\d+): (.*)", process.stdout, re.M)
    if not told:
        sys.exit(f"{' '.join(command)}: {process.stdout}{process.stderr}")
    return int(told.group(1)), told.group(2)


def find(program, fault, options, seed, count):
    """The same, of the programs that do not fail alike without the fault."""
    end = seed + count
    while seed < end and (found := first_failure(program, fault, options, seed, end - seed)):
        if first_failure(program, None, options, found[0], 1) != found:
            return found
        seed = found[0] + 1
    return None


def how_it_showed(told):
    """The verdict in a few words."""
    verdict, detail = told.split(": ", 1)
    for text, words in (
        ("second propagation", "unstable"),
        ("does not parse", "does not parse"),
        ("changes the program", "does not print to itself"),
        ("its hint is closed", "closed hint not met"),
        ("has local type", "local type"),
        ("where its sharding says", "local type"),
        ("makes invalid IR", "invalid IR"),
        ("after an error", "error, but success"),
        ("without an error", "failure without an error"),
        ("the halo of device", "wrong halo"),
        ("asks for other halos", "other halos or bounds"),
    ):
        if text in detail:
            return words
    if verdict == "crash" and detail.startswith("exit 1"):
        return "ended by the time limit"
    return {
        "wrong": "wrong numbers",
        "crash": "crash",
        "hang": "hang",
        "rejected": "error: " + detail.split("error: ")[-1][:60],
        "run-failed": "run stopped",
    }.get(verdict, verdict + " " + detail[:60]).replace("|", "/")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shard-fuzz", default="build-faults/bin/shard-fuzz")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("faults", nargs="*")
    arguments = parser.parse_args()

    faults = [f for f in read_list() if not arguments.faults or f[0] in arguments.faults]
    known = subprocess.run(
        [arguments.shard_fuzz, "--list-faults"], capture_output=True, text=True
    ).stdout
    if f"{faults[0][0]}: " not in known:
        sys.exit(f"{arguments.shard_fuzz} has no faults: cmake --preset faults")
    print("| fault | what it breaks | floor | programs | how it showed |")
    print("|---|---|---|---:|---|")
    needed = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(
            lambda fault: find(
                arguments.shard_fuzz, fault[0], fault[3], arguments.seed, arguments.count
            ),
            faults,
        )
        for (name, floor, description, _), found in zip(faults, results):
            row = "not found", ""
            if found:
                needed.append(found[0] - arguments.seed + 1)
                row = needed[-1], how_it_showed(found[1])
            print(f"| {name} | {description} | {floor} | {row[0]} | {row[1]} |", flush=True)
    median = f", median {statistics.median(needed):g} programs" if needed else ""
    print(f"\n{len(needed)} of {len(faults)} found{median}")
    sys.exit(len(needed) != len(faults))


if __name__ == "__main__":
    main()
