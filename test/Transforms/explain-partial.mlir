// The explanation tells why a value that is wanted partial becomes complete, or the
// other way round.
//
// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s

shard.grid @grid(shape = 4)

// CHECK: reshard of %sharding_annotated for math.exp operand 0 at {{.*}}: {{.*}}partial = sum [0] -> {{\[\[}}], []]
// CHECK-NEXT: decided: the op needs the complete value
// CHECK-NEXT: so: all_reduce over 0
func.func @wanted_partial(%a: tensor<8x12xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %b: tensor<12x4xf32>) -> tensor<8x4xf32> {
  %c = arith.constant dense<0.0> : tensor<8x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  %s = shard.sharding @grid split_axes = [[]] partial = sum [0] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<8x4xf32>
  %2 = math.exp %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK: reshard of %{{.*}} for func.return operand 0 at {{.*}} -> {{\[\[}}], []] partial = sum [0]
// CHECK-NEXT: decided: the hint there asks for a partial value
// CHECK-NEXT: so: make_partial over 0
func.func @partial_result(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum [0]>}) {
  %0 = math.exp %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A slice at a place of the run adds what the devices have of it. Maxima of other axes are
// complete first.
// CHECK: reshard of %arg0 for tensor.extract_slice operand 0 {{.*}}: {{\[\[}}], [0]] partial = max [1] -> {{\[\[}}], [0]]
// CHECK: so: all_reduce over 1
// CHECK: reshard of %extracted_slice for tensor.extract_slice result 0 {{.*}}: {{\[\[}}], []] partial = sum [0] -> {{\[\[}}], []]
// CHECK: so: all_reduce over 0
shard.grid @square(shape = 4x4)
func.func @slice(%a: tensor<2x12xf32> {shard.sharding = #shard.sharding<@square, [[], [0]], partial = max [1]>}, %i: index) -> tensor<2x1xf32> {
  %s = tensor.extract_slice %a[0, %i] [2, 1] [1, 1] : tensor<2x12xf32> to tensor<2x1xf32>
  return %s : tensor<2x1xf32>
}
