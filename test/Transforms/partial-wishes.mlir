// A hint that asks for summands splits the reduction behind the value, through
// every op that passes partial values. Nothing is computed on all devices and
// masked where it can be split.
// RUN: shard-opt %s --shard-spmd -split-input-file | FileCheck %s
// RUN: shard-opt %s --sharding-propagation -split-input-file -o %t.once
// RUN: shard-opt %t.once --sharding-propagation -split-input-file -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: rm -rf %t && split-file %S/Inputs/partial-mlp.mlir %t
// RUN: shard-run %t/mlp.mlir --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-run %t/open.mlir --verify | FileCheck %s --check-prefix=DONE
// RUN: shard-opt %t/mlp.mlir --shard-spmd | FileCheck %s --check-prefix=MLP
// RUN: shard-opt %t/mlp.mlir --sharding-propagation=traversal=backward-forward --shard-partition | FileCheck %s --check-prefix=MLP
// RUN: shard-opt %t/open.mlir --shard-spmd | FileCheck %s --check-prefix=OPEN
// RUN: shard-opt %t/mlp.mlir --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

// DONE: PASS

// The first walk-through of the mesh RFC.
// MLP-LABEL: func.func @main
// MLP-SAME: %{{.*}}: tensor<2x4x4xf32>
// MLP-SAME: %{{.*}}: tensor<8x16xf32>
// MLP-SAME: %{{.*}}: tensor<16x8xf32>
// MLP: shard.all_gather {{.*}} tensor<{{2x4|8}}x8xf32>
// MLP-NOT: shard.{{all|process}}
// MLP: shard.reduce_scatter {{.*}} tensor<2x4x8xf32> -> tensor<2x4x4xf32>
// MLP-NOT: shard.{{all|process}}
// MLP: return

// WHY: %arg2
// WHY-NEXT: axis 0 in dimension 0: through linalg.matmul at {{.*}}, through tensor.expand_shape at {{.*}}, from the hint <@g, {{\[}}[], [], []] partial = sum [0]>

// OPEN-LABEL: func.func @main
// OPEN-NOT: shard.process
// OPEN: linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
// OPEN: shard.reduce_scatter

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @product
// CHECK-NOT: shard.process
// CHECK: linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
func.func @product(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Operands that have to come whole are sliced there: the work is still split.
// CHECK-LABEL: func.func @whole_operands
// CHECK-COUNT-2: shard.all_slice
// CHECK: linalg.matmul ins({{.*}} : tensor<8x8xf32>, tensor<8x8xf32>)
func.func @whole_operands(
    %a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[], []]>},
    %b: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A reduction that 2 does not divide: blocks of 4 and 3.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME: tensor<8x4xf32>
// CHECK-SAME: tensor<4x8xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @uneven(%a: tensor<8x7xf32>, %b: tensor<7x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x7xf32>, tensor<7x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The product has another user, which needs it complete: it is not split for the hint.
// CHECK-LABEL: func.func @two_users
// CHECK: linalg.matmul ins({{.*}} : tensor<8x16xf32>, tensor<16x8xf32>)
// CHECK: math.exp
func.func @two_users(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}, tensor<8x8xf32>) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

shard.grid @g(shape = 2x2)

// Another kind, two axes, one of which splits the value.
// CHECK-LABEL: func.func @maximum
// CHECK-SAME: %{{.*}}: tensor<4x8xf32>
// CHECK: linalg.reduce ins(%{{.*}} : tensor<4x8xf32>)
func.func @maximum(%a: tensor<8x16xf32>)
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[1]], partial = max [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %0 = linalg.reduce ins(%a : tensor<8x16xf32>) outs(%z : tensor<8xf32>) dimensions = [1] (%x: f32, %y: f32) {
    %m = arith.maximumf %x, %y : f32
    linalg.yield %m : f32
  }
  return %0 : tensor<8xf32>
}

// Through a product with a whole value, a difference and a transpose, to two matmuls.
// CHECK-LABEL: func.func @chain
// CHECK: linalg.matmul ins({{.*}} : tensor<8x4xf32>, tensor<4x8xf32>)
// CHECK: linalg.matmul ins({{.*}} : tensor<8x2xf32>, tensor<2x8xf32>)
// CHECK: return
func.func @chain(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x8xf32>, %d: tensor<8x8xf32>, %s: f32)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0, 1]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%c, %d : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %k = tensor.splat %s : tensor<8x8xf32>
  %2 = arith.mulf %0, %k : tensor<8x8xf32>
  %3 = arith.subf %2, %1 : tensor<8x8xf32>
  %i = tensor.empty() : tensor<8x8xf32>
  %4 = linalg.transpose ins(%3 : tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) permutation = [1, 0]
  return %4 : tensor<8x8xf32>
}

// The loop that sums up is shorter than the number of devices: nothing is split by it.
// CHECK-LABEL: func.func @short
// CHECK-SAME: %{{.*}}: tensor<8x1xf32> {shard.local = #shard.local<tensor<8x1xf32>, <@g, {{\[}}[], []]>>}, %{{.*}}: tensor<1x8xf32> {shard.local = #shard.local<tensor<1x8xf32>, <@g, {{\[}}[], []]>>}
func.func @short(%a: tensor<8x1xf32>, %b: tensor<1x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []], partial = sum [0]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x1xf32>, tensor<1x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
