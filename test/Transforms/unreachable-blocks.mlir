// RUN: shard-opt %s --sharding-propagation --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file --verify-diagnostics -o %t

// Hints in blocks that no branch reaches say nothing about the program: they contradict no hint
// elsewhere, and a remark tells of each.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @hints
// CHECK: return
// CHECK-NEXT: }
func.func @hints(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
^bb1:
  // expected-remark @below {{the hint of 'shard.constraint' has no effect: no branch reaches its block}}
  %0 = shard.constraint %a to <@grid, [[]]> : tensor<8xf32>
  // expected-remark @below {{the hint of 'math.exp' has no effect}}
  %1 = math.exp %0 {shard.sharding = #shard.sharding<@grid, [[]]>} : tensor<8xf32>
  cf.br ^bb2
^bb2:
  return %1 : tensor<8xf32>
}

// -----

// Blocks inside of an op count, too.
shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @inner
// CHECK: scf.execute_region
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
func.func @inner(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %r = scf.execute_region -> tensor<8xf32> {
    scf.yield %a : tensor<8xf32>
  ^bb1:
    // expected-remark @below {{the hint of 'shard.constraint' has no effect}}
    %0 = shard.constraint %a to <@grid, [[]]> : tensor<8xf32>
    scf.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
