"""Checks that the list of seeded faults and the source agree.

usage: check-faults.py root-of-the-checkout
"""

import collections
import pathlib
import re
import sys


def main(root):
    root = pathlib.Path(root)
    text = (root / "include/shard/Geometry/SeededFaults.def").read_text()
    listed = re.findall(r"^FAULT\((\w+),", text, re.MULTILINE)
    used = collections.Counter()
    for path in (root / "lib").rglob("*.cpp"):
        used.update(re.findall(r"SHARD_FAULT\((\w+)\)", path.read_text()))
    table = re.findall(r"^\| (\w+) \|", (root / "docs/SeededFaults.md").read_text(), re.MULTILINE)
    table = [name for name in table if name != "fault"]
    wrong = 0
    for name, count in collections.Counter(listed).items():
        if count > 1:
            wrong += 1
            print(f"{name} is listed {count} times")
        if not used[name]:
            wrong += 1
            print(f"{name} is nowhere in lib")
    for name in used:
        if name not in listed:
            wrong += 1
            print(f"{name} is not in SeededFaults.def")
    for name in sorted(set(table) ^ set(listed)):
        wrong += 1
        print(f"{name} stands in one of SeededFaults.def and docs/SeededFaults.md only")
    print(f"{'at least 60' if len(listed) >= 60 else len(listed)} faults, {wrong} wrong")


main(sys.argv[1])
