# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import shard
from shard import Grid, P

ALL_TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"]


def test_lists_scalars_and_strided_arrays():
    program = shard.load(
        """
        func.func @main(%x: tensor<4x3xf32>, %s: f32) -> tensor<4x3xf32> {
          %t = tensor.splat %s : tensor<4x3xf32>
          %r = arith.mulf %x, %t : tensor<4x3xf32>
          return %r : tensor<4x3xf32>
        }"""
    )
    part = program.partition(Grid(2), {0: P(0)})
    x = np.arange(24, dtype=np.float32).reshape(3, 8).T[::2]
    np.testing.assert_array_equal(part(x, 2), x * 2)
    np.testing.assert_array_equal(part(x.tolist(), np.float32(2)), x * 2)


IDENTITIES = """
func.func @main(%i: tensor<3xi8>, %b: tensor<3xi1>, %h: tensor<3xbf16>, %d: tensor<?x2xf32>,
                %s: tensor<f32>)
    -> (tensor<3xi8>, tensor<3xi1>, tensor<3xbf16>, tensor<?x2xf32>, tensor<f32>) {
  %0 = arith.addi %i, %i : tensor<3xi8>
  %1 = arith.addf %h, %h : tensor<3xbf16>
  %2 = arith.addf %d, %d : tensor<?x2xf32>
  %3 = arith.addf %s, %s : tensor<f32>
  return %0, %b, %1, %2, %3
      : tensor<3xi8>, tensor<3xi1>, tensor<3xbf16>, tensor<?x2xf32>, tensor<f32>
}"""
FITTING = [
    [1, 2, 3],
    [True, False, True],
    [0.5, 1, 2],
    np.arange(8, dtype=np.float32).reshape(4, 2),
    2.5,
]


def test_arrays_in_other_layouts():
    part = shard.load(IDENTITIES).partition(Grid(2), {3: P(0)})
    expected = part(*FITTING)
    assert [v.dtype.name for v in expected] == ["int8", "bool", "bfloat16", "float32", "float32"]
    x = FITTING[3]
    spread = np.repeat(x, 3, axis=0)[::3]
    assert not spread.flags.c_contiguous
    locked = x.copy()
    locked.flags.writeable = False
    swapped = x.astype(x.dtype.newbyteorder("S"))
    backwards = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    # Where every byte but 0 is True.
    flags = np.array([7, 0, 128], np.uint8).view(np.bool_)
    for other in (spread, np.asfortranarray(x), locked, swapped, backwards, x.tolist()):
        results = part(FITTING[0], flags, FITTING[2], other, np.float32(2.5))
        for mine, known in zip(results, expected, strict=True):
            assert mine.dtype == known.dtype
            assert mine.shape == known.shape
            assert mine.tobytes() == known.tobytes()
    assert part(*FITTING[:3], np.zeros((0, 2), np.float32), 2.5)[3].shape == (0, 2)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        (0, [1.5, 2, 3], r"arg0: \[1.5, 2.0, 3.0\] has numbers that int8 does not hold"),
        (0, [1, 2, 300], "arg0: .*out of bounds for int8"),
        (0, [1, 2, 2**70], "arg0: .*too large"),
        (1, [1, 0, 2], r"arg1: \[1, 0, 2\] has numbers that bool does not hold"),
        (1, np.ones(3, np.uint8), "arg1 takes elements of bool .i1., the array has uint8"),
        (2, np.ones(3, np.float32), "arg2 takes elements of bfloat16 .bf16., .* float32"),
        (3, np.ones((4, 3), np.float32), r"arg3 takes a tensor of shape \(any, 2\), not \(4, 3\)"),
        (3, np.ones((5, 2), np.float32), "argument 3: dynamic dimension 0 .* 2 devices do not"),
        (4, np.ones(1, np.float32), r"arg4 takes a tensor of shape \(\), not \(1,\)"),
    ],
)
def test_values_that_do_not_fit(argument, value, message):
    part = shard.load(IDENTITIES).partition(Grid(2), {3: P(0)})
    values = list(FITTING)
    values[argument] = value
    with pytest.raises(shard.RunError, match=message):
        part(*values)


@pytest.mark.parametrize("element_type", ALL_TYPES)
def test_element_types_come_back_as_they_were(element_type):
    program = shard.load(
        f"""
        func.func @main(%x: tensor<5x3x{element_type}>) -> tensor<3x5x{element_type}> {{
          %e = tensor.empty() : tensor<3x5x{element_type}>
          %r = linalg.transpose ins(%x : tensor<5x3x{element_type}>)
                                outs(%e : tensor<3x5x{element_type}>) permutation = [1, 0]
          return %r : tensor<3x5x{element_type}>
        }}"""
    )
    dtypes = {"i1": np.bool_, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
    dtype = np.dtype(
        dtypes.get(element_type, element_type.replace("i", "int").replace("f", "float"))
    )
    x = (np.arange(15) - 7).reshape(5, 3).astype(dtype)
    result = program.partition(Grid(2), {0: P(None, 0)})(x)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, x.T)


