// All grids of a module are of the same devices. What a grid states of them that the first one does
// not is remarked on; links are a grid's own. A grid that partition adds has the machine of those
// that it refines.
// RUN: shard-opt %s --split-input-file --shard-spmd --verify-diagnostics | FileCheck %s

shard.grid @grid(shape = 4) {shard.machine = {name = "a100", memory_bandwidth = 1.0e9}}
// expected-remark@+1 {{the devices have other figures by the shard.machine of this grid than by that of @grid; all grids of a module are of the same devices}}
shard.grid @other(shape = 2x2)
shard.grid @links(shape = 2x2) {shard.machine = {name = "a100", memory_bandwidth = 1.0e9, link_latency = 0.0}}

// CHECK-LABEL: func.func @unchanged
func.func @unchanged(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// 6x2x2 refines neither 2x3x4 nor 3x2x2x2.
// CHECK: shard.grid @a_{{[0-9]+}}(shape = 6x2x2) {shard.machine = {name = "h100"}}
shard.grid @a(shape = 2x3x4) {shard.machine = {name = "h100"}}
shard.grid @b(shape = 3x2x2x2) {shard.machine = {name = "h100"}}

func.func @moved(%x: tensor<48x48xf32> {shard.sharding = #shard.sharding<@a, [[2], []]>})
    -> (tensor<48x48xf32> {shard.sharding = #shard.sharding<@b, [[2], [3]]>}) {
  %s = shard.sharding @b split_axes = [[2], [3]] : !shard.sharding
  %0 = shard.shard %x to %s annotate_for_users : tensor<48x48xf32>
  return %0 : tensor<48x48xf32>
}
