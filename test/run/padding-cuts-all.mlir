// Negative padding, a constant operand, cuts off more elements than there are: the result has
// none, whatever its type states.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC
// CHECK: tensor.extract_slice {{.*}} to tensor<0xf32>
// CHECK: tensor.cast
// EXEC: PASS

shard.grid @grid(shape = 2)
func.func @main(%x: tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<?xf32> {
  %cut = arith.constant -20 : index
  %zero = arith.constant 0.0 : f32
  %0 = tensor.pad %x low[%cut] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<16xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
