// An op on equal operands that partition would fold to its operand becomes the operand before
// shardings are chosen: else both would be resharded.

// RUN: shard-opt %s --shard-propagate | FileCheck %s

shard.grid @grid(shape = 2x2) {uneven_dynamic}

// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?xf32>
// CHECK-NOT: arith.maximumf
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK: shard.shard %[[X]] to %{{[^ ]+}} annotate_for_users
// CHECK-NOT: annotate_for_users
// CHECK: return
func.func @main(%x: tensor<?xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>})
    -> (tensor<?xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0]]>}, tensor<?xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0]]>}) {
  %0 = arith.maximumf %x, %x : tensor<?xf32>
  %1 = arith.mulf %0, %x : tensor<?xf32>
  return %1, %0 : tensor<?xf32>, tensor<?xf32>
}

// Hints of the op stay.
// CHECK-LABEL: func.func @hinted
// CHECK-SAME: -> (tensor<?xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[}}0]]>})
func.func @hinted(%x: tensor<?xf32>) -> tensor<?xf32> {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %0 = arith.maximumf %x, %x : tensor<?xf32>
  %1 = shard.shard %0 to %s : tensor<?xf32>
  return %1 : tensor<?xf32>
}
