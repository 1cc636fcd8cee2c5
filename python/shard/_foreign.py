# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shardings and meshes of JAX and PyTorch, read and written.

What is read is recognised by the names of its class and module, so that neither framework
is imported for those who do not use it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shard._grid import OPEN, Dim, Grid, P, is_open, parts

if TYPE_CHECKING:
    import jax.sharding


def _is(value: object, package: str, *names: str) -> bool:
    return any(
        base.__name__ in names and base.__module__.split(".")[0] in (package, package + "lib")
        for base in type(value).__mro__
    )


# The class has the second name in newer versions.
_PARTITION_SPEC = ("PartitionSpec", "P")


def _is_placement(value: object) -> bool:
    return _is(value, "torch", "Placement")


def is_foreign(value: object) -> bool:
    """Whether `value` is a sharding that `spec_of` reads."""
    if _is(value, "jax", *_PARTITION_SPEC, "NamedSharding"):
        return True
    return isinstance(value, Sequence) and len(value) > 0 and all(map(_is_placement, value))


def spec_of(value: Any, grid: Grid | None) -> P:
    """The `P` of a PartitionSpec, a NamedSharding, or of placements of DTensor.

    Placements are one for each axis of `grid`, as they are one for each dimension of a
    DeviceMesh. Raises ValueError for those that have no `P`.
    """
    if _is(value, "jax", "NamedSharding"):
        value = value.spec
    if _is(value, "jax", *_PARTITION_SPEC):
        return P(*(OPEN if dim is type(value).UNCONSTRAINED else dim for dim in value))
    if grid is None:
        raise ValueError("placements need the grid that they are for: pass it to `partition`")
    if len(value) != len(grid.shape):
        raise ValueError(
            f"{len(value)} placements for {grid}; write one for each of its {len(grid.shape)} axes"
        )
    dims: list[list[str | int]] = []
    for axis, placement in enumerate(value):
        if _is(placement, "torch", "_StridedShard") or placement.is_partial():
            raise ValueError(f"{placement} has no counterpart here; use Shard and Replicate")
        if placement.is_replicate():
            continue
        if placement.dim < 0:
            raise ValueError(f"{placement}: count the dimension from 0")
        while len(dims) <= placement.dim:
            dims.append([])
        dims[placement.dim].append(grid.names[axis] if grid.names else axis)
    return P(*(tuple(dim) if dim else None for dim in dims))


def grid_of(mesh: Any) -> Grid:
    """The grid of a Mesh or AbstractMesh of JAX, or of a DeviceMesh of PyTorch."""
    if isinstance(mesh, Grid):
        return mesh
    if _is(mesh, "jax", "Mesh", "AbstractMesh"):
        return Grid(**{str(name): int(size) for name, size in mesh.shape.items()})
    if _is(mesh, "torch", "DeviceMesh"):
        sizes = [int(size) for size in mesh.shape]
        names = mesh.mesh_dim_names
        return Grid(**dict(zip(names, sizes, strict=True))) if names else Grid(sizes)
    raise TypeError(
        f"{mesh!r} is no grid: pass a shard.Grid, a Mesh of JAX or a DeviceMesh of PyTorch"
    )


def to_partition_spec(spec: P) -> "jax.sharding.PartitionSpec":
    """The PartitionSpec of JAX that says what `spec` does."""
    from jax.sharding import PartitionSpec

    def dim_of(dim: Dim) -> Any:
        names = list(parts(dim))
        if not names:
            return None
        if any(map(is_open, names)):
            if len(names) > 1:
                raise ValueError(f"{dim!r} is split by at least some axes; JAX cannot say that")
            return PartitionSpec.UNCONSTRAINED
        if not all(isinstance(name, str) for name in names):
            raise ValueError("JAX has names for axes: use a grid with names")
        return names[0] if len(names) == 1 else tuple(names)

    return PartitionSpec(*map(dim_of, spec.dims))


def to_placements(spec: P, grid: Grid) -> tuple[Any, ...]:
    """The placements of DTensor, one for each axis of `grid`, that say what `spec` does."""
    from torch.distributed.tensor import Replicate, Shard

    axes: list[object] = [*(grid.names or range(len(grid.shape)))]
    placements: list[Any] = [Replicate() for _ in axes]
    for number, dim in enumerate(spec.dims):
        numbers = []
        for axis in parts(dim):
            if axis not in axes:
                raise ValueError(f"{spec!r}: {axis!r} is no axis of {grid}")
            numbers.append(axes.index(axis))
            placements[numbers[-1]] = Shard(number)
        if numbers != sorted(numbers):
            raise ValueError(
                f"{spec!r} splits dimension {number} by axes in another order than the grid has; "
                "DTensor cannot say that"
            )
    return tuple(placements)
