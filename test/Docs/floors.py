"""Checks that a floor includes no floor above it (docs/Architecture.md).

usage: floors.py root-of-the-checkout
"""

import pathlib
import re
import sys

ORDER = ["Geometry", "Host", "Runtime", "Standalone", "Resharding", "IR", "Interfaces",
         "Cost", "Partitioning", "Models", "Propagation", "Transforms", "Conversion",
         "Codegen", "Pipelines", "Reference", "Execution", "Fuzz", "CAPI"]
# Floors without MLIR and LLVM, and the floors that each may include besides itself.
PLAIN = {"Geometry": [], "Host": ["Geometry"], "Runtime": ["Geometry", "Host"],
         "Standalone": ["Geometry", "Host", "Runtime"], "Resharding": ["Geometry"]}


def main(root):
    found = wrong = 0
    for base in ("include/shard", "lib"):
        for path in sorted(pathlib.Path(root, base).rglob("*")):
            if path.suffix not in (".h", ".cpp", ".td"):
                continue
            found += 1
            floor = path.relative_to(pathlib.Path(root, base)).parts[0]
            allowed = ORDER[:ORDER.index(floor) + 1]
            if floor in PLAIN:
                allowed = PLAIN[floor] + [floor]
            text = path.read_text()
            for included in re.findall(r'^#?include "shard/([A-Za-z]+)/', text, re.MULTILINE):
                if included not in allowed:
                    wrong += 1
                    print(f"{path}: {floor} includes {included}")
            if floor in PLAIN and re.search(
                    r'^#include "(mlir|llvm)', text, re.MULTILINE):
                wrong += 1
                print(f"{path}: {floor} includes MLIR or LLVM")
    print(f"{'some' if found else 'no'} files, {wrong} wrong")


main(sys.argv[1])
