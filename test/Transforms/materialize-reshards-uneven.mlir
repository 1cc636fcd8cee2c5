// On a grid with uneven_dynamic a reshard asks once for the extents of its tensor, also where
// its steps are stated: each begins where the one before it ended. The loop reads the tensor
// whole, too; its reshard stays one annotation, and both become the same two gathers.

// RUN: shard-opt %s --shard-propagate --shard-partition --shard-fold-collectives | FileCheck %s
// RUN: shard-opt %s --shard-propagate --shard-materialize-reshards --shard-partition --shard-fold-collectives | FileCheck %s
// RUN: shard-opt %s --shard-propagate --shard-materialize-reshards | FileCheck %s --check-prefix=STATED

// CHECK-LABEL: func.func @read_and_written
// CHECK: shard.all_reduce {{.*}} grid_axes = [0, 1]
// CHECK-NOT: shard.all_reduce
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_reduce
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_
// CHECK: scf.forall

// STATED: shard.step = "all_gather"
// STATED: shard.step = "all_gather"
// STATED-NOT: shard.step

shard.grid @grid(shape = 2x2) {uneven_dynamic}
func.func @read_and_written(
    %x: tensor<?xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>}, %n: index)
    -> tensor<?xf32> attributes {extents = [array<i64: 10>]} {
  %0 = scf.forall (%i) in (%n) shared_outs(%out = %x) -> (tensor<?xf32>) {
    %element = tensor.extract_slice %x[%i] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %element into %out[%i] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %0 : tensor<?xf32>
}
