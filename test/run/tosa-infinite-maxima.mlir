// Maxima and minima of tosa begin with infinities, so that those of infinities are the same in
// blocks of one element, which MLIR folds to this element.
// RUN: shard-opt %s --shard-lower-tosa | FileCheck %s
// RUN: shard-run %s --entry one --verify --partition-tosa | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry one --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry split --verify --partition-tosa | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry split --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 1x2) axes ["x0", "x1"]

func.func @one(%x: tensor<1x2x1xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], ["x1"]]>}) -> tensor<1x2x1xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x2x1xf32>
  %minus = arith.constant dense<-1.0> : tensor<1x2x1xf32>
  %0 = arith.mulf %x, %zero : tensor<1x2x1xf32>
  %1 = math.absf %0 : tensor<1x2x1xf32>
  %least = arith.divf %minus, %1 : tensor<1x2x1xf32>
  %2 = tosa.reduce_max %least {axis = 2 : i32} : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  return %2 : tensor<1x2x1xf32>
}

// What begins with a finite number in the program stays so.
// CHECK-LABEL: func.func @split
// CHECK: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill ins(%[[LEAST]] : f32)
// CHECK: arith.maximumf
// CHECK: %[[MOST:.*]] = arith.constant 0x7F800000 : f32
// CHECK: linalg.fill ins(%[[MOST]] : f32)
// CHECK: arith.minimumf
// CHECK: linalg.fill ins(%[[FINITE:.*]] : f32)
// CHECK: linalg.reduce {{.*}}arith.maximumf
func.func @split(%x: tensor<2x4xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x1"]]>}) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2xf32>) {
  %zero = arith.constant dense<0.0> : tensor<2x4xf32>
  %minus = arith.constant dense<-1.0> : tensor<2x4xf32>
  %0 = arith.mulf %x, %zero : tensor<2x4xf32>
  %1 = math.absf %0 : tensor<2x4xf32>
  %least = arith.divf %minus, %1 : tensor<2x4xf32>
  %most = arith.negf %least : tensor<2x4xf32>
  %2 = tosa.reduce_max %least {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %3 = tosa.reduce_min %most {axis = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %finite = arith.constant -3.40282347E+38 : f32
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%finite : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %4 = linalg.reduce { arith.maximumf } ins(%least : tensor<2x4xf32>) outs(%f : tensor<2xf32>) dimensions = [1]
  return %2, %3, %4 : tensor<2x1xf32>, tensor<2x1xf32>, tensor<2xf32>
}
