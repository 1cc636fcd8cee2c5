// One function may use several grids: each value is on the grid that its hints name. A
// value goes from one grid to another at an annotation for users, at a
// shard.constraint with users, or at an annotation of an annotation.

// RUN: shard-opt %s --sharding-propagation | FileCheck %s
// RUN: shard-opt %s --sharding-propagation | shard-opt --sharding-propagation | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-partition --shard-verify-spmd | FileCheck %s --check-prefix=LOCAL
// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// WHY: reshard of %{{.*}} for shard.constraint operand 0 {{.*}}: {{\[\[}}0], []] on grid @line -> {{\[\[}}y], [x]] on grid @square
// WHY-NEXT: it has axis 0 in dimension 0: through math.exp {{.*}} from the hint <@line,
// WHY-NEXT: against axis y in dimension 0: from the hint #shard.sharding<@square,
// WHY: decided: the annotation moves the value to grid @square

shard.grid @line(shape = 4)
shard.grid @square(shape = 2x2) axes ["x", "y"]
shard.grid @small(shape = 3)

// Values that do not meet, on grids of different size.

// CHECK-LABEL: func.func @apart(
// CHECK-SAME: {shard.sharding = #shard.sharding<@line, {{\[\[}}0]]>}
// CHECK-SAME: {shard.sharding = #shard.sharding<@small, {{\[\[}}0]]>}
// CHECK-SAME: -> (tensor<12xf32> {shard.sharding = #shard.sharding<@line, {{\[\[}}0]]>},
// CHECK-SAME: tensor<12xf32> {shard.sharding = #shard.sharding<@small, {{\[\[}}0]]>}
// LOCAL-LABEL: func.func @apart(
// LOCAL: math.exp {{.*}} : tensor<3xf32>
// LOCAL: math.exp {{.*}} : tensor<4xf32>
func.func @apart(%a: tensor<12xf32>, %b: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %s = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @small split_axes = [[0]] : !shard.sharding
  %as = shard.shard %a to %s : tensor<12xf32>
  %bs = shard.shard %b to %t : tensor<12xf32>
  %0 = math.exp %as : tensor<12xf32>
  %1 = math.exp %bs : tensor<12xf32>
  return %0, %1 : tensor<12xf32>, tensor<12xf32>
}

// A constant that both use is one for each.

// CHECK-LABEL: func.func @constant(
// CHECK-DAG: %[[L:.*]] = shard.sharding @line split_axes = {{\[\[}}0]]
// CHECK-DAG: %[[S:.*]] = shard.sharding @square split_axes = {{\[\[}}1]]
// CHECK-DAG: shard.shard %{{cst.*}} to %[[L]] :
// CHECK-DAG: shard.shard %{{cst.*}} to %[[S]] :
func.func @constant(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@line, [[0]]>},
                    %b: tensor<8xf32> {shard.sharding = #shard.sharding<@square, [["y"]]>})
    -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<[0., 1., 2., 3., 4., 5., 6., 7.]> : tensor<8xf32>
  %0 = arith.addf %a, %c : tensor<8xf32>
  %1 = arith.addf %b, %c : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// From one grid to another. The blocks are the same where axes are only counted
// otherwise.

// CHECK-LABEL: func.func @chain(
// CHECK-DAG: %[[S:.*]] = shard.sharding @square split_axes = {{\[\[}}0, 1]]
// CHECK: %[[A:.*]] = shard.shard %{{.*}} to %[[S]] annotate_for_users
// CHECK: %[[E:.*]] = math.exp %[[A]]
// CHECK: shard.shard %[[E]] to %[[S]] :
// LOCAL-LABEL: func.func @chain(
// LOCAL-SAME: %[[A:.*]]: tensor<2x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@line, {{\[\[}}0], []]>>})
// LOCAL-SAME: -> (tensor<2x8xf32> {shard.local = #shard.local<tensor<8x8xf32>, <@square, {{\[\[}}0, 1], []]>>})
// LOCAL-NEXT: math.exp %[[A]]
// LOCAL-NEXT: return
func.func @chain(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %t = shard.sharding @square split_axes = [[0, 1]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = shard.shard %0 to %t : tensor<8x8xf32>
  %2 = math.exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// Blocks over other axes are sent.

// LOCAL-LABEL: func.func @moved(
// LOCAL: shard.redistribute {{.*}} on @square
// LOCAL: math.sin {{.*}} : tensor<4x4xf32>
func.func @moved(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %s = shard.sharding @line split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  %2 = shard.constraint %1 to <@square, [["y"], ["x"]]> : tensor<8x8xf32>
  %3 = math.sin %2 : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// An argument that nothing else puts on a grid takes that of its first annotation. What
// is open on the other grid is settled there.

// CHECK-LABEL: func.func @two_users(
// CHECK-SAME: {shard.sharding = #shard.sharding<@square, {{\[\[}}0], []]>}
// CHECK-DAG: %[[L:.*]] = shard.sharding @line split_axes = {{\[\[}}], [0]]
// CHECK: shard.shard %{{.*}} to %[[L]] annotate_for_users
func.func @two_users(%a: tensor<8x8xf32>, %w: tensor<8x8xf32> {shard.sharding = #shard.sharding<@line, [[?], [0]]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shard.constraint %a to <@square, [["x"], [?]]> : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  %2 = shard.constraint %a to <@line, [[?], [?]]> : tensor<8x8xf32>
  %3 = arith.addf %2, %w : tensor<8x8xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Functions that call one another: the value goes over in the callee.

// CHECK-LABEL: func.func private @inner(
// CHECK-SAME: {shard.sharding = #shard.sharding<@line, {{\[\[}}0], []]>}
// CHECK-SAME: {shard.sharding = #shard.sharding<@square, {{\[\[}}1], [0]]>}
func.func private @inner(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shard.constraint %a to <@square, [["y"], ["x"]]> : tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func @outer(
// CHECK-SAME: {shard.sharding = #shard.sharding<@square, {{\[\[}}1], [0]]>}
// LOCAL-LABEL: func.func @outer(
// LOCAL: call @inner({{.*}}) : (tensor<2x8xf32>) -> tensor<4x4xf32>
func.func @outer(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@line, [[0], [?]]>}) -> tensor<8x8xf32> {
  %0 = func.call @inner(%a) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = math.cos %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
