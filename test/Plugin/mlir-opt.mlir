// REQUIRES: standalone
// UNSUPPORTED: asan
// RUN: mlir-opt --load-dialect-plugin=%shard_build/lib/ShardPlugin.so --load-pass-plugin=%shard_build/lib/ShardPlugin.so --pass-pipeline='builtin.module(shard-spmd)' %s | FileCheck %s

// Stock mlir-opt, which has LLVM's `shard` in its registry, reads, partitions and
// prints this project's.

shard.grid @grid(shape = 2) axes ["x"]
// CHECK: func.func @f(%{{.*}}: tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, {{\[\[0\]\]}}>>})
func.func @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>}) -> tensor<8xf32> {
  // CHECK: math.exp %{{.*}} : tensor<4xf32>
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
