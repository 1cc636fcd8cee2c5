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
import functools
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LIST = pathlib.Path(__file__).resolve().parents[3] / "include/shard/Geometry/SeededFaults.def"


def read_list():
    """Name, floor and description of each fault."""
    faults, floor = [], ""
    for line in LIST.read_text().splitlines():
        if heading := re.fullmatch(r"// (\w+)\.", line):
            floor = heading.group(1)
        if entry := re.fullmatch(r'FAULT\((\w+), "(.*)"\)', line):
            faults.append((entry.group(1), floor, entry.group(2)))
    return faults


class Fuzzer:
    def __init__(self, program):
        self.program = program

    @functools.lru_cache(maxsize=None)
    def run(self, fault, seed, count):
        """What shard-fuzz says about the programs; empty if all pass."""
        command = [self.program, "--quiet", "--jobs", "1", "--reduce=0", "--reduce-most", "0"]
        command += ["--seed", str(seed), "--count", str(count)]
        if fault:
            command += ["--fault", fault]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}: {process.stderr}")
        return process.stdout if process.returncode else ""

    def differs(self, fault, seed, count):
        found = self.run(fault, seed, count)
        return bool(found) and found != self.run(None, seed, count)

    def first(self, fault, seed, count):
        """The first of the programs that tells, and what it says."""
        if not self.differs(fault, seed, count):
            return None
        if count == 1:
            return seed, self.run(fault, seed, 1)
        half = count // 2
        return self.first(fault, seed, half) or self.first(fault, seed + half, count - half)

    def find(self, fault, seed, count):
        done, size = 0, 2
        while done < count:
            size = min(size, count - done)
            if found := self.first(fault, seed + done, size):
                return found
            done += size
            size = min(2 * size, 128)
        return None


def how_it_showed(output):
    """The verdict in a few words."""
    verdict, message = re.match(r"1 x ([\w-]+): (.*)", output).groups()
    detail = output.splitlines()[1].split(": ", 1)[1]
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
    ):
        if text in detail:
            return words
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
    fuzzer = Fuzzer(arguments.shard_fuzz)
    print("| fault | what it breaks | floor | programs | how it showed |")
    print("|---|---|---|---:|---|")
    needed = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(
            lambda fault: fuzzer.find(fault[0], arguments.seed, arguments.count), faults
        )
        for (name, floor, description), found in zip(faults, results):
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
