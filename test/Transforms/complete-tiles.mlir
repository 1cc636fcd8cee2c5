// Padding of incomplete tiles is an op of its own: split along the tiles, nothing is gathered.

// RUN: shard-opt %s --shard-complete-tiles | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry product --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry product --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @product
// CHECK: tensor.pad %{{.*}} low[0, 0] high[1, 0]
// CHECK: linalg.pack %{{[a-z0-9]+}} inner_dims_pos = [0, 1] {{.*}} : tensor<16x20xf32> -> tensor<4x5x4x4xf32>
// CHECK: tensor.pad %{{.*}} low[0, 0] high[0, 2]
// CHECK: linalg.unpack {{.*}} -> tensor<16x32xf32>
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [15, 30] [1, 1] : tensor<16x32xf32> to tensor<15x30xf32>
// SPMD-LABEL: func.func @product
// SPMD-NOT: shard.all
// SPMD-NOT: shard.update_halo
// SPMD: return
func.func @product(%a: tensor<15x20xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %b: tensor<20x30xf32>) -> tensor<15x30xf32> {
  %z = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<4x5x4x4xf32>
  %pa = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %0 : tensor<15x20xf32> -> tensor<4x5x4x4xf32>
  %1 = tensor.empty() : tensor<4x5x8x4xf32>
  %pb = linalg.pack %b padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %1 : tensor<20x30xf32> -> tensor<4x5x8x4xf32>
  %2 = tensor.empty() : tensor<4x4x4x8xf32>
  %zeros = linalg.fill ins(%z : f32) outs(%2 : tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  %c = linalg.mmt4d ins(%pa, %pb : tensor<4x5x4x4xf32>, tensor<4x5x8x4xf32>) outs(%zeros : tensor<4x4x4x8xf32>) -> tensor<4x4x4x8xf32>
  %3 = tensor.empty() : tensor<15x30xf32>
  %r = linalg.unpack %c inner_dims_pos = [0, 1] inner_tiles = [4, 8] into %3 : tensor<4x4x4x8xf32> -> tensor<15x30xf32>
  return %r : tensor<15x30xf32>
}

// Complete tiles and dynamic shapes stay.

// CHECK-LABEL: func.func @others
// CHECK-NOT: tensor.pad
// CHECK-NOT: tensor.extract_slice
// CHECK: return
func.func @others(%a: tensor<8xf32>, %b: tensor<?xf32>, %0: tensor<2x4xf32>, %1: tensor<?x4xf32>) -> (tensor<2x4xf32>, tensor<?x4xf32>) {
  %z = arith.constant 0.0 : f32
  %2 = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %0 : tensor<8xf32> -> tensor<2x4xf32>
  %3 = linalg.pack %b padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %1 : tensor<?xf32> -> tensor<?x4xf32>
  return %2, %3 : tensor<2x4xf32>, tensor<?x4xf32>
}
