#!/usr/bin/env python3
# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Seeded faults: mistakes that a build of the preset `faults` can make.

    seed.py check                  checks that every fault still fits the sources
    seed.py files                  prints the sources that have faults
    seed.py overlay SOURCE OUTPUT  writes SOURCE with its faults
    seed.py table OUTPUT           writes the list of faults as C++ initializers

A fault is a file NAME.fault beside this script:

    breaks: what it breaks, a few words
    file: the name of a source below lib or include, with a folder if need be
    include: <header>              (optional; what `wrong` needs)
    options: --cpu x86-64-v3       (optional; options of shard-fuzz that it shows with)
    ranks: 2                       (optional; of a fault in the back end of MPI: on how many
                                   ranks shard-fuzz --mpi runs)
    right:
      code of that source; white space and comments need not be the same, and
      it must stand there exactly once
    wrong:
      what stands there instead when the fault is made

A part of `right` between two `@` is what `wrong` replaces; the rest is there to find
the place. Without `@` all of `right` is replaced. With `@@` nothing is replaced and
`wrong` is inserted. What ends in `;` or `}` is replaced as a statement, anything else
as an expression. A fault may have several pairs of `right` and `wrong`.
"""

import collections
import dataclasses
import functools
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
GAP = r"(?:\s|//[^\n]*\n)"
TOKEN = re.compile(r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\w+|\S""")


class FaultError(Exception):
    pass


@dataclasses.dataclass
class Change:
    right: str
    wrong: str


@dataclasses.dataclass
class Fault:
    name: str
    breaks: str = ""
    file: str = ""
    include: str = ""
    options: str = ""
    ranks: str = ""
    changes: list = dataclasses.field(default_factory=list)

    @property
    def path(self):
        return find_source(self)

    @property
    def floor(self):
        return self.path.relative_to(ROOT).parts[1]

    def error(self, message):
        return FaultError(f"test/faults/{self.name}.fault: {message}")


