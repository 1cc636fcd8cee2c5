# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions of PyTorch, and ops that only PyTorch's own decompositions lower."""

import pytest
import torch

import shard
from shard import Grid, P

FUNCTIONS = {
    "erfc": torch.erfc,
    "erfcx": torch.special.erfcx,
    "erfinv": torch.erfinv,
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_special_functions(name, dtype):
    function = FUNCTIONS[name]
    ends = [0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 1e-9, -1e-9, torch.inf, -torch.inf, torch.nan]
    unit = 1 if name == "erfinv" else 9
    x = torch.cat([torch.tensor(ends), unit * (2 * torch.rand(85) - 1)]).to(dtype).reshape(8, 12)
    expected = function(x.double()).to(dtype)
    program = shard.from_torch(function, x)
    (argument,) = program.arguments
    exact = 2e-5 if dtype == torch.float32 else 1e-12
    for hint in (P(0), P(None, 0)):
        found = torch.as_tensor(program.partition(Grid(3), {argument.name: hint})(x))
        assert found.dtype == dtype
        torch.testing.assert_close(found, expected, rtol=exact, atol=exact, equal_nan=True)


def test_special_functions_of_integers_and_halves():
    x = torch.arange(1, 9)
    found = shard.from_torch(torch.lgamma, x).partition(Grid(2), {})(x)
    torch.testing.assert_close(torch.as_tensor(found), torch.lgamma(x))
    half = torch.rand(8).to(torch.bfloat16).float()

    def of_half(x):
        return torch.erfc(x.to(torch.bfloat16)).float()

    found = shard.from_torch(of_half, half).partition(Grid(2), {"x": P(0)})(half)
    torch.testing.assert_close(torch.as_tensor(found), of_half(half), rtol=1e-2, atol=1e-2)


# With numbers that float32 rounds, or weights that follow from sizes.
DOUBLES = {
    "a number minus": lambda x: 1.1 - x,
    "a number minus some": lambda x: torch.rsub(x, 1.1, alpha=0.3),
    "a number minus integers": lambda x: 1.1 - x.to(torch.int64),
    "linspace": lambda x: x + torch.linspace(0.1, 0.7, 12, dtype=torch.float64),
    "linear": lambda x: torch.nn.functional.interpolate(x[None], size=7, mode="linear"),
    "cubic": lambda x: torch.nn.functional.interpolate(
        x[None, None], size=(5, 9), mode="bicubic", align_corners=True
    ),
}


@pytest.mark.parametrize("name", DOUBLES)
def test_doubles_are_not_rounded(name):
    function = DOUBLES[name]
    x = 3 * torch.rand(8, 12, dtype=torch.float64)
    found = shard.from_torch(function, x).partition(Grid(2), {"x": P(0)})(x)
    torch.testing.assert_close(torch.as_tensor(found), function(x), rtol=1e-13, atol=1e-13)


# Ops that neither torch-mlir nor this package lowers: PyTorch's decompositions do.
DECOMPOSED = {
    "addmv": lambda x, y: torch.addmv(y[0], x, x[0], beta=2, alpha=3),
    "dist": lambda x, y: torch.dist(x, y, 3),
    "narrow_copy": lambda x, y: torch.narrow_copy(x, 1, 2, 3) + 1,
    "two of them": lambda x, y: (
        torch.dist(torch.unbind_copy(x)[1], y[1]) + torch.permute_copy(y, [1, 0])
    ),
}


@pytest.mark.parametrize("name", DECOMPOSED)
def test_decompositions_of_pytorch(name):
    x, y = torch.randn(6, 6), torch.randn(6, 6)
    function = DECOMPOSED[name]
    program = shard.from_torch(function, x, y)
    for hint in (P(0), P(None, 0)):
        part = program.partition(Grid(2), {"x": hint})
        assert part.verify(x, y)
        found = torch.as_tensor(part(x, y))
        torch.testing.assert_close(found, function(x, y), rtol=1e-4, atol=1e-5)


COMPLEX = {
    "of flags": lambda x: (x > 0).to(torch.complex64),
    "of bytes": lambda x: (x.abs() * 80).to(torch.uint8).to(torch.complex64),
    "times flags": lambda x: torch.complex(x, x + 1) * (x > 0),
    "put by flags": lambda x: torch.complex(x, x).index_put((x > 0,), torch.complex(x, -x)[0, 0]),
    "chosen by flags": lambda x: torch.where(x > 0, torch.complex(x, x), torch.complex(x, -x)),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers_of_flags_and_integers(name):
    x = torch.randn(6, 6)
    found = shard.from_torch(COMPLEX[name], x).partition(Grid(2), {"x": P(0)})(x)
    torch.testing.assert_close(torch.as_tensor(found), COMPLEX[name](x))


MASK = torch.tensor([[True, False, True], [False, False, True]])
ROWS = torch.tensor([True, False, True, False, False, True])


def put(places, values, accumulate=False):
    def function(x, y):
        return torch.ops.aten.index_put(x, places(x), values(y), accumulate)

    return function


MASKED = {
    "one value": put(lambda x: (x > 0,), lambda y: y[0, 0]),
    "rows": put(lambda x: (ROWS,), lambda y: y[:3]),
    "one row": put(lambda x: (ROWS,), lambda y: y[2]),
    "one row of several": put(lambda x: (ROWS,), lambda y: y[2:3]),
    "columns": put(lambda x: (None, ROWS), lambda y: y[:, :3]),
    "columns of one row": put(lambda x: (None, ROWS), lambda y: y[1, :3]),
    "columns of one column": put(lambda x: (None, ROWS), lambda y: y[:, :1]),
    "added rows": put(lambda x: (ROWS,), lambda y: y[:3], accumulate=True),
    "elements": lambda x, y: x.reshape(2, 3, 6).index_put((MASK,), y[:3]),
    "masked_scatter": lambda x, y: x.masked_scatter(ROWS, y),
    "masked_scatter of some": lambda x, y: x[0].masked_scatter(ROWS, y[0, :3]),
}


@pytest.mark.parametrize("name", MASKED)
def test_values_at_a_mask(name):
    x, y = torch.randn(6, 6), torch.randn(6, 6)
    program = shard.from_torch(MASKED[name], x, y)
    for hints in ({"x": P(0)}, {"x": P(None, 0)}, {"y": P(0)}):
        found = torch.as_tensor(program.partition(Grid(2), hints)(x, y))
        torch.testing.assert_close(found, MASKED[name](x, y))


def test_what_a_decomposition_cannot_do_is_an_error_about_the_op():
    def step(x):
        return torch.addmv(x[0], x, x[1]) + torch.frexp(x).mantissa

    with pytest.raises(shard.ProgramError, match=r"torch-mlir cannot lower 'aten\.frexp") as caught:
        shard.from_torch(step, torch.randn(4, 4))
    assert "test_torch_special.py" in str(caught.value)
