// Ops that compute the same at every place work on blocks with explicit bounds: an
// operand gives its bounds to the loops of its dimensions.

// RUN: shard-opt %s --sharding-propagation --shard-partition --cse --canonicalize | FileCheck %s
// RUN: shard-run %s --verify --entry rows | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry inner | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry both | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry sum | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry indices | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry uneven_beside | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry transposed | FileCheck %s --check-prefix=EQUAL
// RUN: shard-run %s --verify --entry batches | FileCheck %s --check-prefix=EQUAL

// EQUAL-LABEL: program
// EQUAL: {{^}}PASS

shard.grid @grid(shape = 2x2)

// The rows of the result are where those of %a are.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:      -> (tensor<?x4xf32> {shard.local = {{.*}}offsets = [0, 5, 8]
// CHECK-NOT:   shard.all
// CHECK:       linalg.matmul ins(%{{.*}} : tensor<?x9xf32>, tensor<9x4xf32>) outs(%{{.*}} : tensor<?x4xf32>)
// CHECK-NOT:   shard.all
// CHECK:       return
func.func @rows(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 5, 8]>}, %b: tensor<9x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x9xf32>, tensor<9x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = math.absf %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Both operands have the bounds of the dimension that is summed up.
// CHECK-LABEL: func.func @inner(
// CHECK:       linalg.matmul ins(%{{.*}} : tensor<8x?xf32>, tensor<?x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
// CHECK:       shard.all_reduce
func.func @inner(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]], offsets = [0, 7, 9]>}, %b: tensor<9x4xf32>) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x9xf32>, tensor<9x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// The columns, which divide evenly, get bounds beside the rows.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:      -> (tensor<?x2xf32> {shard.local = {{.*}}offsets = [0, 1, 8, 0, 2, 4]
// CHECK-NOT:   shard.all
// CHECK:       linalg.matmul ins(%{{.*}} : tensor<?x9xf32>, tensor<9x2xf32>) outs(%{{.*}} : tensor<?x2xf32>)
// CHECK-NOT:   shard.all
// CHECK:       return
func.func @both(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 1, 8]>}, %b: tensor<9x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>}) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x9xf32>, tensor<9x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A sum over the rows of each device, and one over the devices.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:   shard.all_gather
// CHECK:       linalg.reduce {{.*}} ins(%{{.*}} : tensor<?x9xf32>)
// CHECK-NOT:   shard.all_gather
// CHECK:       shard.all_reduce
// CHECK-NOT:   shard.all_gather
// CHECK:       return
func.func @sum(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 0, 8]>}) -> tensor<9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9xf32>) -> tensor<9xf32>
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<8x9xf32>) outs(%f : tensor<9xf32>) dimensions = [0]
  return %0 : tensor<9xf32>
}

// Elements that depend on their place are computed on the usual blocks.
// CHECK-LABEL: func.func @indices(
// CHECK:       linalg.generic
// CHECK-SAME:    ins(%{{.*}} : tensor<4xi32>)
func.func @indices(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [[0]], offsets = [0, 3, 8]>}) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<8xi32>) outs(%e : tensor<8xi32>) {
  ^bb0(%in: i32, %out: i32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %s = arith.addi %in, %j : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// Columns that do not divide evenly have padding, which blocks with bounds have not.
// CHECK-LABEL: func.func @uneven_beside(
func.func @uneven_beside(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 5, 8]>}, %b: tensor<9x3xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>}) -> tensor<8x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x3xf32>) -> tensor<8x3xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x9xf32>, tensor<9x3xf32>) outs(%f : tensor<8x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// CHECK-LABEL: func.func @transposed(
// CHECK-NOT:   shard.all
// CHECK:       linalg.transpose ins(%{{.*}} : tensor<?x9xf32>) outs(%{{.*}} : tensor<9x?xf32>)
// CHECK-NOT:   shard.all
// CHECK:       return
func.func @transposed(%a: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 5, 8]>}) -> tensor<9x8xf32> {
  %e = tensor.empty() : tensor<9x8xf32>
  %0 = linalg.transpose ins(%a : tensor<8x9xf32>) outs(%e : tensor<9x8xf32>) permutation = [1, 0]
  return %0 : tensor<9x8xf32>
}

// The images of a batch; windows slide over dimensions that nothing splits.
// CHECK-LABEL: func.func @batches(
// CHECK-NOT:   shard.all
// CHECK:       linalg.conv_2d_nhwc_hwcf
// CHECK-NOT:   shard.all
// CHECK:       return
func.func @batches(%a: tensor<7x5x5x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []], offsets = [0, 6, 7]>}, %k: tensor<3x3x2x4xf32>) -> tensor<7x3x3x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x3x3x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x3x3x4xf32>) -> tensor<7x3x3x4xf32>
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %k : tensor<7x5x5x2xf32>, tensor<3x3x2x4xf32>) outs(%f : tensor<7x3x3x4xf32>) -> tensor<7x3x3x4xf32>
  return %0 : tensor<7x3x3x4xf32>
}
