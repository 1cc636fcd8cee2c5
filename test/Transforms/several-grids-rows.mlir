// The results of one op are annotated in their order, whatever grids they are on.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -

shard.grid @grid(shape = 4)
shard.grid @other(shape = 8)

// CHECK-LABEL: func.func @results
// CHECK: scf.if
// CHECK: shard.shard %{{.*}}#0 to
// CHECK-NEXT: shard.shard %{{.*}}#1 to
func.func @results(%c: i1, %b: tensor<16xf32>, %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<16xf32> {
  %e = math.exp %b : tensor<16xf32>
  %0:2 = scf.if %c -> (tensor<8xf32>, tensor<16xf32>) {
    %1 = math.exp %a : tensor<8xf32>
    scf.yield %1, %e : tensor<8xf32>, tensor<16xf32>
  } else {
    scf.yield %a, %b : tensor<8xf32>, tensor<16xf32>
  }
  %s = shard.sharding @other split_axes = [[0]] : !shard.sharding
  %2 = shard.shard %0#1 to %s annotate_for_users : tensor<16xf32>
  return %2 : tensor<16xf32>
}
