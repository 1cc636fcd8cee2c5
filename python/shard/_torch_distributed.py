# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules whose parameters are DTensors.

Such a module says how its parameters are split, as `distribute_tensor`, `parallelize_module` or
`fully_shard` made them. Its program takes whole tensors, so that what these functions have
added to the forward pass is left out while it is exported.
"""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from shard._errors import ProgramError
from shard._grid import Grid

_HOOKS = ("_forward_pre_hooks", "_forward_hooks")


def whole_tensors(tensors: Mapping[str, Any]) -> dict[str, Any]:
    """The whole tensor in the place of each DTensor. All processes of its mesh come here."""
    return {
        name: tensor.full_tensor().detach() if is_distributed(tensor) else tensor.detach()
        for name, tensor in tensors.items()
    }


def is_distributed(tensor: Any) -> bool:
    """Whether it is a DTensor."""
    return hasattr(tensor, "placements") and hasattr(tensor, "full_tensor")


def hints_of(tensors: Mapping[str, Any]) -> tuple[Grid | None, dict[str, Any]]:
    """The grid of the DTensors among `tensors`, and their placements.

    Raises ProgramError if they are on several meshes.
    """
    found = {name: tensor for name, tensor in tensors.items() if is_distributed(tensor)}
    grids = {Grid.of(tensor.device_mesh) for tensor in found.values()}
    if len(grids) > 1:
        raise ProgramError(
            f"the parameters are on several meshes, {', '.join(sorted(map(repr, grids)))}; one is "
            "supported"
        )
    placements = {name: tuple(tensor.placements) for name, tensor in found.items()}
    return (grids.pop() if grids else None), placements


@contextlib.contextmanager
def without_hooks(module: Any) -> Iterator[None]:
    """`module` without the hooks of `torch.distributed`, which expect DTensors."""
    taken: list[tuple[Any, int, Any]] = []
    for part in module.modules():
        for hooks in (getattr(part, name) for name in _HOOKS):
            for number, hook in list(hooks.items()):
                if str(getattr(hook, "__module__", "")).startswith("torch.distributed."):
                    taken.append((hooks, number, hook))
                    del hooks[number]
    try:
        yield
    finally:
        for hooks, number, hook in taken:
            hooks[number] = hook
