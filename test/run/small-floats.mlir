// Floats of one byte: conversions, arithmetic, comparisons, constants, and a product that
// sums up in f32. The sum over devices is one of f32; f8 itself is not summed over them.

// RUN: shard-run %s --verify | FileCheck %s
// RUN: not shard-run %s --verify --entry largest 2>&1 | FileCheck %s --check-prefix=REDUCTION
// CHECK: all_reduce
// CHECK: PASS
// REDUCTION: error: 'shard.all_reduce' op combines elements of type 'f8E4M3FN'; reductions are defined on f16

shard.grid @g(shape = 4)
func.func @main(%a: tensor<8x64xf8E4M3FN> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %b: tensor<64x8xf8E5M2> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %s: tensor<16xf8E3M4> {shard.sharding = #shard.sharding<@g, [[0]]>})
    -> (tensor<8x8xf32>, tensor<8x64xf8E4M3FN>, tensor<16xi1>, tensor<16xf8E5M2FNUZ>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x64xf8E4M3FN>, tensor<64x8xf8E5M2>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = arith.constant dense<1.5> : tensor<8x64xf8E4M3FN>
  %m = arith.mulf %a, %c : tensor<8x64xf8E4M3FN>
  %x = math.exp %m : tensor<8x64xf8E4M3FN>
  %k = arith.constant dense<0.5> : tensor<16xf8E3M4>
  %q = arith.cmpf olt, %s, %k : tensor<16xf8E3M4>
  %w = arith.extf %s : tensor<16xf8E3M4> to tensor<16xf64>
  %t = arith.truncf %w : tensor<16xf64> to tensor<16xf8E5M2FNUZ>
  return %0, %x, %q, %t : tensor<8x8xf32>, tensor<8x64xf8E4M3FN>, tensor<16xi1>, tensor<16xf8E5M2FNUZ>
}
func.func @largest(%s: tensor<16xf8E4M3FN> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<f8E4M3FN> {
  %z = arith.constant 0.0 : f8E4M3FN
  %e = tensor.empty() : tensor<f8E4M3FN>
  %i = linalg.fill ins(%z : f8E4M3FN) outs(%e : tensor<f8E4M3FN>) -> tensor<f8E4M3FN>
  %r = linalg.reduce { arith.maximumf } ins(%s : tensor<16xf8E4M3FN>) outs(%i : tensor<f8E4M3FN>) dimensions = [0]
  return %r : tensor<f8E4M3FN>
}
