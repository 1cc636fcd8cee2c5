# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs as they come in: text or bytecode of MLIR."""

import difflib
import fnmatch
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy.typing as npt

from shard import _shard
from shard._checks import check_flag, check_text, integer
from shard._errors import HintError, ProgramError, raise_errors, to_diagnostics, warn
from shard._foreign import grid_of, is_foreign, spec_of
from shard._grid import Grid, P, is_open, parts
from shard._ops import OpInfo, find_ops, is_place, read_ops
from shard._partition import Partition
from shard._processes import Runtime, common_errors, join
from shard._progress import Progress, follow
from shard._report import VALUE, ValueInfo, no_such_value

Hint = P | str | Sequence[Any] | Any
"""A `P`, what `P` takes, text as in `#shard.sharding<@grid, ...>`, a PartitionSpec or
NamedSharding of JAX, or placements of PyTorch's DTensor, one per axis of the grid."""

_OF_OP = re.compile(r"[A-Za-z_][\w$]*\.[\w.$]+#\d+(:(result)?\d+)?")


def load(
    source: str | bytes | os.PathLike[str], *, entry: str = "", name: str | None = None
) -> "Program":
    """Reads a program: ops of linalg, tensor, arith, math, tosa, scf and func.

    Args:
        source: a path, text of MLIR (a string with a line break or a brace), or
            bytecode.
        entry: the function to run; by default `main`, or the only public function that
            has a body.
        name: stands for the file in diagnostics, if `source` is no path.

    Raises:
        OSError: the file cannot be read.
        ProgramError: it is no program, or has no such function.
        ValueError: `source` is empty.
    """
    if not isinstance(source, str | bytes | os.PathLike):
        raise TypeError(
            f"a program is a path, text of MLIR or bytecode, not {type(source).__name__}"
        )
    check_text("entry", entry)
    if name is not None:
        check_text("name", name)
    if isinstance(source, str):
        check_text("the program", source)
    if isinstance(source, str | bytes) and not source.strip():
        raise ValueError("a program is a path, text of MLIR or bytecode, not an empty string")
    if isinstance(source, bytes):
        data, called = source, name or "<bytes>"
    elif isinstance(source, str) and ("\n" in source or "{" in source):
        data, called = source.encode(), name or "<text>"
    else:
        path = Path(source)
        data, called = path.read_bytes(), name or str(path)
    handle, raw = _shard.parse(data, called, entry)
    diagnostics = to_diagnostics(raw)
    if handle is None:
        raise_errors(diagnostics, ProgramError, f"{called} is no program")
    warn(diagnostics)
    program = Program(handle)
    if not data.startswith(b"ML\xefR"):
        program.source = (called, data)
    return program


