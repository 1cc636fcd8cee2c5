"""Checks that README.md shows what the programs do.

MLIR blocks that start with "// <file>" are that file; those that start with
"// shard-opt ..." are what the command prints; both up to comments, names and line
breaks. An indented "$ build/bin/... " is followed by what the command prints, up to
spacing, times and errors.

usage: readme.py root-of-the-checkout folder-of-the-programs
"""

import re
import subprocess
import sys


def run(command, cwd, text=None):
    done = subprocess.run(command, input=text, text=True, capture_output=True, cwd=cwd)
    if done.returncode != 0:
        raise RuntimeError(f"{command}: {done.stderr}")
    return done.stdout


def measured(line):
    return line.startswith(("wall time", "largest error"))


def main(root, programs):
    readme = open(f"{root}/README.md").read()
    checks = []

    def normal(text):
        return run([f"{programs}/shard-opt", "-"], root, text)

    for title, block in re.findall(r"```mlir\n// (.*?)\n(.*?)```", readme, re.DOTALL):
        if title.startswith("shard-opt "):
            expected = run([f"{programs}/{title.split()[0]}", *title.split()[1:]], root)
        elif title.endswith(".mlir"):
            expected = normal(open(f"{root}/{title}").read())
        else:
            continue
        checks.append((title, normal(block), expected))

    for command, block in re.findall(r"^    \$ build/bin/(.*)\n((?:    .*\n|\n)*)", readme,
                                     re.MULTILINE):
        shown = [line[4:] for line in block.rstrip().split("\n")]
        printed = run([f"{programs}/{command.split()[0]}", *command.split()[1:]], root)
        shown, printed = ([" ".join(line.split()) for line in lines if not measured(line)]
                          for lines in (shown, printed.rstrip().split("\n")))
        checks.append((command, "\n".join(shown), "\n".join(printed)))

    wrong = 0
    for title, shown, expected in checks:
        if shown != expected:
            wrong += 1
            print(f"{title}: README.md shows\n{shown}\nbut it is\n{expected}")
    print(f"{len(checks)} checks, {wrong} wrong")


main(*sys.argv[1:])
