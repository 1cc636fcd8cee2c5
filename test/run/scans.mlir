// Running sums and maxima along a split dimension, forward and backward, in even, short
// and empty blocks. Only the total of each block is sent: 3 of 4 blocks x 4 rows x 4 bytes.

// RUN: shard-run %s --verify --entry sum --grid 4 | FileCheck %s --check-prefixes=CHECK,TOTALS
// RUN: shard-run %s --verify --entry sum --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry max --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry max --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry short --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry twice --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry pooling --grid 4 | FileCheck %s --check-prefixes=CHECK,POOLING
// RUN: shard-run %s --verify --entry pooling --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry loop --grid 4 2>&1 | FileCheck %s --check-prefix=LOOP
// RUN: shard-run %s --verify --entry loop --grid 4 | FileCheck %s
// LOOP: scans.mlir:{{[0-9]+:[0-9]+}}: remark: 'tensor.extract_slice' cannot be split along dimension 0 of operand 0, which is gathered {{.*}}: a loop takes one slice after another and carries what it computes of them
// TOTALS: update_halo {{.*}} 48 B
// POOLING: update_halo {{.*}} 360 B
// TOTALS-NOT: all_gather
// CHECK: {{^}}PASS

shard.grid @g(shape = 4)

func.func @sum(%a: tensor<4x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<4x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 63] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x64xf32> to tensor<4x127xf32>
  %e = tensor.empty() : tensor<4x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64xf32>) -> tensor<4x64xf32>
  %w = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<4x127xf32>, tensor<64xf32>) outs(%f : tensor<4x64xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.addf %carried, %x : f32
    linalg.yield %s : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}

// Backward, from an init that is not neutral.
func.func @max(%a: tensor<62x3xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %init: tensor<62x3xf32>) -> tensor<62x3xf32> {
  %least = arith.constant 0xFF800000 : f32
  %p = tensor.pad %a low[0, 0] high[61, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %least : f32
  } : tensor<62x3xf32> to tensor<123x3xf32>
  %w = tensor.empty() : tensor<62xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (i + k, j)>, affine_map<(k, i, j) -> (k)>, affine_map<(k, i, j) -> (i, j)>], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%p, %w : tensor<123x3xf32>, tensor<62xf32>) outs(%init : tensor<62x3xf32>) {
  ^bb0(%x: f32, %unused: f32, %carried: f32):
    %s = arith.maximumf %x, %carried : f32
    linalg.yield %s : f32
  } -> tensor<62x3xf32>
  return %r : tensor<62x3xf32>
}

// Blocks of 2, of which the last one is empty.
func.func @short(%a: tensor<6xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<6xi32> {
  %zero = arith.constant 0 : i32
  %p = tensor.pad %a low[5] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<6xi32> to tensor<11xi32>
  %init = arith.constant dense<[5, 4, 3, 2, 1, 0]> : tensor<6xi32>
  %w = tensor.empty() : tensor<6xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<11xi32>, tensor<6xi32>) outs(%init : tensor<6xi32>) {
  ^bb0(%x: i32, %unused: i32, %carried: i32):
    %s = arith.addi %x, %carried : i32
    linalg.yield %s : i32
  } -> tensor<6xi32>
  return %r : tensor<6xi32>
}

// One after another.
func.func @twice(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xi32> {
  %zero = arith.constant 0 : i32
  %init = arith.constant dense<0> : tensor<8xi32>
  %w = tensor.empty() : tensor<8xi32>
  %p = tensor.pad %a low[7] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<8xi32> to tensor<15xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<15xi32>, tensor<8xi32>) outs(%init : tensor<8xi32>) {
  ^bb0(%x: i32, %unused: i32, %carried: i32):
    %s = arith.addi %x, %carried : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %q = tensor.pad %r low[0] high[7] {
  ^bb0(%i: index):
    tensor.yield %zero : i32
  } : tensor<8xi32> to tensor<15xi32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%q, %w : tensor<15xi32>, tensor<8xi32>) outs(%init : tensor<8xi32>) {
  ^bb0(%x: i32, %unused: i32, %carried: i32):
    %s = arith.addi %x, %carried : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  return %t : tensor<8xi32>
}

// Slices at places that only the run knows.
func.func @loop(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : tensor<1xi32>
  %e = tensor.empty() : tensor<8xi32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%total = %zero, %out = %e) -> (tensor<1xi32>, tensor<8xi32>) {
    %x = tensor.extract_slice %a[%i] [1] [1] : tensor<8xi32> to tensor<1xi32>
    %next = arith.addi %total, %x : tensor<1xi32>
    %o = tensor.insert_slice %next into %out[%i] [1] [1] : tensor<1xi32> into tensor<8xi32>
    scf.yield %next, %o : tensor<1xi32>, tensor<8xi32>
  }
  return %r#1 : tensor<8xi32>
}

// What JAX makes of the running sum of a tensor of four dimensions.
func.func @pooling(%a: tensor<2x9x3x5xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>}) -> tensor<2x9x3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[0, 0, 0, 0] high[0, 8, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<2x9x3x5xf32> to tensor<2x17x3x5xf32>
  %e = tensor.empty() : tensor<2x9x3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x9x3x5xf32>) -> tensor<2x9x3x5xf32>
  %w = tensor.empty() : tensor<9x1xf32>
  %r = linalg.pooling_nhwc_sum ins(%p, %w : tensor<2x17x3x5xf32>, tensor<9x1xf32>)
      outs(%init : tensor<2x9x3x5xf32>) -> tensor<2x9x3x5xf32>
  return %r : tensor<2x9x3x5xf32>
}
