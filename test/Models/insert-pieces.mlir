// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s
// RUN: shard-run %s --entry stencil --verify
// RUN: shard-run %s --entry uneven --verify
// RUN: shard-run %s --entry dropped --verify
// RUN: shard-run %s --entry shifted --verify
// RUN: shard-run %s --entry padding --verify

// A device inserts the piece of a slice that lies in its block of the destination without
// building the window over the block first.

shard.grid @g(shape = 2x2)
shard.grid @four(shape = 4x1)
shard.grid @two(shape = 2x1)

// CHECK-LABEL: func @stencil(
// CHECK-SAME: %[[IN:.*]]: tensor<8x16xf32>
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NOT: tensor.empty
// CHECK: %[[PIECE:.*]] = tensor.extract_slice %[[SUM]][%{{.*}}, 0] [%[[SIZE:.*]], 16] [1, 1]
// CHECK-NEXT: %[[ALL:.*]] = tensor.insert_slice %[[PIECE]] into %[[IN]][%{{.*}}, 0] [%[[SIZE]], 16] [1, 1]
// CHECK-NEXT: return %[[ALL]]
func.func @stencil(%in: tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0, ?], [?]]>}) -> tensor<16x16xf32> {
  %a = tensor.extract_slice %in[0, 0] [14, 16] [1, 1] : tensor<16x16xf32> to tensor<14x16xf32>
  %b = tensor.extract_slice %in[2, 0] [14, 16] [1, 1] : tensor<16x16xf32> to tensor<14x16xf32>
  %c = arith.addf %a, %b : tensor<14x16xf32>
  %v = tensor.insert_slice %c into %in[1, 0] [14, 16] [1, 1] : tensor<14x16xf32> into tensor<16x16xf32>
  return %v : tensor<16x16xf32>
}

// Both dimensions are split, one of them unevenly.
// CHECK-LABEL: func @uneven(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<5x6xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[X]][%{{.*}}, %{{.*}}] [%{{.*}}, %{{.*}}] [1, 1] : tensor<?x?xf32> into tensor<5x6xf32>
// CHECK-NEXT: return
func.func @uneven(%x: tensor<9x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>},
                  %y: tensor<7x9xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>})
    -> (tensor<9x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) {
  %e = math.exp %y : tensor<7x9xf32>
  %v = tensor.insert_slice %e into %x[1, 2] [7, 9] [1, 1] : tensor<7x9xf32> into tensor<9x12xf32>
  return %v : tensor<9x12xf32>
}

// A dimension that the slice does not have, in front of the one that it slides over.
// CHECK-LABEL: func @dropped(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<3x8xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[X]][2, %{{.*}}] [1, %{{.*}}] [1, 1] : tensor<?xf32> into tensor<3x8xf32>
// CHECK-NEXT: return
func.func @dropped(%x: tensor<3x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
                   %y: tensor<14xf32> {shard.sharding = #shard.sharding<@g, [[0]]>})
    -> (tensor<3x16xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %e = math.exp %y : tensor<14xf32>
  %v = tensor.insert_slice %e into %x[2, 1] [1, 14] [1, 1] : tensor<14xf32> into tensor<3x16xf32>
  return %v : tensor<3x16xf32>
}

// Blocks that are shifted fill the window in parts: the part of the slice is cut out of it.
// CHECK-LABEL: func @shifted(
// CHECK: shard.shift
func.func @shifted(%x: tensor<2x4x2xf32> {shard.sharding = #shard.sharding<@four, [[], [0], [1]]>},
                   %y: tensor<2x1x1xf32>) -> tensor<2x4x2xf32> {
  %v = tensor.insert_slice %y into %x[0, 3, 0] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x4x2xf32>
  return %v : tensor<2x4x2xf32>
}

// The windows over dimension 0 are the blocks with their padding, which no piece may have.
// CHECK-LABEL: func @padding(
// CHECK: tensor.insert_slice
func.func @padding(%x: tensor<10x4x10xf32> {shard.sharding = #shard.sharding<@two, [[0], [], [1]]>},
                   %y: tensor<9x1x2xf32> {shard.sharding = #shard.sharding<@two, [[0], [], []]>})
    -> (tensor<10x4x10xf32> {shard.sharding = #shard.sharding<@two, [[0], [], [1]]>}) {
  %v = tensor.insert_slice %y into %x[0, 3, 0] [9, 1, 2] [1, 1, 1] : tensor<9x1x2xf32> into tensor<10x4x10xf32>
  return %v : tensor<10x4x10xf32>
}
