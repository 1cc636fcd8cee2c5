// Single elements that the iterations of a loop read: the tensor is gathered once in front of the
// loop, which is less than one message per iteration.

// RUN: shard-opt %s --shard-spmdize | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// CHECK: shard.all_gather %arg0 on @g grid_axes = [0] gather_axis = 0
// CHECK-NEXT: scf.forall
// CHECK-NOT: shard.all_reduce
// VERIFY: PASS
shard.grid @g(shape = 2)
func.func @f(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %y) -> (tensor<8xf32>) {
    %e = tensor.extract %x[%i] : tensor<8xf32>
    %t = tensor.from_elements %e : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %0 : tensor<8xf32>
}
