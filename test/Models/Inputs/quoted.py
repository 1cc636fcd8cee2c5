"""Checks that every C++ block of a page stands in a source file: page source."""

import re
import sys

page, source = (open(path, encoding="utf-8").read() for path in sys.argv[1:3])
blocks = re.findall(r"^```c\+\+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
missing = [block for block in blocks if block not in source]
for block in missing:
    print("not in the source:\n" + block)
sys.exit(bool(missing) or not blocks)
