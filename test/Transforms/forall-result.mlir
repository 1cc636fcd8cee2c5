// The result of an scf.forall takes the sharding that the body has it in, so that it is gathered
// in the branch that needs it whole. It is stated: a second propagation changes nothing.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=VERIFY

// VERIFY: PASS

// CHECK: %[[SPLIT:.*]] = shard.sharding @grid split_axes = {{\[\[}}], [0]]
// CHECK: %[[R:.*]] = scf.forall
// CHECK: shard.shard %[[R]] to %[[SPLIT]] : tensor<2x4xf32>
// CHECK: scf.if
// CHECK: shard.shard %{{.*}} annotate_for_users : tensor<2x4xf32>
shard.grid @grid(shape = 2x1x1)
func.func @main(%x: tensor<2x4xf32>,
    %y: tensor<1x4xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
    %z: tensor<4x2xf32> {shard.sharding = #shard.sharding<@grid, [[1], []]>},
    %c: i1) -> tensor<4x2xf32> {
  %0 = scf.forall (%i) = (0) to (2) step (1) shared_outs(%o = %x) -> (tensor<2x4xf32>) {
    %row = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : tensor<2x4xf32> to tensor<1x4xf32>
    %less = arith.cmpf olt, %row, %y : tensor<1x4xf32>
    %zero = arith.constant dense<0.0> : tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %zero into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<2x4xf32>
    }
  }
  %1 = scf.if %c -> (tensor<4x2xf32>) {
    %shape = arith.constant dense<[4, 2]> : tensor<2xindex>
    %2 = tensor.reshape %0(%shape) : (tensor<2x4xf32>, tensor<2xindex>) -> tensor<4x2xf32>
    scf.yield %2 : tensor<4x2xf32>
  } else {
    scf.yield %z : tensor<4x2xf32>
  }
  return %1 : tensor<4x2xf32>
}
