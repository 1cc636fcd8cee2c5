// Programs with Shardy's shardings on ops of MLIR's own dialects.

// RUN: shard-translate --import-sdy %s | FileCheck %s
// RUN: shard-translate --import-sdy %s -o %t.shard
// RUN: shard-opt %t.shard --shard-spmd -o /dev/null
// RUN: shard-run %t.shard --entry ops --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.shard --entry collectives --verify | FileCheck %s --check-prefix=MOVES
// RUN: shard-run %t.shard --entry sums --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS
// MOVES: all_gather y:(2)2
// MOVES: all_gather x
// MOVES: permute y:(1)2, x
// MOVES: PASS

// CHECK: shard.grid @mesh(shape = 2x4) axes ["x", "y"]
sdy.mesh @mesh = <["x"=2, "y"=4]>
// CHECK-NEXT: shard.grid @iota(shape = 8) axes ["a"]{{$}}
sdy.mesh @iota = <["a"=8], device_ids=[0, 1, 2, 3, 4, 5, 6, 7]>
// CHECK-NEXT: shard.grid @columns(shape = 2x2) axes ["a", "b"] device_ids = [0, 2, 1, 3]
sdy.mesh @columns = <["a"=2, "b"=2], device_ids=[0, 2, 1, 3]>
// CHECK-NEXT: shard.grid @one(shape = 1)
sdy.mesh @one = <[]>

// An alias; open and closed dimensions; priorities; replicated axes; parts of axes.
#weights = #sdy.sharding<@mesh, [{}, {"y"}p1]>

// CHECK-LABEL: func.func @ops(
// CHECK-SAME: {shard.sharding = #shard.sharding<@mesh, {{\[\[}}"x"], [?]], replicated = ["y":(1)2]>}
// CHECK-SAME: {shard.sharding = #shard.sharding<@mesh, {{\[\[}}], ["y"]p1]>}
// CHECK-SAME: {shard.sharding = #shard.sharding<@mesh, {{\[\[}}"x", ?], []]>}
func.func @ops(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}], replicated={"y":(1)2}>},
               %arg1: tensor<8x8xf32> {sdy.sharding = #weights})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {}]>}) {
  // CHECK: %[[SUM:.*]] = arith.addf %arg0, %arg0 {shard.sharding = #shard.sharding<@mesh, {{\[\[}}"x"], [?]]>}
  %0 = arith.addf %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x8xf32>
  // CHECK: %[[WISH:.*]] = shard.constraint %[[SUM]] to <@mesh, {{\[\[}}"x"]p1, ["y":(2)2, ?]p0]>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}p1, {"y":(2)2, ?}p0]> : tensor<8x8xf32>
  // CHECK: shard.group %[[WISH]] id = 21
  sdy.sharding_group %1 group_id=21 : tensor<8x8xf32>
  // CHECK: %[[S:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], [0]]
  // CHECK: %[[MOVED:.*]] = shard.shard %[[WISH]] to %[[S]] annotate_for_users
  %2 = sdy.reshard %1 <@mesh, [{}, {"x"}]> : tensor<8x8xf32>
  // CHECK: arith.constant dense<1.0
  %c = sdy.constant dense<1.0> : tensor<8x8xf32>
  %3 = arith.mulf %2, %c : tensor<8x8xf32>
  // CHECK: shard.manual_computation(%{{.*}}, %arg1) on @mesh
  // CHECK-SAME: in = [<@mesh, {{\[\[}}"x"], ["y"]]>, <@mesh, {{\[\[}}"x"], []], replicated = ["y"]>]
  // CHECK-SAME: out = [<@mesh, {{\[\[}}"x"], ["y"]]>, <@mesh, {{\[\[}}"x"], [?]], replicated = ["y"]>]
  // CHECK-SAME: axes = ["x", "y"] (%{{.*}}: tensor<4x2xf32>, %{{.*}}: tensor<4x8xf32>)
  %4:2 = sdy.manual_computation(%3, %arg1)
      in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {}], replicated={"y"}>]
      out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {?}], replicated={"y"}>]
      manual_axes={"x", "y"} (%arg2: tensor<4x2xf32>, %arg3: tensor<4x8xf32>) {
    %5 = math.exp %arg2 : tensor<4x2xf32>
    // CHECK: shard.return
    sdy.return %5, %arg3 : tensor<4x2xf32>, tensor<4x8xf32>
  } : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
  %6 = arith.addf %4#0, %4#1 : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}

// A collective states what its operand must be, and its result.

