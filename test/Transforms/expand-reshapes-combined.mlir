// Merged dimensions stay apart where all elements are combined behind them, and beside operands
// that keep a dimension of one element.
// RUN: shard-opt %s --shard-expand-reshapes | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry loss --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry loss --verify --grid 3 | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry softmax --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry slices --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry hidden --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry experts --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry squares --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry groups --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @g(shape = 2)

// The loss of batch x rows, merged, is one number.

// CHECK-LABEL: func.func @loss(
// CHECK-NOT: tensor.collapse_shape
// CHECK: iterator_types = ["reduction", "reduction", "reduction"]
// SPMD-LABEL: func.func @loss(
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} : tensor<f32> -> tensor<f32>
func.func @loss(%x: tensor<4x6x5xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x6x5xf32> into tensor<24x5xf32>
  %e0 = tensor.empty() : tensor<24x5xf32>
  %0 = linalg.exp ins(%rows : tensor<24x5xf32>) outs(%e0 : tensor<24x5xf32>) -> tensor<24x5xf32>
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%0 : tensor<24x5xf32>) outs(%f1 : tensor<f32>) {
  ^bb0(%in: f32, %sum: f32):
    %s = arith.addf %in, %sum : f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %1 : tensor<f32>
}

// PyTorch keeps the dimension that a maximum is taken along, as one of one element.

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: tensor.collapse_shape
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: return %{{.*}} : tensor<4x6x5xf32>
// SPMD-LABEL: func.func @softmax(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<4x3x5xf32>
func.func @softmax(%x: tensor<4x6x5xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) -> tensor<4x6x5xf32> {
  %least = arith.constant 0xFF800000 : f32
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<4x6x5xf32> into tensor<24x5xf32>
  %e0 = tensor.empty() : tensor<24x1xf32>
  %f0 = linalg.fill ins(%least : f32) outs(%e0 : tensor<24x1xf32>) -> tensor<24x1xf32>
  %max = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>],
      iterator_types = ["parallel", "reduction"]} ins(%rows : tensor<24x5xf32>) outs(%f0 : tensor<24x1xf32>) {
  ^bb0(%in: f32, %best: f32):
    %m = arith.maximumf %in, %best : f32
    linalg.yield %m : f32
  } -> tensor<24x1xf32>
  %e1 = tensor.empty() : tensor<24x5xf32>
  %less = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%rows, %max : tensor<24x5xf32>, tensor<24x1xf32>) outs(%e1 : tensor<24x5xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %d = arith.subf %in, %most : f32
    linalg.yield %d : f32
  } -> tensor<24x5xf32>
  %r = tensor.expand_shape %less [[0, 1], [2]] output_shape [4, 6, 5] : tensor<24x5xf32> into tensor<4x6x5xf32>
  return %r : tensor<4x6x5xf32>
}

// Merges that differ in dimensions of one element alone are alike: a sum over `places x experts`
// is split by experts.

// CHECK-LABEL: func.func @experts(
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]
// SPMD-LABEL: func.func @experts(
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} : tensor<3x5xf32> -> tensor<3x5xf32>
func.func @experts(%a: tensor<3x6x4x1xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], []]>},
                   %b: tensor<6x4x5xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %a [[0], [1, 2, 3]] : tensor<3x6x4x1xf32> into tensor<3x24xf32>
  %1 = tensor.collapse_shape %b [[0, 1], [2]] : tensor<6x4x5xf32> into tensor<24x5xf32>
  %e = tensor.empty() : tensor<3x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = linalg.matmul ins(%0, %1 : tensor<3x24xf32>, tensor<24x5xf32>) outs(%f : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

// A dimension of one element that is dropped behind a merge does not hide it.

// CHECK-LABEL: func.func @dropped(
// CHECK-NOT: tensor<24x5xf32>
// CHECK: return
// SPMD-LABEL: func.func @dropped(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<4x3x5xf32>
func.func @dropped(%x: tensor<1x4x6x5xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], []]>})
    -> tensor<4x6x5xf32> {
  %0 = tensor.collapse_shape %x [[0], [1, 2], [3]] : tensor<1x4x6x5xf32> into tensor<1x24x5xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<1x24x5xf32> into tensor<24x5xf32>
  %e = tensor.empty() : tensor<24x5xf32>
  %2 = linalg.exp ins(%1 : tensor<24x5xf32>) outs(%e : tensor<24x5xf32>) -> tensor<24x5xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 6, 5] : tensor<24x5xf32> into tensor<4x6x5xf32>
  return %3 : tensor<4x6x5xf32>
}

// Slices that take merged dimensions whole stand in front of the merge: queries are slices of one
// product.

