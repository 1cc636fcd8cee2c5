# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grids of devices and how tensors are split on them."""

import math
import re
from collections.abc import Iterator, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Final, Union

import numpy as np

from shard._checks import integer

if TYPE_CHECKING:
    import jax.sharding


class _Open:
    """The type of `OPEN`."""

    def __repr__(self) -> str:
        return "OPEN"


OPEN: Final = _Open()
"""In a `P`: propagation may split the dimension, or the rest of it. So does `...`."""

Axis = str | int
Dim = Union[None, Axis, _Open, EllipsisType, "tuple[Axis | _Open | EllipsisType, ...]"]


class Grid:
    """The devices, arranged along axes.

        Grid(data=2, model=4)     named axes, major first
        Grid(2, 4)                axes 0 and 1
        Grid([2, 4])

    Sizes are at least 1; a grid has at most 1024 devices.
    """

    def __init__(self, *shape: int | Sequence[int], **axes: int) -> None:
        if shape and axes:
            raise ValueError("give the sizes of a grid either by name or by position, not both")
        given: tuple[object, ...] = tuple(axes.values()) if axes else shape
        if len(shape) == 1 and _is_list(shape[0]):
            given = tuple(shape[0])  # type: ignore[arg-type]
        if not given:
            raise ValueError("a grid has at least one axis, such as Grid(data=2) or Grid(2, 4)")
        sizes: list[int] = []
        for size in given:
            number = integer(size)
            if number is None or number < 1:
                raise ValueError(
                    f"the size of an axis of a grid is an integer, at least 1, not {size!r}"
                )
            sizes.append(number)
        if math.prod(sizes) > 1024:
            raise ValueError(f"a grid has at most 1024 devices, not {math.prod(sizes)}")
        for name in axes:
            if not name or ":" in name:
                raise ValueError(
                    f"{name!r} is no name of an axis; write one that is not empty and has no "
                    "colon, which stands before a part of an axis (model:(1)2)"
                )
        self.shape: tuple[int, ...] = tuple(sizes)
        self.names: tuple[str, ...] = tuple(axes)

    @classmethod
    def of(cls, mesh: Any) -> "Grid":
        """The grid of a `Mesh` of JAX or of a `DeviceMesh` of PyTorch."""
        from shard._foreign import grid_of

        return grid_of(mesh)

    @property
    def size(self) -> int:
        """The number of devices."""
        return math.prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.shape == other.shape and self.names == other.names

    def __hash__(self) -> int:
        return hash((self.shape, self.names))

    def __repr__(self) -> str:
        if self.names:
            pairs = zip(self.names, self.shape, strict=True)
            return "Grid(" + ", ".join(f"{n}={s}" for n, s in pairs) + ")"
        return "Grid(" + ", ".join(map(str, self.shape)) + ")"


class P:
    """How the dimensions of one tensor are split, as JAX's PartitionSpec.

        P(None, "model")          dimension 0 whole, dimension 1 split by axis model
        P(("data", "model"))      split by both, data major
        P(OPEN, "model")          propagation decides about dimension 0
        P(("data", ...))          at least by data; propagation may add axes
        P()                       whole on every device

    Axes are names, or numbers of grids without names. Dimensions that are not
    mentioned are whole. A dimension without OPEN or `...` is closed: propagation does
    not change it.
    """

    def __init__(self, *dims: Dim) -> None:
        self.dims: tuple[Dim, ...] = tuple(map(_plain_dim, dims))
        for dim in self.dims:
            for axis in parts(dim):
                if not (is_open(axis) or _is_axis(axis)):
                    raise TypeError(
                        f"{axis!r} is no axis; write a name, a number, None, OPEN or `...`"
                    )
            if any(is_open(axis) for axis in list(parts(dim))[:-1]):
                raise ValueError(f"{dim!r}: OPEN stands behind the axes of a dimension")

    def to_text(self, rank: int) -> str:
        """As in `#shard.sharding<@grid, ...>`, for a tensor of `rank` dimensions."""
        if len(self.dims) > rank:
            raise ValueError(f"{self!r} has {len(self.dims)} dimensions, the tensor has {rank}")
        dims = [*self.dims, *[None] * (rank - len(self.dims))]
        return "[" + ", ".join(map(_dim_text, dims)) + "]"

    @classmethod
    def from_text(cls, text: str) -> "P":
        """Of the sharding of a value of a partition: `[[data], [model]]`.

        Raises ValueError for what a `P` cannot say, as halos.
        """
        if not re.fullmatch(r"\[(\[[^\[\]]*\](, )?)*\]", text):
            raise ValueError(f"no P says {text}")
        dims: list[Dim] = []
        for part in re.findall(r"\[([^\[\]]*)\]", text[1:-1]):
            names = [name.strip() for name in part.split(",") if name.strip()]
            axes = tuple(int(name) if name.isdigit() else name for name in names)
            dims.append(axes[0] if len(axes) == 1 else axes or None)
        return cls(*dims)

    def to_partition_spec(self) -> "jax.sharding.PartitionSpec":
        """The PartitionSpec of JAX that says the same."""
        from shard._foreign import to_partition_spec

        return to_partition_spec(self)

    def to_placements(self, grid: Grid) -> tuple[Any, ...]:
        """The placements of PyTorch's DTensor that say the same, one per axis of `grid`."""
        from shard._foreign import to_placements

        return to_placements(self, grid)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, P) and self.dims == other.dims

    def __hash__(self) -> int:
        return hash(self.dims)

    def __repr__(self) -> str:
        return f"P({', '.join('...' if d is Ellipsis else repr(d) for d in self.dims)})"


def is_open(axis: object) -> bool:
    """Whether it stands for what propagation decides."""
    return axis is OPEN or axis is Ellipsis


def _is_list(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def _plain_dim(dim: Any) -> Any:
    """`dim` with integers of Python for those of numpy, and a tuple for a list."""
    if isinstance(dim, tuple | list):
        return tuple(map(_plain_dim, dim))
    return int(dim) if isinstance(dim, np.integer) else dim


def _is_axis(axis: object) -> bool:
    return isinstance(axis, str | int) and not isinstance(axis, bool)


def parts(dim: object) -> Iterator[object]:
    """The axes of a dimension, and what stands for others."""
    if dim is None:
        return
    if isinstance(dim, tuple | list):
        yield from dim
    else:
        yield dim


def _dim_text(dim: object) -> str:
    texts = []
    for axis in parts(dim):
        if is_open(axis):
            texts.append("?")
        elif isinstance(axis, int):
            texts.append(str(axis))
        else:
            texts.append(_quoted(str(axis)))
    return "[" + ", ".join(texts) + "]"


def _quoted(name: str) -> str:
    """A name as the dialect spells it; a sub-axis `model:(2)2` keeps its part."""
    base, colon, part = name.partition(":")
    escaped = base.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(f"\\{ord(c):02X}" if c < " " or c == "\x7f" else c for c in escaped)
    return f'"{escaped}"{colon}{part}'
