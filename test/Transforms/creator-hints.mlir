// A hint on a value that costs nothing to make is a hint for all users of the value, in
// whatever form it is stated.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --entry group --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %s --entry splat --verify | FileCheck %s --check-prefix=PASS

// DONE: result0 {{.*}}{{\[}}[x], [y]]
// DONE: PASS
// PASS: PASS

shard.grid @g(shape = 2x2) axes ["x", "y"]

// CHECK-LABEL: func.func @group
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
func.func @group(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [["x"], ["y"]]>}) -> tensor<8x8xf32> {
  %zeros = arith.constant dense<0.0> : tensor<8x8xf32>
  shard.group %x, %zeros id = 0 : tensor<8x8xf32>, tensor<8x8xf32>
  return %zeros : tensor<8x8xf32>
}

// CHECK-LABEL: func.func @annotation
// CHECK-SAME: (%{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
func.func @annotation(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = arith.constant dense<1.0> : tensor<8x8xf32>
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %c to %s : tensor<8x8xf32>
  %1 = arith.addf %a, %c : tensor<8x8xf32>
  return %c, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @attribute
// CHECK-SAME: (%{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>})
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>})
func.func @attribute(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = arith.constant {shard.sharding = #shard.sharding<@g, [["x"], []]>} dense<1.0> : tensor<8x8xf32>
  %1 = arith.addf %a, %c : tensor<8x8xf32>
  return %c, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @fill
// CHECK-SAME: %{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
func.func @fill(%x: f32, %a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %c = linalg.fill {shard.loops = #shard.sharding<@g, [["x"], ["y"]]>} ins(%x : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = arith.addf %a, %c : tensor<8x8xf32>
  return %c, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// An open hint is for all users too.
// CHECK-LABEL: func.func @splat
// CHECK-SAME: %{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>})
func.func @splat(%x: f32, %a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = tensor.splat %x : tensor<8x8xf32>
  %u = shard.constraint %c to <@g, [["x", ?], [?]]> : tensor<8x8xf32>
  %1 = arith.addf %a, %c : tensor<8x8xf32>
  return %c, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @empty
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], [1]]>})
func.func @empty(%x: f32) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %u = shard.constraint %e to <@g, [["x"], ["y"]]> : tensor<8x8xf32>
  %c = linalg.fill ins(%x : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
