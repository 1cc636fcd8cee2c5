// How often a collective runs: loops of known and unknown length, branches, calls,
// blocks. What is not known is said.
// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s

shard.grid @g(shape = 2x4)

// CHECK-LABEL: program loops, predicted
// 5 * 3 times.
// CHECK: all_reduce 1 15 6 {{.*}} {{.*}}times.mlir:[[#]]
// CHECK-NEXT: all_gather 0, 1 ? 7 112 B each
// CHECK: loops {{.*}} at least
func.func @loops(%x: tensor<4xf32>, %n: index) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %c2 = arith.constant 2 : index
  %0 = scf.for %i = %c0 to %c10 step %c2 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> tensor<4xf32> {
      %2 = shard.all_reduce %b on @g grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    }
    scf.yield %1 : tensor<4xf32>
  }
  %3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %4 = shard.all_gather %a on @g grid_axes = [0, 1] gather_axis = 0 : tensor<4xf32> -> tensor<32xf32>
    %5 = tensor.extract_slice %4[0] [4] [1] : tensor<32xf32> to tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: program branches, predicted
// CHECK: all_reduce 0 at most 1 2 16 B
// CHECK-NEXT: all_reduce 1 at most 1 6 24 B
// CHECK-NEXT: all_reduce 1 1 6 24 B
func.func @branches(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = shard.all_reduce %x on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = shard.all_reduce %x on @g grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  %2 = call @callee(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = max : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: program blocks, predicted
// CHECK: all_reduce 0 ? 2 16 B each
// CHECK-NEXT: all_reduce 0 at most 1 2 16 B
func.func @blocks(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.br ^loop(%x : tensor<4xf32>)
^loop(%a: tensor<4xf32>):
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  cf.cond_br %c, ^loop(%0 : tensor<4xf32>), ^end
^end:
  %1 = shard.all_reduce %x on @g grid_axes = [0] reduction = max : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Sizes of the run.
// CHECK-LABEL: program dynamic, predicted
// CHECK: all_reduce 0 1 2 ? ?
// CHECK: memory per device {{.*}}: at least
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
