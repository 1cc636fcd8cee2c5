// Blocks that nothing reaches are gone in the program of one device, whatever they use.
// RUN: shard-opt %s --shard-spmd --shard-verify-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC

// CHECK-LABEL: func.func @main
// CHECK-NOT: arith.addf
// CHECK: arith.negf %{{.*}} : tensor<4xf32>
// EXEC: PASS

shard.grid @grid(shape = 2)
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  cf.br ^done
^use:
  %s = arith.addf %b, %a : tensor<8xf32>
  cf.br ^done
^def:
  %b = arith.mulf %a, %a : tensor<8xf32>
  cf.br ^use
^done:
  %c = arith.negf %a : tensor<8xf32>
  return %c : tensor<8xf32>
}
