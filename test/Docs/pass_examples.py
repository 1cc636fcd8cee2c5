"""Runs the examples of the pass pages.

Each section "### `-pass`" of a page may hold MLIR blocks that read

    // Input
    ...
    // Output
    ...

The output must be what the pass makes of the input, both as shard-opt prints them.
A grid that only the input declares holds for the output too.

usage: pass_examples.py shard-opt page.md...
"""

import difflib
import re
import subprocess
import sys


def run(tool, text, *options):
    done = subprocess.run([tool, "-", *options], input=text, text=True,
                          capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def check(tool, name, block):
    source, expected = block.split("// Output\n")
    source = source.replace("// Input\n", "")
    grids = re.findall(r"^shard\.grid .*$", source, re.MULTILINE)
    if "shard." in expected:
        expected = "\n".join(g for g in grids if g not in expected) + "\n" + expected
    actual = run(tool, source, name)
    expected = run(tool, expected)
    diff = list(difflib.unified_diff(expected.splitlines(), actual.splitlines(),
                                     "the page", "shard-opt -" + name, lineterm=""))
    print("\n".join(diff))
    return not diff


def main(tool, pages):
    examples = failures = 0
    for page in pages:
        with open(page) as file:
            sections = re.split(r"^### `(-[-a-z]+)`$", file.read(), flags=re.MULTILINE)
        for name, text in zip(sections[1::2], sections[2::2]):
            for block in re.findall(r"```mlir\n(.*?)```", text, re.DOTALL):
                if "// Output\n" not in block:
                    continue
                examples += 1
                try:
                    good = check(tool, name, block)
                except RuntimeError as error:
                    print(f"{page}: {name}: {error}")
                    good = False
                failures += not good
    print(f"{examples} examples, {failures} wrong")
    return failures > 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
