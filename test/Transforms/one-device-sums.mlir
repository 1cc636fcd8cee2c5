// The parts of a sum along an axis of one device are the sum: nothing is partial there.
// RUN: shard-opt %s -sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once -sharding-propagation | diff %t.once -
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @grid(shape = 4x1x1)

// CHECK-NOT: partial
func.func @main(%x: tensor<3xi32>, %at: tensor<6x1xi32>) -> (tensor<3xi32> {shard.sharding = #shard.sharding<@grid, [[2, 0]]>}) {
  %z = arith.constant dense<-2> : tensor<6x1xi32>
  %one = arith.constant dense<1> : tensor<6x1xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %first = arith.andi %at, %one : tensor<6x1xi32>
  %taken = tensor.gather %x[%first] gather_dims([0]) : (tensor<3xi32>, tensor<6x1xi32>) -> tensor<6x1xi32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %taken) -> tensor<6x1xi32> {
    scf.yield %z : tensor<6x1xi32>
  }
  %s = tensor.insert_slice %x into %x[0] [3] [1] : tensor<3xi32> into tensor<3xi32>
  return %s : tensor<3xi32>
}
