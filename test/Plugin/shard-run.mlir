// A user's dialect, its lowering and a user's C function in shard-run.
// REQUIRES: standalone
// UNSUPPORTED: asan

// RUN: shard-run %s --verify --load-dialect-plugin=%shard_build/lib/ShardToyPlugin.so \
// RUN:   --load-pass-plugin=%shard_build/lib/ShardToyPlugin.so --pass-pipeline='builtin.module(toy-lower)' \
// RUN:   --shared-libs=%shard_build/lib/ShardToyPlugin.so | FileCheck %s
// CHECK: arg0      tensor<8xf32>  {{\[\[}}0]]
// CHECK: PASS

// RUN: not shard-run %s --load-dialect-plugin=%shard_build/lib/ShardToyPlugin.so 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: shard-run.mlir:{{[0-9:]+}} remark: 'toy.twice' has no sharding model: its sharded operands are gathered on every device
// LEFT: shard-run.mlir:{{[0-9:]+}} error: 'toy.twice' works on tensors, and no lowering of it to buffers is known; lower it to ops of linalg, tensor, arith, scf or func before
// RUN: not shard-run %s 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error: Dialect `toy' not found
// RUN: not shard-run %s --load-dialect-plugin=%shard_build/lib/ShardToyPlugin.so --pass-pipeline='builtin.module(toy-raise)' 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: error: {{.*}}'toy-raise' does not refer to a registered pass
// RUN: not shard-run %s --load-dialect-plugin=%t.so 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: --load-dialect-plugin '{{.*}}.so': {{.*}}No such file
// RUN: not shard-run %s --shared-libs=%t.so 2>&1 | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: error: --shared-libs '{{.*}}.so': {{.*}}No such file
// RUN: not shard-run %s --load-dialect-plugin=%shard_build/lib/ShardPlugin.so 2>&1 | FileCheck %s --check-prefix=SHARD
// SHARD: error: --load-dialect-plugin '{{.*}}' has the dialect shard, which this program has itself

shard.grid @grid(shape = 4)
func.func private @toyHalf(f32) -> f32
func.func @main(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %0 = toy.twice %x : tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = linalg.map ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) (%in: f32, %out: f32) {
    %h = func.call @toyHalf(%in) : (f32) -> f32
    linalg.yield %h : f32
  }
  return %1 : tensor<8xf32>
}
