#!/usr/bin/env python3
"""Lists functions of more than 80 lines and files of more than 500.

usage: sizes.py ROOT [FOLDER...]

Looks at the C++ files below the folders (default: include, lib, tools) of ROOT.
Exits with 1 if it lists anything. Functions are found by their braces: a body is a
pair of braces at namespace or class level that follows a parameter list.
"""

import pathlib
import re
import sys

MAX_FUNCTION = 80
MAX_FILE = 500


def blanked(text):
    """`text` with comments, literals and preprocessor lines replaced by spaces."""
    pattern = (r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^(\s]*)\(.*?\)(?P=tag)"'
               r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
               r'|^[ \t]*#(?:\\\n|[^\n])*')
    return re.sub(pattern, lambda m: re.sub(r'[^\n]', ' ', m.group()), text,
                  flags=re.S | re.M)


def is_scope(head):
    """Whether the braces behind `head` hold declarations: a namespace or a class."""
    return re.search(r'\b(namespace|class|struct|union|enum)\b[^()]*$', head) or \
        re.search(r'extern\s*$', head)


def functions(text):
    """Pairs (first line, last line) of function bodies, signature included."""
    text = blanked(text)
    depth, start, scopes = 0, None, []
    head = 0
    for match in re.finditer(r'[{};]', text):
        at, char = match.start(), match.group()
        if char == '{':
            before = text[head:at]
            if start is None and not is_scope(before):
                # An initializer of a member opens no function.
                start = (head, depth, '(' in before)
            depth += 1
            if start is None:
                head = at + 1
        elif char == '}':
            depth -= 1
            if start is not None and depth == start[1]:
                first = start[0] + len(text[start[0]:]) - \
                    len(text[start[0]:].lstrip())
                if start[2]:
                    yield (text.count('\n', 0, first) + 1,
                           text.count('\n', 0, at) + 1)
                start = None
            if start is None:
                head = at + 1
        elif start is None:
            head = at + 1


def main(root, folders):
    root = pathlib.Path(root)
    bad = 0
    for folder in folders or ['include', 'lib', 'tools']:
        if not (root / folder).is_dir():
            print(f'{folder}: no such folder')
            bad = 1
        for path in sorted((root / folder).rglob('*')):
            if path.suffix not in ('.h', '.cpp', '.inc', '.td'):
                continue
            text = path.read_text()
            name = path.relative_to(root)
            lines = text.count('\n')
            if lines > MAX_FILE:
                print(f'{name}: {lines} lines, at most {MAX_FILE}')
                bad = 1
            if path.suffix == '.td':
                continue
            for first, last in functions(text):
                if last - first + 1 > MAX_FUNCTION:
                    print(f'{name}:{first}: function of {last - first + 1} lines, '
                          f'at most {MAX_FUNCTION}')
                    bad = 1
    return bad


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
