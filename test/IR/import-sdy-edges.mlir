// What Shardy writes into programs while it works: edges of loops and branches, and rules that
// it found out itself. Edges and barriers name no mesh: theirs is that of the nearest sharding.

// RUN: shard-translate --import-sdy %s -o %t.shard
// RUN: FileCheck %s --input-file %t.shard
// RUN: shard-run %t.shard --entry edges --verify | FileCheck %s --check-prefix=RESULT
// RUN: shard-run %t.shard --entry meshes --verify | FileCheck %s --check-prefix=RESULT
// RUN: shard-run %t.shard --entry loop --verify | FileCheck %s --check-prefix=RESULT
// RUN: shard-run %t.shard --entry several --verify | FileCheck %s --check-prefix=RESULT
// RESULT: PASS

// The number of devices is not that of @b: a run of a function that uses @b alone is none
// where @a comes in.
sdy.mesh @a = <["z"=3]>
sdy.mesh @b = <["x"=2, "y"=4]>
sdy.mesh @c = <["w"=8]>

// CHECK-LABEL: func.func @edges(
func.func @edges(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {}]>}, %c: i1) -> tensor<8x16xf32> {
  // CHECK: math.exp %arg0 fastmath<fast> : tensor<8x16xf32>
  %0 = math.exp %a fastmath<fast> {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}>} : tensor<8x16xf32>
  %1 = scf.if %c -> tensor<8x16xf32> {
    scf.yield %0 : tensor<8x16xf32>
  } else {
    scf.yield %a : tensor<8x16xf32>
  }
  // CHECK: shard.constraint %{{.*}} to <@b, {{\[\[}}"y", ?], [?]]> : tensor<8x16xf32>
  %2 = sdy.data_flow_edge %1 sharding=<@b, [{"y", ?}, {?}]> : tensor<8x16xf32>
  %3 = math.sin %2 : tensor<8x16xf32>
  // CHECK: shard.constraint %{{.*}} to <@b, {{\[\[}}?], [?]]> : tensor<8x16xf32>
  %4 = sdy.data_flow_edge %3 : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}

func.func @other(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@a, [{"z"}, {}]>}) -> tensor<8x16xf32> {
  return %a : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @meshes(
func.func @meshes(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = math.exp %a : tensor<8x16xf32>
  // CHECK: shard.constraint %{{.*}} to <@b, {{\[\[}}?], [?]]> {shard.propagate = "backward"} : tensor<8x16xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  %3 = sdy.sharding_constraint %2 <@b, [{"x"}, {}]> : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

func.func @other2(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@a, [{"z"}, {}]>}) -> tensor<8x16xf32> {
  return %a : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @loop(
func.func @loop(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> tensor<8x16xf32> {
    %0 = math.sin %x : tensor<8x16xf32>
    // CHECK: shard.constraint %{{.*}} to <@b, {{\[\[}}?], [?]]> {shard.propagate = "forward"}
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x16xf32>
    scf.yield %1 : tensor<8x16xf32>
  }
  %2 = math.sin %r {sdy.sharding = #sdy.sharding_per_value<[<@b, [{"x"}, {}]>]>} : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @several(
func.func @several(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}, {}]>}, %b: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@c, [{"w"}, {}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@c, [{}, {"w"}]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  // CHECK: shard.constraint %{{.*}} to <@b, {{\[\[}}?], [?]]> {shard.propagate = "forward"}
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x16xf32>
  // CHECK: shard.constraint %{{.*}} to <@c, {{\[\[}}?], [?]]> {shard.propagate = "none"}
  %2 = sdy.propagation_barrier %b allowed_direction=NONE : tensor<8x16xf32>
  %3 = arith.constant dense<1.0> : tensor<8x16xf32>
  // CHECK: shard.constraint %{{.*}} to <@c, {{\[\[}}?], [?]]> {shard.propagate = "backward"}
  %4 = sdy.propagation_barrier %3 allowed_direction=BACKWARD : tensor<8x16xf32>
  return %1, %2, %4 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}
