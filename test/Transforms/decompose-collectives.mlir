// Products and their collectives as rings of shifts beside parts of the product.

// RUN: shard-opt %s --split-input-file --shard-decompose-collectives=min-gain=-1e6 --cse | FileCheck %s
// RUN: shard-opt %s --split-input-file --shard-decompose-collectives="min-gain=-1e6 reorder-sums=false" --cse | FileCheck %s --check-prefix=ORDER
// RUN: shard-opt %s --split-input-file --shard-decompose-collectives=min-gain=-1e6 --shard-verify-spmd -o /dev/null
// RUN: shard-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(shard-decompose-collectives{min-gain=-1e6}),cse)" | FileCheck %s

shard.grid @g(shape = 3)

// In step s the device at position p has block (p - s) mod 3.
// CHECK-LABEL: @parallel
// CHECK-SAME: (%[[A:.*]]: tensor<2x8xf32>, %[[B:.*]]: tensor<8x5xf32>, %[[C:.*]]: tensor<6x5xf32>)
// CHECK-DAG: %[[P:.*]] = shard.process_multi_index on @g axes = [0]
// CHECK-DAG: %[[S0:.*]] = shard.shift %[[A]] on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate
// CHECK: %[[O0:.*]] = arith.muli %[[P]], %{{.*}}
// CHECK: %[[C0:.*]] = tensor.extract_slice %[[C]][%[[O0]], 0] [2, 5] [1, 1]
// CHECK: %[[M0:.*]] = linalg.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C0]] :
// CHECK: %[[R0:.*]] = tensor.insert_slice %[[M0]] into %[[C]][%[[O0]], 0]
// CHECK: %[[A1:.*]] = shard.wait %[[S0]] of %[[A]]
// CHECK: %[[S1:.*]] = shard.shift %[[A1]]
// CHECK: arith.addi %[[P]], %[[C2:.*]] :
// CHECK: %[[O1:.*]] = arith.muli
// CHECK: %[[D1:.*]] = tensor.extract_slice %[[R0]][%[[O1]], 0]
// CHECK: %[[M1:.*]] = linalg.matmul ins(%[[A1]], %[[B]] : {{.*}}) outs(%[[D1]] :
// CHECK: %[[R1:.*]] = tensor.insert_slice %[[M1]] into %[[R0]][%[[O1]], 0]
// CHECK: %[[A2:.*]] = shard.wait %[[S1]] of %[[A1]]
// CHECK-NOT: shard.shift
// CHECK: linalg.matmul ins(%[[A2]], %[[B]]
// CHECK: %[[R2:.*]] = tensor.insert_slice {{.*}} into %[[R1]]
// CHECK: return %[[R2]]
// ORDER-LABEL: @parallel
// ORDER: shard.shift
func.func @parallel(%a: tensor<2x8xf32>, %b: tensor<8x5xf32>, %c: tensor<6x5xf32>) -> tensor<6x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<6x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%c : tensor<6x5xf32>) -> tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}

// Each part adds to what the parts before it have left.
// CHECK-LABEL: @reduction
// CHECK-SAME: (%[[A:.*]]: tensor<6x2xi32>, %[[B:.*]]: tensor<6x5xi32>, %[[C:.*]]: tensor<6x5xi32>)
// CHECK: %[[S0:.*]] = shard.shift %[[A]]
// CHECK: %[[B0:.*]] = tensor.extract_slice %[[B]][%{{.*}}, 0] [2, 5] [1, 1]
// CHECK: %[[M0:.*]] = linalg.matmul ins(%[[A]], %[[B0]] : {{.*}}) outs(%[[C]] :
// CHECK: %[[A1:.*]] = shard.wait %[[S0]] of %[[A]]
// CHECK: %[[S1:.*]] = shard.shift %[[A1]]
// CHECK: %[[M1:.*]] = linalg.matmul ins(%[[A1]], %{{.*}}) outs(%[[M0]] :
// CHECK: %[[A2:.*]] = shard.wait %[[S1]] of %[[A1]]
// CHECK: %[[M2:.*]] = linalg.matmul ins(%[[A2]], %{{.*}}) outs(%[[M1]] :
// CHECK: return %[[M2]]
// ORDER-LABEL: @reduction
// ORDER: shard.shift
func.func @reduction(%a: tensor<6x2xi32>, %b: tensor<6x5xi32>, %c: tensor<6x5xi32>) -> tensor<6x5xi32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<6x2xi32> -> tensor<6x6xi32>
  %1 = linalg.matmul ins(%0, %b : tensor<6x6xi32>, tensor<6x5xi32>) outs(%c : tensor<6x5xi32>) -> tensor<6x5xi32>
  return %1 : tensor<6x5xi32>
}

