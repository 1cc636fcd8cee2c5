// Steps of reshards, each an annotation for users on global types.

// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards --shard-partition | FileCheck %s --check-prefix=LOCAL
// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s --check-prefix=LOCAL
// A second propagation keeps them.
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards --sharding-propagation | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards | shard-run - --entry mlp --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards | shard-run - --entry redistribute --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 2x2)

// The product is partial until the one all_reduce, which the program shows.
// CHECK-LABEL: func.func @mlp
// CHECK: %[[P:.*]] = linalg.matmul ins(%{{.*}}, %arg2
// CHECK: %[[N:.*]] = shard.shard %[[P]] to %{{.*}} : tensor<4x8xf32>
// CHECK: shard.shard %[[N]] to %{{.*}} annotate_for_users {shard.step = "all_reduce"} : tensor<4x8xf32>
// CHECK-NOT: shard.step
// LOCAL-LABEL: func.func @mlp
// LOCAL: linalg.matmul
// LOCAL: linalg.matmul
// LOCAL-NEXT: shard.all_reduce
func.func @mlp(%x: tensor<4x8xf32>,
               %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
               %b: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x16xf32>) -> tensor<4x16xf32>
  %h = linalg.matmul ins(%x, %a : tensor<4x8xf32>, tensor<8x16xf32>) outs(%f : tensor<4x16xf32>) -> tensor<4x16xf32>
  %g = math.tanh %h : tensor<4x16xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %y = linalg.matmul ins(%g, %b : tensor<4x16xf32>, tensor<16x8xf32>) outs(%f2 : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Several steps of one reshard.
// CHECK-LABEL: func.func @exchange
// CHECK: %[[A:.*]] = shard.shard %{{.*}} annotate_for_users {shard.step = "all_to_all"} : tensor<8x?xf32>
// CHECK: shard.shard %[[A]] to %{{.*}} annotate_for_users {shard.step = "all_gather"} : tensor<8x?xf32>
// CHECK-NOT: shard.step
// LOCAL-LABEL: func.func @exchange
// LOCAL: shard.all_to_all
// LOCAL-NEXT: shard.all_gather
func.func @exchange(%x: tensor<8x?xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>})
    -> (tensor<8x?xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  return %x : tensor<8x?xf32>
}

// One step where all extents are known.
// CHECK-LABEL: func.func @redistribute
// CHECK: shard.shard %{{.*}} annotate_for_users {shard.step = "redistribute"} : tensor<8x8xf32>
// CHECK-NOT: shard.step
// LOCAL-LABEL: func.func @redistribute
// LOCAL: shard.redistribute
func.func @redistribute(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  return %x : tensor<8x8xf32>
}

// A window chooses what it is cut from: its exchange is no step.
// CHECK-LABEL: func.func @window
// CHECK-NOT: shard.step
// LOCAL-LABEL: func.func @window
// LOCAL: shard.update_halo
func.func @window(%x: tensor<18xf32>, %k: tensor<3xf32>) -> (tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %y = linalg.conv_1d ins(%x, %k : tensor<18xf32>, tensor<3xf32>) outs(%z : tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// -----

// A value that nothing uses stays as it is: steps would make partition compute it.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @unused(
// CHECK-NOT: shard.step
// CHECK: return
func.func @unused(%a: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<4xf32> {
  %0 = math.exp %a : tensor<4xf32>
  %s = shard.sharding @grid split_axes = [[]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<4xf32>
  return %a : tensor<4xf32>
}
