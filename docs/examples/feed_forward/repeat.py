#!/usr/bin/env python3
"""Runs the feed-forward layer under mpirun, again and again; every run has to pass.

usage: repeat.py COUNT SHARD-RUN MPIRUN [OPTION...]

Grids of 1, 2, 4 and 2x2 devices take turns (8 and 2x4 too, with --large as the first
option); options go to mpirun. Prints one line at the end, and the output of runs that
failed. A run that takes longer than a minute has failed.
"""

import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def devices_of(grid):
    product = 1
    for extent in grid.split("x"):
        product *= int(extent)
    return product


def main():
    count, program, launcher, *options = sys.argv[1:]
    grids = ["1", "2", "4", "2x2"]
    if options and options[0] == "--large":
        grids += ["8", "2x4"]
        options = options[1:]
    failed, longest, begin = 0, 0.0, time.time()
    with tempfile.TemporaryDirectory() as folder:
        for grid in grids:
            with open(f"{folder}/{grid}.mlir", "w") as file:
                subprocess.run([sys.executable, f"{HERE}/make.py", "--grid", grid], stdout=file,
                               check=True)
        for i in range(int(count)):
            grid = grids[i % len(grids)]
            command = [launcher, *options, "-n", str(devices_of(grid)), program,
                       f"{folder}/{grid}.mlir", "--verify", "--seed", str(i)]
            start = time.time()
            try:
                run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                                     text=True, timeout=60)
                passed = run.returncode == 0 and run.stdout.count("\nPASS\n") == 1
                output = run.stdout + run.stderr
            except subprocess.TimeoutExpired:
                passed, output = False, "no end within a minute"
            longest = max(longest, time.time() - start)
            if not passed:
                failed += 1
                print(f"run {i} on {grid} failed\n{output}", flush=True)
    print(f"{count} runs, {failed} failed; {time.time() - begin:.0f} seconds, the longest run "
          f"{longest:.1f}")
    return 1 if failed else 0


sys.exit(main())
