// Places in padding may lie outside of the tensor, and what other compilers make of tosa.gather and
// tosa.scatter may stop there: the ops take the rows that a device has, without padding.
// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s
// RUN: shard-run %s --verify --entry gather | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --verify --entry scatter | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @g(shape = 2)

// CHECK-LABEL: func @gather
// CHECK: %[[PLACES:.*]] = arith.subi
// CHECK: %[[TAKEN:.*]] = tensor.extract_slice %[[PLACES]][0, 0] [%{{.*}}, 2] [1, 1] : tensor<2x2xi32> to tensor<?x2xi32>
// CHECK: tosa.gather %{{.*}}, %[[TAKEN]]
func.func @gather(%v: tensor<3x8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>}) -> tensor<3x2x4xf32> {
  %high = arith.constant dense<[[100, 101], [102, 103], [104, 105]]> : tensor<3x2xi32>
  %less = arith.constant dense<100> : tensor<3x2xi32>
  %at = arith.subi %high, %less : tensor<3x2xi32>
  %0 = tosa.gather %v, %at : (tensor<3x8x4xf32>, tensor<3x2xi32>) -> tensor<3x2x4xf32>
  return %0 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func @scatter
// CHECK: %[[PLACES:.*]] = arith.subi
// CHECK: %[[TAKEN:.*]] = tensor.extract_slice %[[PLACES]][0, 0] [%{{.*}}, 2] [1, 1] : tensor<2x2xi32> to tensor<?x2xi32>
// CHECK: tosa.scatter %{{.*}}, %[[TAKEN]]
func.func @scatter(%v: tensor<3x8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>}, %u: tensor<3x2x4xf32>) -> tensor<3x8x4xf32> {
  %high = arith.constant dense<[[100, 101], [102, 103], [104, 105]]> : tensor<3x2xi32>
  %less = arith.constant dense<100> : tensor<3x2xi32>
  %at = arith.subi %high, %less : tensor<3x2xi32>
  %0 = tosa.scatter %v, %at, %u : (tensor<3x8x4xf32>, tensor<3x2xi32>, tensor<3x2x4xf32>) -> tensor<3x8x4xf32>
  return %0 : tensor<3x8x4xf32>
}
