# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known of a partitioned program, before and after a run."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from shard._grid import P

VALUE = re.compile(r"(arg|result)(0|[1-9]\d*)")
"""What names an argument or a result by its number."""


def no_such_value(kind: str, number: int, count: int) -> str:
    """What is wrong with a name by number, of the kind `arg` or `result`."""
    what = "argument" if kind == "arg" else "result"
    return f"there is no {what} {number}: the program has {count}, numbered from 0"


@dataclass(frozen=True)
class ValueInfo:
    """An argument or a result of a program."""

    name: str
    """`arg0`, `result0` and so on, or the name that the program gives it."""
    type: str
    """As MLIR prints it: `tensor<4x?xf32>`."""
    element_type: str
    """`f32`, `bf16`, `i1` and so on; empty if it has no form in host memory."""
    shape: tuple[int, ...]
    """-1 for what is known only when the program runs."""
    sharding: str = ""
    """`[[data], []]`: the axes that split each dimension. Of partitions only."""
    bytes_per_device: int | None = None
    """Of partitions only."""

    @property
    def spec(self) -> P:
        """`sharding` as a `P`. Raises ValueError for what a `P` cannot say, as halos."""
        return P.from_text(self.sharding)


@dataclass(frozen=True)
class Collective:
    """A collective op of a partitioned program."""

    kind: str
    """`all_reduce`, `all_gather` and so on."""
    axes: tuple[str, ...]
    """The axes of the group, major first."""
    calls: int | None
    """Calls of one device; None if that is known only when the program runs."""
    bytes: int | None
    """Sent by one device in all calls; in one call if `calls` is None. None where it
    depends on the device or on sizes of the run."""
    location: str
    """The place in the source, `file:line:column`."""
    needed_by: str
    """The op and operand that needed it."""
    seconds: float | None = None
    """In all calls, waiting included, on the device where it took longest. Of runs
    only."""


class CollectiveTable(Sequence[Collective]):
    """The collectives of a program; prints as a table."""

    def __init__(self, rows: Sequence[Collective]) -> None:
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, index: int) -> Collective: ...
    @overload
    def __getitem__(self, index: slice) -> "CollectiveTable": ...
    def __getitem__(self, index: int | slice) -> "Collective | CollectiveTable":
        if isinstance(index, slice):
            return CollectiveTable(self._rows[index])
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Collective]:
        return iter(self._rows)

    @property
    def bytes(self) -> int | None:
        """Sent by one device in all; None if one of the rows does not know."""
        total = 0
        for row in self._rows:
            if row.bytes is None or row.calls is None:
                return None
            total += row.bytes
        return total

    def count(self, kind: object) -> int:
        """How many collectives are of the kind `kind`, or equal to it."""
        return sum(row.kind == kind or row == kind for row in self._rows)

    def cells(self) -> list[list[str]]:
        """The table as text, the titles first."""
        rows = [["collective", "axes", "calls", "bytes", "needed by", "place"]]
        for row in self._rows:
            rows.append(
                [
                    row.kind,
                    ", ".join(row.axes),
                    "?" if row.calls is None else str(row.calls),
                    "?" if row.bytes is None else f"{row.bytes:,}",
                    row.needed_by,
                    row.location,
                ]
            )
        return rows

    def __str__(self) -> str:
        if not self._rows:
            return "no collectives"
        cells = self.cells()
        widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if i in (2, 3) else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in cells
        )

    def __repr__(self) -> str:
        return f"CollectiveTable({list(self._rows)!r})"


class Report:
    """What a run gave. `raw` is the JSON object of `shard-run --report=json`."""

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw

    @classmethod
    def from_json(cls, text: str) -> "Report":
        """Reads the JSON object that the tools print."""
        return cls(json.loads(text))

    @property
    def passed(self) -> bool:
        """Whether the run went well and, if it was verified, its results are right."""
        return bool(self.raw["pass"])

    @property
    def verified(self) -> bool:
        """Whether the results were compared with those of one device."""
        return bool(self.raw["verified"])

    @property
    def error(self) -> str:
        """Why the run failed; empty if it did not."""
        return str(self.raw.get("error", ""))

    @property
    def collectives(self) -> CollectiveTable:
        """The collectives, as they were counted."""
        return CollectiveTable([_collective(row, measured=True) for row in self.raw["collectives"]])

    @property
    def seconds(self) -> float:
        """Wall time of the run on the grid, compilation not counted."""
        return float(self.raw["seconds_grid"])

    @property
    def seconds_compile(self) -> float:
        """Time of lowering and machine code; 0 if it was compiled before."""
        return float(self.raw["seconds_compile"])

    @property
    def max_absolute_error(self) -> float | None:
        """The largest difference from one device; None if it was not compared."""
        return float(self.raw["max_absolute_error"]) if self.verified else None

    def __str__(self) -> str:
        if self.error:
            verdict = f"failed: {self.error}"
        elif not self.passed:
            verdict = "FAIL: " + self.differences()
        elif self.verified:
            verdict = f"PASS, largest error {self.max_absolute_error:.3g}"
        else:
            verdict = "done, not verified"
        return "\n".join([verdict, *self.remarks(), str(self.collectives)])

    def remarks(self) -> list[str]:
        """A line for each result that rounding the inputs otherwise moves by more than the
        tolerance, which was allowed for; how far, as the root mean square of its elements.
        """
        return [
            f"rounding the inputs otherwise moves result{i} by {row['moved_by_rounding']:.3g}"
            f" (its root mean square is {row['scale']:.3g}), which is allowed for"
            for i, row in enumerate(self.raw["results"])
            if row.get("moved_by_rounding")
        ]

    def differences(self) -> str:
        """Which results differ from those of one device, in one line."""
        parts = [
            f"{row['mismatches']} elements of result{i} differ by more than {row['tolerance']:.3g}"
            for i, row in enumerate(self.raw["results"])
            if not row.get("equal", True)
        ]
        return "; ".join(parts) or "no result differs"


def _collective(row: dict[str, Any], measured: bool) -> Collective:
    calls, sent = row["calls"], row["bytes_sent_per_device"]
    return Collective(
        row["kind"],
        tuple(row["axes"]),
        None if calls is None or calls < 0 else calls,
        None if sent is None or sent < 0 else sent,
        row["location"],
        row["needed_by"],
        row["seconds"] if measured else None,
    )


def predicted_collectives(raw: dict[str, Any]) -> CollectiveTable:
    """The collectives of a program that has not run."""
    return CollectiveTable([_collective(row, measured=False) for row in raw["collectives"]])
