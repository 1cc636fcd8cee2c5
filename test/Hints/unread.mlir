// RUN: shard-opt %s -allow-unregistered-dialect --sharding-propagation -verify-diagnostics -o /dev/null

// A hint in a region that propagation does not look into is not dropped without a word.

shard.grid @g(shape = 2x2)
func.func @unknown(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x8xf32> {
  %0 = "foo.op"(%a) ({
  ^bb0(%x: tensor<8x8xf32>):
    // expected-remark @below {{the hint has no effect: propagation does not look into the regions of 'foo.op', which each device runs as they are}}
    %s = shard.constraint %x to <@g, [[0], []]> : tensor<8x8xf32>
    %q = math.exp %s : tensor<8x8xf32>
    "foo.yield"(%q) : (tensor<8x8xf32>) -> ()
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Of several grids in one function, one remark is enough.
shard.grid @h(shape = 2)
func.func @two_grids(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %b: tensor<4xf32> {shard.sharding = #shard.sharding<@h, [[0]]>}) -> (tensor<8x8xf32>, tensor<4xf32>) {
  %0 = "foo.op"(%a) ({
  ^bb0(%x: tensor<8x8xf32>):
    // expected-remark @below {{the hint has no effect}}
    %s = shard.constraint %x to <@g, [[0], []]> : tensor<8x8xf32>
    "foo.yield"(%s) : (tensor<8x8xf32>) -> ()
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = math.exp %b : tensor<4xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<4xf32>
}
