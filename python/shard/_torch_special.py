# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions, which torch-mlir does not lower, in terms of elementary ones.

They are as exact as their type, but for some last bits. float16 and bfloat16 are computed as
float32; the gamma function, which is a small difference of large numbers, as float64.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

# erfc(x) = t exp(P(2 t - 1) - x^2) with t = 2 / (2 + x) for x >= 0: the coefficients of P by the
# polynomials of Chebyshev. float32 needs the first 13.
_ERFC = (
    -0.651326859890854717,
    0.64196979235649026,
    0.0194764732041858363,
    -0.00956151478680863164,
    -0.000946595344482036866,
    0.000366839497852761452,
    0.0000425233248069077716,
    -0.0000202785781125342432,
    -1.62429000464702551e-6,
    1.3036558355805232e-6,
    1.56264417220661432e-8,
    -8.52380959149265425e-8,
    6.5290544390988515e-9,
    5.05934349555146894e-9,
    -9.91364156493033087e-10,
    -2.27365122293183586e-10,
    9.6467911020155268e-11,
    2.39403808303911474e-12,
    -6.8860275264975534e-12,
    8.94487927309072572e-13,
    3.13092139934295808e-13,
    -1.12708223613672524e-13,
    3.81090525518923206e-16,
    7.10609761360923699e-15,
    -1.5230282014571043e-15,
    -9.457494571291234e-17,
    1.21023718922427899e-16,
)

# The approximation of the gamma function by Lanczos for g = 7. With b = z + g + 1/2,
# gamma(z + 1) is sqrt(2 pi) b^(z + 1/2) exp(-b) (c_0 + c_1 / (z + 1) + c_2 / (z + 2) + ...).
_G = 7
_LANCZOS = (
    0.99999999999980993,
    676.5203681218851,
    -1259.1392167224028,
    771.32342877765313,
    -176.61502916214059,
    12.507343278686905,
    -0.13857109526572012,
    9.9843695780195716e-6,
    1.5056327351493116e-7,
)


def special_decompositions() -> dict[Any, Any]:
    import torch

    aten = torch.ops.aten
    return {
        aten.erfc.default: _as_float(_erfc),
        aten.special_erfcx.default: _as_float(_erfcx),
        aten.erfinv.default: _as_float(_erfinv),
        aten.lgamma.default: _as_float(_lgamma, torch.float64),
        aten.digamma.default: _as_float(_digamma, torch.float64),
    }


def _as_float(of: Callable[[Any], Any], least: Any = None) -> Callable[[Any], Any]:
    """`of` with what it takes in the type that it computes in, `least` or a larger one."""
    import torch

    def computed(x: Any) -> Any:
        dtype = x.dtype if x.is_floating_point() else torch.get_default_dtype()
        return of(x.to(torch.promote_types(dtype, least or torch.float32))).to(dtype)

    return computed


def _scaled_tail(size: Any) -> Any:
    """exp(x^2) erfc(x) of x >= 0."""
    import torch

    t = 2 / (2 + size)
    count = len(_ERFC) if size.dtype == torch.float64 else 13
    twice = 4 * t - 2
    before, last = torch.zeros_like(t), torch.zeros_like(t)
    for factor in reversed(_ERFC[1:count]):
        before, last = last, twice * last - before + factor
    return t * torch.exp(0.5 * twice * last - before + _ERFC[0])


def _erfc(x: Any) -> Any:
    import torch

    size = x.abs()
    tail = _scaled_tail(size) * torch.exp(-size * size)
    return torch.where(x < 0, 2 - tail, tail)


def _erfcx(x: Any) -> Any:
    import torch

    scaled = _scaled_tail(x.abs())
    return torch.where(x < 0, 2 * torch.exp(x * x) - scaled, scaled)


def _erfinv(x: Any) -> Any:
    """By steps of Halley's method."""
    import torch

    size = x.abs()
    rest = 1 - size
    t = torch.sqrt(-2 * torch.log(rest / 2))
    y = (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) * math.sqrt(0.5)
    for _ in range(2):
        # Each of the two ways to compare is exact where the other one is not.
        behind = torch.where(size < 0.5, size - torch.erf(y), _erfc(y) - rest)
        y = y + behind / (2 / math.sqrt(math.pi) * torch.exp(-y * y) - y * behind)
    y = torch.where(size < 1e-8, size * (math.sqrt(math.pi) / 2), y)
    y = torch.where(size == 1, math.inf, y)
    return torch.where(x < 0, -y, y)


def _sum_of(factors: Sequence[float], z: Any, power: int) -> Any:
    """c_1 / (z + 1)^power + c_2 / (z + 2)^power + ..."""
    total = 0
    for number, factor in enumerate(factors, 1):
        part = z + number
        total = total + factor / (part if power == 1 else part * part)
    return total


def _lgamma(x: Any) -> Any:
    """Below 1/2 by that of 1 - x."""
    import torch

    is_low = x < 0.5
    z = torch.where(is_low, -x, x - 1)
    base = z + (_G + 0.5)
    series = _LANCZOS[0] + _sum_of(_LANCZOS[1:], z, 1)
    upper = (z + 0.5) * torch.log(base) - base + torch.log(series) + 0.5 * math.log(2 * math.pi)
    # The sine of pi x by that of at most half a turn.
    part = x.abs() - torch.floor(x.abs())
    sine = torch.sin(math.pi * torch.where(part > 0.5, 1 - part, part))
    lower = math.log(math.pi) - torch.log(sine) - upper
    value = torch.where(is_low, lower, upper)
    return torch.where(x.abs() == math.inf, math.inf, value)


def _digamma(x: Any) -> Any:
    """The derivative of `_lgamma`."""
    import torch

    is_low = x < 0.5
    z = torch.where(is_low, -x, x - 1)
    base = z + (_G + 0.5)
    series = _LANCZOS[0] + _sum_of(_LANCZOS[1:], z, 1)
    upper = torch.log(base) - _sum_of(_LANCZOS[1:], z, 2) / series - _G / base
    # The tangent of pi x by that of at most half a turn. NaN at negative integers.
    part = x.abs() - torch.floor(x.abs())
    part = torch.where(part > 0.5, part - 1, part)
    tangent = torch.tan(torch.where(part == 0, math.nan, math.pi * part))
    tangent = torch.where(x < 0, -tangent, tangent)
    value = torch.where(is_low, upper - math.pi / tangent, upper)
    value = torch.where(x == 0, -1 / x, value)
    value = torch.where(x == math.inf, math.inf, value)
    return torch.where(x == -math.inf, math.nan, value)
