# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops that torch-mlir lowers to something else for some numbers.

Its larger and smaller of two are comparisons, which drop NaNs. Its quotients are rounded before
they become whole numbers, so that 1.0 // 0.1 is 10 and not 9. It computes exp(x) - 1 of numbers
near zero, GELU with constants of few digits, compares 32-bit elements with 64-bit thresholds, and
takes a tensor for equal to itself where it has NaNs.
Those of PyTorch are written here in terms of ops that torch-mlir lowers to what they mean.
"""

import math
from collections.abc import Callable
from typing import Any

from shard._torch_numbers import _copysign


def exact_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.eq.Tensor: _equal,
        aten.maximum.default: _larger,
        aten.minimum.default: _smaller,
        aten.clamp.default: _clamp,
        aten.clamp.Tensor: _clamp,
        aten.clamp_min.default: _larger,
        aten.clamp_min.Tensor: _larger,
        aten.clamp_max.default: _smaller,
        aten.clamp_max.Tensor: _smaller,
        aten.hardtanh.default: _hardtanh,
        aten.hardsigmoid.default: _hardsigmoid,
        aten.threshold.default: _threshold,
        aten.elu.default: _elu,
        aten.gelu.default: _gelu,
        aten.logaddexp.default: _logaddexp,
        aten.floor_divide.default: _floor_divide,
        aten.floor_divide.Scalar: _floor_divide,
        aten.div.Tensor_mode: _divide,
        aten.div.Scalar_mode: _divide,
        aten.fmod.Tensor: _fmod,
        aten.fmod.Scalar: _fmod,
        aten.hypot.default: _hypot,
        aten.isfinite.default: _isfinite,
        aten.isclose.default: _isclose,
    }


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Both as tensors of the element type of what an op makes of them."""
    import torch

    dtype = torch.result_type(x, y)

    def tensor(value: Any) -> Any:
        is_tensor = isinstance(value, torch.Tensor)
        return value.to(dtype) if is_tensor else torch.full((), value, dtype=dtype)

    return tensor(x), tensor(y)


def _equal(x: Any, y: Any) -> Any:
    """Not unequal, which torch-mlir computes of a tensor and itself as well."""
    x, y = _alike(x, y)
    return (x != y).logical_not() if x.is_floating_point() else NotImplemented


def _larger(x: Any, y: Any) -> Any:
    return _chosen(x, y, lambda x, y: x < y)


def _smaller(x: Any, y: Any) -> Any:
    return _chosen(x, y, lambda x, y: x > y)


def _chosen(x: Any, y: Any, is_y: Callable[[Any, Any], Any]) -> Any:
    """Of floats `y` where a comparison says so, and else `x`, but a NaN if one of them is one."""
    import torch

    may_be_nan = isinstance(y, torch.Tensor) or math.isnan(y)
    x, y = _alike(x, y)
    if not x.is_floating_point():
        return NotImplemented
    return torch.where(is_y(x, y) | (y != y) if may_be_nan else is_y(x, y), y, x)


def _clamp(x: Any, least: Any = None, most: Any = None) -> Any:
    for bound in (least, most):
        if bound is not None:
            x = _alike(x, bound)[0]
    if not x.is_floating_point():
        return NotImplemented
    if least is not None:
        x = _larger(x, least)
    return x if most is None else _smaller(x, most)


def _hardtanh(x: Any, least: float = -1, most: float = 1) -> Any:
    return _clamp(x, least, most)


def _hardsigmoid(x: Any) -> Any:
    return _clamp(x + 3, 0, 6) / 6


def _threshold(x: Any, threshold: float, value: float) -> Any:
    import torch

    limit, other = (torch.full((), number, dtype=x.dtype) for number in (threshold, value))
    return torch.where(x <= limit, other, x)


def _elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    import torch

    return torch.where(x < 0, torch.expm1(x * input_scale) * (alpha * scale), x * scale)


def _gelu(x: Any, approximate: str = "none") -> Any:
    """Of a tanh: torch-mlir has the exact one."""
    import torch

    if approximate != "tanh":
        return NotImplemented
    x, _, dtype = _in_single(x, x)
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
    return (0.5 * x * (1 + torch.tanh(inner))).to(dtype)


def _logaddexp(x: Any, y: Any) -> Any:
    import torch

    x, y, dtype = _in_single(x, y)
    # Of equal infinities the difference is none.
    distance = torch.where(x == y, torch.zeros_like(x), (x - y).abs())
    return (_larger(x, y) + torch.log1p(torch.exp(-distance))).to(dtype)


def _in_single(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Both as tensors, and their element type; types of 16 bits and less are computed in 32."""
    import torch

    x, y = _alike(x, y)
    dtype = x.dtype
    if dtype.is_floating_point and dtype.itemsize < 4:
        x, y = x.to(torch.float32), y.to(torch.float32)
    return x, y, dtype


def _fmod(x: Any, y: Any) -> Any:
    """The remainder of the quotient that is cut off, which has the sign of `x`."""
    import torch

    x, y, dtype = _in_single(x, y)
    if x.is_floating_point():
        # That of sizes is exact: nothing is added to bring it to the sign of `y`.
        return _copysign(torch.remainder(x.abs(), y.abs()), x).to(dtype)
    rest = torch.remainder(x, y)
    return torch.where((rest != 0) & ((x < 0) != (y < 0)), rest - y, rest)


def _floor_divide(x: Any, y: Any) -> Any:
    """The quotient without the remainder, which is a whole number but for what dividing rounds."""
    import torch

    x, y, dtype = _in_single(x, y)
    if not x.is_floating_point():
        return NotImplemented
    rest = _fmod(x, y)
    whole = (x - rest) / y
    whole = torch.where((rest != 0) & ((rest < 0) != (y < 0)), whole - 1, whole)
    down = whole.floor()
    down = torch.where(whole - down > 0.5, down + 1, down)
    quotient = x / y
    down = torch.where(whole != 0, down, _copysign(torch.zeros_like(down), quotient))
    return torch.where(y == 0, quotient, down).to(dtype)


def _divide(x: Any, y: Any, rounding_mode: str | None = None) -> Any:
    return _floor_divide(x, y) if rounding_mode == "floor" else NotImplemented


def _hypot(x: Any, y: Any) -> Any:
    """Of the quotient of the smaller and the larger, whose square does not overflow."""
    import torch

    x, y, dtype = _in_single(x.abs(), y.abs())
    larger, smaller = _larger(x, y), _smaller(x, y)
    quotient = torch.where(smaller == larger, torch.ones_like(x), smaller / larger)
    size = larger * torch.sqrt(1 + quotient * quotient)
    size = torch.where(larger == 0, larger, size)
    return torch.where((x == math.inf) | (y == math.inf), torch.full_like(x, math.inf), size).to(
        dtype
    )


def _isfinite(x: Any) -> Any:
    """Neither infinite nor NaN, of which no difference is zero."""
    import torch

    return x - x == 0 if x.is_floating_point() else torch.ones_like(x, dtype=torch.bool)


def _isclose(
    x: Any, y: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    import torch

    close = x == y
    if equal_nan and x.is_floating_point():
        close = close | ((x != x) & (y != y))
    if rtol == 0 and atol == 0:
        return close
    if not y.is_floating_point():
        y = y.to(torch.get_default_dtype())
    difference = (x - y).abs()
    return close | (_isfinite(difference) & (difference <= atol + (rtol * y).abs()))
