// An argument without a hint, of which all users read rows far from the blocks, as of a table of
// positions, is whole: nothing is sent. One that is read near its blocks is split.
// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s
// RUN: shard-run %s --entry table --verify | FileCheck %s --check-prefix=EXEC
// EXEC: no collectives
// EXEC: PASS

shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @table
// CHECK-SAME: %{{.*}}: tensor<2048x16xf32>
// CHECK-NOT: shard.{{all_[rgt]|shift|update|permute|redist}}
// CHECK: return
func.func @table(%t: tensor<2048x16xf32>, %x: tensor<40x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<40x16xf32> {
  %0 = tensor.extract_slice %t[0, 0] [40, 16] [1, 1] : tensor<2048x16xf32> to tensor<40x16xf32>
  %1 = tensor.extract_slice %t[100, 0] [40, 16] [1, 1] : tensor<2048x16xf32> to tensor<40x16xf32>
  %2 = arith.mulf %0, %x : tensor<40x16xf32>
  %3 = arith.addf %2, %1 : tensor<40x16xf32>
  return %3 : tensor<40x16xf32>
}

// CHECK-LABEL: func.func @near
// CHECK-SAME: %{{.*}}: tensor<11x16xf32>
// CHECK: shard.update_halo
func.func @near(%t: tensor<42x16xf32>, %x: tensor<40x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<40x16xf32> {
  %0 = tensor.extract_slice %t[1, 0] [40, 16] [1, 1] : tensor<42x16xf32> to tensor<40x16xf32>
  %1 = arith.mulf %0, %x : tensor<40x16xf32>
  return %1 : tensor<40x16xf32>
}

// A hint is kept.
// CHECK-LABEL: func.func @hinted
// CHECK-SAME: %{{.*}}: tensor<512x16xf32>
func.func @hinted(%t: tensor<2048x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                  %x: tensor<40x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<40x16xf32> {
  %0 = tensor.extract_slice %t[0, 0] [40, 16] [1, 1] : tensor<2048x16xf32> to tensor<40x16xf32>
  %1 = arith.mulf %0, %x : tensor<40x16xf32>
  return %1 : tensor<40x16xf32>
}
