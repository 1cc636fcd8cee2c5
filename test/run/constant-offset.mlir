// A constant offset is the same place as an attribute and as a value: out of range, it is moved into
// the tensor. Canonicalization makes an attribute of the value on the grid; with a size that is a
// value, the type does not tell that it is out of range.
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --entry attribute | FileCheck %s
// RUN: shard-run %s --verify --entry insert | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2)
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %slice = tensor.extract_slice %x[%c1, 0] [%c2, %c4] [1, 1] : tensor<2x4xf32> to tensor<?x?xf32>
  %cast = tensor.cast %slice : tensor<?x?xf32> to tensor<2x4xf32>
  return %cast : tensor<2x4xf32>
}

func.func @attribute(%x: tensor<2x4xf32>) -> (tensor<2x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c2 = arith.constant 2 : index
  %slice = tensor.extract_slice %x[1, 0] [%c2, 4] [1, 1] : tensor<2x4xf32> to tensor<?x4xf32>
  %cast = tensor.cast %slice : tensor<?x4xf32> to tensor<2x4xf32>
  return %cast : tensor<2x4xf32>
}

func.func @insert(%y: tensor<6x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> tensor<6x4xf32> {
  %c5 = arith.constant 5 : index
  %c2 = arith.constant 2 : index
  %part = tensor.extract_slice %y[0, 0] [%c2, 4] [1, 1] : tensor<6x4xf32> to tensor<?x4xf32>
  %all = tensor.insert_slice %part into %y[%c5, 0] [%c2, 4] [1, 1] : tensor<?x4xf32> into tensor<6x4xf32>
  return %all : tensor<6x4xf32>
}
