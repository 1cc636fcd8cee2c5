// tensor.bitcast to and from signed and unsigned integers, and floats of unsigned bits.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: no collectives
// CHECK: PASS
// RUN: shard-opt %s --shard-spmd --shard-lower-to-llvm | FileCheck %s --check-prefix=CODE --implicit-check-not=unrealized
// CODE: llvm.func @main(

shard.grid @grid(shape = 3)
func.func @main(%x: tensor<16x8xui32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %y: tensor<9xi16> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<16x8xi32>, tensor<16x8xf32>, tensor<16x8xsi32>, tensor<9xi16>, tensor<9xui16>) {
  %0 = tensor.bitcast %x : tensor<16x8xui32> to tensor<16x8xi32>
  %1 = arith.addi %0, %0 : tensor<16x8xi32>
  %2 = tensor.bitcast %x : tensor<16x8xui32> to tensor<16x8xf32>
  %3 = tensor.bitcast %x : tensor<16x8xui32> to tensor<16x8xsi32>
  %4 = tensor.bitcast %y : tensor<9xi16> to tensor<9xui16>
  %5 = tensor.bitcast %4 : tensor<9xui16> to tensor<9xi16>
  %6 = arith.muli %5, %5 : tensor<9xi16>
  return %1, %2, %3, %6, %4 : tensor<16x8xi32>, tensor<16x8xf32>, tensor<16x8xsi32>, tensor<9xi16>, tensor<9xui16>
}
