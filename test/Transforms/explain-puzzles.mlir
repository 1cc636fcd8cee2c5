// Ten programs with two or three hints each, one of which, the culprit, causes a
// reshard that the others would not.
// RUN: shard-opt %s --shard-explain --split-input-file -o /dev/null 2>&1 | FileCheck %s

// 1. The second matrix of a perceptron is split by columns as the first one is.

shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @second_matrix_by_columns(
    %x: tensor<64x32xf32> {shard.sharding = #shard.sharding<@grid, [["data"], [?]]>},
    %w1: tensor<32x128xf32> {shard.sharding = #shard.sharding<@grid, [[], ["model"]]>},
    %w2: tensor<128x32xf32> {shard.sharding = #shard.sharding<@grid, [[], ["model"]]>})
    -> tensor<64x32xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x32xf32>, tensor<32x128xf32>) outs(%zero : tensor<64x128xf32>) -> tensor<64x128xf32>
  %t = math.tanh %h : tensor<64x128xf32>
  %zero2 = arith.constant dense<0.0> : tensor<64x32xf32>
  %o = linalg.matmul ins(%t, %w2 : tensor<64x128xf32>, tensor<128x32xf32>) outs(%zero2 : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}
// CHECK: reshard of %arg2 for linalg.matmul operand 1 at {{.*}}explain-puzzles.mlir:[[#@LINE-3]]:8: {{\[\[}}], [model]] -> {{\[\[}}model], []]
// CHECK: it has axis model in dimension 1: from the hint #shard.sharding<@grid, {{\[\[}}], ["model"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-10]]:5
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 2. The result of a long chain is to be whole.

shard.grid @grid(shape = 4) axes ["x"]
func.func @whole_result(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %0 = math.exp %a : tensor<16x16xf32>
  %1 = arith.mulf %0, %b : tensor<16x16xf32>
  %2 = math.tanh %1 : tensor<16x16xf32>
  %3 = math.sqrt %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}
// CHECK: reshard of %3 for func.return operand 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-2]]:3: {{\[\[}}x], []] -> {{\[\[}}], []]
// CHECK: against no more axes in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-11]]:1
// CHECK: decided: all that arrives there has one sharding

// -----

// 3. One of three summands is split over another axis.

shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @one_summand(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %bias: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["y"], []]>})
    -> tensor<16x16xf32> {
  %0 = arith.addf %a, %b : tensor<16x16xf32>
  %1 = math.absf %bias : tensor<16x16xf32>
  %2 = arith.addf %0, %1 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
// CHECK: reshard of %1 for arith.addf operand 1 at {{.*}}explain-puzzles.mlir:[[#@LINE-3]]:8: {{\[\[}}y], []] -> {{\[\[}}x], []]
// CHECK: it has axis y in dimension 0: through {{.*}}from the hint #shard.sharding<@grid, {{\[\[}}"y"], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-8]]:5
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 4. A weight is stored in parts over the axis of the batch (ZeRO).

shard.grid @grid(shape = 4) axes ["data"]
func.func @stored_weight(
    %x: tensor<256x16xf32> {shard.sharding = #shard.sharding<@grid, [["data"]p0, [?]]>},
    %w: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["data"]p1, [?]]>})
    -> (tensor<256x16xf32> {shard.sharding = #shard.sharding<@grid, [["data"], []]>}) {
  %zero = arith.constant dense<0.0> : tensor<256x16xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<256x16xf32>, tensor<16x16xf32>) outs(%zero : tensor<256x16xf32>) -> tensor<256x16xf32>
  return %0 : tensor<256x16xf32>
}
// CHECK: reshard of %arg1 for linalg.matmul operand 1 at {{.*}}explain-puzzles.mlir:[[#@LINE-3]]:8: {{\[\[}}data], []] -> {{\[\[}}], []]
// CHECK: it has axis data in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}"data"]p1, [?]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-7]]:5
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 5. The hint of the result forgets the transpose.

shard.grid @grid(shape = 4) axes ["x"]
func.func @forgotten_transpose(
    %a: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %b: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[?], [?]]>})
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>}) {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.transpose ins(%a : tensor<16x8xf32>) outs(%e : tensor<8x16xf32>) permutation = [1, 0]
  %1 = arith.addf %0, %b : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// CHECK: reshard of %arg0 for linalg.transpose operand 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-4]]:8: {{\[\[}}x], []] -> {{\[\[}}], [x]]
// CHECK: against axis x in dimension 0 of result 0: through arith.addf {{.*}} through operand 0 of func.return at {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}"x"], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-10]]:1
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 6. A constraint in the middle of a chain.

shard.grid @grid(shape = 4) axes ["x"]
func.func @constraint(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>}) {
  %0 = math.exp %a : tensor<16x16xf32>
  %1 = shard.constraint %0 to <@grid, [[], ["x"]]> : tensor<16x16xf32>
  %2 = math.sqrt %1 : tensor<16x16xf32>
  %3 = math.absf %2 : tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for math.exp result 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-6]]:8: {{\[\[}}x], []] -> {{\[\[}}], [x]]