class Trees(Protocol):
    """How what a user passes becomes the arguments of a program, and back."""

    def flatten(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> list[Any]:
        """The arguments of the program."""

    def unflatten(self, results: list[Any]) -> Any:
        """What the user gets for the results of the program."""

    def flatten_results(self, results: Any) -> list[Any]:
        """The opposite of `unflatten`, as arrays of numpy."""


class Program:
    """A program for one device; partitions leave it as it is.

    Made by `load`, `from_jax` or `from_torch`.
    """

    def __init__(self, handle: _shard.Program) -> None:
        self._handle = handle
        self.names: list[str] = []
        """Of arguments, instead of those in the program; empty ones do not count."""
        self.aliases: dict[str, str] = {}
        """Further names of arguments, with those in `names`."""
        self.trees: Trees | None = None
        """None: a call takes and gives arrays one by one."""
        self.hints: dict[int | str, Hint] = {}
        """What `partition` adds its own hints to."""
        self.weights: dict[str, npt.NDArray[Any]] = {}
        """Of `from_torch`: the values of parameters and buffers."""
        self.examples: dict[str, npt.NDArray[Any]] = {}
        """Of integer arguments, by name: the values that `from_jax` or `from_torch` was given."""
        self.grid: Grid | None = None
        """What `partition` takes if it is given none, before that of the program's text."""
        self.source: tuple[str, bytes] = ("", b"")
        """What diagnostics call the text that it was read from, and the text."""

    @property
    def entry(self) -> str:
        """The name of the function that runs."""
        return str(self._handle.entry)

    @property
    def text(self) -> str:
        """The whole module, as MLIR prints it."""
        return str(self._handle.text)

    @property
    def arguments(self) -> list[ValueInfo]:
        """The arguments of the entry."""
        return [
            ValueInfo(self._argument_name(i, value[0]), value[1], value[2], tuple(value[3]))
            for i, value in enumerate(self._handle.arguments)
        ]

    @property
    def results(self) -> list[ValueInfo]:
        """The results of the entry."""
        return [
            ValueInfo(f"result{i}", value[1], value[2], tuple(value[3]))
            for i, value in enumerate(self._handle.results)
        ]

    @property
    def ops(self) -> list[OpInfo]:
        """The ops of the entry that make tensors: what hints may be about."""
        return read_ops(self._handle.ops)

    def _argument_name(self, number: int, known: str) -> str:
        if number < len(self.names) and self.names[number]:
            return self.names[number]
        return known or f"arg{number}"

    def name_of(self, key: str) -> str:
        """The name of the argument that `key` is a name of; else `key`."""
        return key if key in self.names else self.aliases.get(key, key)

    def partition(
        self,
        grid: Grid | Any | None = None,
        hints: Mapping[int | str, Hint] | None = None,
        *,
        cpu: str = "",
        runtime: Runtime = "auto",
        progress: Progress = None,
        uneven_dynamic: bool = False,
        halo_steps: int | Literal["auto"] = 1,
    ) -> Partition:
        """Makes the program of one device of `grid`.

        Args:
            grid: by default that of the program (`shard.grid`). A `Mesh` of JAX or a
                `DeviceMesh` of PyTorch stands for the grid of its shape and names.
            hints: how values are to be split. A key is the number of an argument,
                `arg1`, `result0`, the name of an argument, a pattern of names
                (`*.q_proj.weight`), or about ops: a place (`model.py:31`), a pattern
                of their names (`*/attention/*`), the result of one
                (`linalg.matmul#2`, the third) or an operand (`linalg.matmul#2:1`);
                `ops` lists them. Hints of the program count too. All else is found
                by propagation.
            cpu: the processor that code is generated for, `x86-64-v3` for instance; by
                default this one.
            runtime: what runs the devices: "threads" of this process, the processes of
                an "mpi" program, of which each runs one device, or, "auto", processes
                if mpirun has started several.
            progress: True shows what is being done; a function is called with it, the
                work and its next step, as two strings. Its exceptions, and Ctrl-C, stop
                the work before the next step.
            uneven_dynamic: dynamic dimensions may have extents that the devices do not
                divide; without it a run with such an extent is an error.
            halo_steps: how many steps of a loop of stencils one exchange of halos serves,
                1 to 64, or "auto": what is predicted to take the least time.

        Raises:
            ValueError: `halo_steps` is no such number.
            HintError: a hint names nothing or does not fit.
            ProgramError: the program cannot be partitioned.
        """
        grid = self.grid if grid is None else grid_of(grid)
        if hints is not None and not isinstance(hints, Mapping):
            raise HintError(
                f"hints are a dictionary, such as {{'arg0': P(0)}}, not {type(hints).__name__}"
            )
        is_auto = isinstance(halo_steps, str) and halo_steps == "auto"
        steps = -1 if is_auto else integer(halo_steps)
        if steps is None or not (is_auto or 1 <= steps <= 64):
            raise ValueError(f"halo_steps is a number from 1 to 64 or 'auto', not {halo_steps!r}")
        check_text("cpu", cpu)
        uneven_dynamic = check_flag("uneven_dynamic", uneven_dynamic)
        texts = self._hint_texts(hints or {}, grid)
        session = join(runtime)
        with follow(progress) as step:
            handle, raw = _shard.partition(
                self._handle,
                list(grid.shape) if grid else [],
                list(grid.names) if grid else [],
                texts,
                cpu,
                session.handle if session else None,
                step,
                uneven_dynamic,
                steps,
            )
        diagnostics = to_diagnostics(raw)
        if handle is None:
            about_hints = any(d.file.startswith("hint ") for d in diagnostics)
            with common_errors(session):
                raise_errors(
                    diagnostics,
                    HintError if about_hints else ProgramError,
                    "the program cannot be partitioned",
                )
        warn(diagnostics)
        return Partition(handle, self, diagnostics, session)

    def _hint_texts(self, hints: Mapping[int | str, Hint], grid: Grid | None) -> list[str]:
        """The hints as the C API takes them; `hints` count instead of the program's."""
        own = self._chosen(self.hints, grid)
        chosen = {**own, **self._chosen(hints, grid)}
        return [f"{target}={text}" for target, (_, _, text) in chosen.items()]

    def _chosen(
        self, hints: Mapping[int | str, Hint], grid: Grid | None
    ) -> dict[str, tuple[bool, object, str]]:
        """For each target whether its name is exact, the key and the sharding."""
        arguments, results = self.arguments, self.results
        chosen: dict[str, tuple[bool, object, str]] = {}
        for key, hint in hints.items():
            targets, exact = self._targets(key, arguments, results)
            for target, rank in targets:
                text = _sharding_text(key, hint, rank, grid)
                known = chosen.get(target)
                if known and known[0] == exact and known[2] != text:
                    raise HintError(
                        f"hints {known[1]!r} and {key!r} both name {target} and differ: "
                        f"{known[2]} and {text}"
                    )
                if not known or exact >= known[0]:
                    chosen[target] = (exact, key, text)
        return chosen

    def _targets(
        self, key: int | str, arguments: list[ValueInfo], results: list[ValueInfo]
    ) -> tuple[list[tuple[str, int]], bool]:
        """What a key names, with ranks (-1 if unknown), and whether it is no pattern."""
        if (place := integer(key)) is not None:
            if not 0 <= place < len(arguments):
                raise HintError(f"there is no argument {place}; {_names_text(arguments)}")
            return [(f"arg{place}", _rank(arguments[place]))], True
        if not isinstance(key, str):
            raise HintError(f"the key {key!r} of a hint is neither a number nor a name")
        own = self.name_of(key)
        by_name = [i for i, value in enumerate(arguments) if value.name == own]
        if by_name:
            return [(f"arg{i}", _rank(arguments[i])) for i in by_name], True
        if match := VALUE.fullmatch(key):
            values = arguments if match[1] == "arg" else results
            number = int(match[2])
            if number >= len(values):
                raise HintError(no_such_value(match[1], number, len(values)))
            return [(key, _rank(values[number]))], True
        if _OF_OP.fullmatch(key):
            return [(key, -1)], True
        if is_place(key):
            return find_ops(self.ops, key), False
        others = {name: alias for alias, name in self.aliases.items()}
        found = [
            (f"arg{i}", _rank(value))
            for i, value in enumerate(arguments)
            if fnmatch.fnmatchcase(value.name, key)
            or fnmatch.fnmatchcase(others.get(value.name, value.name), key)
        ]
        found = found or find_ops(self.ops, key)
        if not found:
            known = [value.name for value in arguments] + [*self.aliases]
            near = difflib.get_close_matches(key, known, 1)
            meant = f"; did you mean {near[0]!r}?" if near else f"; {_names_text(arguments)}"
            raise HintError(f"the hint {key!r} names nothing{meant}")
        return found, False

    def __repr__(self) -> str:
        return (
            f"<shard.Program {self.entry}: "
            f"({', '.join(v.type for v in self.arguments)}) -> "
            f"({', '.join(v.type for v in self.results)})>"
        )


def _rank(value: ValueInfo) -> int:
    """The rank of a tensor; -1 where it is not known, as its elements have no form here."""
    return len(value.shape) if value.element_type else -1


def _names_text(arguments: Sequence[ValueInfo], most: int = 12) -> str:
    names = [value.name for value in arguments]
    more = ", ..." if len(names) > most else ""
    return "arguments are " + (", ".join(names[:most]) + more if names else "none")


def _sharding_text(key: object, hint: Hint, rank: int, grid: Grid | None) -> str:
    if isinstance(hint, str):
        return hint
    try:
        if is_foreign(hint):
            spec = spec_of(hint, grid)
        elif isinstance(hint, P):
            spec = hint
        elif isinstance(hint, Sequence):
            spec = P(*hint)
        else:
            raise TypeError(f"{hint!r} is no sharding; write a P, such as P(None, 'model')")
        if grid is not None:
            _check_axes(spec, grid)
        return spec.to_text(len(spec.dims) if rank < 0 else rank)
    except (TypeError, ValueError) as error:
        raise HintError(f"hint {key!r}: {error}") from None


def _check_axes(spec: P, grid: Grid) -> None:
    """Raises ValueError if `spec` names an axis that `grid` does not have."""
    numbers = range(len(grid.shape))
    for axis in (axis for dim in spec.dims for axis in parts(dim) if not is_open(axis)):
        if isinstance(axis, int) and axis not in numbers:
            raise ValueError(f"{spec!r} names axis {axis}; {grid!r} has axes 0 to {numbers[-1]}")
        if isinstance(axis, str) and axis.partition(":")[0] not in grid.names:
            has = f"has {', '.join(grid.names)}" if grid.names else "has no names"
            raise ValueError(f"{spec!r} names axis {axis!r}; {grid!r} {has}")
