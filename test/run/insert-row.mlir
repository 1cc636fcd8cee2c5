// A row without the dropped dimension is inserted at a place from data or a loop, where
// both dimensions of the tensor are split, on grids of two and three axes.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// RUN: shard-run %s --verify --grid=3x1x4 2>/dev/null | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2x3x2)
func.func @main(%x: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}, %row: tensor<5xf32>,
                %t: tensor<3x7x5x1xi32> {shard.sharding = #shard.sharding<@grid, [[2], [1], [0], []]>}, %u: tensor<7xi32>, %i: index)
    -> (tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
        tensor<3x7x5x1xi32> {shard.sharding = #shard.sharding<@grid, [[2], [1], [0], []]>}) {
  %0 = tensor.insert_slice %row into %x[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<7x5xf32>
  %1 = tensor.insert_slice %u into %t[%i, 0, %i, 0] [1, 7, 1, 1] [1, 1, 1, 1] : tensor<7xi32> into tensor<3x7x5x1xi32>
  return %0, %1 : tensor<7x5xf32>, tensor<3x7x5x1xi32>
}
