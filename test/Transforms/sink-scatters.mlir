// Sums of what reduce_scatters give, in ops of linalg, as the gradients of a sequence-parallel
// layer are: they become one reduce_scatter of the sum. The destination of the sum becomes one of
// the summands, since it tells the shape alone.
// RUN: shard-opt %s --shard-sink-reductions | FileCheck %s
// RUN: shard-opt %s --shard-sink-reductions | shard-opt --shard-verify-spmd -o /dev/null
// RUN: shard-run %s --entry sum --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry named --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry scaled --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry reads_destination --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --shard-sink-reductions -o %t
// RUN: shard-run %t --entry blocks --verify | FileCheck %s --check-prefixes=EXEC,ONCE
// RUN: shard-run %t --entry larger --verify | FileCheck %s --check-prefixes=EXEC,ONCE
// RUN: shard-run %s --entry biases --verify | FileCheck %s --check-prefixes=EXEC,GRADIENTS
// ONCE: reduce_scatter 0 1 16 B
// ONCE-NOT: reduce_scatter
// RUN: shard-run %s --entry biases --grid 2x3 --hint 'arg0=[[],[0,1]]' --hint 'arg1=[[],[0,1]]' --hint 'arg2=[[0,1],[]]' --hint 'arg3=[[0,1],[]]' --hint 'result0=[[0,1],[]]' --verify | FileCheck %s --check-prefixes=EXEC,TWO
// The 16 rows in 6 blocks of 3: 8 of 4 f32 along the first axis, twice 3 along the second, once each.
// TWO: reduce_scatter 0 1 128 B
// TWO-NEXT: reduce_scatter 1 1 96 B
// TWO-NOT: reduce_scatter
// RUN: shard-run %s --entry transposed --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry gradients --verify | FileCheck %s --check-prefixes=EXEC,GRADIENTS
// Half of 16x4 elements, once.
// GRADIENTS: reduce_scatter 0 1 128 B
// GRADIENTS-NOT: reduce_scatter
// EXEC: {{^}}PASS

shard.grid @g(shape = 2)

#same = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>

// CHECK-LABEL: func @sum
// CHECK-SAME: %[[A:.*]]: tensor<4x2xf32>, %[[B:.*]]: tensor<4x2xf32>)
// CHECK: %[[S:.*]] = linalg.generic {{.*}} ins(%[[A]], %[[B]] : tensor<4x2xf32>, tensor<4x2xf32>) outs(%[[A]] : tensor<4x2xf32>)
// CHECK: -> tensor<4x2xf32>
// CHECK: %[[R:.*]] = shard.reduce_scatter %[[S]] on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @sum(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>)
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %unread: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// CHECK-LABEL: func @named
// CHECK: linalg.sub ins(%[[A:.*]], %[[B:.*]] : tensor<4x2xf32>, tensor<4x2xf32>) outs(%[[A]] : tensor<4x2xf32>)
// CHECK: shard.reduce_scatter
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @named(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>)
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.sub ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// One summand is scaled by what all devices have.
// CHECK-LABEL: func @scaled
// CHECK: linalg.mul ins(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK: linalg.add ins(%{{.*}}, %{{.*}} : tensor<4x2xf32>, tensor<4x2xf32>)
// CHECK: shard.reduce_scatter
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @scaled(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>)
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %block = shard.all_slice %w on @g grid_axes = [0] slice_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.mul ins(%0, %block : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.add ins(%2, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// What a destination holds is added: it is a block.
// CHECK-LABEL: func @reads_destination
// CHECK-COUNT-2: shard.reduce_scatter %arg
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @reads_destination(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>)
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %zero = arith.constant 0.0 : f32
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// The types are the same, the places are not.
// CHECK-LABEL: func @transposed
// CHECK-COUNT-2: shard.reduce_scatter %arg
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @transposed(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>)
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %2 = linalg.generic {indexing_maps = [#same, #turned, #same], iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %unread: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Each device adds the blocks that it has at their place; elsewhere nothing is added.
// CHECK-LABEL: func @blocks
// CHECK-SAME: %[[A:.*]]: tensor<4x2xf32>, %[[B:.*]]: tensor<4x2xf32>, %[[V:.*]]: tensor<2x2xf32> {{.*}}, %[[W:.*]]: tensor<2x2xf32> {{.*}})
// CHECK-DAG: %[[P:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[%{{.*}}, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x2xf32>
// CHECK-DAG: arith.addf %[[A]], %{{.*}} : tensor<4x2xf32>
// CHECK-DAG: arith.subf %{{.*}}, %[[B]] : tensor<4x2xf32>
// CHECK: %[[S:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<4x2xf32>
// CHECK-NEXT: %[[R:.*]] = shard.reduce_scatter %[[S]] on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @blocks(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>,
    %v: tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>},
    %w: tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>})
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %2 = arith.addf %0, %v : tensor<2x2xf32>
  %3 = arith.subf %w, %1 : tensor<2x2xf32>
  %4 = arith.addf %2, %3 : tensor<2x2xf32>
  return %4 : tensor<2x2xf32>
}