// The sum of block (p - 1 - s) mod 3 travels; the last one is the device's own.
// CHECK-LABEL: @scatter
// CHECK-SAME: (%[[A:.*]]: tensor<6x8xf32>, %[[B:.*]]: tensor<8x5xf32>, %[[C:.*]]: tensor<6x5xf32>)
// CHECK: %[[P:.*]] = shard.process_multi_index on @g axes = [0]
// CHECK: arith.addi %[[P]], %[[N2:.*]] :
// CHECK: %[[M0:.*]] = linalg.matmul
// CHECK: %[[S0:.*]] = shard.shift %[[M0]]
// CHECK: arith.addi %[[P]], %[[N1:.*]] :
// CHECK: %[[M1:.*]] = linalg.matmul
// CHECK: %[[W0:.*]] = shard.wait %[[S0]] of %[[M0]]
// CHECK: %[[T1:.*]] = arith.addf %[[W0]], %[[M1]]
// CHECK: %[[S1:.*]] = shard.shift %[[T1]]
// CHECK: %[[O2:.*]] = arith.muli %[[P]], %[[N2]]
// CHECK: tensor.extract_slice %[[A]][%[[O2]], 0] [2, 8] [1, 1]
// CHECK: tensor.extract_slice %[[C]][%[[O2]], 0] [2, 5] [1, 1]
// CHECK: %[[M2:.*]] = linalg.matmul
// CHECK: %[[W1:.*]] = shard.wait %[[S1]] of %[[T1]]
// CHECK: %[[T2:.*]] = arith.addf %[[W1]], %[[M2]]
// CHECK: return %[[T2]]
// ORDER-LABEL: @scatter
// ORDER: shard.reduce_scatter
func.func @scatter(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>, %c: tensor<6x5xf32>) -> tensor<2x5xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%c : tensor<6x5xf32>) -> tensor<6x5xf32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0] scatter_axis = 0 : tensor<6x5xf32> -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// Of a fill or a splat each part makes its block.
// CHECK-LABEL: @scatter_created
// CHECK-NOT: tensor<6x5xf32>
// CHECK: linalg.fill {{.*}} -> tensor<2x5xf32>
// CHECK-NOT: tensor<6x5xf32>
// CHECK: return
func.func @scatter_created(%a: tensor<6x8xf32>, %b: tensor<8x5xf32>, %v: f32) -> tensor<2x5xf32> {
  %e = tensor.empty() : tensor<6x5xf32>
  %c = linalg.fill ins(%v : f32) outs(%e : tensor<6x5xf32>) -> tensor<6x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%c : tensor<6x5xf32>) -> tensor<6x5xf32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0] scatter_axis = 0 : tensor<6x5xf32> -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}
// CHECK-LABEL: @scatter_constants
// CHECK-DAG: arith.constant dense<1.000000e+00> : tensor<2x8xf32>
// CHECK-DAG: %[[C:.*]] = arith.constant dense<{{\[}}[{{.*}}> : tensor<6x5xf32>
// CHECK: tensor.extract_slice %[[C]]
func.func @scatter_constants(%b: tensor<8x5xf32>) -> tensor<2x5xf32> {
  %a = arith.constant dense<1.0> : tensor<6x8xf32>
  %c = arith.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0, 9.0], [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0]]> : tensor<6x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x5xf32>) outs(%c : tensor<6x5xf32>) -> tensor<6x5xf32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0] scatter_axis = 0 : tensor<6x5xf32> -> tensor<2x5xf32>
  return %1 : tensor<2x5xf32>
}

// -----

shard.grid @g(shape = 2x2)

// Positions count along all axes of the group, in their order.
// CHECK-LABEL: @axes
// CHECK: %[[I:.*]]:2 = shard.process_multi_index on @g axes = [1, 0]
// CHECK: %[[M:.*]] = arith.muli %[[I]]#0, %c2
// CHECK: arith.addi %[[M]], %[[I]]#1
// CHECK-COUNT-3: shard.shift {{.*}} grid_axes = [1, 0] shift_axis = 1 minor_axes = [0] offset = 1 rotate
// CHECK-NOT: shard.shift
func.func @axes(%a: tensor<2x8xf32>, %b: tensor<8x5xf32>, %c: tensor<8x5xf32>) -> tensor<8x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [1, 0] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<8x8xf32>, tensor<8x5xf32>) outs(%c : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %1 : tensor<8x5xf32>
}

