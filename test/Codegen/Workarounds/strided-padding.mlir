// MLIR folds a pad into an insertion as if it had no strides: the two elements that lie 3
// apart, behind one element of padding, are inserted from place 1 on instead of place 3. If
// this test fails, MLIR is mended: delete lib/Codegen/Workarounds/StridedPadding.cpp, its
// pass and this file.

// RUN: mlir-opt %s --canonicalize | FileCheck %s
// RUN: shard-opt %s --shard-separate-strided-padding --canonicalize | FileCheck %s --check-prefix=OURS

// CHECK-LABEL: func @strided(
// CHECK: tensor.insert_slice %{{.*}}[1] [2] [3]
// OURS-LABEL: func @strided(
// OURS: tensor.insert_slice %{{.*}}[3] [2] [3]
func.func @strided(%a: tensor<2xf32>) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %a low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<4xf32>
  %e = tensor.empty() : tensor<10xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<10xf32>) -> tensor<10xf32>
  %r = tensor.insert_slice %padded into %f[0] [4] [3] : tensor<4xf32> into tensor<10xf32>
  return %r : tensor<10xf32>
}

// Sizes and places that are known when the program runs.
//
// OURS-LABEL: func @dynamic(
// OURS-SAME: %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>, %[[LOW:[a-z0-9]+]]: index, %[[AT:[a-z0-9]+]]: index
// OURS: %[[BEHIND:.*]] = arith.muli %[[LOW]], %c2
// OURS: %[[PLACE:.*]] = arith.addi %[[AT]], %[[BEHIND]]
// OURS: tensor.insert_slice %{{.*}}[%[[PLACE]]] [%{{.*}}] [2]
func.func @dynamic(%a: tensor<?xf32>, %b: tensor<?xf32>, %low: index, %at: index, %size: index) -> tensor<?xf32> {
  %padded = tensor.pad %a low[%low] high[1] {
  ^bb0(%i: index):
    %one = arith.constant 1.0 : f32
    tensor.yield %one : f32
  } : tensor<?xf32> to tensor<?xf32>
  %r = tensor.insert_slice %padded into %b[%at] [%size] [2] : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
