// A mesh that a sharding states itself becomes a grid, one for all that are equal; that of a
// mesh with a name if there is one.

// RUN: split-file %s %t
// RUN: shard-translate --import-sdy %t/module.mlir -o %t.module
// RUN: FileCheck %s --input-file %t.module --check-prefix=MODULE
// RUN: shard-run %t.module --verify | FileCheck %s --check-prefix=RESULT
// RUN: shard-translate --import-sdy %t/named.mlir -o %t.named
// RUN: FileCheck %s --input-file %t.named --check-prefix=NAMED
// RUN: shard-run %t.named --verify | FileCheck %s --check-prefix=RESULT
// RESULT: PASS

// MODULE: module @outer attributes {some.attribute = 1 : i32} {
// MODULE-NEXT: shard.grid @inline_mesh_0(shape = 2x3) axes ["x", "y"] device_ids = [5, 4, 3, 2, 1, 0]{{$}}
// MODULE-NEXT: shard.grid @inline_mesh_1(shape = 6) axes ["z"] device_ids = [5, 4, 3, 2, 1, 0]{{$}}
// MODULE-NEXT: func.func @main(%arg0: tensor<8x6xf32> {shard.sharding = #shard.sharding<@inline_mesh_0, {{\[\[}}"x"], [?]]>}, %arg1: tensor<8x6xf32>)
// MODULE-SAME: -> (tensor<8x6xf32> {shard.sharding = #shard.sharding<@inline_mesh_0, {{\[\[}}], ["y"]]>}, tensor<8x6xf32>)
// MODULE: shard.constraint %{{.*}} to <@inline_mesh_0, {{\[\[}}?], [?]]> {shard.propagate = "none"}
// MODULE: shard.constraint %{{.*}} to <@inline_mesh_1, {{\[\[}}"z"], []]>
// MODULE: shard.manual_computation(%{{.*}}) on @inline_mesh_0

// NAMED: module {
// NAMED-NEXT: shard.grid @inline_mesh_1(shape = 6) axes ["z"]
// NAMED-NEXT: func.func @main
// NAMED: shard.constraint %arg0 to <@inline_mesh_0, {{\[\[}}?], [?]]>
// NAMED: math.exp {{.*}} #shard.sharding<@inline_mesh_0, {{\[\[}}"y"], []]>
// NAMED: shard.grid @inline_mesh_0(shape = 2x3) axes ["x", "y"]

//--- module.mlir
// The module of the text stays the outermost one.
module @outer attributes {some.attribute = 1 : i32} {
  func.func @main(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=3], device_ids=[5,4,3,2,1,0]>, [{"x"}, {?}]>}, %c: tensor<8x6xf32>)
      -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=3], device_ids=[5,4,3,2,1,0]>, [{}, {"y"}]>}, tensor<8x6xf32>) {
    %0 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8x6xf32>
    %1 = sdy.sharding_constraint %c <mesh<["z"=6], device_ids=[5,4,3,2,1,0]>, [{"z"}, {}]> : tensor<8x6xf32>
    %2 = sdy.manual_computation(%0) in_shardings=[<mesh<["x"=2, "y"=3], device_ids=[5,4,3,2,1,0]>, [{"x"}, {}]>]
        out_shardings=[<mesh<["x"=2, "y"=3], device_ids=[5,4,3,2,1,0]>, [{"x"}, {}]>] manual_axes={"x"} (%b: tensor<4x6xf32>) {
      %3 = arith.addf %b, %b : tensor<4x6xf32>
      sdy.return %3 : tensor<4x6xf32>
    } : (tensor<8x6xf32>) -> tensor<8x6xf32>
    return %2, %1 : tensor<8x6xf32>, tensor<8x6xf32>
  }
}

//--- named.mlir
// The barrier stands in front of all that names a mesh. mesh<["x"=2, "y"=2]> in a comment is none.
func.func @main(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %b = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8x6xf32>
  %0 = math.exp %b {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=3]>, [{"y"}, {}]>]>} : tensor<8x6xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=6]>, [{"z"}, {}]> : tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
sdy.mesh @inline_mesh_0 = <["x"=2, "y"=3]>