// A loop that both operands have: the other one is cut, too.
// CHECK-LABEL: @batches
// CHECK: tensor.extract_slice %{{.*}}[%{{.*}}, 0, 0] [2, 6, 5] [1, 1, 1]
// CHECK-COUNT-2: linalg.batch_matmul {{.*}} -> tensor<2x3x5xf32>
func.func @batches(%a: tensor<2x3x6xf32>, %b: tensor<4x6x5xf32>, %c: tensor<4x3x5xf32>) -> tensor<4x3x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x3x6xf32> -> tensor<4x3x6xf32>
  %1 = linalg.batch_matmul ins(%0, %b : tensor<4x3x6xf32>, tensor<4x6x5xf32>) outs(%c : tensor<4x3x5xf32>) -> tensor<4x3x5xf32>
  return %1 : tensor<4x3x5xf32>
}

// Two collectives of one product: one of them is cut.
// CHECK-LABEL: @two_gathers
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_gather
// CHECK: shard.shift
func.func @two_gathers(%a: tensor<2x6xf32>, %b: tensor<6x5xf32>, %c: tensor<4x10xf32>) -> tensor<4x10xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x6xf32> -> tensor<4x6xf32>
  %1 = shard.all_gather %b on @g grid_axes = [0] gather_axis = 1 : tensor<6x5xf32> -> tensor<6x10xf32>
  %2 = linalg.matmul ins(%0, %1 : tensor<4x6xf32>, tensor<6x10xf32>) outs(%c : tensor<4x10xf32>) -> tensor<4x10xf32>
  return %2 : tensor<4x10xf32>
}
// CHECK-LABEL: @in_front_and_behind
// CHECK: shard.shift
// CHECK: shard.reduce_scatter
func.func @in_front_and_behind(%a: tensor<2x6xf32>, %b: tensor<6x10xf32>, %c: tensor<4x10xf32>) -> tensor<2x10xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x6xf32> -> tensor<4x6xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<4x6xf32>, tensor<6x10xf32>) outs(%c : tensor<4x10xf32>) -> tensor<4x10xf32>
  %2 = shard.reduce_scatter %1 on @g grid_axes = [1] scatter_axis = 0 : tensor<4x10xf32> -> tensor<2x10xf32>
  return %2 : tensor<2x10xf32>
}

