// A constant offset that is out of range is moved into it, also where the size is known only
// when more is folded: nothing writes the offset into the op before that.
// RUN: shard-run %s --verify | FileCheck %s

// CHECK: PASS
shard.grid @grid(shape = 1x2)
func.func @main(%arg1: tensor<4x1x2x2xf32>) -> tensor<3x1x1x2xf32> {
  %c2 = arith.constant 2 : index
  %c3_i32 = arith.constant 3 : i32
  %14 = arith.index_cast %c3_i32 : i32 to index
  %c-1 = arith.constant -1 : index
  %c1_i32 = arith.constant 1 : i32
  %15 = arith.index_cast %c1_i32 : i32 to index
  %c0 = arith.constant 0 : index
  %extracted_slice = tensor.extract_slice %arg1[%c2, %c-1, %15, %c0] [%14, %15, 1, 2] [1, 1, 1, 1] {shard.loops = #shard.sharding<@grid, [[1, 0, ?], []]>} : tensor<4x1x2x2xf32> to tensor<?x?x1x2xf32>
  %cast = tensor.cast %extracted_slice : tensor<?x?x1x2xf32> to tensor<3x1x1x2xf32>
  return %cast : tensor<3x1x1x2xf32>
}
