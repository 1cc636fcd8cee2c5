// scf.forall on the tensors of one device.

// RUN: shard-opt %s --sharding-propagation --shard-partition --split-input-file | FileCheck %s

// Columns stay split; what the rows are cut from is gathered once, in front. The op
// stays what it is.

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @rows(
// CHECK: shard.all_gather {{.*}} : tensor<4x3xf32> -> tensor<8x3xf32>
// CHECK: scf.forall (%[[I:[a-z0-9_]+]]) = (0) to (8) step (2) shared_outs(%[[O:[a-z0-9_]+]] = %{{.*}}) -> (tensor<8x3xf32>)
// CHECK-NOT: shard.
// CHECK: math.absf {{.*}} : tensor<2x3xf32>
// CHECK-NOT: shard.
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[O]][%[[I]], 0] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<8x3xf32>
// CHECK: } {mapping = [#gpu.thread<x>]}
func.func @rows(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %b: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %0 = scf.forall (%i) = (0) to (8) step (2) shared_outs(%o = %b) -> (tensor<8x6xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [2, 6] [1, 1] : tensor<8x6xf32> to tensor<2x6xf32>
    %y = math.absf %s : tensor<2x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [2, 6] [1, 1] : tensor<2x6xf32> into tensor<8x6xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %0 : tensor<8x6xf32>
}

// -----

// A sum over split columns communicates in each iteration: one after the other.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @sums(
// CHECK-NOT: scf.forall
// CHECK: scf.for %{{.*}} iter_args(%[[O:[a-z0-9_]+]] = %{{.*}}) -> (tensor<8xi32>)
// CHECK: shard.all_reduce
// CHECK: tensor.insert_slice %{{.*}} into %[[O]]
// CHECK: scf.yield
func.func @sums(%a: tensor<8x6xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %b: tensor<8xi32>) -> tensor<8xi32> {
  %z = arith.constant dense<0> : tensor<1xi32>
  %0 = scf.forall (%i) in (8) shared_outs(%o = %b) -> (tensor<8xi32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 6] [1, 1] : tensor<8x6xi32> to tensor<1x6xi32>
    %r = linalg.reduce { arith.addi } ins(%s : tensor<1x6xi32>) outs(%z : tensor<1xi32>) dimensions = [1]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i] [1] [1] : tensor<1xi32> into tensor<8xi32>
    }
  }
  return %0 : tensor<8xi32>
}
