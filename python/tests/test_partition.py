# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import threading

import numpy as np
import pytest

import shard
from shard import Grid, P


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


def test_what_rounding_moves_is_told():
    # The sum of the distances from the mean: 0 but for rounding.
    program = shard.load("""
    func.func @main(%x: tensor<4x1000xf32>) -> tensor<4xf32> {
      %zero = arith.constant dense<0.0> : tensor<4xf32>
      %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x1000xf32>)
          outs(%zero : tensor<4xf32>) dimensions = [1]
      %share = arith.constant dense<1.0e-3> : tensor<4xf32>
      %mean = arith.mulf %sum, %share : tensor<4xf32>
      %empty = tensor.empty() : tensor<4x1000xf32>
      %means = linalg.broadcast ins(%mean : tensor<4xf32>)
          outs(%empty : tensor<4x1000xf32>) dimensions = [1]
      %distances = arith.subf %x, %means : tensor<4x1000xf32>
      %rest = linalg.reduce { arith.addf } ins(%distances : tensor<4x1000xf32>)
          outs(%zero : tensor<4xf32>) dimensions = [1]
      return %rest : tensor<4xf32>
    }""")
    report = program.partition(Grid(2), {0: P(None, 0)}).verify()
    assert report.passed
    assert "rounding the inputs otherwise moves result0 by" in str(report)


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
