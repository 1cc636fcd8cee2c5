# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What programs of PyTorch take and give: types, names, structures."""

import warnings

import numpy as np
import pytest
import torch

import shard
from shard import Grid, P

nn = torch.nn


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


def run(function, *args, module=False):
    program = shard.from_torch(Of(function) if module else function, *args)
    part = program.partition(Grid(2), {program.arguments[0].name: P(0)})
    return part({}, *args) if module else part(*args)


@pytest.mark.parametrize("module", [False, True], ids=["function", "module"])
@pytest.mark.parametrize("dtype", [torch.uint8, torch.uint16, torch.int8])
def test_integers_of_few_bits(dtype, module):
    def all_of_them(x):
        return (
            x + x,
            x // 3,
            torch.div(x, 3, rounding_mode="trunc"),
            x.to(torch.float32) / 255,
            x.sum(),
            x > 100,
            torch.where(x > 100, x, x * 2),
            x,
            x.long(),
        )

    values = [0, 1, 7, 100, 127, 128, 200, 255]
    x = torch.tensor(values).to(dtype)
    try:
        expected = all_of_them(x)
    except (NotImplementedError, RuntimeError):
        pytest.skip(f"PyTorch has no such ops for {dtype}")
    for mine, theirs in zip(run(all_of_them, x, module=module), expected, strict=True):
        assert mine.dtype == theirs.dtype
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize(
    ("dtype", "module"),
    [(torch.uint8, False), (torch.int8, True), (torch.int16, False), (torch.int32, True)],
)
def test_numbers_become_of_the_type_of_the_tensor(dtype, module):
    largest = torch.iinfo(dtype).max
    span = 2 ** torch.iinfo(dtype).bits

    def all_of_them(x):
        return (
            x == span - 1,
            x < -1,
            x >= span + 5,
            x != torch.tensor(-1),
            torch.tensor(largest + 2) <= x,
            x // (span - 2),
            x % (largest - span),
            torch.fmod(x, 2 * span + 6),
            torch.maximum(torch.tensor(span + 5), x),
            x.clamp(min=3 - span) if dtype == torch.uint8 else x.clamp(3, largest),
            x < largest + 0.5,
            x == torch.full((8,), span - 1),
            x**x,
        )

    x = torch.tensor([0, 1, 5, 127, 128, 250, 254, 255]).to(dtype)
    expected = all_of_them(x)
    for mine, theirs in zip(run(all_of_them, x, module=module), expected, strict=True):
        assert mine.dtype == theirs.dtype
        assert torch.equal(mine, theirs)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32])
def test_reciprocals_of_zeros_and_nans(dtype):
    values = [0, 1, -4] if dtype == torch.int32 else [0.0, -0.0, float("nan"), float("inf"), 3.0]
    x = torch.tensor(values, dtype=dtype)
    mine, theirs = run(lambda x: torch.reciprocal(x), x), torch.reciprocal(x)
    assert mine.dtype == theirs.dtype
    assert torch.equal(mine.isnan(), theirs.isnan())
    assert torch.allclose(mine, theirs, equal_nan=True)


@pytest.mark.parametrize("module", [False, True], ids=["function", "module"])
def test_results_that_are_no_tensors(module):
    def results(x):
        return {"y": x * 2, "cache": None, "all": (x.shape[0], "s", 1.5, True, [x, None])}

    x = torch.randn(4, 3)
    given = run(results, x, module=module)
    assert given["cache"] is None
    assert given["all"][:4] == (4, "s", 1.5, True) and given["all"][4][1] is None
    assert torch.equal(given["y"], x * 2) and torch.equal(given["all"][4][0], x)


def test_results_of_unknown_types():
    class Pair:
        def __init__(self, x):
            self.x = x

    for function in (lambda x: (x, Pair(x)), Of(lambda x: (x, Pair(x)))):
        with pytest.raises(shard.ProgramError, match=r"the part 1 of the result is of the type"):
            shard.from_torch(function, torch.ones(4))
    with pytest.raises(shard.ProgramError, match="depends on the values of tensors"):
        shard.from_torch(Of(lambda x: (x, x.sum().item())), torch.ones(4))
    with pytest.raises(shard.ProgramError, match="depends on the values of tensors"):
        shard.from_torch(torch.combinations, torch.ones(4))


SCALARS = {
    "softmax": lambda x: torch.softmax(x, 0),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "logsumexp": lambda x: torch.logsumexp(x, 0),
    "amax": lambda x: x.amax(0),
    "flip": lambda x: x.flip(0),
    "prod": lambda x: x.prod(0),
}


