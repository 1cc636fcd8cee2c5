# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scatters of PyTorch, and ops that are not read."""

import pytest
import torch
from test_torch_values import Of

import shard
from shard import Grid, P

X = torch.arange(24.0).reshape(4, 6).sin()
INDEX = torch.tensor([[0, 1, 5, 3], [2, 4, 0, 1], [3, 3, 2, 5], [1, 0, 4, 2]])


def put(c, k, pos):
    c = c.clone()
    c[:, pos] = k
    return c


def fill(x):
    x = x.clone()
    x[x > 0] = -1.0
    return x


def put_pairs(x, i, y):
    x = x.clone()
    x[i, torch.arange(3)] = y
    return x


CASES = {
    "cache": (put, torch.zeros(2, 8, 4), torch.randn(2, 1, 4), torch.tensor([3])),
    "caches": (put, torch.zeros(2, 8, 4), torch.randn(2, 3, 4), torch.tensor([3, -1, 0])),
    "infinite": (put, torch.zeros(2, 8), torch.full((2, 2), torch.inf), torch.tensor([3, 5])),
    "pairs": (put_pairs, X, torch.tensor([1, 0, 3]), torch.randn(3)),
    "add": (
        lambda x, i, y: x.index_put((i,), y, accumulate=True),
        X,
        torch.tensor([1, 1, 3]),
        torch.randn(3, 6),
    ),
    "mask": (fill, X),
    "index_add": (lambda x, i: x.index_add(0, i, x[:2]), X, torch.tensor([1, 1])),
    "index_copy": (lambda x, i: x.index_copy(1, i, x[:, :2]), X, torch.tensor([1, 3])),
    "index_fill": (lambda x, i: x.index_fill(0, i, 2.0), X, torch.tensor([1, 3])),
    "scatter": (lambda x, i: x.scatter(1, i, x * 2), X, INDEX),
    "scatter of rows": (lambda x, i: x.scatter(0, i[:3, :2] % 4, x * 2), X, INDEX[1:, :]),
    "scatter of a number": (lambda x, i: x.scatter(1, i, 7), X.to(torch.int32), INDEX),
    "scatter_add": (lambda x, i: x.scatter_add(1, i, x * 2), X, INDEX),
    "scatter_reduce": (lambda x, i: x.scatter_reduce(1, i, x * 2, "amax"), X, INDEX),
    "flags": (lambda x, i: x.scatter(1, i, x.roll(1, 1)), X > 0, INDEX),
    "constant": (lambda x: x.index_put((torch.tensor([1]),), x[:1]), X),
    "cumprod": (lambda x: x.cumprod(1), X),
}


@pytest.mark.parametrize("case", CASES)
def test_scatters(case):
    function, *args = CASES[case]
    expected = function(*args)
    program = shard.from_torch(function, *args)
    for hint in (P(0), P(None, 0)):
        part = program.partition(Grid(2), {0: hint})
        result = part(*args)
        assert result.dtype == expected.dtype
        assert torch.allclose(result, expected, atol=1e-6)
    part.verify(*args)


def test_a_cache_stays_split():
    function, *args = CASES["cache"]
    program = shard.from_torch(function, *args)
    for hint in (P(0), P(None, 0), P(None, None, 0)):
        part = program.partition(Grid(2), {0: hint})
        assert part.results[0].spec.dims[: len(hint.dims)] == hint.dims
        assert len(part.collectives) == 0


def not_read(function, *args):
    """The errors of the function and of a module, which name the line of the function."""
    for program in (function, Of(function)):
        with pytest.raises(shard.ProgramError) as caught:
            shard.from_torch(program, *args)
        text = str(caught.value)
        line = function.__code__.co_firstlineno + 1
        if program is function:
            assert text.startswith(f"{__file__}:{line}: "), text
        else:
            places = (f"{Of.forward.__code__.co_filename}:", f"{__file__}:{line}: ")
            assert text.startswith(places), text
        assert caught.value.diagnostics[0].line > 0
        assert "pass pipeline" not in text
        yield text


def test_ops_that_are_not_lowered():
    def histogram(x):
        return torch.histc(x, 4, 0, 1)

    def masked(x):
        return x.index_put((x[:, 0] > 0, torch.tensor([1])), torch.tensor(2.0))

    def complex_inverse(x):
        return torch.linalg.inv(x[:, :4].to(torch.complex64)).real

    for text in not_read(histogram, X):
        assert "torch-mlir cannot lower 'aten.histc'" in text
    for text in not_read(masked, X):
        assert "lowers 'aten.index_put.default' to 'tm_tensor.scan'" in text
    for text in not_read(complex_inverse, X):
        assert "'aten.linalg_inv_ex" in text


def test_shapes_that_depend_on_values():
    def chosen(x):
        return x[x > 0]

    def places(x):
        return x.nonzero()

    def number(x):
        return x * x.sum().item()

    def turns(x):
        return x if x.sum() > 0 else -x

    def cuts(x):
        return torch.tensor_split(x, x[0, :2].to(torch.int64))

    for function in (chosen, places, number, turns, cuts):
        for text in not_read(function, X):
            assert "depends on the values of tensors, which are not known before" in text


def test_hints_for_lines_of_a_function():
    def layer(x, up, down):
        h = torch.tanh(x @ up)
        return h @ down

    program = shard.from_torch(layer, torch.ones(4, 8), torch.ones(8, 6), torch.ones(6, 8))
    key = f"test_torch_ops.py:{layer.__code__.co_firstlineno + 1}"
    part = program.partition(Grid(model=2), {key: P(None, "model"), "result0": P()})
    shardings = {value.name: value.sharding for value in part.arguments}
    assert (shardings["up"], shardings["down"]) == ("[[], [model]]", "[[model], []]")


def test_layers_of_the_library_are_called_at_a_line_of_the_user():
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.pool = torch.nn.FractionalMaxPool2d(2, output_size=2)

        def forward(self, x):
            return self.pool(x)

    line = Model.forward.__code__.co_firstlineno + 1
    with pytest.raises(shard.ProgramError, match="torch-mlir cannot lower 'aten") as caught:
        shard.from_torch(Model(), torch.randn(1, 3, 5, 5))
    assert str(caught.value).startswith(f"{__file__}:{line}: ")
