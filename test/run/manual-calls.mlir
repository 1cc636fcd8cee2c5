// A function that is called in the body of a manual computation is a part of it.
//
// RUN: split-file %s %t
// RUN: shard-run %t/inside.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/twice.mlir --verify 2>/dev/null | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/behind.mlir --verify | FileCheck %s --check-prefix=PASS
// PASS: PASS
// RUN: not shard-run %t/hint.mlir --verify 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: hint.mlir:5:{{[0-9]+}}: error: the hint #shard.sharding<@grid, {{.*}}> names axis x, which is manual here
// RUN: not shard-opt %t/annotated.mlir --shard-partition 2>&1 | FileCheck %s --check-prefix=ANNOTATED
// ANNOTATED: annotated.mlir:5:{{[0-9]+}}: error: a value with sharding {{.*}} uses axis x, which is manual where its function is called
// RUN: not shard-opt %t/again.mlir --shard-partition 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: again.mlir:3:{{[0-9]+}}: error: axis x is manual already where this function is called
// RUN: not shard-run %t/free.mlir --verify 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: free.mlir:3:{{[0-9]+}}: error: uses axis y, which is not manual where its function is called

//--- inside.mlir
// The callee is called outside too, with another sharding.
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func private @inner(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %h = shard.constraint %a to <@grid, [[?], ["y", ?]]> : tensor<4x6xf32>
  %e = math.sin %h : tensor<4x6xf32>
  return %e : tensor<4x6xf32>
}
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = math.exp %a : tensor<4x6xf32>
  %i = call @inner(%e) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %s = arith.addf %i, %a : tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}
func.func @main(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [["x", "y"], []]>},
                %b: tensor<4x6xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}) -> (tensor<8x6xf32>, tensor<4x6xf32>) {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [["x", ?], [?]]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"] (%p: tensor<4x6xf32>) {
    %e = func.call @f(%p) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %s = shard.all_reduce %e on @grid grid_axes = [0] : tensor<4x6xf32> -> tensor<4x6xf32>
    shard.return %s : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %o = call @f(%b) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %m, %o : tensor<8x6xf32>, tensor<4x6xf32>
}

//--- twice.mlir
// A manual computation in a private function that is called with different shardings.
shard.grid @grid(shape = 2x3) axes ["x", "y"]
func.func private @f(%a: tensor<6x5xf32>, %s: tensor<5xf32>) -> tensor<6x5xf32> {
  %m = shard.manual_computation(%a, %s) on @grid in = [<@grid, [["x", ?], [?]]>, <@grid, [[?]], replicated = ["x"]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"] (%p: tensor<3x5xf32>, %q: tensor<5xf32>) {
    %b = linalg.broadcast ins(%q : tensor<5xf32>) outs(%p : tensor<3x5xf32>) dimensions = [0]
    %u = arith.mulf %p, %b : tensor<3x5xf32>
    %r = shard.all_reduce %u on @grid grid_axes = [0] reduction = max : tensor<3x5xf32> -> tensor<3x5xf32>
    %v = arith.subf %u, %r : tensor<3x5xf32>
    shard.return %v : tensor<3x5xf32>
  } : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  return %m : tensor<6x5xf32>
}
func.func @main(%a: tensor<6x5xf32> {shard.sharding = #shard.sharding<@grid, [[], ["y"]]>}, %b: tensor<6x5xf32> {shard.sharding = #shard.sharding<@grid, [["y"], []]>}, %s: tensor<5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>) {
  %0 = call @f(%a, %s) : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %1 = call @f(%b, %s) : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  %2 = call @f(%1, %s) : (tensor<6x5xf32>, tensor<5xf32>) -> tensor<6x5xf32>
  return %0, %2 : tensor<6x5xf32>, tensor<6x5xf32>
}

//--- hint.mlir
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = math.exp %a : tensor<4x6xf32>
  // The axis is manual where @f is called.
  %h = shard.constraint %e to <@grid, [["x"], []]> : tensor<4x6xf32>
  return %h : tensor<4x6xf32>
}
func.func @main(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [["x", ?], [?]]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"] (%p: tensor<4x6xf32>) {
    %e = func.call @f(%p) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    shard.return %e : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %m : tensor<8x6xf32>
}

//--- annotated.mlir
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %e = math.exp %a : tensor<4x6xf32>
  %h = shard.shard %e to %s annotate_for_users : tensor<4x6xf32>
  %i = math.exp %h : tensor<4x6xf32>
  %w = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %j = shard.shard %i to %w annotate_for_users : tensor<4x6xf32>
  return %j : tensor<4x6xf32>
}
func.func @main(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [[0], []]>] out = [<@grid, [[0], []]>] axes = [0] (%p: tensor<4x6xf32>) {
    %e = func.call @f(%p) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    shard.return %e : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %m : tensor<8x6xf32>
}

//--- again.mlir
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [[0], []]>] out = [<@grid, [[0], []]>] axes = [0] (%p: tensor<2x6xf32>) {
    shard.return %p : tensor<2x6xf32>
  } : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %m : tensor<4x6xf32>
}
func.func @main(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [[0], []]>] out = [<@grid, [[0], []]>] axes = [0] (%p: tensor<4x6xf32>) {
    %e = func.call @f(%p) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    shard.return %e : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %m : tensor<8x6xf32>
}

//--- behind.mlir
// The callees stand behind their callers, and the second one has a manual computation of its own,
// as JAX's frontend writes nested shard_maps.
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = shard.manual_computation(%a) on @grid in = [<@grid, [["x", ?], [?]]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"] (%p: tensor<2x8xf32>) {
    %1 = func.call @outer(%p) : (tensor<2x8xf32>) -> tensor<2x4xf32>
    shard.return %1 : tensor<2x4xf32>
  } : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func private @outer(%a: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %0 = shard.manual_computation(%a) on @grid in = [<@grid, [[?], ["y", ?]]>] out = [<@grid, [[?], [?]], replicated = ["y"]>] axes = ["y"] (%p: tensor<2x4xf32>) {
    %1 = func.call @inner(%p) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    shard.return %1 : tensor<2x4xf32>
  } : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %2 = shard.all_reduce %0 on @grid grid_axes = [0] reduction = max : tensor<2x4xf32> -> tensor<2x4xf32>
  %3 = arith.addf %0, %2 : tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
func.func private @inner(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = shard.all_reduce %a on @grid grid_axes = [1] : tensor<2x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

//--- free.mlir
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func private @f(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %s = shard.all_reduce %a on @grid grid_axes = [1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return %s : tensor<4x6xf32>
}
func.func @main(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [["x", ?], [?]]>] out = [<@grid, [["x", ?], [?]]>] axes = ["x"] (%p: tensor<4x6xf32>) {
    %e = func.call @f(%p) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    shard.return %e : tensor<4x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  return %m : tensor<8x6xf32>
}
