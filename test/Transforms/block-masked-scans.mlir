// A running sum as PyTorch writes it: a sum over elements that are zero where their place is
// beyond that of the result.
// RUN: shard-opt %s --shard-block-scans=blocks=4 | FileCheck %s
// RUN: shard-run %s --entry sums --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry sums --verify --grid 3 | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry products --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry elsewhere --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @grid(shape = 4)

#id = affine_map<(i) -> (i)>
#pair = affine_map<(k, i) -> (k, i)>
#all = affine_map<(k, i, j) -> (k, i, j)>

// Four blocks of rows; the totals of each are scanned, too.

// CHECK-LABEL: func.func @sums(
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<4x2x3xi64>
// CHECK: tensor.pad %[[PARTS]] low[0, 1, 0] high[0, 0, 0]
// CHECK: tensor.pad %{{.*}} low[4, 0] high[0, 0]
func.func @sums(%x: tensor<8x3xi64> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x3xi64> {
  %zero = arith.constant 0 : i64
  %none = arith.constant dense<0> : tensor<i64>
  %rows = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 1, 3] : tensor<8x3xi64> into tensor<8x1x3xi64>
  %e0 = tensor.empty() : tensor<8xi64>
  %n = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%e0 : tensor<8xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i64
    linalg.yield %c : i64
  } -> tensor<8xi64>
  %column = tensor.expand_shape %n [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %e1 = tensor.empty() : tensor<8x8xi1>
  %flags = linalg.generic {
      indexing_maps = [affine_map<(k, i) -> (k, 0)>, affine_map<(k, i) -> (i)>, #pair],
      iterator_types = ["parallel", "parallel"]}
      ins(%column, %n : tensor<8x1xi64>, tensor<8xi64>) outs(%e1 : tensor<8x8xi1>) {
  ^bb0(%k: i64, %i: i64, %out: i1):
    %f = arith.cmpi sle, %k, %i : i64
    linalg.yield %f : i1
  } -> tensor<8x8xi1>
  %wide = tensor.expand_shape %flags [[0], [1, 2]] output_shape [8, 8, 1] : tensor<8x8xi1> into tensor<8x8x1xi1>
  %e2 = tensor.empty() : tensor<8x8x3xi64>
  %masked = linalg.generic {
      indexing_maps = [affine_map<(k, i, j) -> (k, i, 0)>, affine_map<(k, i, j) -> (k, 0, j)>,
                       affine_map<(k, i, j) -> ()>, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%wide, %rows, %none : tensor<8x8x1xi1>, tensor<8x1x3xi64>, tensor<i64>) outs(%e2 : tensor<8x8x3xi64>) {
  ^bb0(%f: i1, %v: i64, %z: i64, %out: i64):
    %s = arith.select %f, %v, %z : i64
    linalg.yield %s : i64
  } -> tensor<8x8x3xi64>
  %e3 = tensor.empty() : tensor<8x3xi64>
  %init = linalg.fill ins(%zero : i64) outs(%e3 : tensor<8x3xi64>) -> tensor<8x3xi64>
  %r = linalg.generic {
      indexing_maps = [#all, affine_map<(k, i, j) -> (i, j)>],
      iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%masked : tensor<8x8x3xi64>) outs(%init : tensor<8x3xi64>) {
  ^bb0(%v: i64, %sum: i64):
    %s = arith.addi %v, %sum : i64
    linalg.yield %s : i64
  } -> tensor<8x3xi64>
  return %r : tensor<8x3xi64>
}

// From the place on: the blocks are combined from the last one.

// CHECK-LABEL: func.func @products(
// CHECK: %[[PARTS:.*]] = tensor.expand_shape %arg0 {{.*}} into tensor<4x2xf32>
// CHECK: tensor.pad %[[PARTS]] low[0, 0] high[0, 1]
func.func @products(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<8x8xf32>
  %masked = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k)>, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%v: f32, %out: f32):
    %k = linalg.index 0 : index
    %i = linalg.index 1 : index
    %f = arith.cmpi sge, %k, %i : index
    %s = arith.select %f, %v, %one : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%one : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#pair, affine_map<(k, i) -> (i)>], iterator_types = ["reduction", "parallel"]}
      ins(%masked : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%v: f32, %all: f32):
    %s = arith.mulf %v, %all : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// What is not neutral elsewhere, and what is strictly before the place, is no scan.

// CHECK-LABEL: func.func @elsewhere(
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @elsewhere(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<8x8xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k)>, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%v: f32, %out: f32):
    %k = linalg.index 0 : index
    %i = linalg.index 1 : index
    %f = arith.cmpi sle, %k, %i : index
    %s = arith.select %f, %v, %one : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(k, i) -> (k)>, #pair], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<8xf32>) outs(%e0 : tensor<8x8xf32>) {
  ^bb0(%v: f32, %out: f32):
    %k = linalg.index 0 : index
    %i = linalg.index 1 : index
    %f = arith.cmpi slt, %k, %i : index
    %s = arith.select %f, %v, %zero : f32
    linalg.yield %s : f32
  } -> tensor<8x8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %r0 = linalg.generic {indexing_maps = [#pair, affine_map<(k, i) -> (i)>], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %r1 = linalg.generic {indexing_maps = [#pair, affine_map<(k, i) -> (i)>], iterator_types = ["reduction", "parallel"]}
      ins(%b : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %t = arith.addf %v, %sum : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %r0, %r1 : tensor<8xf32>, tensor<8xf32>
}
