// Bytecode keeps everything; that of LLVM's dialect, which stores attributes as
// text, is read as well.
//
// RUN: shard-opt %s -o %t.text
// RUN: shard-opt %s --emit-bytecode | shard-opt -o %t.again
// RUN: diff %t.text %t.again
// RUN: mlir-opt %s -o %t.theirs
// RUN: mlir-opt %s --emit-bytecode | shard-opt -o %t.ours
// RUN: diff %t.theirs %t.ours

shard.grid @g(shape = 2x4)
func.func @f(%t: tensor<8x8xf32>, %c: i64, %i: index) -> (tensor<8x8xf32>, !shard.sharding) {
  %s = shard.sharding @g split_axes = [[0], []] halo_sizes = [1, %c] : !shard.sharding
  %0 = shard.shard %t to %s annotate_for_users : tensor<8x8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] reduction = max : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = shard.broadcast %1 on @g grid_axes = [0, 1] root = [%i, 3] : (tensor<8x8xf32>, index) -> tensor<8x8xf32>
  return %2, %s : tensor<8x8xf32>, !shard.sharding
}
