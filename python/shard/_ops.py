# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a program, and which of them a hint names.

A place or a pattern of names chooses ops. What a line of a framework computes is lowered to
several, such as a transpose, a product and a sum; the hint is about what the line gives to
the rest of the program: the results of chosen ops that other ops, or the return, use.
"""

import difflib
import fnmatch
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shard._errors import HintError

_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+)(:(?P<column>\d+))?")


@dataclass(frozen=True)
class OpResult:
    """A tensor that an op makes."""

    number: int
    type: str
    rank: int
    users: tuple[int, ...]
    """Where in `Program.ops` its users stand; -1 stands for all others."""


@dataclass(frozen=True)
class OpInfo:
    """An op of the entry of a program."""

    target: str
    """The key of a hint about its result: `linalg.matmul#2`."""
    names: tuple[str, ...]
    """Of its location, innermost first: `jit(f)/attention/dot_general`."""
    places: tuple[tuple[str, int, int], ...]
    """File, line and column of its location and of those that call it."""
    is_free: bool
    """It makes its tensor of nothing, or of a scalar."""
    results: tuple[OpResult, ...]

    def __str__(self) -> str:
        types = ", ".join(result.type for result in self.results)
        names = f" {self.names[0]}" if self.names else ""
        places = " ".join(f"{file}:{line}:{column}" for file, line, column in self.places)
        return f"{self.target} -> {types}{names} {places}".rstrip()


def read_ops(text: str) -> list[OpInfo]:
    """The ops that the C API tells of."""
    return [
        OpInfo(
            f"{raw['op']}#{raw['number']}",
            tuple(raw["names"]),
            tuple((file, line, column) for file, line, column in raw["places"]),
            raw["free"],
            tuple(
                OpResult(row["number"], row["type"], row["rank"], tuple(row["users"]))
                for row in raw["results"]
            ),
        )
        for raw in json.loads(text)
    ]


def is_place(key: str) -> bool:
    """Whether `key` reads `FILE:LINE` or `FILE:LINE:COLUMN`."""
    return _PLACE.fullmatch(key) is not None


def find_ops(ops: Sequence[OpInfo], key: str) -> list[tuple[str, int]]:
    """The targets of a hint about a place or a pattern of names, with their ranks.

    Raises HintError if `key` is a place that no op has. An empty list stands for a pattern
    that no op has.
    """
    place = _PLACE.fullmatch(key)
    has = _at(place) if place else _named(key)
    chosen = {i for i, op in enumerate(ops) if not op.is_free and has(op)}
    if place and not chosen:
        raise HintError(f"no op has the place {key!r}{_other_lines(ops, place)}")
    return [
        (f"{ops[i].target}:result{result.number}", result.rank)
        for i in sorted(chosen)
        for result in ops[i].results
        if not chosen.issuperset(result.users) or not result.users
    ]


def _at(place: re.Match[str]) -> Callable[[OpInfo], bool]:
    line = int(place["line"])
    column = int(place["column"]) if place["column"] else None

    def has(op: OpInfo) -> bool:
        return any(
            _is_file(file, place["file"]) and at == line and column in (None, along)
            for file, at, along in op.places
        )

    return has


def _named(pattern: str) -> Callable[[OpInfo], bool]:
    return lambda op: any(
        name == pattern or fnmatch.fnmatchcase(name, pattern) for name in op.names
    )


def _is_file(file: str, wanted: str) -> bool:
    """Whether `wanted` is the path `file`, or the end of it."""
    return file == wanted or file.endswith("/" + wanted.removeprefix("./"))


def _other_lines(ops: Sequence[OpInfo], place: re.Match[str]) -> str:
    """What ops there are in the file instead, for an error."""
    places = [found for op in ops for found in op.places if not op.is_free]
    lines = sorted({line for file, line, _ in places if _is_file(file, place["file"])})
    if lines:
        near = sorted(lines, key=lambda line: abs(line - int(place["line"])))[:8]
        return f"; there are ops at lines {', '.join(map(str, sorted(near)))} of it"
    files = sorted({file for file, _, _ in places})
    close = difflib.get_close_matches(place["file"], files, 1)
    known = close or files[:4]
    return f"; there are ops of {', '.join(known)}" if known else "; ops have no places"
