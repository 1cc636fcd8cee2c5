// A part of a sum of f16 must fit f16 by itself: a remark names such sums. Those of bf16
// and f32 need none, nor those that are not split.
//
// RUN: shard-opt %s --shard-spmd --verify-diagnostics -o /dev/null

shard.grid @grid(shape = 2x2)
func.func @main(
    %a: tensor<4x8xf16> {shard.sharding = #shard.sharding<@grid, [[], [0, 1]]>},
    %b: tensor<4x8xbf16> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %c: tensor<4x8xf16> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<4xf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>) {
  %zero = arith.constant dense<0.0> : tensor<4xf16>
  %least = arith.constant dense<-1.0> : tensor<4xf16>
  %bzero = arith.constant dense<0.0> : tensor<4xbf16>
  // expected-remark @+1 {{'linalg.reduce' sums f16 in parts, split by axes 0, 1: a part above 65504 becomes infinity, although the sum may not be; sum in f32 if that can happen}}
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x8xf16>) outs(%zero : tensor<4xf16>) dimensions = [1]
  %1 = linalg.reduce { arith.addf } ins(%b : tensor<4x8xbf16>) outs(%bzero : tensor<4xbf16>) dimensions = [1]
  %2 = linalg.reduce { arith.addf } ins(%c : tensor<4x8xf16>) outs(%zero : tensor<4xf16>) dimensions = [1]
  %3 = linalg.reduce { arith.maximumf } ins(%a : tensor<4x8xf16>) outs(%least : tensor<4xf16>) dimensions = [1]
  return %0, %1, %2, %3 : tensor<4xf16>, tensor<4xbf16>, tensor<4xf16>, tensor<4xf16>
}
