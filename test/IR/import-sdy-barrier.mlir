// A propagation barrier of Shardy becomes a constraint that is open in all dimensions and
// lets shardings pass in the stated direction only.

// RUN: split-file %s %t
// RUN: shard-translate --import-sdy %t/good.mlir -o %t.shard
// RUN: FileCheck %s --input-file %t.shard
// RUN: shard-run %t.shard --entry none --verify | FileCheck %s --check-prefix=NONE
// RUN: shard-run %t.shard --entry forward --verify | FileCheck %s --check-prefix=FORWARD
// RUN: shard-run %t.shard --entry backward --verify | FileCheck %s --check-prefix=BACKWARD
// RUN: not shard-translate --import-sdy %t/both.mlir 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not shard-translate --import-sdy %t/mesh.mlir 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not shard-translate --import-sdy %t/ranked.mlir 2>&1 | FileCheck %s --check-prefix=RANKED
// NONE: all_gather x 1 256 B
// NONE: PASS
// FORWARD-NOT: all_gather
// FORWARD: PASS
// BACKWARD: all_gather x 1 64 B
// BACKWARD: PASS

#--- good.mlir
sdy.mesh @other = <["z"=8]>
sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @none(
func.func @none(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %a : tensor<8x16xf32>
  // CHECK: shard.constraint %0 to <@mesh, {{\[\[}}?], [?]]> {shard.propagate = "none"} : tensor<8x16xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=NONE : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @forward(
func.func @forward(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  // CHECK: shard.constraint %0 to <@mesh, {{\[\[}}?], [?]]> {shard.propagate = "forward"}
  %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @backward(
func.func @backward(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}) {
  %0 = math.exp %a : tensor<8x16xf32>
  // CHECK: shard.constraint %0 to <@mesh, {{\[\[}}?], [?]]> {shard.propagate = "backward"}
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8x16xf32>
  %2 = math.sin %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// The mesh is that which is named last in front of the barrier.
// CHECK-LABEL: func.func @otherMesh(
func.func @otherMesh(%a: tensor<?xf32> {sdy.sharding = #sdy.sharding<@other, [{"z"}]>}, %n: tensor<f32>) -> tensor<?xf32> {
  // CHECK: shard.constraint %arg0 to <@other, {{\[\[}}?]]> {shard.propagate = "none"} : tensor<?xf32>
  %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<?xf32>
  // CHECK: shard.constraint %arg1 to <@other, []> {shard.propagate = "none"} : tensor<f32>
  %1 = sdy.propagation_barrier %n allowed_direction=NONE : tensor<f32>
  return %0 : tensor<?xf32>
}

#--- both.mlir
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) { %0 = sdy.propagation_barrier %a allowed_direction=BOTH : tensor<8xf32>
  return }
// BOTH: both.mlir:2:129: error: expected NONE, FORWARD or BACKWARD

#--- mesh.mlir
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) { %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8xf32>
  return }
// MESH: mesh.mlir:2:40: error: no sharding names a mesh, so that there is nothing to propagate: remove sdy.propagation_barrier

#--- ranked.mlir
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: f32) { %0 = sdy.propagation_barrier %a allowed_direction=NONE : f32
  return }
// RANKED: ranked.mlir:2:30: error: sdy.propagation_barrier is for ranked tensors
