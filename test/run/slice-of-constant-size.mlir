// A slice that asks for a constant size by an operand has a dimension without an extent in its
// type. Each device holds the elements that it has in a tensor of the whole slice, and these are
// added up. A hint on the loops keeps shard-fold-numbers from giving the slice a static type.

// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s --check-prefix=SPMD
// CHECK: PASS

// SPMD: %[[TWO:.*]] = arith.constant 2 : index
// SPMD: %[[AROUND:.*]] = tensor.splat %{{.*}}[%[[TWO]]] : tensor<1x?x2xi32>
// SPMD: tensor.insert_slice %{{.*}} into %[[AROUND]]
shard.grid @grid(shape = 3)
func.func @main(%at: index, %a: tensor<2x3x2xi32>) -> tensor<1x2x2xi32> {
  %c2 = arith.constant 2 : index
  %slice = tensor.extract_slice %a[%at, %at, 0] [1, %c2, 2] [1, 1, 1]
      {shard.loops = #shard.sharding<@grid, [[], [0], []]>}
      : tensor<2x3x2xi32> to tensor<1x?x2xi32>
  %cast = tensor.cast %slice : tensor<1x?x2xi32> to tensor<1x2x2xi32>
  return %cast : tensor<1x2x2xi32>
}
