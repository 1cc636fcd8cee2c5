// The debug output of the engine, of the partitioner and of the planner.

// REQUIRES: asserts

// RUN: shard-opt %s --sharding-propagation --debug-only=shard-propagation -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENGINE
// RUN: shard-opt %s --sharding-propagation --shard-partition \
// RUN:   --debug-only=shard-planner -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PLANNER
// RUN: shard-opt %s --sharding-propagation --shard-partition \
// RUN:   --debug-only=shard-partition -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PARTITION
// RUN: shard-opt %s --sharding-propagation --shard-partition -o /dev/null 2>&1 | count 0

// ENGINE: round p0
// ENGINE: stage 0, from operands
// ENGINE: dimension 0: [] -> [0] from op
// ENGINE: partial value {{[0-9]+}} of op {{[0-9]+}}: 2.560000e+02 bytes to reduce here

// PLANNER-NOT: round
// PLANNER: all_reduce axes = [1] reduction = sum
// PLANNER: cost

// PARTITION-NOT: cost
// PARTITION: 'math.exp': loops [0], [1], operand 0 {{\[\[}}0], [1]], result 0 {{\[\[}}0], [1]]
// PARTITION: 'linalg.matmul': loops [0], [], [1], operand 0
// PARTITION-SAME: result 0 {{\[\[}}0], []] partial = sum [1]

shard.grid @g(shape = 2x2)
func.func @f(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}, %b: tensor<8x16xf32>)
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<8x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<8x16xf32>) -> tensor<8x16xf32>
  %exp = math.exp %a : tensor<8x8xf32>
  %0 = linalg.matmul ins(%exp, %b : tensor<8x8xf32>, tensor<8x16xf32>) outs(%init : tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = math.exp %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
