// What an scf.forall captures is resharded in front of it. Where the steps of the same reshard stand
// there already, they are not made twice.

// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards --shard-partition --canonicalize --cse | FileCheck %s --check-prefix=LOCAL

// CHECK: scf.forall {{.*}} shared_outs(%{{.*}} = %[[LAST:[a-z0-9_]+]])
// CHECK: shard.shard %[[LAST]] to %{{.*}} annotate_for_users : tensor<?x9xf32>
// LOCAL-COUNT-2: shard.all_gather
// LOCAL-NOT: shard.all_gather
shard.grid @grid(shape = 4x3) {uneven_dynamic}
func.func @main(%a: tensor<?x9xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0], []]>}, %n: index)
    -> (tensor<?x9xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>}) {
  %0 = scf.forall (%i) in (%n) shared_outs(%o = %a) -> (tensor<?x9xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 9] [1, 1] : tensor<?x9xf32> to tensor<1x9xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 9] [1, 1] : tensor<1x9xf32> into tensor<?x9xf32>
    }
  }
  return %0 : tensor<?x9xf32>
}
