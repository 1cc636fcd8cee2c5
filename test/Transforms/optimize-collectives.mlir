// The pipeline on a program that comes with its collectives.
// RUN: shard-opt %s --shard-optimize-collectives | FileCheck %s
// RUN: shard-opt %s --shard-optimize-collectives --shard-verify-spmd -o /dev/null
// RUN: not shard-opt %s --shard-optimize-collectives=fast 2>&1 | FileCheck %s --check-prefix=OPTION

// OPTION: shard-optimize-collectives has no options

shard.grid @g(shape = 2x2)

// An all_reduce whose result is sliced is a reduce_scatter, over some of its axes too.
// CHECK-LABEL: func @folded
// CHECK: %[[S:.*]] = shard.reduce_scatter %arg0 on @g grid_axes = [0] scatter_axis = 0
// CHECK: shard.all_reduce %[[S]] on @g grid_axes = [1]
func.func @folded(%a: tensor<8xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0, 1] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_slice %0 on @g grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What one block has gathered is not gathered again in those that it dominates.
// CHECK-LABEL: func @blocks
// CHECK-COUNT-1: shard.all_gather
// CHECK-NOT: shard.all_gather
func.func @blocks(%a: tensor<4xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [1] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  %1 = scf.if %c -> tensor<8xf32> {
    %2 = shard.all_gather %a on @g grid_axes = [1] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
    %3 = math.exp %2 : tensor<8xf32>
    scf.yield %3 : tensor<8xf32>
  } else {
    scf.yield %0 : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @reassociated
// CHECK: arith.maximumf %arg0, %arg1
// CHECK-NEXT: shard.all_reduce
// CHECK-NOT: shard.all_reduce
func.func @reassociated(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.maximumf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// What a pass of the pipeline makes equal, or sets in front of what takes it back, does not
// wait for a second run.
// CHECK-LABEL: func @equal_later
// CHECK: %[[T:.*]] = arith.trunci %arg0
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[T]]
// CHECK-NEXT: %[[E:.*]] = arith.extsi %[[R]]
// CHECK-NEXT: return %[[R]], %[[E]]
func.func @equal_later(%b: tensor<8xi32>) -> (tensor<8xi8>, tensor<8xi32>) {
  %s = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  %t = arith.trunci %s : tensor<8xi32> to tensor<8xi8>
  %x = arith.trunci %b : tensor<8xi32> to tensor<8xi8>
  %u = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xi8> -> tensor<8xi8>
  %v = arith.extsi %u : tensor<8xi8> to tensor<8xi32>
  return %t, %v : tensor<8xi8>, tensor<8xi32>
}

// CHECK-LABEL: func @gathered_in_steps
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %arg0 on @g grid_axes = [0, 1]
// CHECK-NEXT: return %[[R]]
func.func @gathered_in_steps(%a: tensor<12xf32>) -> tensor<12xf32> {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0, 1] scatter_axis = 0 : tensor<12xf32> -> tensor<3xf32>
  %1 = shard.all_gather %0 on @g grid_axes = [1] gather_axis = 0 : tensor<3xf32> -> tensor<6xf32>
  %2 = shard.all_gather %1 on @g grid_axes = [0] gather_axis = 0 : tensor<6xf32> -> tensor<12xf32>
  return %2 : tensor<12xf32>
}
