// On a grid with uneven_dynamic, blocks of dynamic dimensions have their valid elements
// only. What is about the whole dimension sums up the extents of the blocks, and a
// collective gets blocks as long as the largest one.

// RUN: shard-opt %s --shard-spmd --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-spmd --shard-verify-spmd --split-input-file -o /dev/null

// Elementwise ops and reductions take the blocks as they are.

shard.grid @g(shape = 4) {uneven_dynamic}
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?x8xf32> {shard.local = #shard.local<tensor<?x8xf32>, <@g, {{\[\[}}0], []]>>}
// CHECK-NOT: = shard.
// CHECK: %[[T:[a-z0-9]+]] = math.tanh %[[A]] : tensor<?x8xf32>
// CHECK-NOT: = shard.
// CHECK: %[[R:[a-z0-9]+]] = linalg.reduce {{.*}} ins(%[[T]] : tensor<?x8xf32>)
// CHECK: shard.all_reduce %[[R]] on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
// CHECK-NOT: = shard.
// CHECK: return %[[T]]
func.func @chain(%a: tensor<?x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<?x8xf32>, tensor<8xf32>) {
  %t = math.tanh %a : tensor<?x8xf32>
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %r = linalg.reduce {arith.addf} ins(%t : tensor<?x8xf32>) outs(%z : tensor<8xf32>) dimensions = [0]
  return %t, %r : tensor<?x8xf32>, tensor<8xf32>
}

// -----

// The whole extent is a sum; the gather pads to the largest block.

shard.grid @g(shape = 4) {uneven_dynamic}
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<?xf32>
// CHECK: %[[OWN:[a-z0-9_]+]] = tensor.dim %[[A]], %{{.*}}
// CHECK: %[[WHOLE:[a-z0-9_]+]] = shard.all_reduce %{{.*}} on @g grid_axes = [0] : tensor<i64> -> tensor<i64>
// CHECK: %[[EXTENT:[a-z0-9_]+]] = tensor.extract %[[WHOLE]][]
// CHECK: %[[N:[a-z0-9_]+]] = arith.index_cast %[[EXTENT]]
// CHECK: %[[ROUNDED:[a-z0-9_]+]] = arith.addi %[[N]], %c3
// CHECK: %[[WIDTH:[a-z0-9_]+]] = arith.divui %[[ROUNDED]], %c4
// CHECK: %[[ROOM:[a-z0-9_]+]] = tensor.empty(%[[WIDTH]])
// CHECK: %[[PADDED:[a-z0-9_]+]] = tensor.insert_slice %[[A]] into %[[ROOM]][0] [%[[OWN]]] [1]
// CHECK: %[[ALL:[a-z0-9_]+]] = shard.all_gather %[[PADDED]] on @g grid_axes = [0] gather_axis = 0
// CHECK: %[[CUT:[a-z0-9_]+]] = tensor.extract_slice %[[ALL]][0] [%[[N]]] [1]
// CHECK: return %[[CUT]]
func.func @gather(%a: tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  return %a : tensor<?xf32>
}

// -----

// A split that runs over several axes is gathered axis by axis: blocks are nested.

shard.grid @g(shape = 2x2) {uneven_dynamic}
// CHECK-LABEL: func.func @nested(
// CHECK: shard.all_gather %{{.*}} grid_axes = [1]
// CHECK: shard.all_gather %{{.*}} grid_axes = [0]
func.func @nested(%a: tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[0, 1]]>}) -> (tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  return %a : tensor<?xf32>
}

// -----

// A static factor of a dynamic dimension does not make blocks of whole rows: the
// dimension is gathered.

shard.grid @g(shape = 4) {uneven_dynamic}
// CHECK-LABEL: func.func @collapse(
// CHECK: shard.all_gather
// CHECK: tensor.collapse_shape
func.func @collapse(%a: tensor<?x3xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<?xf32> {
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// An element is read where it is: a block may be empty.

shard.grid @g(shape = 4) {uneven_dynamic}
// CHECK-LABEL: func.func @element(
// CHECK: scf.if %{{.*}} -> (f32) {
// CHECK: tensor.extract
// CHECK: } else {
// CHECK: shard.all_reduce %{{.*}} reduction = bitwise_or
func.func @element(%a: tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %i: index) -> f32 {
  %0 = tensor.extract %a[%i] : tensor<?xf32>
  return %0 : f32
}

// -----

// Halos of a static dimension beside a dynamic one: no exchange along the latter.

shard.grid @g(shape = 2x2) {uneven_dynamic}
// CHECK-LABEL: func.func @batches(
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}], [1]] halo_sizes = [1, 1] : tensor<?x10xf32>
func.func @batches(%a: tensor<?x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) -> tensor<?x16xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x16xf32>
  %p = tensor.pad %a low[0, 1] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x16xf32> to tensor<?x18xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %w = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(b, x, k) -> (b, x + k)>, affine_map<(b, x, k) -> (k)>, affine_map<(b, x, k) -> (b, x)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %w : tensor<?x18xf32>, tensor<3xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%in: f32, %unused: f32, %out: f32):
    %s = arith.maximumf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
