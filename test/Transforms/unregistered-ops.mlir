// Grids are found from inside of ops of dialects that are not loaded, and by hints on them.
// What is inside works on whole tensors: hints there say nothing.

// RUN: shard-opt %s --allow-unregistered-dialect --split-input-file --sharding-propagation | FileCheck %s

// CHECK-LABEL: func.func @inside
// CHECK: "foo.op"
// CHECK: ^bb0(%[[X:.*]]: tensor<8x8xf32>):
// CHECK-NEXT: math.exp %[[X]]
shard.grid @g(shape = 2x2)
func.func @inside(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x8xf32> {
  %0 = "foo.op"(%a) ({
  ^bb0(%x: tensor<8x8xf32>):
    %s = shard.constraint %x to <@g, [[0], []]> : tensor<8x8xf32>
    %q = math.exp %s : tensor<8x8xf32>
    "foo.yield"(%q) : (tensor<8x8xf32>) -> ()
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @hinted
// CHECK: %[[O:.*]] = "foo.op"
// CHECK: shard.shard %[[O]] to
shard.grid @g(shape = 2x2)
func.func @hinted(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = "foo.op"(%a) ({
  ^bb0(%x: tensor<8x8xf32>):
    "foo.yield"(%x) : (tensor<8x8xf32>) -> ()
  }) {shard.sharding = #shard.sharding<@g, [[0], [1]]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
