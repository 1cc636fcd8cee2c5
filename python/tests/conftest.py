# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import pytest

import shard

MLP = """\
func.func @main(%x: tensor<8x16xf32>, %w1: tensor<16x32xf32> loc("up.weight"),
                %w2: tensor<32x16xf32> loc("down.weight")) -> tensor<8x16xf32> {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>)
                     outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  %t = math.tanh %h : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %y = linalg.matmul ins(%t, %w2 : tensor<8x32xf32>, tensor<32x16xf32>)
                     outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}
"""


@pytest.fixture
def mlp():
    return shard.load(MLP, name="mlp.mlir")


@pytest.fixture
def tensors():
    rng = np.random.default_rng(7)
    return [rng.uniform(-1, 1, size).astype(np.float32) for size in ((8, 16), (16, 32), (32, 16))]


@pytest.fixture
def megatron(mlp):
    return mlp.partition(
        shard.Grid(data=2, model=2),
        {"arg0": shard.P("data", ...), "up.weight": shard.P(None, "model")},
    )
