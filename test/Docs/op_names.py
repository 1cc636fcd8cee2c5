"""Checks that no floor above Models knows an op of another dialect by name.

What an op means for sharding is said by its model (docs/Models.md). So the code
that propagates, partitions and verifies must not name ops of arith, linalg, scf,
tensor and so on: it asks interfaces. ALLOWED lists what is excepted, and why.

usage: op_names.py root-of-the-checkout
"""

import pathlib
import re
import sys

FLOORS = ["Propagation", "Transforms"]
NAMESPACES = ["affine", "arith", "bufferization", "cf", "func", "linalg", "math", "memref",
              "ml_program", "scf", "tensor", "tosa"]
# C++ names of ops (linalg::FillOp), of attributes and op interfaces likewise, quoted
# names of ops ("linalg.fill"), and what would let a name stand without its dialect.
NAME = re.compile(r"\b(?:%s)::(?!\w*Dialect\b)[A-Z]\w*|\"(?:%s)\.[a-z_]+\"|using namespace mlir::(?:%s)\b"
                  % (("|".join(NAMESPACES),) * 3))
# Allowed in all files, with the reason.
EVERYWHERE = {
    "func::FuncOp": "passes that clone functions make functions",
    "func::CallOp": "passes that clone functions make their calls call the clone",
}
# Allowed in one file: file, name: the reason.
ALLOWED = {
    ("lib/Transforms/Import/LowerTosa.cpp", "tosa::ConstShapeOp"):
        "the pass is about tosa",
}


def code_of(line):
    return line.split("//")[0]


def main(root):
    files = wrong = 0
    unused = set(ALLOWED)
    for floor in FLOORS:
        for base in ("include/shard", "lib"):
            for path in sorted(pathlib.Path(root, base, floor).rglob("*")):
                if path.suffix not in (".h", ".cpp"):
                    continue
                files += 1
                place = path.relative_to(root).as_posix()
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    for name in NAME.findall(code_of(line)):
                        if name in EVERYWHERE:
                            continue
                        if (place, name) in ALLOWED:
                            unused.discard((place, name))
                            continue
                        wrong += 1
                        print(f"{place}:{number}: names {name}; ask an interface instead")
    for place, name in sorted(unused):
        wrong += 1
        print(f"{place}: no longer names {name}; remove the exception")
    print(f"{'some' if files else 'no'} files, {wrong} wrong")


main(sys.argv[1])
