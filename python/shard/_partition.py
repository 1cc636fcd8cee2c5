# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partitioned programs: the program of one device, and runs of all devices."""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shard import _html, _shard
from shard._errors import (
    Diagnostic,
    ProgramError,
    RunError,
    VerificationError,
    raise_errors,
    to_diagnostics,
    warn,
)
from shard._grid import Grid
from shard._processes import Session, common_errors
from shard._progress import Progress, follow
from shard._report import CollectiveTable, Report, ValueInfo, predicted_collectives
from shard._types import from_tensor, to_tensor

if TYPE_CHECKING:
    from shard._program import Program


@dataclass(frozen=True)
class Memory:
    """Bytes of one device. Dynamic dimensions count as one element."""

    arguments: int
    results: int
    temporaries: int | None
    """The most that buffers took at once; None before the first run."""


class Partition:
    """A program for a grid. Made by `Program.partition`; compiled at its first run."""

    def __init__(
        self,
        handle: _shard.Partition,
        program: "Program",
        diagnostics: Sequence[Diagnostic],
        session: Session | None = None,
    ) -> None:
        self._handle = handle
        self._session = session
        self._program = program
        self._raw: dict[str, Any] = json.loads(handle.report)
        self.remarks = tuple(diagnostics)
        """What the compiler had to say: tensors that are gathered, hints that cannot be
        obeyed, and why."""
        self.last_run: Report | None = None
        """The report of the last call or verification."""

    @property
    def process(self) -> int | None:
        """Which of several processes this is, and so which device it runs.

        None if all devices are threads of this process.
        """
        return self._session.handle.number if self._session else None

    @property
    def grid(self) -> Grid:
        """The grid that the program is for."""
        raw = self._raw["grid"]
        if raw["axes"]:
            return Grid(**dict(zip(raw["axes"], raw["shape"], strict=True)))
        return Grid(raw["shape"])

    @property
    def text(self) -> str:
        """The program of one device, as MLIR prints it."""
        return str(self._handle.text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `text` to a file."""
        Path(path).write_text(self.text, encoding="utf-8")

    @property
    def arguments(self) -> list[ValueInfo]:
        """The arguments, with global types, and how they are split."""
        return self._values(self._program.arguments, self._raw["arguments"])

    @property
    def results(self) -> list[ValueInfo]:
        """The results, with global types, and how they are split."""
        return self._values(self._program.results, self._raw["results"])

    @staticmethod
    def _values(values: Sequence[ValueInfo], raw: Sequence[dict[str, Any]]) -> list[ValueInfo]:
        return [
            replace(value, sharding=row["sharding"], bytes_per_device=row["bytes_per_device"])
            for value, row in zip(values, raw, strict=True)
        ]

    @property
    def collectives(self) -> CollectiveTable:
        """The collectives as they stand in the program; nothing is measured.

        Bytes are those of the cost model (docs/Cost.md).
        """
        return predicted_collectives(self._raw)

    @property
    def cost(self) -> dict[str, Any]:
        """What the program is predicted to cost one device; nothing is measured.

        The prediction of `shard-opt --shard-report=json` (docs/Cost.md): `total`, `kinds`
        and `places` with `flops`, `bytes_touched`, `bytes_sent_per_device` and seconds,
        `memory`, `collectives`, `machine`. Example: `part.cost["total"]["flops"]`.
        """
        return dict(self._raw["predicted"])

    @property
    def memory(self) -> Memory:
        """The bytes that one device needs."""
        run = self.last_run.raw if self.last_run else None
        return Memory(
            self._raw["argument_bytes_per_device"],
            self._raw["result_bytes_per_device"],
            run["peak_temporary_bytes_per_device"] if run else None,
        )

    def __call__(
        self, *arguments: Any, timeout: float = 0, progress: Progress = None, **keywords: Any
    ) -> Any:
        """Runs all devices, as threads of this process or as processes of an MPI program.

        Of several processes each runs one device; all have to make the same call with
        the same arguments, and get the same results.

        Args:
            arguments: whole tensors; arrays must have the element type of the program.
                Programs of JAX and PyTorch take what they were made with.
            keywords: as `arguments`, for programs that were made with some.
            timeout: how many seconds a device may wait for others at one collective; 0
                is the default, see docs/shard-run.md. Processes take it from
                SHARD_RT_TIMEOUT.
            progress: as for `Program.partition`.

        Returns:
            The whole result, or a tuple of all results; what the function returns, if the
            program is one of JAX or PyTorch.

        Raises:
            RunError: the arguments do not fit, or the run failed.
            ProgramError: the program cannot be compiled.
        """
        inputs = self._inputs(self._flat(arguments, keywords))
        if len(inputs) != len(self._raw["arguments"]):
            raise RunError(
                f"'{self._program.entry}' takes {len(self._raw['arguments'])} arguments, but "
                f"{len(inputs)} are given"
            )
        for value, argument in zip(self._program.arguments, inputs, strict=True):
            if argument[2] is None:
                raise RunError(f"{value.name} is None; only `verify` takes random tensors for it")
        results = self._run(inputs, timeout, 0, verify=False, progress=progress)
        assert self.last_run is not None
        if not self.last_run.passed:
            with common_errors(self._session):
                raise RunError(self.last_run.error)
        if self._program.trees:
            return self._program.trees.unflatten(results)
        return results[0] if len(results) == 1 else tuple(results)

    def _flat(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Sequence[Any]:
        if self._program.trees:
            return self._program.trees.flatten(arguments, keywords)
        if keywords:
            raise TypeError(f"the program has no arguments called {', '.join(keywords)}")
        return arguments

    def verify(
        self,
        *arguments: Any,
        seed: int = 0,
        timeout: float = 0,
        progress: Progress = None,
        **keywords: Any,
    ) -> Report:
        """Runs the grid's program and that of one device and compares the results.

        Args:
            arguments: whole tensors; those that are None or missing are random. Programs
                of JAX and PyTorch take what they were made with, or nothing.
            keywords: as `arguments`, for programs that were made with some.
            seed: of the random tensors.
            timeout: as in a call.
            progress: as for `Program.partition`.

        Raises:
            VerificationError: a result differs by more than rounding explains
                (docs/shard-run.md), or the replicas of a tensor differ.
            RunError: the arguments do not fit, or the run failed.
        """
        given = self._flat(arguments, keywords) if arguments or keywords else ()
        self._run(self._inputs(given), timeout, seed, verify=True, progress=progress)
        report = self.last_run
        assert report is not None
        with common_errors(self._session):
            if report.error:
                raise RunError(report.error)
            if not report.passed:
                raise VerificationError(report.differences(), report)
        return report

    def _inputs(self, arguments: Sequence[npt.ArrayLike | None]) -> list[tuple[Any, ...]]:
        values = self._program.arguments
        if len(arguments) > len(values):
            raise RunError(
                f"'{self._program.entry}' takes {len(values)} arguments, but "
                f"{len(arguments)} are given"
            )
        inputs: list[tuple[Any, ...]] = []
        for value, argument in zip(values, arguments, strict=False):
            if argument is None:
                inputs.append((value.element_type, [], None))
                continue
            try:
                inputs.append(to_tensor(argument, value.element_type, value.name))
            except (TypeError, ValueError, OverflowError) as error:
                text = str(error)
                where = "" if text.startswith(f"{value.name} ") else f"{value.name}: "
                raise RunError(where + text) from None
            # Of processes, what is wrong in one has to be heard by all: the extension
            # tells them.
            if self._session is None:
                _check_shape(value, inputs[-1][1])
        return inputs

    def _run(
        self,
        inputs: list[tuple[Any, ...]],
        timeout: float,
        seed: int,
        verify: bool,
        progress: Progress,
    ) -> list[npt.NDArray[np.generic]]:
        if not isinstance(timeout, int | float) or not timeout >= 0:
            raise ValueError(f"a timeout is a number of seconds, at least 0, not {timeout!r}")
        if not isinstance(seed, int) or not 0 <= seed < 2**64:
            raise ValueError(f"a seed is an integer from 0 to 2**64 - 1, not {seed!r}")
        with follow(progress) as step:
            ok, results, report, raw = self._handle.run(inputs, timeout, seed, verify, step)
        diagnostics = to_diagnostics(raw)
        if not ok:
            kind = RunError if any("input" in d.message for d in diagnostics) else ProgramError
            with common_errors(self._session):
                raise_errors(diagnostics, kind, "the program cannot be compiled")
        warn(diagnostics, stacklevel=4)
        self.last_run = Report.from_json(report)
        return [from_tensor(result) for result in results]

    def explain(self, about: str = "") -> str:
        """Tells why values are split as they are and what needs communication.

        Args:
            about: a value (`arg1`, `result0`, the name of an argument, `%3`), an op
                (`linalg.matmul`) or a place (`mlp.mlir:10`); everything if it is empty.

        Raises:
            KeyError: nothing is called `about`.
        """
        ok, text, raw = self._handle.explain()
        if not ok:
            raise_errors(to_diagnostics(raw), ProgramError, "the program cannot be explained")
        return _explanation(json.loads(text), self._alias(about))

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page of HTML about the partition, for a browser.

        The page shows the grid, the blocks of arguments and results, the collectives with
        the lines of the program that they are for, and where each of them comes from. It
        needs no other file and no network. After a run it has what was measured.

        Args:
            path: a file to write it to.

        Returns:
            The text of the page.
        """
        ok, explanation, raw = self._handle.explain()
        if not ok:
            raise_errors(to_diagnostics(raw), ProgramError, "the program cannot be explained")
        data = {
            "report": self.last_run.raw if self.last_run else self._raw,
            "explanation": json.loads(explanation),
            "names": [value.name for value in self._program.arguments],
            "remarks": [str(remark) for remark in self.remarks],
        }
        text = str(_shard.print_html(json.dumps(data), *self._program.source))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _alias(self, about: str) -> str:
        """The name that the explanation has for a value; of a result its return."""
        for i, value in enumerate(self._program.arguments):
            if about in (value.name, f"arg{i}"):
                return f"%arg{i}"
        if about.startswith("result") and about[6:].isdigit():
            return "func.return"
        return about

    def __repr__(self) -> str:
        return f"<shard.Partition of {self._program.entry} on {self.grid}>\n{self.collectives}"

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return _html.fragment(self)


def _check_shape(value: ValueInfo, shape: Sequence[int]) -> None:
    """The extension would say it too, of a number instead of a name."""
    fits = len(value.shape) == len(shape) and all(
        wanted in (-1, given) for wanted, given in zip(value.shape, shape, strict=True)
    )
    if not fits:
        text = ", ".join("any" if extent == -1 else str(extent) for extent in value.shape)
        comma = "," if len(value.shape) == 1 else ""
        raise RunError(f"{value.name} takes a tensor of shape ({text}{comma}), not {tuple(shape)}")


def _explanation(raw: dict[str, Any], about: str) -> str:
    lines: list[str] = []
    for value in raw["values"]:
        if not _concerns(about, value["value"], value["place"], value["reasons"]):
            continue
        lines.append(f"{value['value']} at {value['place']}: {value['sharding']}")
        for reason in value["reasons"]:
            lines.append(
                f"    axis {reason['axis']} in dimension {reason['dimension']}: {_way(reason)}"
            )
    for entry in raw["reshards"]:
        if not _concerns(about, entry["value"], entry["place"], [entry["user"], entry["verdict"]]):
            continue
        lines.append(
            f"{entry['value']} for {entry['user']} at {entry['place']}: "
            f"{entry['from']} -> {entry['to']}"
        )
        for side, word in (("has", "it has"), ("wants", "wanted is")):
            for reason in entry[side]:
                of = f" of {reason['of']}" if reason["of"] else ""
                lines.append(
                    f"    {word} axis {reason['axis']} in dimension "
                    f"{reason['dimension']}{of}: {_way(reason)}"
                )
        if entry["verdict"]:
            lines.append(f"    decided: {entry['verdict']}")
        lines.append(f"    so: {entry['steps']}")
        for choice in entry["instead"]:
            lines.append(
                f"    instead, {choice['how']}: {choice['bytes']} bytes for the op, "
                f"not {entry['bytes_of_op']}"
            )
    if about and not lines:
        raise KeyError(f"nothing that is split or resharded is called {about!r}")
    return "\n".join(lines)


def _way(reason: dict[str, Any]) -> str:
    through = "".join(f"through {op}, " for op in reason["through"])
    return f"{through}from {reason['hint']}"


def _concerns(about: str, value: str, place: str, others: object) -> bool:
    return (
        not about
        or value == about
        or about in place
        or (not about.startswith("%") and about in json.dumps(others))
    )
