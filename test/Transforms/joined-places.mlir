// Look-ups at places that are known are slices side by side, as borders that are reflected or
// repeated: devices read them by halos, and nothing is looked up or summed up.
// RUN: shard-opt %s --shard-raise-extracts | FileCheck %s
// RUN: shard-run %s --entry reflected --verify | FileCheck %s --check-prefix=REFLECTED
// RUN: shard-run %s --entry reflected --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry upsampled --verify | FileCheck %s --check-prefix=UPSAMPLED
// RUN: shard-run %s --entry upsampled --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry listed --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry listed --grid 2x2 --hint 'arg0=[[0],[1]]' --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry border --verify | FileCheck %s --check-prefix=BORDER
// RUN: shard-run %s --entry permuted --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @grid(shape = 4)

// Places in tensors of their own: |15 - |i - 2|| and 15 minus it, as PyTorch's frontend has them.
// 2 1 0 .. 15 14 13: of the 20 rows over 4 devices each has 5, and lacks one at most on each side.

// CHECK-LABEL: func @reflected
// CHECK-SAME: %[[X:.*]]: tensor<16x8xf32>
// CHECK-DAG: %[[A:.*]] = tensor.extract_slice %[[X]][2, 0] [1, 8] [1, 1]
// CHECK-DAG: %[[B:.*]] = tensor.extract_slice %[[X]][1, 0] [1, 8] [1, 1]
// CHECK-DAG: %[[C:.*]] = tensor.extract_slice %[[X]][14, 0] [1, 8] [1, 1]
// CHECK-DAG: %[[D:.*]] = tensor.extract_slice %[[X]][13, 0] [1, 8] [1, 1]
// CHECK: %[[R:.*]] = tensor.concat dim(0) %[[A]], %[[B]], %[[X]], %[[C]], %[[D]]
// CHECK: return %[[R]]
// REFLECTED: collective
// REFLECTED-NEXT: update_halo {{.*}} 1 {{ *}}32 B
// REFLECTED-NOT: {{all_|shift|reduce_}}
// REFLECTED: PASS
func.func @reflected(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<20x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c16 = arith.constant 16 : i64
  %last = arith.constant dense<15> : tensor<i64>
  %e0 = tensor.empty() : tensor<20xi64>
  %first = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e0 : tensor<20xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.subi %n, %c2 : i64
    %a = math.absi %m : i64
    linalg.yield %a : i64
  } -> tensor<20xi64>
  %second = linalg.generic {
      indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%last, %first : tensor<i64>, tensor<20xi64>) outs(%e0 : tensor<20xi64>) {
  ^bb0(%l: i64, %n: i64, %o: i64):
    %d = arith.subi %l, %n : i64
    %a = math.absi %d : i64
    %m = arith.subi %l, %a : i64
    linalg.yield %m : i64
  } -> tensor<20xi64>
  %rows = tensor.expand_shape %second [[0, 1]] output_shape [20, 1] : tensor<20xi64> into tensor<20x1xi64>
  %e1 = tensor.empty() : tensor<20x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<20x1xi64>) outs(%e1 : tensor<20x8xf32>) {
  ^bb0(%row: i64, %o: f32):
    %isNegative = arith.cmpi slt, %row, %c0 : i64
    %wrapped = arith.addi %row, %c16 : i64
    %positive = arith.select %isNegative, %wrapped, %row : i64
    %at = arith.index_cast %positive : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%at, %j] : tensor<16x8xf32>
    linalg.yield %v : f32
  } -> tensor<20x8xf32>
  return %r : tensor<20x8xf32>
}

// The upper row of two that are interpolated, 0 0 0 1 1 .. 6 6 7: two slices take turns. The row is
// read in a body, from a tensor of places.

