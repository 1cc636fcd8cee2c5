# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of numbers, which torch-mlir does not lower, or not exactly, in terms of others."""

import math
from typing import Any


def number_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.signbit.default: _signbit,
        aten.copysign.Tensor: _copysign,
        aten.copysign.Scalar: _copysign,
        aten.rsub.Scalar: _rsub,
        aten.angle.default: _angle,
        aten.fmax.default: _fmax,
        aten.fmin.default: _fmin,
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


def _rsub(x: Any, number: Any, alpha: Any = 1) -> Any:
    """Of a number in the type of the result: torch-mlir rounds it to float32."""
    import torch

    return torch.full((), number, dtype=torch.result_type(x, number)) - alpha * x


def _angle(x: Any) -> Any:
    import torch

    if x.is_complex():
        return torch.atan2(x.imag, x.real)
    dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
    turn = torch.where(x < 0, math.pi, 0.0).to(dtype)
    return torch.where(x != x, x, turn) if x.is_floating_point() else turn


def _fmax(x: Any, y: Any) -> Any:
    import torch

    return _number_of(x, y, torch.maximum(x, y))


def _fmin(x: Any, y: Any) -> Any:
    import torch

    return _number_of(x, y, torch.minimum(x, y))


def _number_of(x: Any, y: Any, extreme: Any) -> Any:
    """The extreme of x and y, or the one that is no NaN."""
    import torch

    return torch.where(x != x, y, torch.where(y != y, x, extreme))


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
