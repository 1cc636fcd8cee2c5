// Loops and branches of affine on tensors, split like those of scf, with collectives
// and in a manual computation.

// RUN: shard-run %s --verify --entry loop | FileCheck %s
// RUN: shard-run %s --verify --entry loop --seed 2 | FileCheck %s
// RUN: shard-run %s --verify --entry manual | FileCheck %s --check-prefix=MANUAL
// CHECK: arg0      tensor<8x8xf32>  {{\[\[}}0], []]
// CHECK: result0  tensor<8x8xf32>  {{\[\[}}0], []]
// CHECK: PASS
// MANUAL: PASS

shard.grid @grid(shape = 4)
func.func @loop(%x: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %n: index)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = affine.for %i = 0 to 3 iter_args(%a = %x) -> tensor<8x8xf32> {
    %1 = linalg.matmul ins(%a, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
    affine.yield %1 : tensor<8x8xf32>
  }
  %2 = affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%n) -> tensor<8x8xf32> {
    %3 = math.exp %0 : tensor<8x8xf32>
    affine.yield %3 : tensor<8x8xf32>
  } else {
    affine.yield %0 : tensor<8x8xf32>
  }
  return %2 : tensor<8x8xf32>
}
func.func @manual(%x: tensor<8xf32>) -> tensor<8xf32> {
  %m = shard.manual_computation(%x) on @grid in = [<@grid, [[0]]>] out = [<@grid, [[0]]>] axes = [0] (%v: tensor<2xf32>) {
    %0 = affine.for %i = 0 to 3 iter_args(%a = %v) -> tensor<2xf32> {
      %1 = shard.shift %a on @grid grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<2xf32> -> tensor<2xf32>
      %2 = arith.addf %1, %v : tensor<2xf32>
      affine.yield %2 : tensor<2xf32>
    }
    shard.return %0 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
