# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ops of PyTorch on zeros, infinities and NaNs; quotients that are near integers."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

import shard
from shard import Grid, P

SPECIAL = [0.0, -0.0, 1, -1, 0.1, -0.1, 0.3, 2.5, -2.5, 3e38, math.inf, -math.inf, math.nan]
X, Y = (torch.tensor(column) for column in zip(*itertools.product(SPECIAL, SPECIAL), strict=True))
INTEGERS = torch.arange(-84, 85, dtype=torch.int32) * 11
# Neighbours of numbers that floats of as many bits have.
LARGE = 2**24 + 1 + torch.arange(169, dtype=torch.int32)
LONGS = (2**53 + 1 + torch.arange(169)) * torch.where(torch.arange(169) % 2 == 0, 1, -1)
DIVISORS = torch.where(torch.arange(169) % 2 == 0, 7, -3).to(torch.int32)

OPS = {
    "equal to itself": lambda x, y, i, j: x == x,
    "equal": lambda x, y, i, j: x == y,
    "maximum": lambda x, y, i, j: torch.maximum(x, y),
    "minimum": lambda x, y, i, j: torch.minimum(x, y),
    "maximum of integers": lambda x, y, i, j: torch.maximum(i, j),
    "clamp": lambda x, y, i, j: x.clamp(-0.5, 2),
    "clamp from below": lambda x, y, i, j: x.clamp(min=0.1),
    "clamp from above": lambda x, y, i, j: x.clamp(max=0.1),
    "clamp by tensors": lambda x, y, i, j: torch.clamp(x, y, y + 1),
    "clamp by a NaN": lambda x, y, i, j: x.clamp(math.nan, 1),
    "clamp integers": lambda x, y, i, j: i.clamp(-5, 7),
    "clamp integers by floats": lambda x, y, i, j: i.clamp(-5.5, 7),
    "clamp flags from below": lambda x, y, i, j: torch.clamp_min(i > 0, x > y),
    "clamp flags from above": lambda x, y, i, j: torch.clamp_max(i > 0, x > y),
    "bytes of floats": lambda x, y, i, j: (i + x.clamp(-1, 1).nan_to_num()).to(torch.uint8),
    "bytes of halves": lambda x, y, i, j: (i % 256).to(torch.float16).byte().float(),
    "signed bytes of floats": lambda x, y, i, j: (i * 0.25).to(torch.int8),
    "16 bits of floats": lambda x, y, i, j: (i * 100.5).to(torch.int16),
    "hardtanh of integers": lambda x, y, i, j: F.hardtanh(i, -2.5, 3.0),
    "hardtanh": lambda x, y, i, j: F.hardtanh(x, -2.0, 3.0),
    "relu6": lambda x, y, i, j: F.relu6(x),
    "hardsigmoid": lambda x, y, i, j: F.hardsigmoid(x),
    "normalize": lambda x, y, i, j: F.normalize(x.reshape(13, 13), dim=1).reshape(-1),
    "threshold": lambda x, y, i, j: F.threshold(x, 0.1, 2),
    "elu": lambda x, y, i, j: F.elu(x * 1e-3, 0.7),
    "selu": lambda x, y, i, j: F.selu(x * 1e-3),
    "gelu by tanh": lambda x, y, i, j: F.gelu(x, approximate="tanh"),
    "logaddexp": lambda x, y, i, j: torch.logaddexp(x, y),
    "floor_divide": lambda x, y, i, j: x // y,
    "floor_divide by 0.1": lambda x, y, i, j: x // 0.1,
    "floor_divide by an integer": lambda x, y, i, j: x // j,
    "floor_divide of 64 bits": lambda x, y, i, j: x.double() // y.double(),
    "div by floor": lambda x, y, i, j: torch.div(x, -0.3, rounding_mode="floor"),
    "div by trunc": lambda x, y, i, j: torch.div(x, y, rounding_mode="trunc"),
    "div of integers": lambda x, y, i, j: torch.div(i, j, rounding_mode="floor"),
    # PyTorch gives a NaN for the rest of 3e38 and other numbers, depending on the CPU.
    "fmod": lambda x, y, i, j: torch.fmod(x.clamp(-1e5, 1e5), y),
    "fmod by 0.3": lambda x, y, i, j: torch.fmod(x.clamp(-1e5, 1e5), 0.3),
    "fmod of integers": lambda x, y, i, j: torch.fmod(i, j),
    "fmod of integers by -3": lambda x, y, i, j: torch.fmod(i, -3),
    "negative": lambda x, y, i, j: -(i + LARGE),
    "negative of 64 bits": lambda x, y, i, j: -(i + LONGS),
    "quotients of 64 bits": lambda x, y, i, j: (i + LONGS) // j,
    "quotients of 64 bits and 3": lambda x, y, i, j: torch.div(i + LONGS, 3, rounding_mode="floor"),
    "squares of integers": lambda x, y, i, j: (i + LARGE) ** 2,
    "powers of integers": lambda x, y, i, j: i.pow(7) + i**0,
    "integers to the power of integers": lambda x, y, i, j: (i % 5 - 2) ** j + i ** (j + 3),
    "numbers to the power of integers": lambda x, y, i, j: 2 ** (i & 63) - 3 ** (i & 31),
    "roots of integers": lambda x, y, i, j: (i * i) ** 0.5,
    "floats to the power of integers": lambda x, y, i, j: x**j,
    "numbers to the power of floats": lambda x, y, i, j: 2**x,
    "shifts by tensors": lambda x, y, i, j: (i << (j & 3)) - (i >> (j & 3)),
    "bits and numbers": lambda x, y, i, j: ((i & 12) | 3) ^ 5,
    "hypot": lambda x, y, i, j: torch.hypot(x, y),
    "isfinite": lambda x, y, i, j: torch.isfinite(x),
    "isclose": lambda x, y, i, j: torch.isclose(x, y),
    "isclose with NaNs": lambda x, y, i, j: torch.isclose(x, y, equal_nan=True),
    "isclose of integers": lambda x, y, i, j: torch.isclose(i, j, 0.5, 1),
}