// An op without destination.
// CHECK-LABEL: @elementwise
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x3xf32>
// CHECK: arith.mulf {{.*}} : tensor<2x3xf32>
// CHECK: tensor.insert_slice %{{.*}} into %[[E]]
func.func @elementwise(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x3xf32> -> tensor<4x3xf32>
  %1 = arith.mulf %0, %b : tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// -----

shard.grid @g(shape = 2)

// Floats are summed in the order of the ring only where no two devices have the same sum.
// CHECK-LABEL: @split_sums
// CHECK: shard.shift
// CHECK-NOT: shard.all_gather
// ORDER-LABEL: @split_sums
// ORDER: shard.all_gather
func.func @split_sums(%a: tensor<3x2xf32>, %b: tensor<4x5xf32> {shard.local = #shard.local<tensor<4x10xf32>, <@g, [[], [0]]>>}, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK-LABEL: @replicated_sums
// CHECK: shard.all_gather
func.func @replicated_sums(%a: tensor<3x2xf32>, %b: tensor<4x5xf32> {shard.local = #shard.local<tensor<4x5xf32>, <@g, [[], []]>>}, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK-LABEL: @unknown_sums
// CHECK: shard.all_gather
func.func @unknown_sums(%a: tensor<3x2xf32>, %b: tensor<4x5xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// What is reduced and scattered is split, a tensor that is written over is not.
// CHECK-LABEL: @scattered_sums
// CHECK: shard.shift
// CHECK-NOT: shard.all_gather
func.func @scattered_sums(%a: tensor<3x2xf32>, %x: tensor<4x10xf32>, %c: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %b = shard.reduce_scatter %x on @g grid_axes = [0] scatter_axis = 1 : tensor<4x10xf32> -> tensor<4x5xf32>
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK-LABEL: @written_over
// CHECK: shard.all_gather
func.func @written_over(%a: tensor<3x2xf32>, %x: tensor<4x10xf32>, %c: tensor<3x5xf32>, %v: f32) -> tensor<3x5xf32> {
  %s = shard.all_slice %x on @g grid_axes = [0] slice_axis = 1 : tensor<4x10xf32> -> tensor<4x5xf32>
  %b = linalg.fill ins(%v : f32) outs(%s : tensor<4x5xf32>) -> tensor<4x5xf32>
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x4xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<3x4xf32>, tensor<4x5xf32>) outs(%c : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %1 : tensor<3x5xf32>
}
// CHECK-LABEL: @narrow_sums
// CHECK: shard.reduce_scatter
func.func @narrow_sums(%a: tensor<4x3xbf16>, %b: tensor<3x5xbf16>, %c: tensor<4x5xbf16>) -> tensor<2x5xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x3xbf16>, tensor<3x5xbf16>) outs(%c : tensor<4x5xbf16>) -> tensor<4x5xbf16>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0] scatter_axis = 0 : tensor<4x5xbf16> -> tensor<2x5xbf16>
  return %1 : tensor<2x5xbf16>
}

// What stays: the largest instead of the sum, blocks that are not equal, a result that is
// needed twice, an op that computes with places, a group of one device.
// CHECK-LABEL: @stays
// CHECK-NOT: shard.shift
// CHECK: return
func.func @stays(%a: tensor<4x3xf32>, %b: tensor<3x5xf32>, %c: tensor<4x5xf32>, %d: tensor<2x3xf32>, %u: tensor<3x3xf32>, %v: tensor<5x5xf32>)
    -> (tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x3xindex>, tensor<5x5xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<4x3xf32>, tensor<3x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %1 = shard.reduce_scatter %0 on @g grid_axes = [0] reduction = max scatter_axis = 0 : tensor<4x5xf32> -> tensor<2x5xf32>
  %2 = shard.all_gather %d on @g grid_axes = [0] gather_axis = 0 : tensor<2x3xf32> -> tensor<4x3xf32>
  %3 = linalg.matmul ins(%2, %b : tensor<4x3xf32>, tensor<3x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  %4 = shard.all_gather %d on @g grid_axes = [0] gather_axis = 0 : tensor<2x3xf32> -> tensor<4x3xf32>
  %e = tensor.empty() : tensor<4x3xindex>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<4x3xf32>) outs(%e : tensor<4x3xindex>) {
  ^bb0(%x: f32, %o: index):
    %i = linalg.index 0 : index
    linalg.yield %i : index
  } -> tensor<4x3xindex>
  %6 = shard.all_gather %u on @g grid_axes = [0] gather_axis = 0 : tensor<3x3xf32> -> tensor<5x3xf32>
  %7 = linalg.matmul ins(%6, %b : tensor<5x3xf32>, tensor<3x5xf32>) outs(%v : tensor<5x5xf32>) -> tensor<5x5xf32>
  return %1, %3, %2, %5, %7 : tensor<2x5xf32>, tensor<4x5xf32>, tensor<4x3xf32>, tensor<4x3xindex>, tensor<5x5xf32>
}

// -----

// Two rings that send one operand around share its shifts.
shard.grid @g(shape = 3)

// CHECK-LABEL: @shared
// CHECK-SAME: (%[[A:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-COUNT-2: shard.shift
// CHECK-NOT: shard.shift
// CHECK: return
func.func @shared(%a: tensor<2x2xf32>, %b: tensor<2x5xf32>, %c: tensor<6x5xf32>, %d: tensor<6x5xf32>, %e: tensor<2x5xf32>) -> (tensor<6x5xf32>, tensor<2x5xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x2xf32> -> tensor<6x2xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<6x2xf32>, tensor<2x5xf32>) outs(%c : tensor<6x5xf32>) -> tensor<6x5xf32>
  %2 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<2x2xf32> -> tensor<2x6xf32>
  %3 = linalg.matmul ins(%2, %d : tensor<2x6xf32>, tensor<6x5xf32>) outs(%e : tensor<2x5xf32>) -> tensor<2x5xf32>
  return %1, %3 : tensor<6x5xf32>, tensor<2x5xf32>
}
