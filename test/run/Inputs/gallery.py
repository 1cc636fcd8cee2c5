# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the table of docs/examples/gallery/README.md.

usage: gallery.py FOLDER

For each row: shard-opt predicts the collectives and the bytes of the program at full
size, which must be those of the row. Then the program is shrunk and run on the grid
against one device.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

# Full extents and those of the program that runs. Grids divide both.
SMALL = {
    "18432": "64",
    "73728": "256",
    "4096": "16",
    "14336": "32",
    "512": "16",
    "262144": "2048",
}


def rows(text):
    """The cells of each row of the table."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 6 and cells[5].isdigit():
            yield cells


def resized(program, sizes):
    """`program` with other extents of its tensors."""

    def shape(match):
        extents = match.group(1).split("x")
        return "<" + "x".join(sizes.get(extent, extent) for extent in extents)

    return re.sub(r"<((?:\w+x)+)", lambda m: shape(m), program)


def predicted(program, options):
    """The collectives, in their order, and the bytes that a device sends."""
    command = ["shard-opt", "-", *options, "--shard-spmd", "--shard-report=json"]
    done = subprocess.run(
        [*command, "-o", "/dev/null"], input=program, capture_output=True, text=True, check=True
    )
    # Remarks come first.
    report = re.search(r"^\[.*", done.stderr, re.MULTILINE | re.DOTALL)
    calls = json.loads(report.group())[0]["collectives"]
    return [call["kind"] for call in calls], sum(call["bytes_sent_per_device"] for call in calls)


def main():
    """Prints a line for each row."""
    folder = pathlib.Path(sys.argv[1])
    wrong = 0
    for name, program, tokens, options, kinds, sent in rows((folder / "README.md").read_text()):
        text = (folder / f"{program}.mlir").read_text()
        if program == "feed_forward":
            text = resized(text, {"512": tokens})
        arguments = shlex.split(options.strip("`"))
        found = predicted(text, arguments)
        run = subprocess.run(
            ["shard-run", "-", *arguments, "--verify"],
            input=resized(text, SMALL),
            capture_output=True,
            text=True,
        )
        passed = run.returncode == 0 and re.search(r"^PASS", run.stdout, re.MULTILINE)
        same = found == (kinds.split(", "), int(sent))
        wrong += not (passed and same)
        print(f"{name}: {', '.join(found[0])}: {found[1]} bytes, {'PASS' if passed else 'FAIL'}")
        if not passed:
            print(run.stdout, run.stderr)
    print(f"{wrong} rows wrong")


main()
