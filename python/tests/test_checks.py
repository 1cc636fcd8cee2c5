# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is passed wrongly, and messages in terms of Python."""

import numpy as np
import pytest

import shard
from shard import Grid, P

IDENTITY = """
func.func @main(%x: tensor<{0}>) -> tensor<{0}> {{
  return %x : tensor<{0}>
}}"""


@pytest.mark.parametrize("timeout", [float("inf"), 1e9, 10**400, -1, float("nan"), True, "5", None])
def test_times_that_are_none(mlp, tensors, timeout):
    part = mlp.partition(Grid(2), {0: P(0)})
    for call in (part, part.verify):
        with pytest.raises(ValueError, match="is no time to wait; give a number of seconds above"):
            call(*tensors, timeout=timeout)


def test_numbers_of_numpy_are_numbers(mlp, tensors):
    part = mlp.partition(Grid(np.int64(2)), {np.int32(0): P(np.int64(0))}, halo_steps=np.int64(1))
    part(*tensors, timeout=np.float32(30))
    report = part.verify(seed=np.uint64(7), timeout=np.int8(30))
    assert report.passed
    for seed in (-1, 2**64, 1.0, True, "1"):
        with pytest.raises(ValueError, match="a seed is an integer from 0"):
            part.verify(seed=seed)


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_complex_elements(kind):
    parts = {np.complex64: "f32", np.complex128: "f64"}[kind]
    program = shard.load(
        """
        func.func @main(%x: tensor<4x3xKIND>) -> tensor<3x4xKIND> {
          %e = tensor.empty() : tensor<3x4xKIND>
          %t = linalg.transpose ins(%x : tensor<4x3xKIND>) outs(%e : tensor<3x4xKIND>)
              permutation = [1, 0]
          %r = linalg.map { complex.mul } ins(%t, %t : tensor<3x4xKIND>, tensor<3x4xKIND>)
              outs(%e : tensor<3x4xKIND>)
          return %r : tensor<3x4xKIND>
        }""".replace("KIND", f"complex<{parts}>")
    )
    x = (np.arange(12) - 2j * np.arange(12)[::-1]).astype(kind).reshape(4, 3)
    for hint in (P(0), P(None, 0), P()):
        part = program.partition(Grid(2), {0: hint})
        result = part(x)
        assert result.dtype == kind
        np.testing.assert_allclose(result, (x * x).T, rtol=1e-6)
        assert part.verify(x).passed and part.verify().passed
    np.testing.assert_allclose(part(x.tolist()), (x * x).T, rtol=1e-6)
    with pytest.raises(shard.RunError, match="arg0 takes elements of complex"):
        part(x.real.copy())


@pytest.mark.parametrize("element", ["i4", "f80", "i128"])
def test_types_without_a_form_in_numpy(element):
    part = shard.load(IDENTITY.format(f"5x{element}")).partition(Grid(2), {0: P(0)})
    message = f"arg0 has the type 'tensor<5x{element}>', which has no form in numpy"
    for call in (lambda: part(np.zeros(5, np.int8)), part.verify):
        with pytest.raises(shard.ProgramError, match=message):
            call()


def test_messages_name_parameters_of_python(mlp):
    with pytest.raises(shard.ProgramError, match="name one by entry="):
        shard.load("module {}")
    part = shard.load(IDENTITY.format("?xf32")).partition(Grid(2), {0: P(0)})
    with pytest.raises(shard.RunError, match="add uneven_dynamic=True"):
        part(np.ones(5, np.float32))
    with pytest.raises(shard.HintError, match=r"^hint 'arg0=") as caught:
        mlp.partition(Grid(2), {0: "[["})
    assert "--" not in str(caught.value)
    with pytest.raises(shard.HintError, match=r"give one to `partition`, such as shard\.Grid"):
        shard.load(IDENTITY.format("4xf32")).partition(None, {0: "[[0]]"})


def test_parameters_of_wrong_types(mlp):
    for source in (None, 3, []):
        with pytest.raises(TypeError, match="a program is a path, text of MLIR or bytecode"):
            shard.load(source)
    with pytest.raises(TypeError, match="entry is a string, not 3"):
        shard.load("module {}", entry=3)
    with pytest.raises(TypeError, match="name is a string, not 3"):
        shard.load("module {}", name=3)
    with pytest.raises(ValueError, match="the program has a character that UTF-8 does not"):
        shard.load("\udcff{")
    with pytest.raises(TypeError, match="cpu is a string, not 3"):
        mlp.partition(Grid(2), cpu=3)
    with pytest.raises(TypeError, match="uneven_dynamic is True or False, not 'no'"):
        mlp.partition(Grid(2), uneven_dynamic="no")


def test_names_by_number(mlp, megatron):
    with pytest.raises(KeyError, match="there is no result 9: the program has 1"):
        megatron.explain("result9")
    with pytest.raises(KeyError, match="there is no argument 3: the program has 3"):
        megatron.explain("arg3")
    with pytest.raises(TypeError, match="about is a string, not 3"):
        megatron.explain(3)
    with pytest.raises(shard.HintError, match="the hint 'arg01' names nothing"):
        mlp.partition(Grid(2), {"arg01": P(0)})
