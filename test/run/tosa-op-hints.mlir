// Hints that stand on tosa ops count whether these are lowered before partition or not.

// RUN: split-file %s %t
// RUN: shard-run %t/hints.mlir --verify | FileCheck %s
// RUN: shard-run %t/hints.mlir --verify --partition-tosa | FileCheck %s
// RUN: shard-run %t/numbers.mlir --verify | FileCheck %s --check-prefix=RESULT
// RUN: shard-opt %t/numbers.mlir --shard-spmd | FileCheck %s --check-prefix=NUMBERS
// RUN: shard-opt %t/hints.mlir --shard-lower-tosa | FileCheck %s --check-prefix=LOWERED
// RUN: not shard-opt %t/loops.mlir --shard-lower-tosa 2>&1 | FileCheck %s --check-prefix=LOOPS

// CHECK: result0 {{.*}} {{\[}}[0], [], [1]]
// CHECK: result1 {{.*}} {{\[}}[], [0], [1]]
// CHECK: result2 {{.*}} {{\[}}[1], [0], []]
// CHECK: PASS

// LOWERED: %[[E:.*]] = tensor.expand_shape
// LOWERED: shard.constraint %[[E]] to <@grid, {{\[}}[0], [], [1]]>
// LOWERED: %[[X:.*]] = shard.shard %{{.*}} to %{{.*}} annotate_for_users
// LOWERED: linalg.generic {{.*}} ins(%[[X]]

// LOOPS: loops.mlir:3:8: error: 'shard.loops' has 1 entries, but the op has 2 loops

//--- hints.mlir
shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<4x8x8xf32>)
    -> (tensor<4x1x8xf32>, tensor<4x8x8xf32>, tensor<2x16x8xf32>) {
  %0 = tosa.reduce_sum %a {axis = 1 : i32, shard.sharding = #shard.sharding<@grid, [[0], [], [1]]>}
      : (tensor<4x8x8xf32>) -> tensor<4x1x8xf32>
  %1 = tosa.exp %a {shard.loops = #shard.sharding<@grid, [[], [0], [1]]>}
      : (tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %s = tosa.const_shape {values = dense<[2, 16, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %2 = tosa.reshape %a, %s {shard.sharding = #shard.sharding<@grid, [[1], [0], []]>}
      : (tensor<4x8x8xf32>, !tosa.shape<3>) -> tensor<2x16x8xf32>
  return %0, %1, %2 : tensor<4x1x8xf32>, tensor<4x8x8xf32>, tensor<2x16x8xf32>
}

//--- loops.mlir
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tosa.exp %a {shard.loops = #shard.sharding<@grid, [[0]]>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

//--- numbers.mlir

// The lowering of tosa folds the size of the slice, which then has two loops: the hint is for the
// one that it has as it is written.
// RESULT: PASS
// NUMBERS: tensor.extract_slice %arg0[0, %arg1] [4, 1] [1, 1]
shard.grid @g(shape = 4)
func.func @main(%a: tensor<16x8xf32>, %at: index, %t: tensor<4xi32>) -> (tensor<16x?xf32>, tensor<4xi32>) {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  %size = arith.addi %c1, %c0 : index
  %x = tensor.extract_slice %a[0, %at] [16, %size] [1, 1] {shard.loops = #shard.sharding<@g, [[0]]>} : tensor<16x8xf32> to tensor<16x?xf32>
  %y = tosa.add %t, %t : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %x, %y : tensor<16x?xf32>, tensor<4xi32>
}