// CHECK-LABEL: func.func @slices(
// CHECK: tensor.extract_slice %arg0[0, 0, 1, 0] [4, 6, 1, 8] [1, 1, 1, 1] : tensor<4x6x3x8xf32> to tensor<4x6x8xf32>
// CHECK-NOT: tensor<24
// CHECK: return
// SPMD-LABEL: func.func @slices(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<4x3x8xf32>
func.func @slices(%x: tensor<4x6x3x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>})
    -> tensor<4x6x8xf32> {
  %0 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<4x6x3x8xf32> into tensor<24x3x8xf32>
  %1 = tensor.extract_slice %0[0, 1, 0] [24, 1, 8] [1, 1, 1] : tensor<24x3x8xf32> to tensor<24x8xf32>
  %e = tensor.empty() : tensor<24x8xf32>
  %2 = linalg.exp ins(%1 : tensor<24x8xf32>) outs(%e : tensor<24x8xf32>) -> tensor<24x8xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 6, 8] : tensor<24x8xf32> into tensor<4x6x8xf32>
  return %3 : tensor<4x6x8xf32>
}

// A merge that a product cannot take apart, of heads x width, does not hide another one.

// CHECK-LABEL: func.func @hidden(
// CHECK: linalg.generic {{.*}}["parallel", "parallel", "parallel", "reduction"]
// SPMD-LABEL: func.func @hidden(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<4x3x5xf32>
func.func @hidden(%x: tensor<4x6x2x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                  %w: tensor<16x5xf32>) -> tensor<4x6x5xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %x [[0, 1], [2], [3]] : tensor<4x6x2x8xf32> into tensor<24x2x8xf32>
  %1 = tensor.collapse_shape %0 [[0], [1, 2]] : tensor<24x2x8xf32> into tensor<24x16xf32>
  %e = tensor.empty() : tensor<24x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x5xf32>) -> tensor<24x5xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<24x16xf32>, tensor<16x5xf32>) outs(%f : tensor<24x5xf32>) -> tensor<24x5xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [4, 6, 5] : tensor<24x5xf32> into tensor<4x6x5xf32>
  return %3 : tensor<4x6x5xf32>
}

// Rows and columns of an image stay apart where an op squares its elements and another one sums
// them, as in a group normalization of an image that is split by columns.

// CHECK-LABEL: func.func @squares(
// CHECK-NOT: tensor<2x3x24
// CHECK: return
// SPMD-LABEL: func.func @squares(
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce %{{.*}} : tensor<2x3xf32> -> tensor<2x3xf32>
// SPMD-NOT: shard.all_gather
// SPMD: return
func.func @squares(%x: tensor<2x3x4x6xf32> {shard.sharding = #shard.sharding<@g, [[], [], [], [0]]>})
    -> tensor<2x3x1xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.collapse_shape %x [[0], [1], [2, 3]] : tensor<2x3x4x6xf32> into tensor<2x3x24xf32>
  %e = tensor.empty() : tensor<2x3x24xf32>
  %1 = linalg.square ins(%0 : tensor<2x3x24xf32>) outs(%e : tensor<2x3x24xf32>) -> tensor<2x3x24xf32>
  %s = tensor.empty() : tensor<2x3x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>,
                                        affine_map<(a, b, c) -> (a, b, 0)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%1 : tensor<2x3x24xf32>) outs(%f : tensor<2x3x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %sum = arith.addf %in, %out : f32
    linalg.yield %sum : f32
  } -> tensor<2x3x1xf32>
  return %2 : tensor<2x3x1xf32>
}

// A merge of heads and of their groups beside that of batch and rows, as of grouped queries: what
// the op behind has taken apart is not left behind as a merge that nothing uses, whose operand
// would be gathered.
// CHECK-LABEL: func.func @groups(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3, 4]]
// CHECK-NOT: tensor.collapse_shape
// CHECK: return
// SPMD-LABEL: func.func @groups(
// SPMD-NOT: shard.all
// SPMD: return %{{.*}} : tensor<2x8x32xf32>
func.func @groups(%x: tensor<2x16x4x2x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], [], []]>}, %w: tensor<64x32xf32>)
    -> tensor<2x16x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %e = tensor.empty() : tensor<2x16x4x2x8xf32>
  %0 = linalg.exp ins(%x : tensor<2x16x4x2x8xf32>) outs(%e : tensor<2x16x4x2x8xf32>) -> tensor<2x16x4x2x8xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2, 3, 4]] : tensor<2x16x4x2x8xf32> into tensor<32x64xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<32x64xf32>, tensor<64x32xf32>) outs(%zero : tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 16, 32] : tensor<32x32xf32> into tensor<2x16x32xf32>
  return %3 : tensor<2x16x32xf32>
}
