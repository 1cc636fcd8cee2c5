// Positions that are rotated in pairs: two insertions by turns, and nothing is sent.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --grid 8 --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @main
// CHECK-NOT: shard.all
// CHECK-NOT: shard.update_halo
// CHECK: tensor.concat dim(2) {{.*}} -> tensor<6x2x2xf32>
// CHECK-NOT: shard.all
// CHECK: return
func.func @main(%x: tensor<6x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %c: tensor<6x8xf32>, %s: tensor<6x8xf32>) -> tensor<6x16xf32> {
  %a = tensor.extract_slice %x[0, 0] [6, 8] [1, 2] : tensor<6x16xf32> to tensor<6x8xf32>
  %b = tensor.extract_slice %x[0, 1] [6, 8] [1, 2] : tensor<6x16xf32> to tensor<6x8xf32>
  %ac = arith.mulf %a, %c : tensor<6x8xf32>
  %bs = arith.mulf %b, %s : tensor<6x8xf32>
  %as = arith.mulf %a, %s : tensor<6x8xf32>
  %bc = arith.mulf %b, %c : tensor<6x8xf32>
  %even = arith.subf %ac, %bs : tensor<6x8xf32>
  %odd = arith.addf %as, %bc : tensor<6x8xf32>
  %empty = tensor.empty() : tensor<6x16xf32>
  %0 = tensor.insert_slice %even into %empty[0, 0] [6, 8] [1, 2] : tensor<6x8xf32> into tensor<6x16xf32>
  %1 = tensor.insert_slice %odd into %0[0, 1] [6, 8] [1, 2] : tensor<6x8xf32> into tensor<6x16xf32>
  return %1 : tensor<6x16xf32>
}
