// Slices whose places come from loops and lie outside of the tensor: each is moved into
// it, on one device and on a grid.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// CHECK: all_reduce {{.*}}tensor.extract_slice
// CHECK: PASS

shard.grid @grid(shape = 2)
func.func @main(%x: tensor<2x3xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %y: tensor<3xi32>, %z: tensor<8x3xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (tensor<3xi32>, tensor<3xi32>, tensor<2x3xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c9 = arith.constant 9 : index
  // What a loop ends with.
  %last = scf.while (%at = %c0) : (index) -> index {
    %less = arith.cmpi ult, %at, %c2 : index
    scf.condition(%less) %at : index
  } do {
  ^bb0(%at: index):
    %next = arith.addi %at, %c1 : index
    scf.yield %next : index
  }
  %0 = tensor.extract_slice %x[%last, 0] [1, 3] [1, 1] : tensor<2x3xi32> to tensor<3xi32>
  // The number of an iteration, of a tensor that is split and of one that is not.
  %sum = scf.for %i = %c0 to %c9 step %c2 iter_args(%carried = %y) -> (tensor<3xi32>) {
    %row = tensor.extract_slice %z[%i, 0] [1, 3] [1, 1] : tensor<8x3xi32> to tensor<3xi32>
    %one = tensor.extract_slice %y[%i] [1] [1] : tensor<3xi32> to tensor<1xi32>
    %with = tensor.insert_slice %one into %carried[%i] [1] [1] : tensor<1xi32> into tensor<3xi32>
    %next = arith.addi %with, %row : tensor<3xi32>
    scf.yield %next : tensor<3xi32>
  }
  // What a loop counts.
  %chosen = scf.for %i = %c0 to %c2 step %c1 iter_args(%where = %c9) -> (index) {
    %more = arith.addi %where, %i : index
    scf.yield %more : index
  }
  %2 = tensor.insert_slice %sum into %x[%chosen, 0] [1, 3] [1, 1] : tensor<3xi32> into tensor<2x3xi32>
  return %0, %sum, %2 : tensor<3xi32>, tensor<3xi32>, tensor<2x3xi32>
}
