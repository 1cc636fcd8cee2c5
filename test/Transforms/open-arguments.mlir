// An argument without a hint takes what its users want. It is resharded only where two
// users, or a user and a hint, disagree.

// RUN: shard-opt %s --sharding-propagation | FileCheck %s
// RUN: shard-opt %s --sharding-propagation=traversal=forward-backward | FileCheck %s
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: shard-run %s --entry weight --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @g(shape = 2)

// The second weight splits the hidden layer by columns. So the first weight has
// columns, not the rows that it could take from the activation.

// CHECK-LABEL: func.func @weight(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], [0]]>}
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}], [0]]>}
// CHECK: %[[XW:.*]] = shard.shard %[[X]] to %{{.*}} annotate_for_users
// CHECK: linalg.matmul ins(%[[XW]], %[[W]]
// WHY: %arg1
// WHY-NEXT: axis 0 in dimension 1: through linalg.matmul at {{.*}}, through linalg.matmul at {{.*}}, from the hint <@g, {{\[\[}}0], []]>
func.func @weight(%x: tensor<8x8xf32>, %w1: tensor<8x32xf32>, %w2: tensor<32x8xf32>) -> tensor<8x8xf32> {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %columns : tensor<8x8xf32>
  %w2s = shard.shard %w2 to %rows : tensor<32x8xf32>
  %z1 = arith.constant dense<0.0> : tensor<8x32xf32>
  %h = linalg.matmul ins(%xs, %w1 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%z1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = arith.constant dense<1.0> : tensor<8x32xf32>
  %r = arith.maximumf %h, %c : tensor<8x32xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = linalg.matmul ins(%r, %w2s : tensor<8x32xf32>, tensor<32x8xf32>) outs(%z2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Another user wants rows: the argument has one of both.

// CHECK-LABEL: func.func @two_users(
// CHECK-SAME: %[[W:[a-z0-9]+]]: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
// CHECK: shard.shard %[[W]] to %{{.*}} annotate_for_users
func.func @two_users(%x: tensor<8x8xf32>, %w1: tensor<8x32xf32>, %w2: tensor<32x8xf32>) -> (tensor<8x8xf32>, tensor<8x32xf32>) {
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %xs = shard.shard %x to %columns : tensor<8x8xf32>
  %w2s = shard.shard %w2 to %rows : tensor<32x8xf32>
  %z1 = arith.constant dense<0.0> : tensor<8x32xf32>
  %h = linalg.matmul ins(%xs, %w1 : tensor<8x8xf32>, tensor<8x32xf32>) outs(%z1 : tensor<8x32xf32>) -> tensor<8x32xf32>
  %c = arith.constant dense<1.0> : tensor<8x32xf32>
  %r = arith.maximumf %h, %c : tensor<8x32xf32>
  %z2 = arith.constant dense<0.0> : tensor<8x8xf32>
  %y = linalg.matmul ins(%r, %w2s : tensor<8x32xf32>, tensor<32x8xf32>) outs(%z2 : tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = math.exp %w1 : tensor<8x32xf32>
  %es = shard.shard %e to %rows : tensor<8x32xf32>
  return %y, %es : tensor<8x8xf32>, tensor<8x32xf32>
}

// A hint stays as it is.

// CHECK-LABEL: func.func @hinted(
// CHECK-SAME: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>}
func.func @hinted(%h: tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[0], [?]]>})
    -> (tensor<8x32xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %0 = math.exp %h : tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
