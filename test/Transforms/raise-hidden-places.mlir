// Frontends read the places of elements from tensors of the numbers 0, 1, 2, ..., and make
// those of negative ones positive. Both are seen through.
// RUN: shard-opt %s --shard-raise-extracts | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry reflect --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry reflect --verify --grid 2x2 --hint 'arg0=[[0],[1]]' | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry strided --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry strided --verify --grid 3 | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry chosen --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @grid(shape = 2)

// Row i of the padded tensor is |i - 1| of the tensor: two slices are joined, columns stay split.

// CHECK-LABEL: func @reflect
// CHECK: %[[BORDER:.*]] = tensor.extract_slice %arg0[1, 0] [1, 8] [1, 1]
// CHECK: tensor.concat dim(0) %[[BORDER]], %arg0 : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<7x8xf32>
// CHECK-NOT: tensor.extract %
// SPMD-LABEL: func.func @reflect
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<7x4xf32>
func.func @reflect(%x: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<7x8xf32> {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %e0 = tensor.empty() : tensor<7xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e0 : tensor<7xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %c1 : i64
    %a = math.absi %m : i64
    linalg.yield %a : i64
  } -> tensor<7xi64>
  %e1 = tensor.empty() : tensor<8xi64>
  %numbers = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e1 : tensor<8xi64>) {
  ^bb0(%out: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<8xi64>
  %columns = tensor.expand_shape %numbers [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
  %e2 = tensor.empty() : tensor<7x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows, %columns : tensor<7xi64>, tensor<1x8xi64>) outs(%e2 : tensor<7x8xf32>) {
  ^bb0(%row: i64, %column: i64, %out: f32):
    %isNegative = arith.cmpi slt, %column, %c0 : i64
    %wrapped = arith.addi %column, %c8 : i64
    %positive = arith.select %isNegative, %wrapped, %column : i64
    %at0 = arith.index_cast %row : i64 to index
    %at1 = arith.index_cast %positive : i64 to index
    %v = tensor.extract %x[%at0, %at1] : tensor<6x8xf32>
    linalg.yield %v : f32
  } -> tensor<7x8xf32>
  return %r : tensor<7x8xf32>
}

// A window with a stride becomes a map, and sends a halo.

// CHECK-LABEL: func @strided
// CHECK: ins(%arg0 : tensor<8xf32>)
// SPMD-LABEL: func.func @strided
// SPMD-NOT: shard.all_gather
// SPMD: shard.update_halo
func.func @strided(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<2x5xf32> {
  %c3 = arith.constant 3 : i32
  %e0 = tensor.empty() : tensor<2xi32>
  %numbers = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e0 : tensor<2xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %m = arith.muli %n, %c3 : i32
    linalg.yield %m : i32
  } -> tensor<2xi32>
  %starts = tensor.expand_shape %numbers [[0, 1]] output_shape [2, 1] : tensor<2xi32> into tensor<2x1xi32>
  %e1 = tensor.empty() : tensor<2x5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%starts : tensor<2x1xi32>) outs(%e1 : tensor<2x5xf32>) {
  ^bb0(%start: i32, %out: f32):
    %j = linalg.index 1 : index
    %s = arith.index_cast %start : i32 to index
    %at = arith.addi %s, %j : index
    %v = tensor.extract %x[%at] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// A choice that does not always have one outcome is computed for each iteration.

// CHECK-LABEL: func @chosen
// CHECK: %[[PART:.*]] = tensor.extract_slice %arg0[3, 0] [3, 8] [1, 1]
// CHECK: tensor.concat dim(0) %[[PART]], %{{.*}} : (tensor<3x8xf32>, tensor<3x8xf32>)
func.func @chosen(%x: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<6x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %isLess = arith.cmpi slt, %i, %c3 : index
    %less = arith.addi %i, %c3 : index
    %at = arith.select %isLess, %less, %i : index
    %least = arith.minsi %j, %j : index
    %v = tensor.extract %x[%at, %j] : tensor<6x8xf32>
    linalg.yield %v : f32
  } -> tensor<6x8xf32>
  return %r : tensor<6x8xf32>
}
