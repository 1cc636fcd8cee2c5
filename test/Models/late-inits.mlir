// What a sum over devices starts from is combined with the blocks that a reduce_scatter gives,
// where it is gathered for the first device of each group alone.
//
// RUN: shard-opt %s --shard-fold-collectives | FileCheck %s
// RUN: shard-run %s --entry=run --verify | FileCheck %s --check-prefix=SENT
// RUN: shard-run %s --entry=run --verify --hint='arg0=[[],[0,1]]' --hint='arg1=[[0,1],[]]' --hint='arg2=[[0,1],[]]' --hint='result0=[[0,1],[]]' | FileCheck %s --check-prefix=SENT
// The price knows of it: 768 bytes instead of 960 for products of blocks of rows.
// RUN: shard-run %s --entry=square --verify | FileCheck %s --check-prefix=SENT
// SENT: collective
// SENT-NEXT: reduce_scatter
// SENT-EMPTY:
// SENT: {{^}}PASS

shard.grid @grid(shape = 2x2)

#a = affine_map<(i, j) -> (i, j)>
#y = affine_map<(i, j) -> (j)>

// CHECK-LABEL: func.func @late(
// CHECK-SAME: %[[A:.*]]: tensor<4x8xf32>, %[[Y:.*]]: tensor<2xf32>
// CHECK: %[[NEUTRAL:.*]] = arith.constant dense<0x7F800000> : tensor<8xf32>
// CHECK: %[[PART:.*]] = linalg.generic {{.*}} outs(%[[NEUTRAL]] :
// CHECK: %[[BLOCK:.*]] = shard.reduce_scatter %[[PART]] on @grid grid_axes = [0, 1]
// CHECK: %[[MIN:.*]] = arith.minimumf %[[BLOCK]], %[[Y]]
// CHECK: return %[[MIN]]
func.func @late(%a: tensor<4x8xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0x7F800000> : tensor<8xf32>
  %whole = shard.all_gather %y on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  %at:2 = shard.process_multi_index on @grid axes = [0, 1] : index, index
  %x = arith.cmpi eq, %at#0, %c0 : index
  %z = arith.cmpi eq, %at#1, %c0 : index
  %first = arith.andi %x, %z : i1
  %init = arith.select %first, %whole, %none : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#a, #y], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<4x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.minimumf %in, %out : f32
    linalg.yield %m : f32
  } -> tensor<8xf32>
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0, 1] reduction = min scatter_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Sums over two axes, scattered along one: each device of the other one has the same block.
// CHECK-LABEL: func.func @twice(
// CHECK-NOT: all_gather
// CHECK: shard.all_reduce %{{.*}} grid_axes = [1]
// CHECK: %[[BLOCK:.*]] = shard.reduce_scatter %{{.*}} grid_axes = [0]
// CHECK: arith.addi %[[BLOCK]], %arg1
func.func @twice(%a: tensor<4x8xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<8xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4xi32> -> tensor<8xi32>
  %at:2 = shard.process_multi_index on @grid axes = [1, 0] : index, index
  %x = arith.cmpi eq, %at#0, %c0 : index
  %z = arith.cmpi eq, %at#1, %c0 : index
  %first = arith.andi %x, %z : i1
  %init = arith.select %first, %whole, %none : tensor<8xi32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<4x8xi32>) outs(%init : tensor<8xi32>) dimensions = [0]
  %1 = shard.all_reduce %0 on @grid grid_axes = [1] : tensor<8xi32> -> tensor<8xi32>
  %2 = shard.reduce_scatter %1 on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<4xi32>
  return %2 : tensor<4xi32>
}

// The first devices of other groups, which start from the init more often than once.
// CHECK-LABEL: func.func @otherGroups(
// CHECK: all_gather
// CHECK: arith.select
func.func @otherGroups(%a: tensor<4x8xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<8xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4xi32> -> tensor<8xi32>
  %at = shard.process_multi_index on @grid axes = [1] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<8xi32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<4x8xi32>) outs(%init : tensor<8xi32>) dimensions = [0]
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// What the other devices start from counts.
// CHECK-LABEL: func.func @ones(
// CHECK: all_gather
// CHECK: arith.select
func.func @ones(%a: tensor<4x8xi32>, %y: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<1> : tensor<8xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4xi32> -> tensor<8xi32>
  %at = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<8xi32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<4x8xi32>) outs(%init : tensor<8xi32>) dimensions = [0]
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// Rows are gathered, columns are scattered.
// CHECK-LABEL: func.func @otherBlocks(
// CHECK: all_gather
// CHECK: arith.select
func.func @otherBlocks(%a: tensor<4x8x8xi32>, %y: tensor<4x8xi32>) -> tensor<8x4xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<8x8xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4x8xi32> -> tensor<8x8xi32>
  %at = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<8x8xi32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<4x8x8xi32>) outs(%init : tensor<8x8xi32>) dimensions = [0]
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 1 : tensor<8x8xi32> -> tensor<8x4xi32>
  return %1 : tensor<8x4xi32>
}

