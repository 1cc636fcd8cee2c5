# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops that torch-mlir lowers to something else for some numbers.

Its larger and smaller of two are comparisons, which drop NaNs. Its quotients are rounded before
they become whole numbers, so that 1.0 // 0.1 is 10 and not 9. It computes exp(x) - 1 of numbers
near zero, GELU with constants of few digits, compares 32-bit elements with 64-bit thresholds, and
takes a tensor for equal to itself where it has NaNs. Integers become floats of as many bits, which
do not have all of them, and are negated or divided as such.
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
        aten.neg.default: _negative,
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
        aten.pow.Tensor_Scalar: _power,
        aten.pow.Tensor_Tensor: _power,
        aten.pow.Scalar: _power,
        aten.bitwise_and.Scalar: _with_tensors(aten.bitwise_and.Tensor),
        aten.bitwise_or.Scalar: _with_tensors(aten.bitwise_or.Tensor),
        aten.bitwise_xor.Scalar: _with_tensors(aten.bitwise_xor.Tensor),
        aten.__lshift__.Tensor: aten.bitwise_left_shift.Tensor,
        aten.__rshift__.Tensor: aten.bitwise_right_shift.Tensor,
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


def _negative(x: Any) -> Any:
    import torch

    if x.is_floating_point() or x.is_complex():
        return NotImplemented
    return torch.zeros((), dtype=x.dtype) - x


def _power(x: Any, exponent: Any) -> Any:
    """Of integers and an integer: the product of the squares that the exponent's digits choose.
    Of integers and floats: that of floats.
    """
    import torch

    base, other = _alike(x, exponent)
    if base.is_floating_point():
        is_mixed = any(
            isinstance(value, torch.Tensor) and value.dtype != base.dtype for value in (x, exponent)
        )
        return torch.pow(base, other) if is_mixed else NotImplemented
    if base.is_complex():
        return NotImplemented
    if base.dtype == torch.bool:
        base, other = base.to(torch.int64), other.to(torch.int64)
    if not isinstance(exponent, int):
        return _power_of_integers(base, other)
    if exponent < 0:
        return NotImplemented
    product = torch.ones_like(base)
    while exponent:
        if exponent % 2:
            product = product * base
        exponent //= 2
        base = base * base if exponent else base
    return product


def _power_of_integers(base: Any, exponent: Any) -> Any:
    """The product of the squares that the exponent's digits choose. Of a negative exponent the
    quotient of 1 and the power, without its remainder.
    """
    import torch

    one, zero = (torch.full((), value, dtype=base.dtype) for value in (1, 0))
    is_odd = (exponent & 1) != 0
    is_negative = exponent < 0
    product, square, rest = one, base, exponent
    info = torch.iinfo(base.dtype)
    # Of numbers with a sign it is the highest digit.
    for _ in range(info.bits if info.min == 0 else info.bits - 1):
        product = product * torch.where((rest & 1) != 0, square, one)
        square = square * square
        rest = rest >> 1
    inverse = torch.where(base == 1, one, zero)
    inverse = torch.where(base == -1, torch.where(is_odd, -one, one), inverse)
    return torch.where(is_negative, inverse, product)


def _with_tensors(op: Any) -> Callable[[Any, Any], Any]:
    return lambda x, y: op(*_alike(x, y))


def _larger(x: Any, y: Any) -> Any:
    return x | y if _are_flags(x, y) else _chosen(x, y, lambda x, y: x < y)


def _smaller(x: Any, y: Any) -> Any:
    return x & y if _are_flags(x, y) else _chosen(x, y, lambda x, y: x > y)


def _are_flags(*values: Any) -> bool:
    """Whether all are tensors of `bool`, of which torch-mlir takes true for -1."""
    import torch

    return all(isinstance(v, torch.Tensor) and v.dtype == torch.bool for v in values)


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
    bounds = [bound for bound in (least, most) if bound is not None]
    if not x.is_floating_point() and not _are_flags(x, *bounds):
        return NotImplemented
    if least is not None:
        x = _larger(x, least)
    return x if most is None else _smaller(x, most)


def _hardtanh(x: Any, least: float = -1, most: float = 1) -> Any:
    import torch

    if not x.is_floating_point():
        return torch.clamp(x, int(least), int(most))
    return _clamp(x, least, most)


def _hardsigmoid(x: Any) -> Any:
    return _clamp(x + 3, 0, 6) / 6


def _threshold(x: Any, threshold: float, value: float) -> Any:
    import torch

    wide, limit, _ = _in_single(x, threshold)
    return torch.where(wide <= limit, torch.full((), value, dtype=x.dtype), x)


def _elu(x: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    import torch

    return torch.where(x < 0, torch.expm1(x * input_scale) * (alpha * scale), x * scale)


def _gelu(x: Any, approximate: str = "none") -> Any:
    import torch

    wide, _, dtype = _in_single(x, x)
    if approximate != "tanh":
        if wide.dtype == dtype:
            return NotImplemented
        return torch.ops.aten.gelu(wide).to(dtype)
    inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * (wide * wide * wide))
    return (0.5 * wide * (1 + torch.tanh(inner))).to(dtype)


def _logaddexp(x: Any, y: Any) -> Any:
    import torch

    x, y, dtype = _in_single(x, y)
    # Of equal infinities the difference is none.
    distance = torch.where(x == y, torch.zeros_like(x), (x - y).abs())
    return (_larger(x, y) + torch.log1p(torch.exp(-distance))).to(dtype)


def _in_single(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Both as tensors, and the element type of the result; floats of 16 bits and less are computed
    in 32, and numbers beside them are not rounded to 16.
    """
    import torch

    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point or dtype.itemsize >= 4:
        return *_alike(x, y), dtype
    x, y = (
        value.to(torch.float32)
        if isinstance(value, torch.Tensor)
        else torch.full((), value, dtype=torch.float32)
        for value in (x, y)
    )
    return x, y, dtype


def _fmod(x: Any, y: Any) -> Any:
    """The remainder of the quotient that is cut off, which has the sign of `x`."""
    import torch

    x, y, dtype = _in_single(*_alike(x, y))
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
        return _floor_divide_integers(x, y)
    rest = _fmod(x, y)
    whole = (x - rest) / y
    whole = torch.where((rest != 0) & ((rest < 0) != (y < 0)), whole - 1, whole)
    down = whole.floor()
    down = torch.where(whole - down > 0.5, down + 1, down)
    quotient = x / y
    down = torch.where(whole != 0, down, _copysign(torch.zeros_like(down), quotient))
    return torch.where(y == 0, quotient, down).to(dtype)


def _floor_divide_integers(x: Any, y: Any) -> Any:
    import torch

    if x.dtype != torch.int64:
        # Floats of 64 bits have all numbers of the others.
        return NotImplemented
    whole = torch.div(x, y, rounding_mode="trunc")
    rest = x - whole * y
    return torch.where((rest != 0) & ((rest < 0) != (y < 0)), whole - 1, whole)


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
