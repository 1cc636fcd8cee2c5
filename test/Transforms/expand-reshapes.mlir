// RUN: shard-opt %s --shard-expand-reshapes --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s --check-prefix=SPMD
// RUN: split-file %S/Inputs/expand-reshapes.mlir %t
// RUN: shard-run %t/attention.mlir --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t/linear.mlir --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-opt %t/attention.mlir --shard-spmd | FileCheck %s --check-prefix=ATTENTION
// RUN: shard-opt %t/linear.mlir --shard-spmd | FileCheck %s --check-prefix=LINEAR
// SAME: PASS
// ATTENTION-NOT: shard.all_gather
// ATTENTION: shard.all_reduce
// LINEAR-NOT: shard.all_gather

// A batched product of batch x heads keeps both, so that the heads can be split.

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func @heads(
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.fill {{.*}} tensor<2x8x16x16xf32>
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "parallel", "reduction"
// CHECK-NOT: tensor.expand_shape
// SPMD-LABEL: func.func @heads(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<2x2x16x16xf32>
func.func @heads(%q: tensor<2x8x16x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                 %k: tensor<2x8x4x16xf32>) -> tensor<2x8x16x16xf32> {
  %zero = arith.constant 0.0 : f32
  %a = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x8x16x4xf32> into tensor<16x16x4xf32>
  %b = tensor.collapse_shape %k [[0, 1], [2], [3]] : tensor<2x8x4x16xf32> into tensor<16x4x16xf32>
  %e = tensor.empty() : tensor<16x16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<16x16x4xf32>, tensor<16x4x16xf32>) outs(%f : tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  %r = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [2, 8, 16, 16] : tensor<16x16x16xf32> into tensor<2x8x16x16xf32>
  return %r : tensor<2x8x16x16xf32>
}

// -----

// Of `batch x rows` and `heads x width`, merged at once, only the first pair is kept apart:
// the weight has the second pair merged.

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func @part(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// CHECK: linalg.generic {{.*}}"parallel", "parallel", "parallel", "reduction"
// SPMD-LABEL: func.func @part(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<2x4x32xf32>
func.func @part(%x: tensor<2x16x8x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                %w: tensor<32x32xf32>) -> tensor<2x16x32xf32> {
  %a = tensor.collapse_shape %x [[0, 1], [2, 3]] : tensor<2x16x8x4xf32> into tensor<32x32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%zero : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 16, 32] : tensor<32x32xf32> into tensor<2x16x32xf32>
  return %r : tensor<2x16x32xf32>
}

// -----

// The columns of the product are merged behind it: the weight would have to be reshaped,
// so the product stays.

// CHECK-LABEL: func.func @columns(
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
func.func @columns(%x: tensor<16x32xf32>, %w: tensor<32x24xf32>) -> tensor<16x3x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x24xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<16x32xf32>, tensor<32x24xf32>) outs(%zero : tensor<16x24xf32>) -> tensor<16x24xf32>
  %r = tensor.expand_shape %0 [[0], [1, 2]] output_shape [16, 3, 8] : tensor<16x24xf32> into tensor<16x3x8xf32>
  return %r : tensor<16x3x8xf32>
}

