"""Checks that each rule of a verifier has a tag, and that a test carries the tag.

usage: rules.py root-of-the-checkout

A rule is a place in the verifiers of lib/IR that emits an error. A comment above it,
`// permute_c2`, is its tag; the same comment stands above the expected error in
test/IR or above the test in test/unit/IR.
"""

import pathlib
import re
import sys

SOURCES = ["CollectiveVerify", "GridOps", "HaloWindows", "MachineAttr",
           "ManualComputation", "PropagateAttr", "Redistribute",
           "ShardAttrs", "ShardDialect", "ShardingOps", "ShardingUtils", "Steps"]
TAG = re.compile(r"^\s*// ([a-z_]+_c[0-9]+)$", re.MULTILINE)
# Those of the parser are about syntax; a lambda only says where.
EMITS = re.compile(r"(?<![.\w])(?:\w+\.|\w+->|\w+\.\w+\(\)\.)?emit(?:Op)?Error\(")
LAMBDA = re.compile(r"\[[&=]?\](?:\(\))? \{\s*return [^;]*emit(?:Op)?Error\([^;]*;")


def rules_without_tag(text):
    """Lines that emit an error and share the tag above with another one."""
    text = LAMBDA.sub(lambda m: re.sub(r"emit(Op)?Error", "", m.group()), text)
    tag = None
    for number, line in enumerate(text.split("\n"), 1):
        if TAG.match(line):
            tag = line
        code = line.split("//")[0]
        if "parser." in code or "getChecked" in code or "why" in code:
            continue
        if EMITS.search(code):
            if tag is None:
                yield number
            tag = None


def main(root):
    root = pathlib.Path(root)
    wrong = 0
    tags = {}
    for name in SOURCES:
        path = root / "lib/IR" / (name + ".cpp")
        text = path.read_text()
        for tag in TAG.findall(text):
            if tag in tags:
                wrong += 1
                print(f"{path}: the tag {tag} stands twice")
            tags[tag] = path
        for number in rules_without_tag(text):
            wrong += 1
            print(f"{path}:{number}: a rule without a tag of its own")
    tested = set()
    for path in [*(root / "test/IR").glob("*.mlir"),
                 *(root / "test/unit/IR").glob("*.cpp")]:
        for tag in TAG.findall(path.read_text()):
            tested.add(tag)
            if tag not in tags:
                wrong += 1
                print(f"{path}: no rule has the tag {tag}")
    for tag, path in tags.items():
        if tag not in tested:
            wrong += 1
            print(f"{path}: no test carries the tag {tag}")
    print(f"{'some' if tags else 'no'} rules, {wrong} wrong")


main(sys.argv[1])
