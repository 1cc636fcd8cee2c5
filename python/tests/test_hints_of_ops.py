# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

import shard
from shard import OPEN, Grid, P

# Each line is what a frontend made of one call; `layer` has two.
LAYERS = """\
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x32xf32>, %w2: tensor<32x16xf32>)
    -> (tensor<8x16xf32>, tensor<8xf32>) {
  %c = arith.constant 0.0 : f32 loc("net.py":3:4)
  %e = tensor.empty() : tensor<8x32xf32> loc("net.py":3:4)
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32> loc("net.py":3:4)
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>)
        outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
        loc(callsite("net/layer/dot"("lib/linear.py":9:2) at "src/net.py":3:4))
  %t = math.tanh %h : tensor<8x32xf32>
        loc(callsite("net/layer/tanh"("lib/linear.py":10:2) at "src/net.py":3:4))
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%t, %w2 : tensor<8x32xf32>, tensor<32x16xf32>)
        outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32> loc("net/out"("src/net.py":4:4))
  %e3 = tensor.empty() : tensor<8xf32>
  %f3 = linalg.fill ins(%c : f32) outs(%e3 : tensor<8xf32>) -> tensor<8xf32>
  %s:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<8x16xf32>) outs(%f3, %f3 : tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%in: f32, %a: f32, %b: f32):
      %sum = arith.addf %in, %a : f32
      %most = arith.maximumf %in, %b : f32
      linalg.yield %sum, %most : f32, f32
  } -> (tensor<8xf32>, tensor<8xf32>) loc("net/norm"("src/net.py":5:4))
  return %y, %s#1 : tensor<8x16xf32>, tensor<8xf32>
}
"""


@pytest.fixture
def layers():
    return shard.load(LAYERS, name="layers.mlir")


def test_ops_are_listed(layers):
    listed = {op.target: op for op in layers.ops}
    dot = listed["linalg.matmul#0"]
    assert dot.names == ("net/layer/dot",)
    assert dot.places == (("lib/linear.py", 9, 2), ("src/net.py", 3, 4))
    assert [(r.type, r.rank) for r in dot.results] == [("tensor<8x32xf32>", 2)]
    (user,) = dot.results[0].users
    assert layers.ops[user].target == "math.tanh#0"
    assert listed["linalg.fill#0"].is_free
    assert str(dot) == (
        "linalg.matmul#0 -> tensor<8x32xf32> net/layer/dot lib/linear.py:9:2 src/net.py:3:4"
    )


@pytest.mark.parametrize(
    "key",
    ["math.tanh#0", "net.py:3", "src/net.py:3:4", "lib/linear.py:10", "net/layer/*", "*/tanh"],
)
def test_what_a_line_gives_to_the_rest_is_split(layers, key):
    part = layers.partition(Grid(model=2), {key: P(None, "model"), "result0": P()})
    # Both products are split: columns of the first weight, rows of the second.
    assert [value.sharding for value in part.arguments] == [
        "[[], []]",
        "[[], [model]]",
        "[[model], []]",
    ]
    assert [row.kind for row in part.collectives] == ["all_reduce"]
    part.verify()


def test_the_result_of_an_op_for_all_its_users(layers):
    # The weights are whole: only the hint splits the product.
    whole = {1: P(), 2: P(), "result0": P(), "result1": P()}
    part = layers.partition(Grid(2), {0: P(), **whole, "linalg.matmul#0": P(0)})
    assert "tensor<4x32xf32>" in part.text
    part.verify()
    part = layers.partition(Grid(2), {0: P(), **whole, "linalg.matmul#0": P(OPEN, 0)})
    # Columns of the first weight.
    assert "tensor<16x16xf32>" in part.text
    part.verify()


def test_one_of_several_results(layers):
    part = layers.partition(Grid(2), {"linalg.generic#0:result1": P(0)})
    assert part.results[1].sharding == "[[0]]"
    part.verify()


def test_hints_of_arguments_count_before_ops():
    text = LAYERS.replace("%x: tensor<8x16xf32>", '%x: tensor<8x16xf32> loc("net/x")')
    part = shard.load(text).partition(Grid(2), {"net/*": P(0), "linalg.matmul#0:0": P(0)})
    assert part.arguments[0].sharding == "[[0], []]"


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("net.py:7", "no op has the place 'net.py:7'; there are ops at lines 3, 4, 5 of it"),
        ("nest.py:3", "no op has the place 'nest.py:3'; there are ops of .*src/net.py"),
        ("net/nothing*", "names nothing; arguments are arg0"),
        ("linalg.generic#0", "has 2 results; write linalg.generic#0:result0"),
        ("linalg.matmul#2", "the entry has 2 'linalg.matmul' ops"),
        ("linalg.matmul#0:result1", "has 1 results"),
        ("net.py:5", "has 2 dimensions, the tensor has 1"),
    ],
)
def test_hints_of_ops_that_do_not_fit(layers, key, message):
    with pytest.raises(shard.HintError, match=message):
        layers.partition(Grid(2), {key: P(None, 0)})


def test_results_are_those_of_numpy(layers):
    rng = np.random.default_rng(3)
    x, up, down = (rng.uniform(-1, 1, value.shape).astype(np.float32) for value in layers.arguments)
    y, most = layers.partition(Grid(2), {"net.py:3": P(0)})(x, up, down)
    np.testing.assert_allclose(y, np.tanh(x @ up) @ down, atol=1e-5)
    np.testing.assert_array_equal(most, np.maximum(y.max(1), 0))
