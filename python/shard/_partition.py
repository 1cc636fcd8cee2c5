# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Partitioned programs: the program of one device, and runs of all devices."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shard import _html, _shard
from shard._checks import check_seed, check_text, check_timeout
from shard._errors import (
    Diagnostic,
    ProgramError,
    RunError,
    VerificationError,
    raise_errors,
    to_diagnostics,
    warn,
)
from shard._explain import explanation_text
from shard._grid import Grid
from shard._inputs import Input, carry, is_carried, run_error, to_inputs
from shard._processes import Session, common_errors
from shard._progress import Progress, follow, run_steps
from shard._report import (
    VALUE,
    CollectiveTable,
    Report,
    ValueInfo,
    no_such_value,
    predicted_collectives,
)
from shard._types import check_types, from_tensor

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
        results = self._run(
            lambda: self._inputs(self._flat(arguments, keywords), all_given=True),
            timeout,
            0,
            verify=False,
            progress=progress,
        )
        assert self.last_run is not None
        if not self.last_run.passed:
            with common_errors(self._session):
                raise run_error(self.last_run.error)
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
            arguments: whole tensors; those that are None or missing are random, but integers
                have the values that a program of JAX or PyTorch was made with: they may be places
                in a table. Such programs take what they were made with, or nothing.
            keywords: as `arguments`, for programs that were made with some.
            seed: of the random tensors.
            timeout: as in a call.
            progress: as for `Program.partition`.

        Raises:
            VerificationError: a result differs by more than rounding explains
                (docs/shard-run.md), or the replicas of a tensor differ.
            RunError: the arguments do not fit, or the run failed.
        """
        self._run(
            lambda: self._inputs(
                self._flat(arguments, keywords) if arguments or keywords else (), all_given=False
            ),
            timeout,
            seed,
            verify=True,
            progress=progress,
        )
        report = self.last_run
        assert report is not None
        with common_errors(self._session):
            if report.error:
                raise run_error(report.error)
            if not report.passed:
                raise VerificationError(report.differences(), report)
        return report

    def _with_examples(self, arguments: Sequence[Any]) -> Sequence[Any]:
        """`arguments`, with the known values of integers that are None or missing."""
        values = self._program.arguments
        missing = len(values) - len(arguments)
        if not self._program.examples or missing < 0:
            return arguments
        return [
            self._program.examples.get(value.name) if given is None else given
            for value, given in zip(values, [*arguments, *[None] * missing], strict=True)
        ]

    def _inputs(self, arguments: Sequence[Any], all_given: bool) -> list[Input]:
        program = self._program
        check_types([*program.arguments, *program.results])
        if not all_given:
            arguments = self._with_examples(arguments)
        # Of processes, the extension compares shapes, and tells them all.
        alone = self._session is None
        return to_inputs(
            program.entry, program.arguments, arguments, all_given=all_given, shapes=alone
        )

    def _run(
        self,
        make_inputs: Callable[[], list[Input]],
        timeout: float,
        seed: int,
        verify: bool,
        progress: Progress,
    ) -> list[npt.NDArray[np.generic]]:
        timeout, seed = check_timeout(timeout), check_seed(seed)
        try:
            inputs = make_inputs()
        except Exception as error:
            if self._session:
                # What is wrong in one process has to be heard by all.
                self._handle.run(carry(error), timeout, seed, verify, None)
                self._session.common_error = error
            raise
        with follow(progress) as step, run_steps(step, self.last_run is not None) as step:
            ok, results, report, raw = self._handle.run(inputs, timeout, seed, verify, step)
        diagnostics = to_diagnostics(raw)
        if not ok:
            if is_carried(diagnostics):
                with common_errors(self._session):
                    raise run_error(diagnostics[0].message, diagnostics)
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
        alias = self._alias(check_text("about", about))
        ok, text, raw = self._handle.explain()
        if not ok:
            raise_errors(to_diagnostics(raw), ProgramError, "the program cannot be explained")
        return explanation_text(json.loads(text), alias)

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
        about = self._program.name_of(about)
        names = [value.name for value in self._program.arguments]
        # As for hints, a name goes before a number.
        if about in names:
            return f"%arg{names.index(about)}"
        if match := VALUE.fullmatch(about):
            values = self._program.arguments if match[1] == "arg" else self._program.results
            if int(match[2]) >= len(values):
                raise KeyError(no_such_value(match[1], int(match[2]), len(values)))
            return f"%{about}" if match[1] == "arg" else "func.return"
        return about

    def __repr__(self) -> str:
        return f"<shard.Partition of {self._program.entry} on {self.grid}>\n{self.collectives}"

    def _repr_html_(self) -> str:
        """The picture in a notebook."""
        return _html.fragment(self)
