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
