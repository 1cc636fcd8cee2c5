# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signs and distances, which torch-mlir does not lower, in terms of other ops."""

from typing import Any


def number_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.signbit.default: _signbit,
        aten.copysign.Tensor: _copysign,
        aten.copysign.Scalar: _copysign,
        aten._cdist_forward.default: _cdist,
    }


def _signbit(x: Any) -> Any:
    """Also of zeros, whose reciprocals are infinities; a NaN counts as positive."""
    import torch

    if not x.is_floating_point():
        return x < 0 if x.dtype != torch.bool else torch.zeros_like(x)
    return torch.where(x == 0, 1 / x, x) < 0


def _copysign(x: Any, sign: Any) -> Any:
    import torch

    if not isinstance(sign, torch.Tensor):
        sign = torch.full((), sign, dtype=x.dtype)
    dtype = torch.result_type(x, sign)
    size = x.to(dtype if dtype.is_floating_point else torch.get_default_dtype()).abs()
    return torch.where(_signbit(sign), -size, size)


def _cdist(x: Any, y: Any, p: float, compute_mode: int | None) -> Any:
    """Of the differences of all pairs of rows."""
    import torch

    size = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (size != 0).to(x.dtype).sum(-1)
    if p == 1:
        return size.sum(-1)
    if p == float("inf"):
        return torch.amax(size, -1)
    if p == 2:
        return torch.sqrt((size * size).sum(-1))
    return (size**p).sum(-1) ** (1 / p)
