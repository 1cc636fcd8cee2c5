# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions, and the diagnostics of the compiler that they carry."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

_ERROR, _WARNING, _REMARK, _NOTE = range(4)
_SEVERITIES = ("error", "warning", "remark", "note")

RawDiagnostic = tuple[int, str, str, int, int]


@dataclass(frozen=True)
class Diagnostic:
    """What the compiler reports about a place of a program."""

    severity: str
    """`error`, `warning` or `remark`; `note` in `notes`."""
    message: str
    file: str = ""
    """Empty where the place is unknown."""
    line: int = 0
    column: int = 0
    notes: tuple["Diagnostic", ...] = field(default=())

    @property
    def place(self) -> str:
        """`file:line:column`, or an empty string."""
        return f"{self.file}:{self.line}:{self.column}" if self.file else ""

    def __str__(self) -> str:
        head = f"{self.place}: " if self.file else ""
        text = f"{head}{self.severity}: {self.message}"
        return "\n".join([text, *(f"  {note}" for note in self.notes)])


class ShardError(Exception):
    """Base of the errors of this package.

    `diagnostics` are those of the compiler, errors first; there are none where the
    mistake was found before it was asked.
    """

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)


class ProgramError(ShardError):
    """The program cannot be read, partitioned or compiled."""


class HintError(ShardError, ValueError):
    """A hint names nothing, or does not fit what it names."""


class RunError(ShardError):
    """A run went wrong: inputs that do not fit, a check of the program that failed."""


class VerificationError(ShardError):
    """The grid computes something else than one device; `report` tells where."""

    def __init__(self, message: str, report: object) -> None:
        super().__init__(message)
        self.report = report


_OPTIONS = {
    "--hint ": "hint ",
    "--entry": "entry=",
    "--uneven-dynamic": "uneven_dynamic=True",
    "by --grid, such as --grid 2x2": "to `partition`, such as shard.Grid(2, 2)",
    "say by --grid what to run on": "give `partition` a shard.Grid to run on",
    "that --grid creates": "that `partition` makes",
}


def in_python(message: str) -> str:
    """A message of the compiler with parameters of Python in the place of options."""
    for option, parameter in _OPTIONS.items():
        message = message.replace(option, parameter)
    return message


def to_diagnostics(raw: Sequence[RawDiagnostic]) -> list[Diagnostic]:
    """Diagnostics of the extension, each with its notes."""
    result: list[Diagnostic] = []
    for severity, message, file, line, column in raw:
        diagnostic = Diagnostic(
            _SEVERITIES[severity], in_python(message), in_python(file), line, column
        )
        if severity == _NOTE and result:
            last = result[-1]
            result[-1] = Diagnostic(
                last.severity,
                last.message,
                last.file,
                last.line,
                last.column,
                (*last.notes, diagnostic),
            )
        else:
            result.append(diagnostic)
    return result


def raise_errors(
    diagnostics: Sequence[Diagnostic], kind: type[ShardError], otherwise: str
) -> NoReturn:
    """Raises `kind` with the errors among `diagnostics`."""
    ordered = sorted(diagnostics, key=lambda d: d.severity != "error")
    errors = [str(d) for d in ordered if d.severity == "error"]
    raise kind("\n".join(errors) or otherwise, ordered)


def warn(diagnostics: Sequence[Diagnostic], stacklevel: int = 3) -> None:
    """Shows warnings of the compiler as warnings of Python."""
    for diagnostic in diagnostics:
        if diagnostic.severity == "warning":
            warnings.warn(str(diagnostic), stacklevel=stacklevel)
