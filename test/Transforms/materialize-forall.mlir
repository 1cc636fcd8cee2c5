// A hint on the loops of an op in an scf.forall reshards the shared output, which no axis splits
// along the dimension that iterations slice. The output is stated as it comes, in front of the step.
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards -o %t.steps
// RUN: FileCheck %s --input-file=%t.steps
// RUN: shard-opt %t.steps --shard-partition | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 2x2)

// CHECK: %[[COLUMNS:.*]] = shard.sharding @grid split_axes = {{\[\[\], \[1\]\]}} : !shard.sharding
// CHECK: scf.forall
// CHECK-NEXT: %[[COMES:.*]] = shard.shard %{{.*}} to %[[COLUMNS]] : tensor<2x2xi32>
// CHECK-NEXT: %[[STEP:.*]] = shard.shard %[[COMES]] to %{{.*}} annotate_for_users {shard.step = "all_slice"}
// CHECK-NEXT: tensor.extract_slice %[[STEP]]
// SPMD: scf.for
// SPMD: shard.all_slice
func.func @main(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = scf.forall (%i) in (2) shared_outs(%out = %a) -> (tensor<2x2xi32>) {
    %row = tensor.extract_slice %out[%i, 0] [1, 2] [1, 1]
        {shard.loops = #shard.sharding<@grid, [[0], [1]]>} : tensor<2x2xi32> to tensor<1x2xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %out[%i, 0] [1, 2] [1, 1] : tensor<1x2xi32> into tensor<2x2xi32>
    }
  }
  return %0 : tensor<2x2xi32>
}