// Maxima likewise. What is made of a block by an op between is a block too.
func.func @larger(%a: tensor<4x2xi32>, %b: tensor<4x2xi32>,
    %v: tensor<2x2xi32> {shard.local = #shard.local<tensor<4x2xi32>, <@g, [[0], []]>>})
    -> (tensor<2x2xi32> {shard.local = #shard.local<tensor<4x2xi32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] reduction = max scatter_axis = 0 : tensor<4x2xi32> -> tensor<2x2xi32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] reduction = max scatter_axis = 0 : tensor<4x2xi32> -> tensor<2x2xi32>
  %n = math.absi %v : tensor<2x2xi32>
  %2 = arith.maxsi %0, %n : tensor<2x2xi32>
  %3 = arith.maxsi %1, %2 : tensor<2x2xi32>
  return %3 : tensor<2x2xi32>
}

// A product with a block is not taken apart: the other devices' summands have to be scaled too.
// CHECK-LABEL: func @product_with_block
// CHECK-COUNT-2: shard.reduce_scatter %arg
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @product_with_block(%a: tensor<4x2xf32>, %b: tensor<4x2xf32>,
    %v: tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>})
    -> (tensor<2x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[0], []]>>}) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<4x2xf32> -> tensor<2x2xf32>
  %2 = arith.mulf %0, %v : tensor<2x2xf32>
  %3 = arith.addf %2, %1 : tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// The gates of a recurrent cell: two products and their biases.
func.func @biases(
    %x: tensor<16x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %h: tensor<16x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %u: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %v: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %p: tensor<4xf32>, %q: tensor<4xf32>)
    -> (tensor<16x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %xu = linalg.matmul ins(%x, %u : tensor<16x64xf32>, tensor<64x4xf32>) outs(%f : tensor<16x4xf32>) -> tensor<16x4xf32>
  %hv = linalg.matmul ins(%h, %v : tensor<16x64xf32>, tensor<64x4xf32>) outs(%f : tensor<16x4xf32>) -> tensor<16x4xf32>
  %ps = linalg.broadcast ins(%p : tensor<4xf32>) outs(%e : tensor<16x4xf32>) dimensions = [0]
  %qs = linalg.broadcast ins(%q : tensor<4xf32>) outs(%e : tensor<16x4xf32>) dimensions = [0]
  %0 = arith.addf %xu, %ps : tensor<16x4xf32>
  %1 = arith.addf %hv, %qs : tensor<16x4xf32>
  %2 = arith.addf %0, %1 : tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// The gradient of the input of two products.
func.func @gradients(
    %a: tensor<16x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %b: tensor<16x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>},
    %u: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
    %v: tensor<64x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<16x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  %0 = linalg.matmul ins(%a, %u : tensor<16x64xf32>, tensor<64x4xf32>) outs(%f : tensor<16x4xf32>) -> tensor<16x4xf32>
  %1 = linalg.matmul ins(%b, %v : tensor<16x64xf32>, tensor<64x4xf32>) outs(%f : tensor<16x4xf32>) -> tensor<16x4xf32>
  %2 = linalg.add ins(%0, %1 : tensor<16x4xf32>, tensor<16x4xf32>) outs(%e : tensor<16x4xf32>) -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}
