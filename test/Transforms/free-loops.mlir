// One axis splits the columns of both operands of a product: the larger one is not
// gathered if it is cheaper to split the rows of the result.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --entry open --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry stated --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry few_rows --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry uneven --verify | FileCheck %s --check-prefix=DONE
//
// DONE: {{^}}PASS

shard.grid @g(shape = 4)

// The result takes the rows too.
// CHECK-LABEL: func.func @open
// CHECK-SAME: -> (tensor<64x32xf32> {{.*}}{{\[}}[0], []]
// CHECK-DAG: shard.all_to_all %arg0 on @g grid_axes = [0] split_axis = 0 concat_axis = 1
// CHECK-DAG: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 1
// CHECK: linalg.matmul
// CHECK-NOT: shard.all
// CHECK: return
func.func @open(
    %x: tensor<256x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<16x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<256x32xf32> {
  %z = arith.constant dense<0.0> : tensor<256x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<256x16xf32>, tensor<16x32xf32>) outs(%z : tensor<256x32xf32>) -> tensor<256x32xf32>
  return %0 : tensor<256x32xf32>
}

// The result has its columns split, as its hint says: it is moved.
// CHECK-LABEL: func.func @stated
// CHECK-SAME: -> (tensor<1024x16xf32> {{.*}}{{\[}}[], [0]]
// CHECK-DAG: shard.all_to_all %arg0 on @g grid_axes = [0] split_axis = 0 concat_axis = 1
// CHECK-DAG: shard.all_gather %arg1 on @g grid_axes = [0] gather_axis = 1
// CHECK: linalg.matmul
// CHECK: shard.all_to_all {{.*}} grid_axes = [0] split_axis = 1 concat_axis = 0
func.func @stated(
    %x: tensor<1024x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>})
    -> (tensor<1024x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %z = arith.constant dense<0.0> : tensor<1024x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<1024x64xf32>, tensor<64x64xf32>) outs(%z : tensor<1024x64xf32>) -> tensor<1024x64xf32>
  return %0 : tensor<1024x64xf32>
}

// The operand with the rows is the smaller one: it is gathered.
// CHECK-LABEL: func.func @few_rows
// CHECK-SAME: -> (tensor<4x16xf32> {{.*}}{{\[}}[], [0]]
// CHECK: shard.all_gather %arg0 on @g grid_axes = [0] gather_axis = 1
// CHECK-NOT: shard.all
// CHECK: return
func.func @few_rows(
    %x: tensor<4x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<4x64xf32> {
  %z = arith.constant dense<0.0> : tensor<4x64xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x64xf32>) outs(%z : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %0 : tensor<4x64xf32>
}

// The devices do not divide the rows.
// CHECK-LABEL: func.func @uneven
// CHECK: shard.all_gather %arg0 on @g grid_axes = [0] gather_axis = 1
// CHECK-NOT: shard.all
// CHECK: return
func.func @uneven(
    %x: tensor<66x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %w: tensor<16x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<66x32xf32> {
  %z = arith.constant dense<0.0> : tensor<66x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<66x16xf32>, tensor<16x32xf32>) outs(%z : tensor<66x32xf32>) -> tensor<66x32xf32>
  return %0 : tensor<66x32xf32>
}
