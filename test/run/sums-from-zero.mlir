// A sum that begins with zero, as Python's, of sums over split tensors: zero is added on each
// device, and one all_reduce of the whole sum remains. Another constant is added behind it.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --entry constant --verify | FileCheck %s
// CHECK: all_reduce 0 1 6 B
// CHECK-NOT: all_reduce
// CHECK: PASS
shard.grid @grid(shape = 4)

func.func @main(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
                %y: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<f32> {
  %none = arith.constant dense<0.0> : tensor<f32>
  %zero = arith.constant 0.0 : f32
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %1 = linalg.reduce { arith.addf } ins(%y : tensor<8xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %e = tensor.empty() : tensor<f32>
  %2 = linalg.map ins(%0 : tensor<f32>) outs(%e : tensor<f32>) (%a: f32, %o: f32) {
    %s = arith.addf %a, %zero : f32
    linalg.yield %s : f32
  }
  %3 = arith.addf %2, %1 : tensor<f32>
  %4 = math.absf %3 : tensor<f32>
  %5 = math.sqrt %4 : tensor<f32>
  return %5 : tensor<f32>
}
func.func @constant(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<f32> {
  %none = arith.constant dense<0.0> : tensor<f32>
  %one = arith.constant 1.0 : f32
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%none : tensor<f32>) dimensions = [0]
  %e = tensor.empty() : tensor<f32>
  %1 = linalg.map ins(%0 : tensor<f32>) outs(%e : tensor<f32>) (%a: f32, %o: f32) {
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  }
  return %1 : tensor<f32>
}
