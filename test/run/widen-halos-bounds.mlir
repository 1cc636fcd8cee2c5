// A step of a stencil that is computed in blocks with bounds: halos of it cannot be computed,
// because such blocks have no known extent. They are exchanged.

// RUN: shard-run %s --halo-steps=2 --verify 2>&1 | FileCheck %s
// CHECK: 'arith.addf' is marked by shard.recompute, but a device cannot compute
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2)
func.func @main(%init: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %init) -> (tensor<8xf32>) {
    %blocks = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, 3, 8] : !shard.sharding
    %padded = tensor.pad %u low[1] high[1] {
    ^bb0(%j: index):
      tensor.yield %zero : f32
    } : tensor<8xf32> to tensor<10xf32>
    %left = tensor.extract_slice %padded[0] [8] [1] : tensor<10xf32> to tensor<8xf32>
    %right = tensor.extract_slice %padded[2] [8] [1] : tensor<10xf32> to tensor<8xf32>
    %sum = arith.subf %left, %right : tensor<8xf32>
    %a = shard.shard %sum to %blocks annotate_for_users : tensor<8xf32>
    %b = shard.shard %u to %blocks annotate_for_users : tensor<8xf32>
    %next = arith.addf %a, %b : tensor<8xf32>
    %plain = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %c = shard.shard %next to %plain : tensor<8xf32>
    scf.yield %c : tensor<8xf32>
  }
  return %last : tensor<8xf32>
}