def half(fn):
    return lambda x, y, i, j: fn(x.bfloat16(), y.bfloat16())


# Computed in 32 bits, and so is the number beside a tensor, but in `fmod`.
HALF = {
    "threshold": half(lambda x, y: F.threshold(x, 0.1, 2)),
    "floor_divide by 0.1": half(lambda x, y: x // 0.1),
    "fmod by 0.3": half(lambda x, y: torch.fmod(x.clamp(-100, 100), 0.3)),
    "clamp": half(lambda x, y: x.clamp(-0.3, 0.3)),
    "maximum": half(torch.maximum),
    "elu": half(lambda x, y: F.elu(x * 1e-3)),
    "gelu": half(lambda x, y: F.gelu(x.clamp(-9, 9))),
    "gelu by tanh": half(lambda x, y: F.gelu(x, approximate="tanh")),
    "logaddexp": half(torch.logaddexp),
}


@pytest.mark.parametrize("case", HALF)
def test_of_16_bits(case):
    args = (X, Y, INTEGERS, DIVISORS)
    part = shard.from_torch(HALF[case], *args).partition(Grid(2), {"x": P(0)})
    found, wanted = torch.as_tensor(part(*args)), HALF[case](*args)
    torch.testing.assert_close(found, wanted, rtol=8e-3, atol=0, equal_nan=True)


# What `tanh` and `log1p` round, on which libraries differ by CPU, where most of it is taken away
# again: two places of 1, times half of 2.5 for GELU.
ROUNDED = {"gelu by tanh": 2.5 * 2**-23, "logaddexp": 2 * 2**-23}


@pytest.mark.parametrize("case", OPS)
@pytest.mark.parametrize("is_module", [False, True])
def test_as_pytorch_defines_it(case, is_module):
    class Module(torch.nn.Module):
        def forward(self, x, y, i, j):
            return OPS[case](x, y, i, j)

    args = (X, Y, INTEGERS, DIVISORS)
    program = shard.from_torch(Module() if is_module else OPS[case], *args)
    part = program.partition(Grid(2), {"x": P(0), "y": P(0)})
    found = torch.as_tensor(part({}, *args) if is_module else part(*args))
    wanted, atol = OPS[case](*args), ROUNDED.get(case, 0)
    torch.testing.assert_close(found, wanted, rtol=2e-6, atol=atol, equal_nan=True)


def test_quotients_are_not_rounded_up():
    found = shard.from_torch(lambda x: x // 0.1, torch.ones(4)).partition(Grid(2))(torch.ones(4))
    assert found.tolist() == [9.0] * 4


def test_gradients_of_what_is_clamped():
    def step(x):
        return torch.func.grad(lambda x: (F.relu6(x) * x.clamp(-1, 2) + F.elu(x)).sum())(x)

    x = torch.linspace(-3, 8, 24)
    part = shard.from_torch(step, x).partition(Grid(3), {"x": P(0)})
    torch.testing.assert_close(torch.as_tensor(part(x)), step(x))
