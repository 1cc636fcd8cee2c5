// What a tensor.generate reads at known places is exchanged, not gathered.

// RUN: shard-run %s --verify | FileCheck %s --check-prefixes=CHECK,EVEN
// RUN: shard-run %s --verify --grid 3x2 | FileCheck %s
// EVEN: update_halo 0, 1 1 24 B
// EVEN-NOT: all_gather
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>})
    -> tensor<4x6xf32> {
  %c3 = arith.constant 3 : index
  %0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.subi %c3, %i : index
    %x = tensor.extract %a[%k, %j] : tensor<4x6xf32>
    tensor.yield %x : f32
  } : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
