// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s

// tosa that is not lowered first: Megatron's two matmuls, one all_reduce; the
// broadcast operand of extent 1 stays whole, the constant is made local.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @mlp(
// CHECK-NOT: shard.all_
// CHECK: %[[H:[a-z0-9_]+]] = tosa.matmul %{{.*}} : (tensor<2x4x6xf32>, tensor<2x6x2xf32>, {{.*}}) -> tensor<2x4x2xf32>
// CHECK: tosa.add %[[H]], %{{.*}} : (tensor<2x4x2xf32>, tensor<1x1x1xf32>) -> tensor<2x4x2xf32>
// CHECK: tosa.const_shape {values = dense<[2, 4, 2]> : tensor<3xindex>}
// CHECK: %[[P:[a-z0-9_]+]] = tosa.matmul %{{.*}} -> tensor<2x4x6xf32>
// CHECK: %[[R:[a-z0-9_]+]] = shard.all_reduce %[[P]]
// CHECK-NOT: shard.all_
// CHECK: return
func.func @mlp(%x: tensor<2x4x6xf32>,
    %w1: tensor<2x6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>},
    %w2: tensor<2x8x6xf32>) -> tensor<2x4x6xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %b = "tosa.const"() {values = dense<0.5> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %s = tosa.const_shape {values = dense<[2, 4, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %0 = tosa.matmul %x, %w1, %z, %z : (tensor<2x4x6xf32>, tensor<2x6x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x8xf32>
  %1 = tosa.add %0, %b : (tensor<2x4x8xf32>, tensor<1x1x1xf32>) -> tensor<2x4x8xf32>
  %2 = tosa.tanh %1 : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %3 = tosa.reshape %2, %s : (tensor<2x4x8xf32>, !tosa.shape<3>) -> tensor<2x4x8xf32>
  %4 = tosa.matmul %3, %w2, %z, %z : (tensor<2x4x8xf32>, tensor<2x8x6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x6xf32>
  return %4 : tensor<2x4x6xf32>
}

// Reductions keep their dimension, with extent 1; the parts are combined by the
// kind of the reduction.
// CHECK-LABEL: func.func @reduce(
// CHECK: tosa.transpose %{{.*}} : (tensor<2x5xf32>) -> tensor<5x2xf32>
// CHECK: %[[M:[a-z0-9_]+]] = tosa.reduce_max %{{.*}} {axis = 1 : i32} : (tensor<5x2xf32>) -> tensor<5x1xf32>
// CHECK: shard.all_reduce %[[M]] on @grid grid_axes = [0] reduction = {{ ?}}max
func.func @reduce(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<5x1xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<8x5xf32>) -> tensor<5x8xf32>
  %1 = tosa.reduce_max %0 {axis = 1 : i32} : (tensor<5x8xf32>) -> tensor<5x1xf32>
  return %1 : tensor<5x1xf32>
}

// Maxima that ignore NaN are no kind of reduction.
// CHECK-LABEL: func.func @ignores_nan(
// CHECK: shard.all_gather
// CHECK: tosa.reduce_max %{{.*}} : (tensor<8x5xf32>)
func.func @ignores_nan(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<1x5xf32> {
  %1 = tosa.reduce_max %a {axis = 0 : i32, nan_mode = IGNORE} : (tensor<8x5xf32>) -> tensor<1x5xf32>
  return %1 : tensor<1x5xf32>
}