// CHECK-LABEL: func.func @collectives(
func.func @collectives(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<16x8xf32> {
  // CHECK: %[[A:.*]] = shard.constraint %arg0 to <@mesh, {{\[\[}}"y"], ["x"]]>
  // CHECK: %[[B:.*]] = shard.constraint %[[A]] to <@mesh, {{\[\[}}"y":(1)2], []]>
  %0 = sdy.all_gather [{"y":(2)2}, {"x"}] %arg0 out_sharding=<@mesh, [{"y":(1)2}, {}]> : tensor<16x8xf32>
  // CHECK: %[[C:.*]] = shard.constraint %[[B]] to <@mesh, {{\[\[}}"y":(1)2], []]>
  // CHECK: %[[D:.*]] = shard.constraint %[[C]] to <@mesh, {{\[\[}}"y":(1)2, "x"], []]>
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"y":(1)2, "x"}, {}]> : tensor<16x8xf32>
  // CHECK: %[[E:.*]] = shard.constraint %[[D]] to <@mesh, {{\[\[}}"y":(1)2, "x"], []]>
  // CHECK: %[[F:.*]] = shard.constraint %[[E]] to <@mesh, {{\[\[}}"y":(1)2], ["x"]]>
  %2 = sdy.all_to_all [{"x"}: 0->1] %1 out_sharding=<@mesh, [{"y":(1)2}, {"x"}]> : tensor<16x8xf32>
  // The form of older versions.
  // CHECK: %[[G:.*]] = shard.constraint %[[F]] to <@mesh, {{\[\[}}"y":(1)2], ["x"]]>
  // CHECK: %[[H:.*]] = shard.constraint %[[G]] to <@mesh, {{\[\[}}"y":(1)2, "x"], []]>
  %3 = sdy.all_to_all {"x"} src_dim=1 tgt_dim=0 %2 out_sharding=<@mesh, [{"y":(1)2, "x"}, {}]> : tensor<16x8xf32>
  // CHECK: shard.constraint %[[H]] to <@mesh, {{\[\[}}"x", "y":(1)2], []]>
  %4 = sdy.collective_permute %3 out_sharding=<@mesh, [{"x", "y":(1)2}, {}]> : tensor<16x8xf32>
  %5 = math.exp %4 : tensor<16x8xf32>
  return %5 : tensor<16x8xf32>
}

// Unreduced values are partial sums. Several results have a sharding each.

// CHECK-LABEL: func.func @sums(
func.func @sums(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  // CHECK: %[[P:.*]] = linalg.matmul {shard.sharding = #shard.sharding<@mesh, {{\[\[}}], []], partial = sum ["x"]>}
  %0 = linalg.matmul {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>} ins(%arg0, %arg1 : tensor<16x8xf32>, tensor<8x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  // CHECK: %[[Q:.*]] = shard.constraint %[[P]] to <@mesh, {{\[\[}}], []], partial = sum ["x"]>
  // CHECK: %[[S:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], []]
  // CHECK: shard.shard %[[Q]] to %[[S]] annotate_for_users
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  // CHECK: %[[R:.*]] = shard.constraint %[[P]] to <@mesh, {{\[\[}}], []], partial = sum ["x"]>
  // CHECK: %[[T:.*]] = shard.sharding @mesh split_axes = {{\[\[}}0], []]
  // CHECK: shard.shard %[[R]] to %[[T]] annotate_for_users
  %2 = sdy.reduce_scatter [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<16x16xf32>
  // CHECK: %[[N:.*]]:2 = linalg.generic
  %3, %4 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"], sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"y"}]>, <@mesh, [{"x"}, {?}]>]>} ins(%1 : tensor<16x16xf32>) outs(%z, %z : tensor<16x16xf32>, tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %n = arith.negf %a : f32
    linalg.yield %a, %n : f32, f32
  } -> (tensor<16x16xf32>, tensor<16x16xf32>)
  // CHECK: shard.constraint %[[N]]#0 to <@mesh, {{\[\[}}?], ["y"]]>
  // CHECK: shard.constraint %[[N]]#1 to <@mesh, {{\[\[}}"x"], [?]]>
  %5 = arith.addf %3, %2 : tensor<16x16xf32>
  return %5, %4 : tensor<16x16xf32>, tensor<16x16xf32>
}

// Values that become summands.

// CHECK-LABEL: func.func @unreduced(
func.func @unreduced(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[A:.*]] = shard.constraint %arg0 to <@mesh, {{\[\[}}], []]>
  // CHECK: %[[S:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], []] partial = sum [0]
  // CHECK: %[[B:.*]] = shard.shard %[[A]] to %[[S]] annotate_for_users
  %0 = sdy.replicated_to_unreduced {"x"} %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x8xf32>
  // CHECK: %[[C:.*]] = shard.constraint %[[B]] to <@mesh, {{\[\[}}"y"], []], partial = sum ["x"]>
  // CHECK: %[[T:.*]] = shard.sharding @mesh split_axes = {{\[\[}}], []] partial = sum [0, 1]
  // CHECK: shard.shard %[[C]] to %[[T]] annotate_for_users
  %1 = sdy.sharded_to_unreduced [{"y"}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"x", "y"}> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// JAX's shard_map mentions in a sharding only the axes that split the value: the other manual
// axes are replicated, also where dimensions are open. Manual axes may have any order.
// CHECK-LABEL: func.func @mapped
func.func @mapped(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: shard.manual_computation(%arg0) on @mesh
  // CHECK-SAME: in = [<@mesh, {{\[}}["x"], [?]], replicated = ["y"]>]
  // CHECK-SAME: out = [<@mesh, {{\[}}["x"], []], replicated = ["y"]>] axes = ["x", "y"]
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {?}]>]
      out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"y", "x"} (%arg1: tensor<4x8xf32>) {
    %1 = math.exp %arg1 : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
