"""Writes the code blocks of one section of a page to files.

usage: code-blocks.py page start-of-the-section's-title file...
"""

import re
import sys

page, title, *files = sys.argv[1:]
section = re.search(rf"^#+ {re.escape(title)}.*?\n(.*?)(?=^#+ \w[^\n]*\n\n|\Z)",
                    open(page).read(), re.DOTALL | re.MULTILINE).group(1)
blocks = re.findall(r"^```\S+\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
if len(blocks) < len(files):
    sys.exit(f"{page}: '{title}' has {len(blocks)} code blocks, not {len(files)}")
for name, block in zip(files, blocks):
    with open(name, "w") as out:
        out.write(block)