// CHECK-LABEL: func @upsampled
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf32>
// CHECK: %[[PADDED:.*]] = tensor.pad %[[X]] low[1, 0] high[0, 0]
// CHECK: %[[SLICE:.*]] = tensor.extract_slice %[[PADDED]][0, 0] [8, 8] [1, 1]
// CHECK: %[[END:.*]] = tensor.extract_slice %[[X]][0, 0] [1, 8] [1, 1]
// CHECK: tensor.insert_slice %[[END]] into %[[SLICE]][0, 0] [1, 8] [1, 1]
// CHECK: tensor.concat dim(1)
// UPSAMPLED: collective
// UPSAMPLED-NEXT: update_halo {{.*}} 1 {{ *}}32 B
// UPSAMPLED-NOT: {{all_|shift|reduce_}}
// UPSAMPLED: PASS
func.func @upsampled(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<16x8xf32> {
  %half = arith.constant 0.5 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16xi32>
  %places = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%e0 : tensor<16xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %g = arith.addf %f, %half : f32
    %h = arith.mulf %g, %half : f32
    %k = arith.subf %h, %half : f32
    %isLess = arith.cmpf ult, %k, %zero : f32
    %l = arith.select %isLess, %zero, %k : f32
    %m = arith.fptosi %l : f32 to i32
    linalg.yield %m : i32
  } -> tensor<16xi32>
  %e1 = tensor.empty() : tensor<16x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e1 : tensor<16x8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = tensor.extract %places[%i] : tensor<16xi32>
    %at = arith.index_cast %row : i32 to index
    %v = tensor.extract %x[%at, %j] : tensor<8x8xf32>
    %w = arith.addf %v, %half : f32
    linalg.yield %w : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// Places that are listed in a constant: most follow one another.

// CHECK-LABEL: func @listed
// CHECK: tensor.concat dim(0) {{.*}} : (tensor<1x8xf32>, tensor<1x8xf32>, tensor<7x8xf32>)
func.func @listed(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<9x8xf32> {
  %places = arith.constant dense<[[2], [1], [0], [1], [2], [3], [4], [5], [6]]> : tensor<9x1xi32>
  %e = tensor.empty() : tensor<9x1x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, k, j) -> (i, k)>, affine_map<(i, k, j) -> (i, k, j)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%places : tensor<9x1xi32>) outs(%e : tensor<9x1x8xf32>) {
  ^bb0(%place: i32, %o: f32):
    %at = arith.index_cast %place : i32 to index
    %j = linalg.index 2 : index
    %v = tensor.extract %x[%at, %j] : tensor<8x8xf32>
    linalg.yield %v : f32
  } -> tensor<9x1x8xf32>
  %s = tensor.collapse_shape %r [[0, 1], [2]] : tensor<9x1x8xf32> into tensor<9x8xf32>
  return %s : tensor<9x8xf32>
}

// Both borders, one after the other, each reversed in a body, as JAX's frontend has them: slices
// of the first join are slices of the tensor, and there is one join.

// BORDER: collective
// BORDER-NEXT: update_halo {{.*}} 1 {{ *}}64 B
// BORDER-NOT: {{all_|shift|reduce_}}
// BORDER: PASS
func.func @border(%x: tensor<64x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<68x16xf32> {
  %c1 = arith.constant 1 : index
  %low = tensor.extract_slice %x[1, 0] [2, 16] [1, 1] : tensor<64x16xf32> to tensor<2x16xf32>
  %e0 = tensor.empty() : tensor<2x16xf32>
  %lows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e0 : tensor<2x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.subi %c1, %i : index
    %j = linalg.index 1 : index
    %v = tensor.extract %low[%at, %j] : tensor<2x16xf32>
    linalg.yield %v : f32
  } -> tensor<2x16xf32>
  %e1 = tensor.empty() : tensor<66x16xf32>
  %0 = tensor.insert_slice %lows into %e1[0, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<66x16xf32>
  %1 = tensor.insert_slice %x into %0[2, 0] [64, 16] [1, 1] : tensor<64x16xf32> into tensor<66x16xf32>
  %high = tensor.extract_slice %1[63, 0] [2, 16] [1, 1] : tensor<66x16xf32> to tensor<2x16xf32>
  %highs = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%e0 : tensor<2x16xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %at = arith.subi %c1, %i : index
    %j = linalg.index 1 : index
    %v = tensor.extract %high[%at, %j] : tensor<2x16xf32>
    linalg.yield %v : f32
  } -> tensor<2x16xf32>
  %e2 = tensor.empty() : tensor<68x16xf32>
  %2 = tensor.insert_slice %1 into %e2[0, 0] [66, 16] [1, 1] : tensor<66x16xf32> into tensor<68x16xf32>
  %3 = tensor.insert_slice %highs into %2[66, 0] [2, 16] [1, 1] : tensor<2x16xf32> into tensor<68x16xf32>
  return %3 : tensor<68x16xf32>
}

// Places in no order, and places outside of the tensor, are looked up.

// CHECK-LABEL: func @permuted
// CHECK-COUNT-2: tensor.gather
func.func @permuted(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x8xf32>, tensor<4x8xf32>) {
  %places = arith.constant dense<[5, 1, 7, 0, 3, 6, 2, 4]> : tensor<8xindex>
  %e = tensor.empty() : tensor<8x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%places : tensor<8xindex>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%at: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%at, %j] : tensor<8x8xf32>
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  %outside = arith.constant dense<[6, 7, 8, 9]> : tensor<4xindex>
  %f = tensor.empty() : tensor<4x8xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%outside : tensor<4xindex>) outs(%f : tensor<4x8xf32>) {
  ^bb0(%at: index, %o: f32):
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%at, %j] : tensor<8x8xf32>
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %r, %s : tensor<8x8xf32>, tensor<4x8xf32>
}
