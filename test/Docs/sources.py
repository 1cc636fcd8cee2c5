# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the table of docs/Sources.md against test/Sources.

Every test that the table names exists, every file of test/Sources is named, and no row
is without a test or a remark.
"""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
folder = root / "test" / "Sources"
named, errors = set(), []
for number, line in enumerate((root / "docs" / "Sources.md").read_text().splitlines(), 1):
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if not line.startswith("|") or cells[0] == "statement" or set(line) <= set("|-"):
        continue
    if len(cells) != 3 or not all(cells):
        errors.append(f"docs/Sources.md:{number}: expected a statement, tests and a remark")
        continue
    tests = re.findall(r"`([^`]+)`", cells[1])
    if not tests:
        errors.append(f"docs/Sources.md:{number}: names no test")
    for test in tests:
        path = (folder / test).resolve()
        if not path.is_file():
            errors.append(f"docs/Sources.md:{number}: there is no test/Sources/{test}")
        named.add(path)
for path in sorted(folder.iterdir()):
    if path.resolve() not in named:
        errors.append(f"docs/Sources.md does not name test/Sources/{path.name}")
print("\n".join(errors) if errors else f"{len(named)} tests")
sys.exit(bool(errors))
