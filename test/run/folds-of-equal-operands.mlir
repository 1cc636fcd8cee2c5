// Ops on one value that are constants whatever it is, on blocks whose sizes are known only
// when the program runs.

// RUN: shard-run %s --entry flags --verify | FileCheck %s
// RUN: shard-run %s --entry numbers --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd -o - | FileCheck %s --check-prefix=SPMD
// CHECK: PASS
// SPMD-NOT: constant {{.*}} tensor<{{.*}}?

shard.grid @grid(shape = 4x4) axes ["x0", "x1"]

// x or x is x, so that the next op is on one value, too.
func.func @flags(%a: tensor<4x4x4xi1> {shard.sharding = #shard.sharding<@grid, [["x1"], ["x0", ?], [?]], offsets = [0, 3, 4, 4, 4, 0, 0, 3, 4, 4]>},
                 %c: i1) -> tensor<4x4x4xi1> {
  %0 = scf.if %c -> (tensor<4x4x4xi1>) {
    %1 = arith.ori %a, %a : tensor<4x4x4xi1>
    %2 = arith.xori %1, %a : tensor<4x4x4xi1>
    scf.yield %2 : tensor<4x4x4xi1>
  } else {
    scf.yield %a : tensor<4x4x4xi1>
  }
  return %0 : tensor<4x4x4xi1>
}

func.func @numbers(%a: tensor<6x4xi32> {shard.sharding = #shard.sharding<@grid, [["x1"], ["x0"]], offsets = [0, 3, 6, 6, 6, 0, 0, 3, 4, 4]>})
    -> (tensor<6x4xi32>, tensor<6x4xi1>, tensor<6x4xi32>) {
  %0 = arith.subi %a, %a : tensor<6x4xi32>
  %1 = arith.cmpi sge, %a, %a : tensor<6x4xi32>
  %2 = arith.maxsi %a, %a : tensor<6x4xi32>
  return %0, %1, %2 : tensor<6x4xi32>, tensor<6x4xi1>, tensor<6x4xi32>
}
