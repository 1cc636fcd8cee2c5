// An annotation that changes nothing is left out, but the value stays whole in a second
// propagation, as the annotation wants it.
// RUN: shard-opt %s --shard-propagate -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --shard-propagate | diff %t.once -
shard.grid @grid(shape = 2)

// CHECK: func.func private @sums
// CHECK-SAME: -> (tensor<5xf32>, tensor<5xf32>)
func.func private @sums(%a: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %m = tensor.empty() : tensor<5x5xf32>
  %rows = linalg.broadcast ins(%a : tensor<5xf32>) outs(%m : tensor<5x5xf32>) dimensions = [1]
  %sums = linalg.reduce ins(%rows : tensor<5x5xf32>) outs(%init : tensor<5xf32>) dimensions = [0]
    (%x: f32, %acc: f32) {
      %s = arith.addf %acc, %x : f32
      linalg.yield %s : f32
    }
  return %sums, %sums : tensor<5xf32>, tensor<5xf32>
}
func.func @main(%a: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0:2 = call @sums(%a) : (tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  %2 = arith.addf %0#0, %0#1 : tensor<5xf32>
  %whole = shard.sharding @grid split_axes = [[]] : !shard.sharding
  // CHECK: func.func @main
  // CHECK: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[\]\]}}
  // CHECK: %[[SUM:.*]] = arith.addf
  // CHECK-NEXT: shard.shard %[[SUM]] to %[[WHOLE]] : tensor<5xf32>
  %3 = shard.shard %2 to %whole annotate_for_users : tensor<5xf32>
  %4 = math.exp %3 : tensor<5xf32>
  return
}
