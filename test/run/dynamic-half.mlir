// A sum in half precision over dynamic dimensions is done in f32 and rounded: the
// size of what is rounded into asked for itself, and compilation did not end.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2)

func.func @main(
    %a: tensor<4xf16> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %b: tensor<4x8xf16>) -> tensor<8xf16> {
  %zero = arith.constant 0.0 : f16
  %eight = arith.constant 8 : index
  %0 = tensor.cast %a : tensor<4xf16> to tensor<?xf16>
  %1 = tensor.cast %b : tensor<4x8xf16> to tensor<?x?xf16>
  %2 = tensor.empty(%eight) : tensor<?xf16>
  %3 = linalg.fill ins(%zero : f16) outs(%2 : tensor<?xf16>) -> tensor<?xf16>
  %4 = linalg.vecmat ins(%0, %1 : tensor<?xf16>, tensor<?x?xf16>)
      outs(%3 : tensor<?xf16>) -> tensor<?xf16>
  %5 = tensor.cast %4 : tensor<?xf16> to tensor<8xf16>
  return %5 : tensor<8xf16>
}