@pytest.mark.parametrize("op", SCALARS)
@pytest.mark.parametrize("module", [False, True], ids=["function", "module"])
def test_ops_along_dimensions_of_scalars(op, module):
    def fn(x):
        return SCALARS[op](x.sum())

    x = torch.arange(4.0)
    assert torch.equal(run(fn, x, module=module), fn(x))


def test_gradients_of_softmax_of_scalars():
    def gradient(x):
        def loss(x):
            return torch.softmax(x.sum(), 0) + 3 * torch.log_softmax(x.sum(), 0)

        return torch.func.grad(loss)(x)

    assert torch.equal(run(gradient, torch.arange(4.0), module=False), torch.zeros(4))
    with pytest.raises(shard.ProgramError, match="pass a function that calls it"):
        shard.from_torch(Of(gradient), torch.arange(4.0))


def test_complex_tensors():
    x = torch.randn(4, 3, dtype=torch.complex64)
    part = shard.from_torch(lambda x: x * x, x).partition(Grid(2), {"x": P(0)})
    for given in (x, x.conj()):
        result = part(given)
        assert result.dtype == torch.complex64
        assert torch.allclose(result, given * given)
    program = shard.from_torch(lambda x: x * x, x.conj())
    assert torch.allclose(program.partition(Grid(2))(x), x * x)


def test_weights_are_found_by_name():
    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 4)).eval()
    model[2].weight = model[0].weight
    model.register_buffer("scale", torch.ones(1), persistent=False)
    x = torch.randn(6, 4)
    program = shard.from_torch(model, x)
    part = program.partition(Grid(2))
    state = model.state_dict()
    assert list(state) != list(program.weights) and "2.weight" in state
    for weights in (state, dict(reversed(state.items())), program.weights):
        assert torch.allclose(part(weights, x), model(x), atol=1e-5)
    tied = {k: v for k, v in state.items() if k != "0.weight"}
    assert torch.allclose(part(tied, x), model(x), atol=1e-5)
    lacking = {k: v for k, v in state.items() if k not in ("0.bias", "1.weight")} | {"w": x}
    with pytest.raises(
        shard.RunError,
        match=r"^the dictionary of weights: 0\.bias, 1\.weight are missing; the program has no w$",
    ):
        part(lacking, x)


def test_structures_that_do_not_fit():
    def both(params, x):
        return params["a"] * x + params["b"]

    x = torch.randn(4)
    part = shard.from_torch(both, {"a": x, "b": x}, x).partition(Grid(2))
    assert torch.equal(part({"b": x, "a": x}, x), x * x + x)
    for arguments, message in [
        (({"a": x}, x), r"made for: params\.b is missing$"),
        (({"a": x, "b": x, "c": x}, x), r"the program has no params\.c$"),
        (({"a": x, "b": x},), "x is missing$"),
        (({"a": x, "b": x}, x.tolist()), "x is one value, not 4 in a tree$"),
        ((x, x), r"params is not one value: it has params\.a, params\.b$"),
    ]:
        with pytest.raises(shard.RunError, match=message):
            part(*arguments)
    scaled = shard.from_torch(lambda x, n: x * n, x, 3).partition(Grid(2))
    with pytest.raises(shard.RunError, match="n: the program was made for 3, not for 4"):
        scaled(x, 4)


def test_arrays_of_numpy_are_tensors():
    x, y = torch.randn(4), np.arange(4, dtype=np.float32)
    program = shard.from_torch(lambda x, y: x * y, x, y)
    assert torch.equal(program.partition(Grid(2))(x, y + 1), x * torch.from_numpy(y + 1))


def test_exported_programs():
    model, x = nn.Linear(4, 3), torch.randn(6, 4)
    exported = torch.export.export(model, (x,))
    for program in (shard.from_torch(exported), shard.from_torch(exported, x)):
        part = program.partition(Grid(2), {"arg0": P(0), "weight": P(0)})
        assert torch.allclose(part(model.state_dict(), x), model(x), atol=1e-5)
    with pytest.raises(TypeError, match="takes no dynamic_shapes: a program has the shapes"):
        shard.from_torch(model, x, dynamic_shapes={"input": {0: torch.export.Dim("b")}})
    with pytest.raises(TypeError, match=r"of TorchScript; pass the torch\.nn\.Module"):
        shard.from_torch(torch.jit.trace(model, x), x)
    with pytest.raises(shard.ProgramError, match=r"x is a tensor of the kind 'torch\.sparse_coo'"):
        shard.from_torch(lambda x: x * 2, x.to_sparse())
    with pytest.raises(shard.ProgramError, match="is a tensor of the kind 'meta'"):
        shard.from_torch(nn.Linear(4, 3, device="meta"), x)


def test_functions_make_no_warnings():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        shard.from_torch(lambda x: x + 1, torch.zeros(2))
    assert [str(w.message) for w in said if w.category is UserWarning] == []
