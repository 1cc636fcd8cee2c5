# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of partitions, as HTML without scripts or references."""

import html
import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shard._grid import Grid
    from shard._partition import Partition
    from shard._report import ValueInfo

_MOST_BLOCKS = 64
"""Values of more blocks are told in words."""


def fragment(partition: "Partition") -> str:
    """The grid, how arguments and results are split, and the collectives."""
    grid = partition.grid
    parts = [
        '<div class="shard">',
        f"<p><b>{html.escape(partition._program.entry)}</b> on {html.escape(repr(grid))}</p>",
        "<table><tr><th>value</th><th>type</th><th>sharding</th><th>blocks</th></tr>",
    ]
    for value in [*partition.arguments, *partition.results]:
        parts.append(
            f"<tr><td>{html.escape(value.name)}</td><td>{html.escape(value.type)}</td>"
            f"<td>{html.escape(value.sharding)}</td><td>{_blocks(value, grid)}</td></tr>"
        )
    parts.append("</table><table>")
    titles, *rows = partition.collectives.cells()
    parts.append("<tr>" + "".join(f"<th>{html.escape(t)}</th>" for t in titles) + "</tr>")
    for row in rows:
        parts.append("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>")
    if not rows:
        parts.append(f'<tr><td colspan="{len(titles)}">no collectives</td></tr>')
    parts.append("</table></div>")
    return "".join(parts)


def _axes(sharding: str) -> list[list[str]]:
    """`[[data], []]` as lists; what follows the dimensions is left out."""
    dims = re.findall(r"\[([^\[\]]*)\]", sharding.split("] partial")[0])
    return [[axis.strip() for axis in dim.split(",") if axis.strip()] for dim in dims]


def _blocks(value: "ValueInfo", grid: "Grid") -> str:
    """One square per block of the first two split dimensions, with its devices."""
    names = list(grid.names) or [str(i) for i in range(len(grid.shape))]
    dims = _axes(value.sharding)
    if not all(axis in names for dim in dims for axis in dim):
        return html.escape("by parts of axes")
    split = [dim for dim in dims if dim]
    if not split:
        return _square(list(range(grid.size)), grid.size)
    groups = [[names.index(axis) for axis in dim] for dim in split]
    counts = [_product(grid.shape[axis] for axis in group) for group in groups]
    if _product(counts) > _MOST_BLOCKS:
        return html.escape(f"{_product(counts)} blocks")
    owners: dict[tuple[int, ...], list[int]] = {}
    for device, place in enumerate(itertools.product(*map(range, grid.shape))):
        key = tuple(_number(place, grid.shape, group) for group in groups)
        owners.setdefault(key, []).append(device)
    columns = counts[1] if len(counts) > 1 else 1
    rows = []
    for row in range(counts[0]):
        cells = []
        for column in range(columns):
            key_start = (row, column)[: len(counts)]
            devices = [
                d for key, ds in owners.items() if key[: len(key_start)] == key_start for d in ds
            ]
            cells.append(_square(sorted(devices), grid.size))
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "<table>" + "".join(rows) + "</table>"


def _number(place: tuple[int, ...], shape: tuple[int, ...], axes: list[int]) -> int:
    number = 0
    for axis in axes:
        number = number * shape[axis] + place[axis]
    return number


def _product(numbers: object) -> int:
    result = 1
    for number in numbers:  # type: ignore[attr-defined]
        result *= number
    return result


def _square(devices: list[int], count: int) -> str:
    hue = round(360 * devices[0] / max(count, 1))
    text = "all" if len(devices) == count else ",".join(map(str, devices))
    color = "#ddd" if len(devices) == count else f"hsl({hue},60%,80%)"
    return f'<span style="background:{color};padding:2px 6px">{text}</span>'
