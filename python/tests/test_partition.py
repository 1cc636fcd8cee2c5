# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import subprocess
import sys
import threading

import ml_dtypes
import numpy as np
import pytest

import shard
from shard import Grid, P

ALL_TYPES = ["i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"]


def test_the_result_is_numpys(megatron, tensors):
    x, up, down = tensors
    result = megatron(x, up, down)
    np.testing.assert_allclose(result, np.tanh(x @ up) @ down, rtol=0, atol=2e-5)
    np.testing.assert_array_equal(result, megatron(x, up, down))


def test_what_it_sends_is_known_before_the_run(megatron, tensors):
    (row,) = megatron.collectives
    assert (row.kind, row.axes, row.calls, row.bytes) == ("all_reduce", ("model",), 1, 256)
    assert row.location == "mlp.mlir:11:8"
    assert row.needed_by == "result 0 of linalg.matmul"
    assert megatron.collectives.bytes == 256
    megatron(*tensors)
    (measured,) = megatron.last_run.collectives
    assert (measured.kind, measured.calls, measured.bytes) == (row.kind, row.calls, row.bytes)
    assert measured.seconds > 0


def test_predicted_bytes_are_the_counted_ones():
    program = shard.load(
        """
        func.func @main(%x: tensor<12x20xf32>, %y: tensor<20x16xf32>) -> tensor<12x16xf32> {
          %zero = arith.constant 0.0 : f32
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %e = tensor.empty() : tensor<12x16xf32>
          %f = linalg.fill ins(%zero : f32) outs(%e : tensor<12x16xf32>) -> tensor<12x16xf32>
          %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %f) -> tensor<12x16xf32> {
            %m = linalg.matmul ins(%x, %y : tensor<12x20xf32>, tensor<20x16xf32>)
                               outs(%f : tensor<12x16xf32>) -> tensor<12x16xf32>
            %s = arith.addf %a, %m : tensor<12x16xf32>
            scf.yield %s : tensor<12x16xf32>
          }
          return %r : tensor<12x16xf32>
        }"""
    )
    for grid, hints in [
        (Grid(4), {0: P(None, 0), "result0": P()}),
        (Grid(4), {0: P(None, 0), "result0": P(0)}),
        (Grid(2, 2), {0: P(0, 1), 1: P(1, 0), "result0": P(None, (0, 1))}),
        (Grid(4), {0: P(0), "result0": P(None, 0)}),
    ]:
        part = program.partition(grid, hints)
        assert len(part.collectives) > 0
        part.verify()

        def totals(table):
            sums = {}
            for row in table:
                calls, sent = sums.get((row.kind, row.axes, row.location), (0, 0))
                sums[row.kind, row.axes, row.location] = (calls + row.calls, sent + row.bytes)
            return sums

        assert totals(part.collectives) == totals(part.last_run.collectives)


def test_exchanges_of_halos_are_listed():
    program = shard.load(
        """
        shard.grid @g(shape = 2x3)
        func.func @main(%x: tensor<8x9xf32>) -> tensor<8x9xf32> {
          %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
          %h = shard.sharding @g split_axes = [[0], [1]] halo_sizes = [1, 1, 0, 1]
              : !shard.sharding
          %0 = shard.shard %x to %s : tensor<8x9xf32>
          %1 = shard.shard %0 to %h annotate_for_users : tensor<8x9xf32>
          %2 = math.exp %1 : tensor<8x9xf32>
          return %2 : tensor<8x9xf32>
        }"""
    )
    part = program.partition()
    part.verify()
    (row,) = part.collectives
    (measured,) = part.last_run.collectives
    assert (row.kind, row.axes, row.calls) == ("update_halo", ("0", "1"), 1)
    assert (measured.kind, measured.axes, measured.calls) == (row.kind, row.axes, row.calls)
    assert row.bytes == measured.bytes > 0
    assert row.needed_by == measured.needed_by != ""


