# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Unsigned integers and bytes of PyTorch, computed in wider signed integers.

torch-mlir takes the sign of some ops on `uint8` for one of `int8` (sums, comparisons), and
crashes at numbers of type `int8`. Arguments and results keep their types.
"""

from collections.abc import Mapping
from typing import Any

# Ops that only hand elements on, and one that checks types.
_KEPT = frozenset(
    """_assert_tensor_metadata alias cat clone detach expand permute select slice squeeze t
    transpose unsqueeze view _unsafe_view""".split()
)


def _wide() -> dict[Any, tuple[Any, int | None]]:
    """For types the signed type that has all their numbers, and of unsigned ones their bits."""
    import torch

    return {
        torch.int8: (torch.int32, None),
        torch.uint8: (torch.int32, 0xFF),
        torch.uint16: (torch.int32, 0xFFFF),
        torch.uint32: (torch.int64, 0xFFFFFFFF),
    }


def has_narrow(exported: Any) -> bool:
    """Whether a graph has tensors that `widened` computes with in another type."""
    import torch
    from torch.utils import _pytree as pytree

    types = _wide()
    return any(
        isinstance(value, torch.Tensor) and value.dtype in types
        for node in exported.graph.nodes
        for value in pytree.tree_leaves(node.meta.get("val"))
    )


def widened(node: Any, target: Any, args: Any, kwargs: Mapping[str, Any]) -> Any:
    """What the op `target` of `node` gives, computed in wider integers if that is needed."""
    import torch
    from torch.utils import _pytree as pytree

    types = _wide()
    # `view.dtype` looks at the bits.
    if target.overloadpacket.__name__ in _KEPT:
        return target(*args, **kwargs)

    def widen(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.dtype not in types:
            return value
        wide, bits = types[value.dtype]
        return value.to(wide) if bits is None else value.to(wide) & bits

    def narrow(value: Any, wanted: Any) -> Any:
        is_tensor = isinstance(value, torch.Tensor) and isinstance(wanted, torch.Tensor)
        return value.to(wanted.dtype) if is_tensor else value

    args, keywords = pytree.tree_map(widen, (args, dict(kwargs)))
    if keywords.get("dtype") in types:
        keywords["dtype"] = types[keywords["dtype"]][0]
    return pytree.tree_map(narrow, target(*args, **keywords), node.meta.get("val"))