def read(path):
    """Reads a .fault file."""
    fault, block = Fault(path.stem), None
    blocks = []
    for line in path.read_text().splitlines():
        if line in ("right:", "wrong:"):
            block = []
            blocks.append((line, block))
        elif block is not None and (not line or line[0] == " "):
            block.append(line)
        elif block is None and (field := re.fullmatch(r"(breaks|file|include|options|ranks): (.+)", line)):
            setattr(fault, field.group(1), field.group(2))
        else:
            raise fault.error(f"cannot read the line '{line}'")
    if not fault.breaks or not fault.file:
        raise fault.error("expected `breaks:` and `file:`")
    if not blocks or [kind for kind, _ in blocks] != ["right:", "wrong:"] * (len(blocks) // 2):
        raise fault.error("expected pairs of `right:` and `wrong:`")
    for (_, right), (_, wrong) in zip(blocks[::2], blocks[1::2]):
        change = Change("\n".join(right), " ".join(" ".join(wrong).split()))
        if change.right.count("@") not in (0, 2):
            raise fault.error("expected no `@` or two in `right:`")
        if "//" in change.wrong:
            raise fault.error("expected no comment in `wrong:`")
        fault.changes.append(change)
    return fault


@functools.cache
def sources():
    """The sources by their base names."""
    found = collections.defaultdict(list)
    for base in ("lib", "include"):
        for path in sorted((ROOT / base).rglob("*")):
            if path.suffix in (".cpp", ".h"):
                found[path.name].append(path)
    return found


def find_source(fault):
    """The source that has the name that the fault tells."""
    wanted = pathlib.Path(fault.file)
    found = [path for path in sources()[wanted.name] if path.match(str(wanted))]
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(str(path.relative_to(ROOT)) for path in found)
        raise fault.error(f"several sources are named {fault.file}: {some}; add a folder")
    places = [
        path
        for paths in sources().values()
        for path in paths
        if all(len(places_of(change, path.read_text())) == 1 for change in fault.changes)
    ]
    hint = "set `file:` to the file that the code is in now, or delete the fault"
    if len(places) == 1:
        hint = f"its code is in {places[0].relative_to(ROOT)} now: set `file: {places[0].name}`"
    raise fault.error(f"there is no {fault.file} in lib or include; {hint}")


def pattern(text):
    """A regular expression for code, up to white space and comments."""
    result, before = "", ""
    for token in TOKEN.findall(text):
        if before:
            both_words = re.match(r"\w", before[-1]) and re.match(r"\w", token)
            result += GAP + ("+" if both_words else "*")
        result += re.escape(token)
        before = token
    return result


def places_of(change, text):
    """The ranges of `text` that the change replaces."""
    before, marked, after = ("", change.right, "")
    if "@" in change.right:
        before, marked, after = change.right.split("@")
    # What is inserted in front of a statement stands directly in front of it.
    between = GAP + "*" if before.strip() else ""
    whole = pattern(before) + between + f"({pattern(marked)})"
    if after.strip():
        whole += (GAP + "*" if marked else "") + pattern(after)
    if re.match(r"\s*\w", change.right):
        whole = r"(?<!\w)" + whole
    if re.search(r"\w\s*$", change.right):
        whole += r"(?!\w)"
    return [match.span(1) for match in re.finditer(whole, text)]


def edits_of(fault, text):
    """(start, end, fault, wrong) of each change of the fault."""
    edits = []
    for change in fault.changes:
        places = places_of(change, text)
        if len(places) != 1:
            raise fault.error(
                f"its `right:` stands {len(places)} times in {fault.path.relative_to(ROOT)}, "
                "expected once; write there what the code says now, with as much around it "
                "as makes it unique (docs/Developing.md, Seeded faults):\n" + change.right
            )
        edits.append((*places[0], fault, change.wrong))
    return edits


def seeded(text, edits):
    """`text` with the edits; its lines keep their numbers."""
    by_place = collections.defaultdict(list)
    for start, end, fault, wrong in edits:
        by_place[start, end].append((fault.name, wrong, fault))
    result, done = "", 0
    for (start, end), faults in sorted(by_place.items()):
        if start < done:
            raise faults[0][2].error("its place overlaps that of another fault; mark less with `@`")
        result += text[done:start]
        right = text[start:end]
        faults.sort(key=lambda entry: entry[0])
        if not right:
            for name, wrong, _ in faults:
                result += f"if (SHARD_FAULT({name})) {{ {wrong} }} "
        elif right[-1] in ";}":
            result += "{ "
            for name, wrong, _ in faults:
                result += f"if (SHARD_FAULT({name})) {{ {wrong} }} else "
            result += f"{{ {right} }} }}"
        else:
            result += "("
            for name, wrong, _ in faults:
                result += f"SHARD_FAULT({name}) ? ({wrong}) : "
            result += f"({right}))"
        done = end
    return result + text[done:]


def overlay(path, faults):
    """The source with its faults."""
    text = path.read_text()
    own = [fault for fault in faults if fault.path == path]
    head = '#include "SeededFaults.h"\n'
    head += "".join(f"#include {h}\n" for h in sorted({f.include for f in own} - {""}))
    edits = [edit for fault in own for edit in edits_of(fault, text)]
    return head + f'#line 1 "{path}"\n' + seeded(text, edits)


def read_all():
    faults = [read(path) for path in sorted(FOLDER.glob("*.fault"))]
    return sorted(faults, key=lambda fault: (fault.floor, fault.name))


def check():
    """Prints what is wrong with the faults, and how many they are."""
    problems, faults = [], []
    for path in sorted(FOLDER.glob("*.fault")):
        try:
            fault = read(path)
            edits_of(fault, fault.path.read_text())
            faults.append(fault)
        except FaultError as error:
            problems.append(str(error))
    for path in sorted({fault.path for fault in faults}):
        try:
            overlay(path, faults)
        except FaultError as error:
            problems.append(str(error))
    for paths in sources().values():
        for path in paths:
            if re.search(r"seeded[_ ]?fault|SHARD_FAULT", path.read_text(), re.IGNORECASE):
                problems.append(f"{path.relative_to(ROOT)}: speaks of seeded faults, which are "
                                "no part of lib and include")
    table = re.findall(r"^\| (\w+) \|", (ROOT / "docs/SeededFaults.md").read_text(), re.MULTILINE)
    names = {path.stem for path in FOLDER.glob("*.fault")}
    for name in sorted(names - set(table)):
        problems.append(f"{name} has no row in the table of docs/SeededFaults.md")
    for name in sorted(set(table) - names - {"fault"}):
        problems.append(f"test/faults/{name}.fault is missing, docs/SeededFaults.md has it")
    for problem in problems:
        print(problem)
    print(f"{'at least 60' if len(faults) >= 60 else len(faults)} faults, {len(problems)} wrong")
    return bool(problems)


def write(path, text):
    """Writes what differs, so that nothing is built again without need."""
    path = pathlib.Path(path)
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main(command="", *arguments):
    if command == "check":
        return check()
    if command == "files":
        for path in sorted({fault.path for fault in read_all()}):
            print(path)
    elif command == "overlay" and len(arguments) == 2:
        source = pathlib.Path(arguments[0]).resolve()
        write(arguments[1], overlay(source, read_all()))
    elif command == "table" and len(arguments) == 1:
        rows = (f'{{"{fault.name}", "{fault.breaks}"}},\n' for fault in read_all())
        write(arguments[0], "".join(rows))
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except FaultError as error:
        sys.exit(str(error))