def test_permutations_are_listed():
    program = shard.load(
        """
        func.func @main(%x: tensor<8x12xf32>) -> tensor<8x12xf32> {
          %0 = math.exp %x : tensor<8x12xf32>
          return %0 : tensor<8x12xf32>
        }"""
    )
    part = program.partition(Grid(a=2, b=2), {0: P("a", "b"), "result0": P("b", "a")})
    part.verify()
    (row,) = part.collectives
    (measured,) = part.last_run.collectives
    assert (row.kind, row.axes, row.calls) == ("permute", ("a", "b"), 1)
    assert (measured.kind, measured.axes, measured.calls) == (row.kind, row.axes, row.calls)
    assert row.bytes == measured.bytes == 96
    assert row.needed_by == measured.needed_by != ""


def test_memory(megatron, tensors):
    assert megatron.memory.arguments == 256 + 1024 + 1024
    assert megatron.memory.results == 256
    assert megatron.memory.temporaries is None
    megatron(*tensors)
    assert megatron.memory.temporaries > 0


def test_values_tell_how_they_are_split(megatron):
    assert [v.sharding for v in megatron.arguments] == [
        "[[data], []]",
        "[[], [model]]",
        "[[model], []]",
    ]
    assert megatron.results[0].sharding == "[[data], []]"
    assert megatron.results[0].shape == (8, 16)
    assert megatron.grid == Grid(data=2, model=2)


def test_text_and_save(megatron, tmp_path):
    assert "shard.all_reduce" in megatron.text
    megatron.save(tmp_path / "spmd.mlir")
    assert (tmp_path / "spmd.mlir").read_text() == megatron.text


def test_verify(megatron, tensors):
    report = megatron.verify(*tensors)
    assert report.passed and report.verified
    assert 0 <= report.max_absolute_error < 1e-5
    assert str(report).startswith("PASS")
    assert megatron.verify(tensors[0], None).passed
    assert json.dumps(report.raw)


def test_reports_of_runs_that_differ(megatron):
    report = megatron.verify()
    raw = json.loads(json.dumps(report.raw))
    raw["pass"] = False
    raw["results"][0].update(equal=False, mismatches=3, tolerance=0.5)
    differing = shard.Report(raw)
    assert not differing.passed
    assert str(differing).startswith("FAIL: 3 elements of result0 differ by more than 0.5")
    raw["error"] = "device 1 stopped"
    assert str(shard.Report(raw)).startswith("failed: device 1 stopped")


def test_explain(megatron):
    whole = megatron.explain()
    assert "all_reduce over model" in whole
    assert "from the hint" in megatron.explain("down.weight")
    assert "all_reduce over model" in megatron.explain("result0")
    assert megatron.explain("arg0") != whole
    with pytest.raises(KeyError, match="nonsense"):
        megatron.explain("nonsense")


def test_inputs_that_do_not_fit(megatron, tensors):
    x, up, down = tensors
    for arguments, message in [
        ((x, up), "takes 3 arguments, but 2"),
        ((x, up, down, x), "takes 3 arguments, but 4"),
        ((x, up, up), r"down\.weight takes a tensor of shape \(32, 16\), not \(16, 32\)"),
        ((x, up[0], down), r"up\.weight takes a tensor of shape \(16, 32\), not \(32,\)"),
        ((np.ma.array(x, mask=x > 0), up, down), r"arg0 takes no masked array; fill it by .filled"),
        ((x.astype(object), up, down), "arg0 takes elements of float32.*has object"),
        ((x, up, down.astype(np.float64)), "float32.*float64.*astype"),
        (("hello", up, down), "arg0: could not convert string"),
        (([[1, 2], [3]], up, down), "arg0: .*inhomogeneous"),
    ]:
        with pytest.raises(shard.RunError, match=message):
            megatron(*arguments)
        if len(arguments) != 2:
            with pytest.raises(shard.RunError, match=message):
                megatron.verify(*arguments)
    with pytest.raises(ValueError, match="timeout"):
        megatron(x, up, down, timeout=-1)
    with pytest.raises(ValueError, match="seed"):
        megatron.verify(seed=-1)
    with pytest.raises(shard.RunError, match=r"up\.weight is None; only `verify`"):
        megatron(x, None, down)


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


