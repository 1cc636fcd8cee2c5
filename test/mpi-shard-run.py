#!/usr/bin/env python3
"""Runs shard-run with one process per device, for `lit --param mpi=openmpi`.

usage: mpi-shard-run.py MPIRUN SHARD-RUN ARGUMENTS...

The number of devices is that of --grid, else of the first grid of the program that
is no refinement. Programs of one device, commands that do not run a program, and
programs of more than 32 devices (to start so many takes a small machine a minute) run
without mpirun.
"""

import os
import re
import sys

MOST_PROCESSES = 32


def shape_of(arguments):
    for i, argument in enumerate(arguments):
        if argument.startswith("--grid="):
            return argument[len("--grid="):]
        if argument == "--grid":
            return arguments[i + 1]
    for argument in arguments:
        if argument.endswith(".mlir") and os.path.isfile(argument):
            with open(argument) as file:
                for line in file:
                    found = re.match(r"\s*shard\.grid @\w+\s*\(shape = ([0-9x]+)\)(?!.*refines)", line)
                    if found:
                        return found.group(1)
    return "1"


def main():
    launcher, program, *arguments = sys.argv[1:]
    devices = 1
    for extent in shape_of(arguments).split("x"):
        devices *= int(extent) if extent.isdigit() else 1
    command = [program, *arguments]
    if 1 < devices <= MOST_PROCESSES:
        command = [launcher, "-n", str(devices), *command]
    os.execvp(command[0], command)


main()
