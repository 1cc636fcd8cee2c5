// RUN: shard-run %s --entry halo_of_result --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry made_to_order --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry offsets --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry hinted --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry not_pointwise --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry returns --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --entry uneven --verify 2>&1 | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 4)

func.func @halo_of_result(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [2, 1] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x16xf32>
  %1 = shard.shard %0 to %h annotate_for_users : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

func.func @halo_through_elementwise(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = math.tanh %0 : tensor<16x16xf32>
  %2 = shard.shard %1 to %h : tensor<16x16xf32>
  %3 = shard.shard %2 to %h annotate_for_users : tensor<16x16xf32>
  %4 = math.absf %3 : tensor<16x16xf32>
  %5 = shard.shard %4 to %h : tensor<16x16xf32>
  return %5 : tensor<16x16xf32>
}

func.func @made_to_order(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = shard.shard %b to %h annotate_for_users : tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %c = arith.constant dense<2.0> : tensor<16x16xf32>
  %2 = linalg.add ins(%0, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = arith.mulf %2, %c : tensor<16x16xf32>
  %4 = linalg.exp ins(%3 : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %4 : tensor<16x16xf32>
}

func.func @offsets(%a: tensor<10xf32>, %b: tensor<10xf32>) -> tensor<10xf32> {
  %h = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 1, 3, 6, 10] : !shard.sharding
  %0 = shard.shard %a to %h : tensor<10xf32>
  %1 = shard.shard %b to %h : tensor<10xf32>
  %2 = arith.addf %0, %1 : tensor<10xf32>
  %c = arith.constant dense<2.0> : tensor<10xf32>
  %3 = arith.mulf %2, %c : tensor<10xf32>
  return %3 : tensor<10xf32>
}

func.func @hinted(%a: tensor<16x16xf32>) -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = math.exp %0 : tensor<16x16xf32>
  %2 = shard.shard %1 to %s : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

#map = affine_map<(d0) -> (d0)>
func.func @not_pointwise(%a: tensor<16xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16xi32>
  %c = arith.constant dense<3> : tensor<16xi32>
  %e = tensor.empty() : tensor<16xi32>
  %1 = arith.divsi %c, %0 : tensor<16xi32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<16xi32>) outs(%e : tensor<16xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %y = arith.addi %x, %n : i32
    linalg.yield %y : i32
  } -> tensor<16xi32>
  return %1, %2 : tensor<16xi32>, tensor<16xi32>
}

func.func @returns(%a: tensor<16xf32>, %p: i1) -> (tensor<16xf32>, tensor<16xf32>) {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16xf32>
  cf.cond_br %p, ^a, ^b
^a:
  return %0, %0 : tensor<16xf32>, tensor<16xf32>
^b:
  %1 = math.exp %0 : tensor<16xf32>
  return %1, %a : tensor<16xf32>, tensor<16xf32>
}
func.func @uneven(%a: tensor<15xf32>) -> tensor<15xf32> {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [2, 1] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<15xf32>
  %1 = math.exp %0 : tensor<15xf32>
  %2 = arith.addf %0, %1 : tensor<15xf32>
  return %2 : tensor<15xf32>
}
