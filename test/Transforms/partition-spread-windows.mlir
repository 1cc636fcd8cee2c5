// A transposed convolution as an insertion with strides: halos of the spread image are sent
// the elements with data only. What lies between is filled in front of the exchange.
//
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EVEN
// RUN: shard-run %s --verify --grid 3 | FileCheck %s --check-prefix=UNEVEN

shard.grid @g(shape = 2)

// The image has rows of 4 x 2 elements of f32. One row is sent of two that the halos have,
// and every second place of it.
//
// CHECK-LABEL: func @main
// CHECK: %[[FILL:.*]] = arith.constant dense<0.000000e+00> : tensor<1x10x8x2xf32>
// CHECK: %[[SPREAD:.*]] = tensor.collapse_shape {{.*}} into tensor<1x8x8x2xf32>
// CHECK: %[[BLOCK:.*]] = tensor.insert_slice %[[SPREAD]] into %[[FILL]]
// CHECK: shard.update_halo %[[BLOCK]] on @g split_axes = {{\[\[}}], [0]]
// CHECK-SAME: shard.windows = [array<i64>, array<i64: 15, 1, -1, 3, 0, 15, 2>, array<i64: 7, 1, -1, 3, 0, 7, 2>, array<i64>]
// CHECK-NOT: shard.{{all_gather|shift|update_halo|redistribute}}
// CHECK: return

// EVEN: update_halo 0 1 32 B 32 B
// EVEN: PASS
// UNEVEN: update_halo 0 1 32 B 32 B
// UNEVEN: PASS
func.func @main(%a: tensor<1x8x4x2xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                %f: tensor<3x3x2x4xf32>) -> tensor<1x15x7x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x15x7x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x15x7x2xf32>) -> tensor<1x15x7x2xf32>
  %spread = tensor.insert_slice %a into %z[0, 0, 0, 0] [1, 8, 4, 2] [1, 2, 2, 1]
      : tensor<1x8x4x2xf32> into tensor<1x15x7x2xf32>
  %padded = tensor.pad %spread low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<1x15x7x2xf32> to tensor<1x17x9x2xf32>
  %o = tensor.empty() : tensor<1x15x7x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%o : tensor<1x15x7x4xf32>) -> tensor<1x15x7x4xf32>
  %r = linalg.conv_2d_nhwc_hwcf
      ins(%padded, %f : tensor<1x17x9x2xf32>, tensor<3x3x2x4xf32>)
      outs(%init : tensor<1x15x7x4xf32>) -> tensor<1x15x7x4xf32>
  return %r : tensor<1x15x7x4xf32>
}
