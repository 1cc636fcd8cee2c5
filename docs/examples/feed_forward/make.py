#!/usr/bin/env python3
"""Writes a feed-forward layer, sigmoid(A @ B) @ C, with hints for a grid.

usage: make.py [--grid 4 | --grid 2x2] [--batch 64] [--model 256] [--hidden 1024]

With a grid of one axis the weights are split by the hidden dimension: 1-D weight
stationary. With two axes, x and y, B is split by its model dimension over x and by
its hidden one over y, C likewise: 2-D weight stationary. In both the weights stay
where they are, and activations move: A and the result are split by their model
dimension over all devices. 1-D takes one all_gather and one reduce_scatter; 2-D takes
two of each, with a hint that splits the hidden layer over both axes.

Source of the schemes: Pope et al., "Efficiently Scaling Transformer Inference", 2022,
section 3.2.
"""

import argparse

PROGRAM = """\
shard.grid @grid(shape = {grid}) axes [{axes}]

func.func @main(
    %a: tensor<{m}x{k}xf32> {{shard.sharding = #shard.sharding<@grid, [[], [{axes}]]>}},
    %b: tensor<{k}x{n}xf32> {{shard.sharding = #shard.sharding<@grid, [{rows}, {columns}]>}},
    %c: tensor<{n}x{k}xf32> {{shard.sharding = #shard.sharding<@grid, [{columns}, {rows}]>}})
    -> (tensor<{m}x{k}xf32> {{shard.sharding = #shard.sharding<@grid, [[], [{axes}]]>}}) {{
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %hidden_empty = tensor.empty() : tensor<{m}x{n}xf32>
  %hidden_zero = linalg.fill ins(%zero : f32)
      outs(%hidden_empty : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %product = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
      outs(%hidden_zero : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
{constraint}  %hidden = linalg.generic {{
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}}
      ins({operand} : tensor<{m}x{n}xf32>) outs(%hidden_empty : tensor<{m}x{n}xf32>) {{
  ^bb0(%x: f32, %out: f32):
    %negated = arith.negf %x : f32
    %power = math.exp %negated : f32
    %sum = arith.addf %one, %power : f32
    %sigmoid = arith.divf %one, %sum : f32
    linalg.yield %sigmoid : f32
  }} -> tensor<{m}x{n}xf32>
  %result_empty = tensor.empty() : tensor<{m}x{k}xf32>
  %result_zero = linalg.fill ins(%zero : f32)
      outs(%result_empty : tensor<{m}x{k}xf32>) -> tensor<{m}x{k}xf32>
  %result = linalg.matmul ins(%hidden, %c : tensor<{m}x{n}xf32>, tensor<{n}x{k}xf32>)
      outs(%result_zero : tensor<{m}x{k}xf32>) -> tensor<{m}x{k}xf32>
  return %result : tensor<{m}x{k}xf32>
}}
"""

# The sums over x are finished where each device needs them for its part of the sigmoid.
CONSTRAINT = """\
  %split = shard.constraint %product to <@grid, [[], ["y", "x"]]> : tensor<{m}x{n}xf32>
"""


def main():
    parser = argparse.ArgumentParser(description="writes a feed-forward layer with hints")
    parser.add_argument("--grid", default="4", help="4 or 2x2")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--model", type=int, default=256)
    parser.add_argument("--hidden", type=int, default=1024)
    options = parser.parse_args()
    extents = options.grid.split("x")
    if len(extents) > 2 or not all(extent.isdigit() and int(extent) > 0 for extent in extents):
        parser.error(f"--grid {options.grid}: one or two extents, such as 4 or 2x2")
    two = len(extents) == 2
    print(PROGRAM.format(
        grid=options.grid, axes='"x", "y"' if two else '"x"',
        constraint=CONSTRAINT.format(m=options.batch, n=options.hidden) if two else "",
        operand="%split" if two else "%product",
        rows='["x"]' if two else "[]", columns='["y"]' if two else '["x"]',
        m=options.batch, k=options.model, n=options.hidden), end="")


main()