def test_empty_tensors_and_several_results():
    program = shard.load(
        """
        func.func @main(%x: tensor<0x4xf32>, %i: tensor<3xi32>)
            -> (tensor<0x4xf32>, tensor<3xi32>) {
          %0 = arith.negf %x : tensor<0x4xf32>
          %1 = arith.addi %i, %i : tensor<3xi32>
          return %0, %1 : tensor<0x4xf32>, tensor<3xi32>
        }"""
    )
    first, second = program.partition(Grid(2), {0: P(None, 0), 1: P(0)})(
        np.zeros((0, 4), np.float32), np.array([1, 2, 3], np.int32)
    )
    assert first.shape == (0, 4)
    np.testing.assert_array_equal(second, [2, 4, 6])


MEMORY = """
import resource
import numpy as np
import shard
program = shard.load('''
func.func @main(%x: tensor<64x1048576xf32>, %y: tensor<64x1048576xf32>) -> tensor<64xf32> {
  %a = tensor.extract_slice %x[0, 0] [64, 1] [1, 1] : tensor<64x1048576xf32> to tensor<64xf32>
  %b = tensor.extract_slice %y[0, 0] [64, 1] [1, 1] : tensor<64x1048576xf32> to tensor<64xf32>
  %r = arith.addf %a, %b : tensor<64xf32>
  return %r : tensor<64xf32>
}''')
part = program.partition(shard.Grid(2), {0: shard.P(0), "result0": shard.P(0)})
x = np.ones((64, 1 << 20), np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = part(x, x)
assert (result == 2).all()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


def test_blocks_in_one_piece_are_not_copied():
    # x has 256 MiB: one argument is split by rows, the other whole on both devices.
    process = subprocess.run(
        [sys.executable, "-c", MEMORY],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(process.stdout) < 128


RESULT_MEMORY = """
import resource
import numpy as np
import shard
program = shard.load('''
func.func @main(%x: tensor<16xf32>, %n: f32) -> tensor<16x2097152xf32> {
  %e = tensor.empty() : tensor<16x2097152xf32>
  %r = linalg.broadcast ins(%x : tensor<16xf32>) outs(%e : tensor<16x2097152xf32>)
      dimensions = [1]
  return %r : tensor<16x2097152xf32>
}''')
part = program.partition(shard.Grid(DEVICES), {"result0": SHARDING})
x = np.arange(16, dtype=np.float32)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = part(x, 1)
del part, program
assert (result[:, ::4096] == x[:, None]).all()
result[3, 5] = 7
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) >> 10)
"""


@pytest.mark.parametrize(
    ("devices", "sharding", "buffers"),
    [(1, "shard.P()", 1), (2, "shard.P()", 2), (2, "shard.P(0)", 2), (2, "shard.P(None, 0)", 2)],
    ids=["one device", "replicated", "rows", "columns"],
)
def test_results_are_copied_once_or_not_at_all(devices, sharding, buffers):
    # The result has 128 MiB. If a device has it whole, its buffer is the array; the blocks
    # of several devices are copied into the array, once.
    script = RESULT_MEMORY.replace("DEVICES", str(devices)).replace("SHARDING", sharding)
    process = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert int(process.stdout) < 128 * buffers + 32


def test_results_have_memory_of_their_own():
    program = shard.load(
        """
        func.func @main(%x: tensor<4x3xf32>)
            -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
          %r = arith.addf %x, %x : tensor<4x3xf32>
          return %x, %r, %r : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
        }"""
    )
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for grid, hint in [(Grid(1), P()), (Grid(2), P()), (Grid(2), P(0))]:
        part = program.partition(grid, {0: hint})
        results = part(x)
        arrays = [x, *results]
        for i, one in enumerate(arrays):
            assert one.flags.writeable and one.flags.c_contiguous and one.flags.aligned
            assert not any(np.shares_memory(one, other) for other in arrays[:i])
        results[1][:] = -1
        np.testing.assert_array_equal(results[2], x * 2)
        np.testing.assert_array_equal(part(x)[1], x * 2)


def test_arrays_at_odd_addresses():
    program = shard.load(
        """
        func.func @main(%x: tensor<6xf64>) -> tensor<6xf64> {
          %r = arith.addf %x, %x : tensor<6xf64>
          return %r : tensor<6xf64>
        }"""
    )
    part = program.partition(Grid(2), {0: P(0)})
    odd = np.zeros(49, np.uint8)[1:].view(np.float64)
    odd[:] = np.arange(6)
    assert not odd.flags.aligned
    np.testing.assert_array_equal(part(odd), np.arange(6) * 2.0)
    readonly = np.arange(6.0)
    readonly.flags.writeable = False
    np.testing.assert_array_equal(part(readonly), np.arange(6) * 2.0)
