// RUN: shard-run %s --verify | FileCheck %s
//
// The maximum is one of f32: no back end reduces floats of one byte.

// CHECK: all_reduce
// CHECK: PASS
shard.grid @g(shape = 4)
func.func @main(%a: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<8xf8E5M2> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  %z = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.maximumf } ins(%a : tensor<16x8xf32>) outs(%i : tensor<8xf32>) dimensions = [0]
  %t = arith.truncf %r : tensor<8xf32> to tensor<8xf8E5M2>
  return %t : tensor<8xf8E5M2>
}
