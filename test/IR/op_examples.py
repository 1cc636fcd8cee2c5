"""Runs every example of the dialect's generated page through shard-opt.

usage: op_examples.py PAGE SHARD_OPT

An example is a list of attributes, a piece of a module, or a piece of a function
body; values that it does not define become arguments, of the types that the
parser asks for.
"""

import re
import subprocess
import sys

GRID = 'shard.grid @mesh(shape = 2x4) axes ["data", "model"]\n'


def parse(tool, program):
    run = subprocess.run([tool, "-"], input=program, capture_output=True, text=True)
    return run.returncode, run.stderr


def wrap(example, arguments):
    grid = "" if "shard.grid @mesh(" in example else GRID
    lines = [line for line in example.splitlines() if line.strip()]
    if all(line.startswith("#shard") for line in lines):
        named = [f"a{i} = {line}" for i, line in enumerate(lines)]
        return grid + "func.func private @f() attributes {" + ", ".join(named) + "}"
    if lines[0].startswith(("shard.grid", "func.func")):
        return grid + example
    declared = ", ".join(f"{name}: {type_}" for name, type_ in arguments.items())
    return f"{grid}func.func @f({declared}) {{\n{example}\nreturn\n}}"


def check(tool, example):
    arguments = {}
    for _ in range(20):
        code, error = parse(tool, wrap(example, arguments))
        if code == 0:
            return None
        undeclared = re.search(r"use of undeclared SSA value name", error)
        if undeclared:
            known = set(arguments)
            line, column = re.search(r"<stdin>:(\d+):(\d+)", error).groups()
            text = wrap(example, arguments).splitlines()[int(line) - 1]
            name = re.match(r"%[\w$.-]+", text[int(column) - 1:]).group(0)
            if name in known:
                return error
            arguments[name] = "i1"
            continue
        wanted = re.search(r"use of value '(%[\w$.-]+)' expects different type "
                           r"than prior uses: '(.*?)' vs 'i1'", error)
        if not wanted:
            return error
        arguments[wanted.group(1)] = wanted.group(2)
    return "no types found for " + ", ".join(arguments)


def main():
    page, tool = sys.argv[1:]
    text = open(page).read()
    examples = re.findall(r"^ *```mlir\n(.*?)^ *```", text, re.S | re.M)
    failures = 0
    for example in examples:
        error = check(tool, example)
        if error:
            failures += 1
            print(f"example does not verify:\n{example}\n{error}", file=sys.stderr)
    things = re.findall(r"^### `?shard\.|^### \w+(?:Attr|Type)$", text, re.M)
    print(f"{len(examples)} examples, {len(things)} things, {failures} failures")
    return 1 if failures or len(examples) < len(things) else 0


if __name__ == "__main__":
    sys.exit(main())
