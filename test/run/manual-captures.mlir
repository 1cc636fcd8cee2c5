// A tensor from outside in the body of a manual computation is whole on the manual
// axes: an operand that is replicated over them.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/operand.mlir --sharding-propagation | FileCheck %s
// RUN: shard-run %t/operand.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/nested.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %t/only.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-opt %t/annotated.mlir --shard-partition --canonicalize --cse | FileCheck %s --check-prefix=PART
// PASS: PASS

//--- operand.mlir
// %e is split by the manual axis outside and gathered for the body, once; the
// constant is made in the body.
// CHECK-LABEL: func.func @main(
// CHECK-NOT: arith.constant
// CHECK: %[[E:.*]] = math.exp
// CHECK: shard.manual_computation(%{{.*}}, %{{.*}}) on @grid
// CHECK-SAME: in = [<@grid, {{\[\[0\], \[1\]\]}}>, <@grid, {{\[\[\], \[1\]\]}}, replicated = [0]>]
// CHECK-SAME: (%{{.*}}: tensor<2x2xf32>, %[[ARG:.*]]: tensor<2x2xf32>)
// CHECK: arith.constant
// CHECK: return
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<4x2xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>},
                %b: tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}) -> (tensor<4x2xf32>, tensor<2x2xf32>) {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %e = math.exp %b : tensor<2x2xf32>
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [["x"], [?]]>] out = [<@grid, [["x"], [?]]>] axes = ["x"] (%x: tensor<2x2xf32>) {
    %y = arith.addf %x, %e : tensor<2x2xf32>
    %z = arith.mulf %y, %c : tensor<2x2xf32>
    %w = arith.addf %z, %e : tensor<2x2xf32>
    shard.return %w : tensor<2x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %o = arith.addf %e, %b : tensor<2x2xf32>
  return %m, %o : tensor<4x2xf32>, tensor<2x2xf32>
}

//--- nested.mlir
// Through two bodies, a loop and the body of a linalg.generic.
shard.grid @grid(shape = 2x4) axes ["x", "y"]
func.func @main(%a: tensor<4x8xi32>, %b: tensor<2x2xi32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>},
                %t: tensor<3xi32> {shard.sharding = #shard.sharding<@grid, [["y"]]>}) -> (tensor<4x8xi32>, tensor<2x2xi32>) {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [["x"], [?]]>] out = [<@grid, [["x"], [?]]>] axes = ["x"] (%p: tensor<2x8xi32>) {
    %q = shard.manual_computation(%p) on @grid in = [<@grid, [[?], ["y", ?]]>] out = [<@grid, [[?], ["y", ?]]>] axes = ["y"] (%l: tensor<2x2xi32>) {
      %u = arith.addi %l, %b : tensor<2x2xi32>
      %w = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %u) -> tensor<2x2xi32> {
        %k = arith.muli %v, %c : tensor<2x2xi32>
        %j = arith.addi %k, %b : tensor<2x2xi32>
        scf.yield %j : tensor<2x2xi32>
      }
      %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%w : tensor<2x2xi32>) {
      ^bb0(%o: i32):
        %c2 = arith.constant 2 : index
        %e = tensor.extract %t[%c2] : tensor<3xi32>
        %s = arith.addi %o, %e : i32
        linalg.yield %s : i32
      } -> tensor<2x2xi32>
      %r = shard.all_reduce %g on @grid grid_axes = [1] : tensor<2x2xi32> -> tensor<2x2xi32>
      shard.return %r : tensor<2x2xi32>
    } : (tensor<2x8xi32>) -> tensor<2x8xi32>
    shard.return %q : tensor<2x8xi32>
  } : (tensor<4x8xi32>) -> tensor<4x8xi32>
  %r = arith.addi %b, %c : tensor<2x2xi32>
  return %m, %r : tensor<4x8xi32>, tensor<2x2xi32>
}

//--- only.mlir
// A body without operands.
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %z = arith.constant 2.0 : f32
  %t = tensor.splat %z : tensor<4x4xf32>
  %m:2 = shard.manual_computation() on @grid in = [] out = [<@grid, [[?], [?]], replicated = ["x"]>, <@grid, [["x"], [?]]>] axes = ["x"] () {
    %u = arith.mulf %a, %t : tensor<4x4xf32>
    %k = shard.process_multi_index on @grid axes = [0] : index
    %i = arith.index_cast %k : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = tensor.splat %f : tensor<4x4xf32>
    %v = arith.addf %a, %s : tensor<4x4xf32>
    shard.return %u, %v : tensor<4x4xf32>, tensor<4x4xf32>
  } : () -> (tensor<4x4xf32>, tensor<8x4xf32>)
  return %m#0, %m#1 : tensor<4x4xf32>, tensor<8x4xf32>
}

//--- annotated.mlir
// Partition alone does the same: one gather before the body; outside, the value
// stays split.
// PART-LABEL: func.func @main(
// PART-SAME: %[[A:.*]]: tensor<2x2xf32> {{.*}}, %[[B:.*]]: tensor<1x2xf32>
// PART: %[[G:.*]] = shard.all_gather %[[B]] on @grid grid_axes = [0] gather_axis = 0
// PART: %[[Y:.*]] = arith.addf %[[A]], %[[G]] : tensor<2x2xf32>
// PART: %[[W:.*]] = arith.mulf %[[Y]], %[[G]] : tensor<2x2xf32>
// PART: %[[O:.*]] = arith.addf %[[B]], %[[B]] : tensor<1x2xf32>
// PART: return %[[W]], %[[O]]
shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<4x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %b: tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<4x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %m = shard.manual_computation(%a) on @grid in = [<@grid, [[0], []]>] out = [<@grid, [[0], []]>] axes = [0] (%x: tensor<2x2xf32>) {
    %y = arith.addf %x, %b : tensor<2x2xf32>
    %w = arith.mulf %y, %b : tensor<2x2xf32>
    shard.return %w : tensor<2x2xf32>
  } : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %o = arith.addf %b, %b : tensor<2x2xf32>
  %p = shard.shard %o to %s : tensor<2x2xf32>
  return %m, %p : tensor<4x2xf32>, tensor<2x2xf32>
}