// A merge with a dimension of extent 1 hides nothing.
// CHECK-LABEL: func.func @ones(
// CHECK: linalg.matmul
func.func @ones(%x: tensor<1x16x32xf32>, %w: tensor<32x24xf32>) -> tensor<16x24xf32> {
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<1x16x32xf32> into tensor<16x32xf32>
  %zero = arith.constant dense<0.0> : tensor<16x24xf32>
  %0 = linalg.matmul ins(%a, %w : tensor<16x32xf32>, tensor<32x24xf32>) outs(%zero : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}

// A hint of the merged value keeps its place.
// CHECK-LABEL: func.func @hint(
// CHECK: shard.constraint %{{.*}} : tensor<32x8xf32>
// CHECK: linalg.exp
shard.grid @g(shape = 4)
func.func @hint(%x: tensor<2x16x8xf32>) -> tensor<32x8xf32> {
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x8xf32> into tensor<32x8xf32>
  %c = shard.constraint %a to <@g, [[0], []]> : tensor<32x8xf32>
  %e = tensor.empty() : tensor<32x8xf32>
  %0 = linalg.exp ins(%c : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}

// So does an op with a hint of its own, and one whose result has a hint.
// CHECK-LABEL: func.func @op_hint(
// CHECK: linalg.exp {shard.sharding
// CHECK: linalg.exp ins
// CHECK: shard.constraint
func.func @op_hint(%x: tensor<2x16x8xf32>) -> (tensor<2x16x8xf32>, tensor<2x16x8xf32>) {
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x8xf32> into tensor<32x8xf32>
  %e = tensor.empty() : tensor<32x8xf32>
  %0 = linalg.exp {shard.sharding = #shard.sharding<@g, [[0], []]>} ins(%a : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %1 = linalg.exp ins(%a : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %2 = shard.constraint %1 to <@g, [[0], []]> : tensor<32x8xf32>
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [2, 16, 8] : tensor<32x8xf32> into tensor<2x16x8xf32>
  %s = tensor.expand_shape %2 [[0, 1], [2]] output_shape [2, 16, 8] : tensor<32x8xf32> into tensor<2x16x8xf32>
  return %r, %s : tensor<2x16x8xf32>, tensor<2x16x8xf32>
}

// A merge that nothing takes back stays in front of its user.
// CHECK-LABEL: func.func @merged(
// CHECK: tensor.collapse_shape
// CHECK: linalg.exp
func.func @merged(%x: tensor<2x16x8xf32>) -> tensor<32x8xf32> {
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x16x8xf32> into tensor<32x8xf32>
  %e = tensor.empty() : tensor<32x8xf32>
  %0 = linalg.exp ins(%a : tensor<32x8xf32>) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %0 : tensor<32x8xf32>
}

// -----

// Dynamic dimensions count as large.
// CHECK-LABEL: func.func @dynamic(
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME: tensor<?x?x8xf32>
func.func @dynamic(%x: tensor<?x?x8xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %c0 = arith.constant 0 : index
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x8xf32> into tensor<?x8xf32>
  %d = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%d) : tensor<?x8xf32>
  %0 = linalg.exp ins(%a : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %r = tensor.expand_shape %0 [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %r : tensor<?x?x8xf32>
}

// -----

// A reduction over what both operands merge alike becomes two, of which the inner one may be
// split.
// CHECK-LABEL: func.func @merged_reduction(
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
// CHECK-SAME: ins(%{{.*}}, %{{.*}} : tensor<4x6x8xf32>, tensor<6x8x5xf32>)
func.func @merged_reduction(%x: tensor<4x6x8xf32>, %w: tensor<6x8x5xf32>, %e: tensor<4x5xf32>)
    -> tensor<4x5xf32> {
  %a = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x6x8xf32> into tensor<4x48xf32>
  %b = tensor.collapse_shape %w [[0, 1], [2]] : tensor<6x8x5xf32> into tensor<48x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x48xf32>, tensor<48x5xf32>) outs(%e : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

// Merged in another way, or not at all, it stays one.
// CHECK-LABEL: func.func @merged_otherwise(
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @merged_otherwise(%x: tensor<4x6x8xf32>, %w: tensor<8x6x5xf32>, %v: tensor<48x5xf32>,
                            %e: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %a = tensor.collapse_shape %x [[0], [1, 2]] : tensor<4x6x8xf32> into tensor<4x48xf32>
  %b = tensor.collapse_shape %w [[0, 1], [2]] : tensor<8x6x5xf32> into tensor<48x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x48xf32>, tensor<48x5xf32>) outs(%e : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  %1 = linalg.matmul ins(%a, %v : tensor<4x48xf32>, tensor<48x5xf32>) outs(%e : tensor<4x5xf32>)
      -> tensor<4x5xf32>
  return %0, %1 : tensor<4x5xf32>, tensor<4x5xf32>
}

// -----

// A reshape drops a dimension of a slice: the slice does. With a hint on its loops it stays.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @unit_of_slice(
// CHECK-NOT: tensor.collapse_shape
// CHECK: tensor.extract_slice %{{.*}} : tensor<4x8x6xf32> to tensor<4x6xf32>
// CHECK-LABEL: func.func @hinted_unit_of_slice(
// CHECK: tensor.collapse_shape {{.*}}shard.loops
func.func @unit_of_slice(%x: tensor<4x8x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %x[0, 5, 0] [4, 1, 6] [1, 1, 1] : tensor<4x8x6xf32> to tensor<4x1x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<4x1x6xf32> into tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}
func.func @hinted_unit_of_slice(%x: tensor<4x8x6xf32>) -> tensor<4x6xf32> {
  %0 = tensor.extract_slice %x[0, 5, 0] [4, 1, 6] [1, 1, 1] : tensor<4x8x6xf32> to tensor<4x1x6xf32>
  %1 = tensor.collapse_shape %0 [[0, 1], [2]] {shard.loops = #shard.sharding<@grid, [[0], []]>}
      : tensor<4x1x6xf32> into tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// Padding in front of a loop stays there.
// CHECK-LABEL: func.func @pad_in_front_of_a_loop(
// CHECK: tensor.expand_shape
// CHECK: tensor.pad
// CHECK: scf.for
// CHECK-NOT: tensor.expand_shape
// CHECK: return
func.func @pad_in_front_of_a_loop(%a: tensor<8x6xf32>, %x: tensor<10x3x2xf32>) -> tensor<10x3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x6xf32> to tensor<10x6xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> (tensor<10x3x2xf32>) {
    %e = tensor.expand_shape %padded [[0], [1, 2]] output_shape [10, 3, 2] : tensor<10x6xf32> into tensor<10x3x2xf32>
    %s = arith.addf %y, %e : tensor<10x3x2xf32>
    scf.yield %s : tensor<10x3x2xf32>
  }
  return %r : tensor<10x3x2xf32>
}

// -----

// Attention of PyTorch merges rows, batch x heads and width as a whole, and splits that to
// rows x batch and heads x width: all of them stay apart, and the batch can be split.

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @crossing(
// CHECK-NOT: tensor<1152xf32>
// CHECK: %[[APART:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] output_shape [8, 6, 6, 4]
// CHECK: linalg.generic {{.*}} ins(%[[APART]] : tensor<8x6x6x4xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1], [2, 3]]
// SPMD-LABEL: func.func @crossing(
// SPMD-NOT: shard.all_gather
// SPMD: return %{{.*}} : tensor<8x3x24xf32>
func.func @crossing(%a: tensor<8x36x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>})
    -> tensor<8x6x24xf32> {
  %0 = tensor.collapse_shape %a [[0, 1, 2]] : tensor<8x36x4xf32> into tensor<1152xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [48, 24] : tensor<1152xf32> into tensor<48x24xf32>
  %2 = tensor.empty() : tensor<48x24xf32>
  %3 = linalg.exp ins(%1 : tensor<48x24xf32>) outs(%2 : tensor<48x24xf32>) -> tensor<48x24xf32>
  %4 = tensor.expand_shape %3 [[0, 1], [2]] output_shape [8, 6, 24] : tensor<48x24xf32> into tensor<8x6x24xf32>
  return %4 : tensor<8x6x24xf32>
}

// -----

// Dimensions of one element go where there are others; those that overlap in part stay merged.

// CHECK-LABEL: func.func @units(
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3], [4]] output_shape [1, 2, 3, 4, 1]
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1, 2], [3, 4]]
func.func @units(%a: tensor<1x2x12x1xf32>) -> tensor<6x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1, 2, 3]] : tensor<1x2x12x1xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// CHECK-LABEL: func.func @overlap(
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
func.func @overlap(%a: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [6, 4] : tensor<24xf32> into tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}
