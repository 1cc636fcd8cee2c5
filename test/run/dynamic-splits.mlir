// A dimension that is split into two of unknown extents, of a whole buffer and of a view
// whose offset and strides are not those of a whole one.

// RUN: shard-run %s --entry whole --verify | FileCheck %s
// RUN: shard-run %s --entry view --verify | FileCheck %s
// CHECK: PASS

// Behind a call, the extents are unknown.
func.func private @split(%x: tensor<?x8xf32>, %m: index, %n: index) -> tensor<?x?x8xf32> {
  %0 = tensor.expand_shape %x [[0, 1], [2]] output_shape [%m, %n, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

shard.grid @grid(shape = 2)

func.func @whole(%x: tensor<12x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<3x8xf32> {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %d = tensor.cast %x : tensor<12x8xf32> to tensor<?x8xf32>
  %0 = func.call @split(%d, %c3, %c4) : (tensor<?x8xf32>, index, index) -> tensor<?x?x8xf32>
  %1 = tensor.extract_slice %0[0, %c2, 0] [3, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

func.func @view(%x: tensor<30x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %i: tensor<1xi32>) -> tensor<3x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %s = tensor.extract %i[%c0] : tensor<1xi32>
  %two = arith.constant 2 : i32
  %u = arith.remui %s, %two : i32
  %o = arith.index_castui %u : i32 to index
  %n = arith.muli %c3, %c4 : index
  %v = tensor.extract_slice %x[%o, 0] [%n, 8] [2, 1] : tensor<30x8xf32> to tensor<?x8xf32>
  %0 = tensor.expand_shape %v [[0, 1], [2]] output_shape [%c3, %c4, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %1 = tensor.extract_slice %0[0, %c1, 0] [3, 1, 8] [1, 1, 1] : tensor<?x?x8xf32> to tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