// A user of the partial sum itself needs it with the init.
// CHECK-LABEL: func.func @usedBefore(
// CHECK: all_gather
// CHECK: arith.select
func.func @usedBefore(%a: tensor<4x8xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<8xi32>) {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<8xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4xi32> -> tensor<8xi32>
  %at = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<8xi32>
  %0 = linalg.reduce {arith.addi} ins(%a : tensor<4x8xi32>) outs(%init : tensor<8xi32>) dimensions = [0]
  %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<4xi32>
  return %1, %0 : tensor<4xi32>, tensor<8xi32>
}

func.func @run(%a: tensor<4x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
               %b: tensor<64x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
               %y: tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x64xf32>, tensor<64x4xf32>) outs(%y : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @square(%a: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0, 1]]>},
                  %b: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>},
                  %y: tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>})
    -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>}) {
  %0 = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%y : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

#k = affine_map<(i, j, k) -> (i, j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>

// Another axis splits what a device sends, by a slice that is gathered behind the sum.
// CHECK-LABEL: func.func @sliced(
// CHECK-SAME: %[[A:.*]]: tensor<4x6x3xi32>, %[[Y:.*]]: tensor<2x6xi32>
// CHECK-NOT: shard.all_gather
// CHECK: shard.reduce_scatter {{.*}} : tensor<4x3xi32> -> tensor<2x3xi32>
// CHECK: %[[BLOCK:.*]] = shard.all_gather
// CHECK: %[[SUM:.*]] = arith.addi %[[BLOCK]], %[[Y]]
// CHECK: return %[[SUM]]
func.func @sliced(%a: tensor<4x6x3xi32>, %y: tensor<2x6xi32>) -> tensor<2x6xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<4x6xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<2x6xi32> -> tensor<4x6xi32>
  %at = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<4x6xi32>
  %0 = linalg.generic {indexing_maps = [#k, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a : tensor<4x6x3xi32>) outs(%init : tensor<4x6xi32>) {
  ^bb0(%in: i32, %out: i32):
    %m = arith.addi %in, %out : i32
    linalg.yield %m : i32
  } -> tensor<4x6xi32>
  %1 = shard.all_slice %0 on @grid grid_axes = [1] slice_axis = 1 : tensor<4x6xi32> -> tensor<4x3xi32>
  %2 = shard.reduce_scatter %1 on @grid grid_axes = [0] scatter_axis = 0 : tensor<4x3xi32> -> tensor<2x3xi32>
  %3 = shard.all_gather %2 on @grid grid_axes = [1] gather_axis = 1 : tensor<2x3xi32> -> tensor<2x6xi32>
  return %3 : tensor<2x6xi32>
}

// A slice of the dimension that is scattered leaves other elements in the block.
// CHECK-LABEL: func.func @mixed(
// CHECK: shard.all_gather
// CHECK: arith.select
func.func @mixed(%a: tensor<8x6x3xi32>, %y: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %c0 = arith.constant 0 : index
  %none = arith.constant dense<0> : tensor<8x6xi32>
  %whole = shard.all_gather %y on @grid grid_axes = [0] gather_axis = 0 : tensor<4x6xi32> -> tensor<8x6xi32>
  %at = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %at, %c0 : index
  %init = arith.select %first, %whole, %none : tensor<8x6xi32>
  %0 = linalg.generic {indexing_maps = [#k, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a : tensor<8x6x3xi32>) outs(%init : tensor<8x6xi32>) {
  ^bb0(%in: i32, %out: i32):
    %m = arith.addi %in, %out : i32
    linalg.yield %m : i32
  } -> tensor<8x6xi32>
  %1 = shard.all_slice %0 on @grid grid_axes = [1] slice_axis = 0 : tensor<8x6xi32> -> tensor<4x6xi32>
  %2 = shard.reduce_scatter %1 on @grid grid_axes = [0] scatter_axis = 0 : tensor<4x6xi32> -> tensor<2x6xi32>
  %3 = shard.all_gather %2 on @grid grid_axes = [1] gather_axis = 0 : tensor<2x6xi32> -> tensor<4x6xi32>
  return %3 : tensor<4x6xi32>
}