// CHECK: against axis x in dimension 1: through shard.constraint at {{.*}} from the hint #shard.sharding<@grid, {{\[\[}}], ["x"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-6]]:8
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 7. A constraint inside a callee.

shard.grid @grid(shape = 4) axes ["x"]
func.func @caller(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>}) {
  %0 = func.call @callee(%a) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func private @callee(%b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = math.exp %b : tensor<16x16xf32>
  %1 = shard.constraint %0 to <@grid, [[], ["x"]]> : tensor<16x16xf32>
  %2 = math.absf %1 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
// CHECK: reshard of %1 for math.absf operand 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-3]]:8: {{\[\[}}], [x]] -> {{\[\[}}x], []]
// CHECK: it has axis x in dimension 1: from the hint #shard.sharding<@grid, {{\[\[}}], ["x"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-5]]:8
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 8. A loop adds a value that is split along the other dimension.

shard.grid @grid(shape = 4) axes ["x"]
func.func @loop(
    %init: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %step: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>})
    -> tensor<16x16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%acc = %init) -> tensor<16x16xf32> {
    %0 = arith.addf %acc, %step : tensor<16x16xf32>
    scf.yield %0 : tensor<16x16xf32>
  }
  return %r : tensor<16x16xf32>
}
// CHECK: reshard of %arg0 for scf.for operand 3 at {{.*}}explain-puzzles.mlir:[[#@LINE-6]]:8: {{\[\[}}x], []] -> {{\[\[}}], [x]]
// CHECK: against axis x in dimension 1: through arith.addf at {{.*}}explain-puzzles.mlir:[[#@LINE-6]]:10, from the hint #shard.sharding<@grid, {{\[\[}}], ["x"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-12]]:5
// CHECK: decided: all that arrives there has one sharding

// -----

// 9. The largest element along the split dimension, and a softmax, which exchanges what it
// needs itself.

shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @argmax(
    %a: tensor<6x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>},
    %b: tensor<6x16xf32> {shard.sharding = #shard.sharding<@grid, [[?], ["y"]]>})
    -> (tensor<6xi32>, tensor<6x16xf32>) {
  %0 = arith.addf %a, %b : tensor<6x16xf32>
  %1 = tosa.argmax %0 {axis = 1 : i32} : (tensor<6x16xf32>) -> tensor<6xi32>
  %e = tensor.empty() : tensor<6x16xf32>
  %2 = linalg.softmax dimension(1) ins(%0 : tensor<6x16xf32>) outs(%e : tensor<6x16xf32>) -> tensor<6x16xf32>
  return %1, %2 : tensor<6xi32>, tensor<6x16xf32>
}
// CHECK: reshard of %0 for tosa.argmax operand 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-5]]:8: {{\[\[}}x], [y]] -> {{\[\[}}x], []]
// CHECK: it has axis y in dimension 1: through {{.*}}from the hint #shard.sharding<@grid, {{\[\[}}?], ["y"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-9]]:5
// CHECK: decided: the op cannot be split along that dimension
// CHECK: exchange by linalg.softmax operand 0, %0, at {{.*}}explain-puzzles.mlir:[[#@LINE-6]]:8: {{\[\[}}x], [y]]
// CHECK-NEXT: it has axis y in dimension 1: through {{.*}}from the hint #shard.sharding<@grid, {{\[\[}}?], ["y"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-12]]:5
// CHECK-NEXT: decided: the op combines what the devices have of dimension 1
// CHECK-NEXT: so: 2 all_reduce over y
// CHECK-NEXT: instead, without splitting the op: {{[0-9]+}} bytes for the op, not 24

// -----

// 10. A group ties a value to another program part's hint.

shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @group(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %c: tensor<16x16xf32>,
    %d: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["y"], []]>})
    -> tensor<16x16xf32> {
  shard.group %c, %d id = 0 : tensor<16x16xf32>, tensor<16x16xf32>
  %0 = arith.addf %a, %b : tensor<16x16xf32>
  %1 = arith.subf %0, %c : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for arith.subf operand 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-3]]:8: {{\[\[}}x], []] -> {{\[\[}}y], []]
// CHECK: against axis y in dimension 0 of operand 1: from the hint #shard.sharding<@grid, {{\[\[}}"y"], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-8]]:5
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes

// -----

// 11. Both matrices are split along the inner dimension, the result by rows.

shard.grid @grid(shape = 4) axes ["x"]
func.func @scattered(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> tensor<16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = shard.constraint %0 to <@grid, [["x"], []]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for linalg.matmul result 0 at {{.*}}explain-puzzles.mlir:[[#@LINE-4]]:8: {{\[\[}}], []] partial = sum [x] -> {{\[\[}}x], []]
// CHECK: it has axis x in dimension 1 of operand 0: from the hint #shard.sharding<@grid, {{\[\[}}], ["x"]]> at {{.*}}explain-puzzles.mlir:[[#@LINE-9]]:5
// CHECK: against axis x in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}"x"], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-5]]:8
// CHECK: so: reduce_scatter over x

// -----

// 12. The hint of a sum that could stay partial wants it complete.

shard.grid @grid(shape = 4) axes ["x"]
func.func @complete(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> tensor<16x16xf32> {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = shard.constraint %0 to <@grid, [[], []]> : tensor<16x16xf32>
  %2 = arith.negf %0 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for linalg.matmul result 0 at
// CHECK: against the complete value: from the hint #shard.sharding<@grid, {{\[\[}}], []]> at {{.*}}explain-puzzles.mlir:[[#@LINE-5]]:8
// CHECK: decided: its hint asks for the complete value
// CHECK: so: all_reduce over x

// -----

// 13. A bias that is not a sum of parts is added to one that is.

shard.grid @grid(shape = 4) axes ["x"]
func.func @bias(
    %a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
    %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>},
    %c: tensor<16x16xf32>)
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = arith.addf %0, %c : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for linalg.matmul result 0 at
// CHECK: decided: arith.addf at {{.*}}explain-puzzles.mlir:[[#@LINE-4]]:8 needs the complete value: operand 1 is not partial

// -----

// 14. A product of two partial sums is not a partial sum.

shard.grid @grid(shape = 4) axes ["x"]
func.func @product(
    %a: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
    %b: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x8xf32>, tensor<8x16xf32>) outs(%z : tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = arith.negf %0 : tensor<16x16xf32>
  %2 = arith.mulf %0, %1 : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
// CHECK: reshard of %0 for linalg.matmul result 0 at
// CHECK: decided: arith.mulf at {{.*}}explain-puzzles.mlir:[[#@LINE-4]]:8 needs the complete value: operand 1 is partial too
