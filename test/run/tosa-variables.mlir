// Variables of tosa are those of ml_program: what is written is read later.
//
// RUN: shard-opt %s --shard-lower-tosa | FileCheck %s --check-prefix=LOWER
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// CHECK: PASS
// LOWER: ml_program.global private mutable @v(dense<1.000000e+00> : tensor<8xf32>) : tensor<8xf32>
// LOWER: ml_program.global_load @v : tensor<8xf32>
// LOWER: ml_program.global_store @v = %{{.*}} : tensor<8xf32>
// LOWER: ml_program.global_load @v : tensor<8xf32>
// LOWER-NOT: tosa.

shard.grid @grid(shape = 4)
tosa.variable @v = dense<1.0> : tensor<8xf32>
func.func @main(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tosa.variable_read @v : tensor<8xf32>
  %1 = arith.addf %x, %0 : tensor<8xf32>
  tosa.variable_write @v, %1 : tensor<8xf32>
  %2 = tosa.variable_read @v : tensor<8xf32>
  %3 = arith.mulf %2, %x : tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}
