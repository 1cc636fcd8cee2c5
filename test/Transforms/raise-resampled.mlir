// Rows that interpolation looks up at computed places are slices that take turns, with other rows
// at the ends.
// RUN: shard-opt %s --shard-raise-extracts | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry twice --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry twice --verify --grid 3 | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry aligned --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry half --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry scattered --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry unsigned --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 4)

// Row max(0, floor((i - 0.5) / 2)), from a tensor of numbers.
// CHECK-LABEL: func.func @twice
// CHECK: %[[PADDED:.*]] = tensor.pad %arg0 low[1, 0] high[0, 0]
// CHECK: %[[MOVED:.*]] = tensor.extract_slice %[[PADDED]][0, 0] [12, 3] [1, 1]
// CHECK: %[[END:.*]] = tensor.extract_slice %arg0[0, 0] [1, 3] [1, 1]
// CHECK: %[[EVEN:.*]] = tensor.insert_slice %[[END]] into %[[MOVED]][0, 0] [1, 3] [1, 1]
// CHECK: %[[A:.*]] = tensor.expand_shape %[[EVEN]]
// CHECK: %[[B:.*]] = tensor.expand_shape %arg0
// CHECK: %[[BOTH:.*]] = tensor.concat dim(1) %[[A]], %[[B]]
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %[[BOTH]] {{.*}} into tensor<24x3xf32>
// CHECK: return %[[ROWS]]
// CHECK-NOT: tensor.extract %
// SPMD-LABEL: func.func @twice
// SPMD: shard.update_halo {{.*}} halo_sizes = [1, 0]
// SPMD-NOT: = shard.all_{{g|r|t}}
// SPMD: return %{{.*}} : tensor<6x3xf32>
func.func @twice(%x: tensor<12x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<24x3xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<24xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e0 : tensor<24xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %g = arith.subf %f, %half : f32
    %h = arith.mulf %g, %half : f32
    %low = arith.cmpf ult, %h, %zero : f32
    %r = arith.select %low, %zero, %h : f32
    %row = arith.fptosi %r : f32 to i64
    linalg.yield %row : i64
  } -> tensor<24xi64>
  %e1 = tensor.empty() : tensor<24x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<24xi64>) outs(%e1 : tensor<24x3xf32>) {
  ^bb0(%row: i64, %out: f32):
    %i = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<12x3xf32>
    linalg.yield %v : f32
  } -> tensor<24x3xf32>
  return %0 : tensor<24x3xf32>
}

// Ends are aligned with ends: row i * 7 / 31 falls behind i / 4, so each of four turns chooses
// between two slices by its place. The factor is rounded from f64.
// CHECK-LABEL: func.func @aligned
// CHECK: arith.constant dense<{{.*}}> : tensor<8xi1>
// CHECK: arith.select
// CHECK: tensor.concat dim(1)
// CHECK-NOT: tensor.extract %
// SPMD-LABEL: func.func @aligned
// SPMD: shard.update_halo {{.*}} halo_sizes = [1, 0]
// SPMD-NOT: = shard.all_{{g|r|t}}
// SPMD: return %{{.*}} : tensor<8x3xi32>
func.func @aligned(%x: tensor<8x3xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<32x3xi32> {
  %wide = arith.constant 0.22580645161290322 : f64
  %e1 = tensor.empty() : tensor<32x3xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<32x3xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f32
    %factor = arith.truncf %wide : f64 to f32
    %g = arith.mulf %f, %factor : f32
    %row = arith.fptosi %g : f32 to i64
    %r = arith.index_cast %row : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%r, %j] : tensor<8x3xi32>
    linalg.yield %v : i32
  } -> tensor<32x3xi32>
  return %0 : tensor<32x3xi32>
}

// Every second row, and the last row at the end: what a turn skips belongs to it.
// CHECK-LABEL: func.func @half
// CHECK: tensor.extract_slice %arg0[1, 0] [8, 3] [2, 1]
// CHECK-NOT: tensor.extract %
// SPMD-LABEL: func.func @half
// SPMD-NOT: = shard.{{all_g|all_r|all_t|update}}
// SPMD: return %{{.*}} : tensor<2x3xi8>
func.func @half(%x: tensor<16x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x3xi8> {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %c14 = arith.constant 14 : index
  %e1 = tensor.empty() : tensor<8x3xi8>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<8x3xi8>) {
  ^bb0(%out: i8):
    %i = linalg.index 0 : index
    %n = arith.muli %i, %c2 : index
    %m = arith.addi %n, %c1 : index
    %r = arith.minsi %m, %c14 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%r, %j] : tensor<16x3xi8>
    linalg.yield %v : i8
  } -> tensor<8x3xi8>
  return %0 : tensor<8x3xi8>
}

// Rows that follow no rule stay looked up.
// CHECK-LABEL: func.func @scattered
// CHECK-NOT: tensor.concat
// CHECK: tensor.gather
func.func @scattered(%x: tensor<12x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<24x3xf32> {
  %c5 = arith.constant 5 : index
  %c12 = arith.constant 12 : index
  %e1 = tensor.empty() : tensor<24x3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<24x3xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %n = arith.muli %i, %i : index
    %m = arith.addi %n, %c5 : index
    %r = arith.remui %m, %c12 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%r, %j] : tensor<12x3xf32>
    linalg.yield %v : f32
  } -> tensor<24x3xf32>
  return %0 : tensor<24x3xf32>
}

// Tensors of unsigned integers have no zeros to be padded by: their slices are joined.
// CHECK-LABEL: func.func @unsigned
// CHECK-NOT: tensor.pad
// CHECK: tensor.concat dim(0)
func.func @unsigned(%x: tensor<16x3xui8>) -> tensor<8x3xui8> {
  %c2 = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e1 = tensor.empty() : tensor<8x3xui8>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e1 : tensor<8x3xui8>) {
  ^bb0(%out: ui8):
    %i = linalg.index 0 : index
    %n = arith.muli %i, %c2 : index
    %m = arith.subi %n, %c1 : index
    %r = arith.maxsi %m, %c0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%r, %j] : tensor<16x3xui8>
    linalg.yield %v : ui8
  } -> tensor<8x3xui8>
  return %0 : tensor<8x3xui8>
}
