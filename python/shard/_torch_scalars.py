# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops along a dimension of a tensor that has none: PyTorch takes dimension 0 or -1 of it.

torch-mlir refuses them, and never ends at a softmax of one.
"""

from collections.abc import Callable, Mapping
from typing import Any


def scalar_decompositions(table: Mapping[Any, Any]) -> dict[Any, Any]:
    """Of those ops, which are computed of a tensor with one element.

    Args:
        table: the decompositions of tensors that have dimensions.
    """
    import torch

    names = """_log_softmax.default _log_softmax_backward_data.default _softmax.default
        _softmax_backward_data.default amax.default amin.default flip.default prod.dim_int"""
    ops = [getattr(getattr(torch.ops.aten, n), v) for n, v in (s.split(".") for s in names.split())]
    return {op: _of_scalars(op, table.get(op)) for op in ops}


def _of_scalars(op: Any, decomposition: Callable[..., Any] | None) -> Callable[..., Any]:
    import torch

    def line(arg: Any) -> Any:
        return arg.reshape(1) if isinstance(arg, torch.Tensor) else arg

    def decomposed(*args: Any, **kwargs: Any) -> Any:
        if args[0].dim() > 0:
            return decomposition(*args, **kwargs) if decomposition else NotImplemented
        return op(*map(line, args), **kwargs).reshape(())

    return decomposed
