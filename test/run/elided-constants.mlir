// Dumps of real models leave out the elements of weights.

// RUN: not shard-run %s --verify --entry weights 2>&1 | FileCheck %s --check-prefix=ELIDED
// RUN: not shard-run %s --entry alone 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: shard-run %s --verify --entry weights --lift-constants --hint 'arg1=[[],[0]]' | FileCheck %s

// ELIDED: elided-constants.mlir:[[@LINE+11]]:8: error: has no elements: its dense_resource was elided when the program was printed; print it with its resources, or turn such constants into arguments by --lift-constants
// ALONE: elided-constants.mlir:[[@LINE+18]]:8: error: has no elements
// CHECK: arg0      tensor<8x16xf32>   {{\[\[}}0], []]
// CHECK: arg1      tensor<16x16xf32>  {{\[\[}}], [0]]
// An integer or a small tensor is lifted too if its elements are not known.
// CHECK: arg2      tensor<8x16xi8>
// CHECK-NOT: arg3
// CHECK: PASS

shard.grid @grid(shape = 4)
func.func @weights(%x: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x16xf32> {
  %w = arith.constant dense_resource<__elided__> : tensor<16x16xf32>
  %i = arith.constant dense_resource<weights> : tensor<8x16xi8>
  %f = arith.sitofp %i : tensor<8x16xi8> to tensor<8x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x16xf32>) outs(%f : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func @alone(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c = arith.constant 1 : index
  %w = arith.constant dense_resource<__elided__> : tensor<2xf32>
  %0 = arith.addf %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
