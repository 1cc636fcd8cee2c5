// On a grid whose axes have no known size, dimensions that these split are dynamic on
// each device; an axis of unknown size divides everything by contract. Ops that
// make extents or constants work on whole values.

// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: shard-opt %s --sharding-propagation --shard-partition --split-input-file -o /dev/null

shard.grid @g(shape = ?)
// CHECK-LABEL: func.func @exp(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x?xf32> {shard.local = #shard.local<tensor<4x12xf32>, <@g, {{\[\[}}], [0]]>>}
// CHECK-SAME: -> (tensor<4x?xf32>
// CHECK-NEXT: %[[E:[a-z0-9]+]] = math.exp %[[A]] : tensor<4x?xf32>
// CHECK-NEXT: return %[[E]]
func.func @exp(%a: tensor<4x12xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<4x12xf32> {
  %0 = math.exp %a : tensor<4x12xf32>
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<4x12xf32>
  return %1 : tensor<4x12xf32>
}

// -----

// A split dimension that is contracted becomes a sum over the axis.

shard.grid @g(shape = ?x2)
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4x?xf32>
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<?x8xf32>
// CHECK: %[[P:[a-z0-9]+]] = linalg.matmul ins(%[[A]], %[[B]] : tensor<4x?xf32>, tensor<?x8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK: shard.all_reduce %[[P]] on @g grid_axes = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
func.func @matmul(%a: tensor<8x12xf32> {shard.sharding = #shard.sharding<@g, [[1], [0]]>},
                  %b: tensor<12x8xf32>) -> tensor<8x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x12xf32>, tensor<12x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Gathered, and sliced elsewhere; a constant is sliced.

shard.grid @g(shape = ?x?)
// CHECK-LABEL: func.func @reshard(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x12xf32>
// CHECK-SAME: -> (tensor<8x?xf32>
// CHECK: shard.all_slice {{.*}} on @g grid_axes = [0] slice_axis = 0
// CHECK: arith.addf {{.*}} : tensor<?x12xf32>
// CHECK: shard.all_gather {{.*}} on @g grid_axes = [0] gather_axis = 0
func.func @reshard(%a: tensor<8x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<8x12xf32> {shard.sharding = #shard.sharding<@g, [[], [1]]>}) {
  %c = arith.constant dense<1.0> : tensor<8x12xf32>
  %0 = arith.addf %a, %c : tensor<8x12xf32>
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<8x12xf32>
  return %1 : tensor<8x12xf32>
}

// -----

// A position in the whole is computed from the size at run time.

shard.grid @g(shape = ?)
// CHECK-LABEL: func.func @index(
// CHECK-DAG: shard.grid_shape @g
// CHECK-DAG: shard.process_multi_index on @g
// CHECK: arith.divui
// CHECK: linalg.generic
func.func @index(%a: tensor<12xindex> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<12xindex> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%a : tensor<12xindex>) {
  ^bb0(%x: index):
    %i = linalg.index 0 : index
    %y = arith.addi %x, %i : index
    linalg.yield %y : index
  } -> tensor<12xindex>
  return %0 : tensor<12xindex>
}

// -----

// An axis of known size that splits a dimension unevenly: it is whole before the other axis splits it.

shard.grid @g(shape = ?x3)
// CHECK-LABEL: func.func @uneven(
// CHECK: %[[WHOLE:.*]] = shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 0 : tensor<2xf32> -> tensor<4xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[WHOLE]] : tensor<4xf32> to tensor<?xf32>
// CHECK: shard.reduce_scatter %[[CAST]] on @g grid_axes = [0] scatter_axis = 0
func.func @uneven(%a: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[1]], partial = sum [0]>})
    -> (tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  %0 = arith.subf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An axis of known size splits ops as on grids of known sizes alone, padding included.

shard.grid @g(shape = 2x?)
// CHECK-LABEL: func.func @known(
// CHECK-NOT: shard.all_gather
// CHECK: } : tensor<4x16xf32> to tensor<4x18xf32>
// CHECK-LABEL: func.func @gathered(
// CHECK-NOT: grid_axes = [0]
// CHECK: shard.all_gather %{{.*}} on @g grid_axes = [1]
// CHECK-NOT: grid_axes = [0]
// CHECK: } : tensor<4x16xf32> to tensor<4x18xf32>
func.func @known(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x18xf32> {
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<8x16xf32> to tensor<8x18xf32>
  return %0 : tensor<8x18xf32>
}
func.func @gathered(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) -> tensor<8x18xf32> {
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<8x16xf32> to tensor<8x18xf32>
  return %0 : tensor<8x18xf32>
}

// -----

// Rows of a softmax are independent, whatever the size of the axis that splits them. Along its
// own dimension only axes of known size may split it.

shard.grid @g(shape = 2x?)
// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: shard.all_gather
// CHECK: linalg.softmax dimension(2) ins(%{{.*}} : tensor<4x?x16xf32>)
// CHECK-LABEL: func.func @long_rows(
// CHECK: shard.all_gather %{{.*}} on @g grid_axes = [1] gather_axis = 2
// CHECK: linalg.softmax dimension(2) ins(%{{.*}} : tensor<4x12x16xf32>)
func.func @softmax(%a: tensor<8x12x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], []]>}) -> tensor<8x12x16xf32> {
  %e = tensor.empty() : tensor<8x12x16xf32>
  %0 = linalg.softmax dimension(2) ins(%a : tensor<8x12x16xf32>) outs(%e : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  return %0 : tensor<8x12x16xf32>
}
// REMARK: remark: 'linalg.softmax' needs the sizes of the axes that it is to be split by: operand 0 is gathered over axes of unknown size
func.func @long_rows(%a: tensor<8x12x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [], [1]]>}) -> tensor<8x12x16xf32> {
  %e = tensor.empty() : tensor<8x12x16xf32>
  %0 = linalg.softmax dimension(2) ins(%a : tensor<8x12x16xf32>) outs(%e : tensor<8x12x16xf32>) -> tensor<8x12x16xf32>
  return %0 : tensor<8x12x16xf32>
}
