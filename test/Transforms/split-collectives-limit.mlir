// Memory that is just enough is enough, and one byte less is not: for the program as it is, for
// the least number of parts, and for any number.

// RUN: shard-opt %s --shard-split-collectives="memory=26624" | FileCheck %s --check-prefix=WHOLE
// RUN: shard-opt %s --shard-split-collectives="memory=26623" | FileCheck %s --check-prefix=TWO
// RUN: shard-opt %s --shard-split-collectives="memory=18432" | FileCheck %s --check-prefix=TWO
// RUN: shard-opt %s --shard-split-collectives="memory=18431" | FileCheck %s --check-prefix=FOUR
// RUN: shard-opt %s --shard-split-collectives="memory=14336" | FileCheck %s --check-prefix=FOUR
// RUN: shard-opt %s --shard-split-collectives="memory=10496" | FileCheck %s --check-prefix=MANY
// RUN: shard-opt %s --shard-split-collectives="memory=10495" 2>&1 | FileCheck %s --check-prefixes=REMARK,WHOLE

// REMARK: remark: takes 26624 bytes of memory on one device, which has 10495; with collectives in parts 10496
// WHOLE-NOT: scf.for
// WHOLE: shard.all_gather {{.*}} -> tensor<64x64xf32>
// TWO: shard.all_gather {{.*}} -> tensor<64x32xf32>
// FOUR: shard.all_gather {{.*}} -> tensor<64x16xf32>
// MANY: shard.all_gather {{.*}} -> tensor<64x1xf32>

// 9216 B of arguments, 1024 B of the result, and 256 B for each gathered column of the weight.
func.func @gathered_weight(%x: tensor<4x64xf32>, %w: tensor<32x64xf32>) -> tensor<4x64xf32> {
  %0 = shard.all_gather %w on @grid grid_axes = [0] gather_axis = 0 : tensor<32x64xf32> -> tensor<64x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %1 = linalg.matmul ins(%x, %0 : tensor<4x64xf32>, tensor<64x64xf32>) outs(%f : tensor<4x64xf32>) -> tensor<4x64xf32>
  return %1 : tensor<4x64xf32>
}

shard.grid @grid(shape = 2)
