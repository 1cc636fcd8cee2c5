#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many programs shard-fuzz needs to find each seeded fault.

    faults.py [--shard-fuzz build-faults/bin/shard-fuzz] [--seed 1] [--count 2000]
              [--jobs 2] [fault...]

The build is that of the preset `faults`. Faults of the back end of MPI are made on ranks of Open
MPI, by `mpirun -n RANKS shard-fuzz --mpi`; without Open MPI they are left out. A fault is found by the first program
that fails with it and does not fail in the same way without it. Prints the table of
docs/SeededFaults.md; exit code 1 if a fault is not found.
"""

import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "faults"))
import seed  # noqa: E402


def read_list():
    """Name, floor, description, options and number of ranks of each fault."""
    return [
        (fault.name, fault.floor, fault.breaks, fault.options.split(), int(fault.ranks or 0))
        for fault in seed.read_all()
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


def launcher_of(program):
    """Open MPI's, for which the build has a back end; None if it has none."""
    build = pathlib.Path(program).resolve().parents[1]
    cache = build / "CMakeCache.txt"
    found = cache.exists() and re.search(
        r"^SHARD_MPI_openmpi_LAUNCHER:\w+=(/.*)$", cache.read_text(), re.M
    )
    return found and found.group(1)


def first_failure_on_ranks(program, fault, ranks, seed, count):
    """The same of shard-fuzz --mpi, which goes on after a failure: so a few programs at a time."""
    at_a_time = 20
    environment = dict(
        os.environ,
        SHARD_SEEDED_FAULT=fault,
        SHARD_RT_TIMEOUT="20",
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",
    )
    for first in range(seed, seed + count, at_a_time):
        command = [launcher_of(program), "-n", str(ranks), program, "--mpi"]
        command += ["--seed", str(first), "--count", str(min(at_a_time, seed + count - first))]
        process = subprocess.run(command, capture_output=True, text=True, env=environment)
        if process.returncode == 0:
            continue
        told = re.search(r"^seed (\d+): (.*)", process.stdout, re.M)
        if told:
            return int(told.group(1)), "wrong: " + told.group(2)
        # The runtime ended the ranks, or one has crashed: the program is one of these.
        return first + at_a_time - 1, "run-failed: " + process.stderr
    return None


def find_on_ranks(program, fault, ranks, seed, count):
    """The same, if the programs do not fail without the fault."""
    found = first_failure_on_ranks(program, fault, ranks, seed, count)
    if found and first_failure_on_ranks(program, "", ranks, seed, found[0] - seed + 1):
        sys.exit(f"{program} --mpi fails without the fault {fault}, too")
    return found


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
    if not launcher_of(arguments.shard_fuzz):
        faults = [fault for fault in faults if not fault[4]]
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
            lambda fault: find_on_ranks(
                arguments.shard_fuzz, fault[0], fault[4], arguments.seed, arguments.count
            )
            if fault[4]
            else find(arguments.shard_fuzz, fault[0], fault[3], arguments.seed, arguments.count),
            faults,
        )
        for (name, floor, description, *_), found in zip(faults, results):
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
