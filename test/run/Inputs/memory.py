# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the memory that is predicted with the memory that a run takes.

usage: memory.py EXAMPLES [MODELS]

The memory of temporaries is compared: with arguments, which are exact, the error would be
smaller. Prints a line for each program and how many are off by more than 5 %.
"""

import json
import subprocess
import sys

from layouts import layouts


def main():
    """Runs all programs."""
    off = count = 0
    for layout in layouts(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None):
        command = ["shard-run", "-", *layout.options(), "--report", "json", "--verify"]
        if layout.entry:
            command += ["--entry", layout.entry]
        done = subprocess.run(
            command, input=layout.small or layout.text, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{layout.name}: {done.stdout[-500:]} {done.stderr}")
        report = json.loads(done.stdout)
        measured = report["peak_temporary_bytes_per_device"]
        predicted = report["predicted"]["memory"]["temporaries"]
        off += abs(predicted - measured) > 0.05 * measured
        count += 1
        print(f"{layout.name}, {layout.grid}: {predicted} of {measured}")
    print(f"{off} of {count} programs off by more than 5 %")


main()
