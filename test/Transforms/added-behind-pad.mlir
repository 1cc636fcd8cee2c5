// The block of a residual layer: a convolution with weights that are split by output channels,
// and the image added to what it gives. The image has no hint. On all devices it costs nothing:
// the convolution takes it as it is, the sum a slice of it.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 4)

// CHECK-LABEL: func @main
// CHECK-SAME: #shard.local<tensor<2x8x6xf32>, <@g, {{\[\[}}], [], []]>>
// CHECK-NOT: shard.{{all_gather|all_to_all|all_reduce|reduce_scatter|permute}}
// CHECK: linalg.conv_1d_ncw_fcw ins(%{{.*}}, %{{.*}} : tensor<2x8x8xf32>, tensor<2x8x3xf32>)
// CHECK-NOT: shard.{{all_gather|all_to_all|all_reduce|reduce_scatter|permute}}
// CHECK: return
func.func @main(%image: tensor<2x8x6xf32>,
                %weights: tensor<8x8x3xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>})
    -> tensor<2x8x6xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 0, 1] high[0, 0, 1] {
  ^bb0(%b: index, %c: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<2x8x6xf32> to tensor<2x8x8xf32>
  %e = tensor.empty() : tensor<2x8x6xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %y = linalg.conv_1d_ncw_fcw
      ins(%padded, %weights : tensor<2x8x8xf32>, tensor<8x8x3xf32>)
      outs(%z : tensor<2x8x6xf32>) -> tensor<2x8x6xf32>
  %r = math.tanh %y : tensor<2x8x6xf32>
  %sum = arith.addf %r, %image : tensor<2x8x6xf32>
  return %sum : tensor<2x8x6xf32>
}
