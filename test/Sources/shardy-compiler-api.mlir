// Shardy's compiler API, sections "Sharding constraint", "Sharding group", "Manual
// computation", "Explicit reshards" and "Collectives".

// RUN: shard-translate --import-sdy %s -o %t.shard
// RUN: shard-opt %t.shard --shard-spmd | FileCheck %s
// RUN: shard-run %t.shard --entry manual --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.shard --entry gathered --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.shard --entry summed --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A constraint without users is for the value; one with users for its uses.
// CHECK-LABEL: func.func @constraint(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>
// CHECK: shard.all_to_all {{.*}} : tensor<4x8xf32> -> tensor<8x4xf32>
func.func @constraint(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = math.exp %a : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %3 = math.sqrt %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// All members of a group have one sharding: also what makes zeros.
// CHECK-LABEL: func.func @group(
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>{{.*}}) -> (tensor<4x8xf32>
// CHECK: arith.constant dense<0.000000e+00> : tensor<4x8xf32>
func.func @group(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8x8xf32>
  sdy.sharding_group %a group_id=0 : tensor<8x8xf32>
  sdy.sharding_group %zeros group_id=0 : tensor<8x8xf32>
  return %zeros : tensor<8x8xf32>
}

// The body sees blocks along the manual axes; "y" is free in it.
// CHECK-LABEL: func.func @manual(
// CHECK: math.exp %{{.*}} : tensor<4x4xf32>
func.func @manual(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x"} (%b: tensor<4x8xf32>) {
    %1 = math.exp %b : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @resharded(
// CHECK: shard.all_to_all {{.*}} : tensor<4x8xf32> -> tensor<8x4xf32>
func.func @resharded(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x8xf32> {
  %0 = sdy.reshard %a <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @gathered(
// CHECK: shard.all_gather {{.*}} gather_axis = 0 : tensor<4x4xf32> -> tensor<8x4xf32>
func.func @gathered(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) {
  %0 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @sliced(
// CHECK: shard.all_slice {{.*}} slice_axis = 0 : tensor<8x4xf32> -> tensor<4x4xf32>
func.func @sliced(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = sdy.all_slice [{"x"}, {}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @exchanged(
// CHECK: shard.all_to_all {{.*}} split_axis = 1 concat_axis = 0 : tensor<4x8xf32> -> tensor<8x4xf32>
func.func @exchanged(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @permuted(
// CHECK: shard.permute {{.*}} : tensor<4x8xf32>
func.func @permuted(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = sdy.collective_permute %a out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @summed(
// CHECK: linalg.matmul ins({{.*}} : tensor<8x4xf32>, tensor<4x8xf32>)
// CHECK: shard.all_reduce {{.*}} : tensor<8x8xf32> -> tensor<8x8xf32>
func.func @summed(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @scattered(
// CHECK: shard.reduce_scatter {{.*}} : tensor<8x8xf32> -> tensor<4x8xf32>
func.func @scattered(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