def test_threads_of_python_go_on_during_a_run(megatron, tensors):
    megatron(*tensors)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    while not ticks:
        megatron(*tensors)
    stop.set()
    thread.join()


def test_the_picture(megatron):
    text = megatron._repr_html_()
    assert text.count("<table>") >= 5
    assert "all_reduce" in text and "down.weight" in text
    assert "http" not in text and "<script" not in text


def test_a_table_without_rows(mlp):
    part = mlp.partition(Grid(2), {0: P(0)})
    assert len(part.collectives) == 0
    assert str(part.collectives) == "no collectives"
    assert part.collectives.bytes == 0


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


DYNAMIC = """
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<?xf32> to tensor<?xf32>
  %l = tensor.extract_slice %p[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.extract_slice %p[2] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %s = arith.addf %l, %r : tensor<?xf32>
  return %s : tensor<?xf32>
}
"""


@pytest.mark.parametrize("extent", [1, 5, 6])
def test_dynamic_dimensions_that_do_not_divide(extent):
    program = shard.load(DYNAMIC)
    part = program.partition(Grid(3), {"arg0": P(0)}, uneven_dynamic=True)
    x = np.arange(extent, dtype=np.float32)
    padded = np.pad(x, 1)
    np.testing.assert_array_equal(part(x), padded[:-2] + padded[2:])
    assert [row.kind for row in part.collectives].count("update_halo") == 1


def test_without_uneven_dynamic_they_are_an_error():
    part = shard.load(DYNAMIC).partition(Grid(3), {"arg0": P(0)})
    assert any("uneven_dynamic" in remark.message for remark in part.remarks)
    with pytest.raises(shard.RunError, match="extent 5"):
        part(np.arange(5, dtype=np.float32))


HEAT = """
func.func @main(%x: tensor<12xf32>) -> tensor<12xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %x) -> tensor<12xf32> {
    %p = tensor.pad %a low[1] high[1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<12xf32> to tensor<14xf32>
    %l = tensor.extract_slice %p[0] [12] [1] : tensor<14xf32> to tensor<12xf32>
    %r = tensor.extract_slice %p[2] [12] [1] : tensor<14xf32> to tensor<12xf32>
    %s = arith.addf %l, %r : tensor<12xf32>
    scf.yield %s : tensor<12xf32>
  }
  return %y : tensor<12xf32>
}
"""


@pytest.mark.parametrize(("steps", "exchanges"), [(1, 8), (2, 4), (4, 2)])
def test_one_exchange_of_halos_serves_several_steps(steps, exchanges):
    part = shard.load(HEAT).partition(Grid(2), {"arg0": P(0)}, halo_steps=steps)
    x = np.arange(12, dtype=np.float32)
    y = x
    for _ in range(8):
        padded = np.pad(y, 1)
        y = padded[:-2] + padded[2:]
    np.testing.assert_array_equal(part(x), y)
    (row,) = part.last_run.collectives
    assert (row.kind, row.calls) == ("update_halo", exchanges)


@pytest.mark.parametrize("steps", [0, 65, 1.5, "none"])
def test_halo_steps_are_a_number_or_auto(steps):
    with pytest.raises(ValueError, match="halo_steps is a number from 1 to 64 or 'auto'"):
        shard.load(HEAT).partition(Grid(2), halo_steps=steps)


def test_halo_steps_may_be_chosen():
    part = shard.load(HEAT).partition(Grid(2), {"arg0": P(0)}, halo_steps="auto")
    assert part.verify()
