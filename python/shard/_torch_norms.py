# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variances and normalisation by groups, in the type of their elements.

torch-mlir computes a variance in 64 bits, with a mean of its own beside the one that is asked
for: where elements are split, that is three sums over devices, two of them of twice the bytes.
PyTorch takes the scales of the groups by strides, which become look-ups.
"""

from collections.abc import Sequence
from typing import Any


def norm_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.var.correction: _var,
        aten.var_mean.correction: _var_mean,
        aten.native_group_norm.default: _group_norm,
    }


def _var(
    x: Any, dim: Sequence[int] | None = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    result = _var_mean(x, dim, correction=correction, keepdim=keepdim)
    return result if result is NotImplemented else result[0]


def _var_mean(
    x: Any, dim: Sequence[int] | None = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    import torch

    if x.is_complex():
        return NotImplemented
    dims = [d % x.dim() for d in dim or range(x.dim())] if x.dim() else []
    shape = [1 if d in dims else size for d, size in enumerate(x.shape)]
    kept = shape if keepdim else [size for d, size in enumerate(x.shape) if d not in dims]
    numbers = x.to(torch.float32) if x.dtype.itemsize < 4 else x
    mean = numbers.mean(dims, True) if dims else numbers
    from_mean = numbers - mean
    squares = (from_mean * from_mean).sum(dims, True) if dims else from_mean * from_mean
    count = x.numel() // mean.numel() if mean.numel() else 0
    by = max(count - (1 if correction is None else correction), 0)
    # Without elements to average, 0 / 0 is NaN as in PyTorch.
    var = squares / float(by)
    return var.reshape(kept).to(x.dtype), mean.reshape(kept).to(x.dtype)


def _group_norm(
    x: Any, weight: Any, bias: Any, n: int, c: int, inner: int, groups: int, eps: float
) -> tuple[Any, Any, Any]:
    import torch

    numbers = x.to(torch.float32) if x.dtype.itemsize < 4 else x
    by_group = numbers.reshape(n, groups, c // groups, inner)
    var, mean = torch.var_mean(by_group, [2, 3], correction=0, keepdim=True)
    scale = torch.rsqrt(var + eps)
    result = ((by_group - mean) * scale).reshape(x.shape)
    by_channel = [1, c] + [1] * (x.dim() - 2)
    if weight is not None:
        result = result * weight.reshape(by_channel)
    if bias is not None:
        result = result + bias.reshape(by_channel)
    kept = [mean.reshape(n, groups), scale.reshape(n, groups)]
    return result.to(x.dtype), *(value.to(x.dtype) for value in kept)
