// LLVM's VectorCombine crashes on the intrinsic with two results, behind a reversal.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 1x1)
func.func @main(%arg0: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xf32>) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 3)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%arg0 : tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4xf32>
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %2 = arith.addf %1, %half : tensor<4xf32>
  %sin, %cos = math.sincos %2 : tensor<4xf32>
  %limit = arith.constant dense<0.3> : tensor<4xf32>
  %3 = arith.cmpf ult, %sin, %limit : tensor<4xf32>
  return %3, %cos : tensor<4xi1>, tensor<4xf32>
}
