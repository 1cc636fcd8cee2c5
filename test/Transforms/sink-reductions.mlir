// RUN: shard-opt %s --shard-sink-reductions | FileCheck %s
// RUN: shard-opt %s --shard-sink-reductions=reorder-sums=false | FileCheck %s --check-prefix=KEEP
// RUN: shard-opt %s --shard-sink-reductions --shard-verify-spmd -o /dev/null
// RUN: shard-run %s --entry combine --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry product --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry chain --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry maxima --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry scatters --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry with_whole --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry maximum_with_whole --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry twice --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry slices_of_one --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry used_elsewhere --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry square_of_one --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 4)

// The bodies of linalg ops too: one all_reduce of the difference.
// CHECK-LABEL: func @combine
// CHECK: %[[D:.*]] = linalg.sub ins(%{{arg[0-9]}}, %{{arg[0-9]}} :
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[D]]
// CHECK-NEXT: return %[[R]]
// Sums of floats stay where they are if that is asked for.
// KEEP-LABEL: func @combine
// KEEP-COUNT-2: shard.all_reduce
// KEEP: linalg.sub
func.func @combine(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %2 = linalg.sub ins(%0, %1 : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// The product is smaller than what was reduced, and the other operand is the same on
// all devices.
// CHECK-LABEL: func @product
// CHECK-NOT: shard.all_reduce
// CHECK: %[[P:.*]] = linalg.matmul ins(%arg0, %arg1
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[P]]
// CHECK-NEXT: return %[[R]]
func.func @product(%x: tensor<4x64xf32>,
                   %w: tensor<64x2xf32> {shard.local = #shard.local<tensor<64x2xf32>, <@g, [[], []]>>}) -> tensor<4x2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<4x64xf32> -> tensor<4x64xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x64xf32>, tensor<64x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// Each device has another weight: the sum of products is another one.
// CHECK-LABEL: func @other_weights
// CHECK: shard.all_reduce %arg0
// CHECK: linalg.matmul
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @other_weights(%x: tensor<4x64xf32>,
                         %w: tensor<64x2xf32> {shard.local = #shard.local<tensor<64x8xf32>, <@g, [[], [0]]>>}) -> tensor<4x2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<4x64xf32> -> tensor<4x64xf32>
  %e = tensor.empty() : tensor<4x2xf32>
  %z = arith.constant 0.0 : f32
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x64xf32>, tensor<64x2xf32>) outs(%i : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// What is added to the product would be added four times.
// CHECK-LABEL: func @bias
// CHECK: shard.all_reduce %arg0
// CHECK: linalg.matmul
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @bias(%x: tensor<4x64xf32>, %w: tensor<64x2xf32> {shard.local = #shard.local<tensor<64x2xf32>, <@g, [[], []]>>},
                %bias: tensor<4x2xf32> {shard.local = #shard.local<tensor<4x2xf32>, <@g, [[], []]>>}) -> tensor<4x2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<4x64xf32> -> tensor<4x64xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<4x64xf32>, tensor<64x2xf32>) outs(%bias : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// From place to place: down to the slice, not to the larger pad behind it.
// CHECK-LABEL: func @chain
// CHECK: %[[N:.*]] = arith.negf %arg0
// CHECK: %[[S:.*]] = tensor.extract_slice %[[N]][1] [2] [1]
// CHECK: %[[R:.*]] = shard.all_reduce %[[S]]
// CHECK: tensor.pad %[[R]]
func.func @chain(%x: tensor<8xf32>) -> tensor<16xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = arith.negf %0 : tensor<8xf32>
  %2 = tensor.extract_slice %1[1] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %z = arith.constant 0.0 : f32
  %3 = tensor.pad %2 low[0] high[14] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2xf32> to tensor<16xf32>
  return %3 : tensor<16xf32>
}

// A slice at the device's own place takes another part on each device.
// CHECK-LABEL: func @own_place
// CHECK: shard.all_reduce %arg0
// CHECK: tensor.extract_slice
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @own_place(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %i = shard.process_linear_index on @g : index
  %1 = tensor.extract_slice %0[%i] [2] [1] : tensor<8xf32> to tensor<2xf32>
  return %1 : tensor<2xf32>
}

// Another user needs the complete value: nothing is saved.
// CHECK-LABEL: func @two_users
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @two_users(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %0, %2 : tensor<8xf32>, tensor<8xf32>
}

// Maxima combine with maxima, also in a body, and in a reduction.
// CHECK-LABEL: func @maxima
// CHECK: %[[M:.*]] = linalg.max ins(%arg0, %arg1
// CHECK: %[[V:.*]] = linalg.reduce { arith.maximumf } ins(%[[M]]
// CHECK: %[[R:.*]] = shard.all_reduce %[[V]] on @g grid_axes = [0] reduction = max : tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @maxima(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<4x8xf32> -> tensor<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.max ins(%0, %1 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4xf32>
  %least = arith.constant 0xFF800000 : f32
  %i = linalg.fill ins(%least : f32) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.reduce { arith.maximumf } ins(%2 : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %3 : tensor<4xf32>
}

// The difference of maxima is no maximum of differences; sums and maxima do not mix.
// CHECK-LABEL: func @unlike
// CHECK-COUNT-4: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @unlike(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.subf %0, %1 : tensor<8xf32>
  %3 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %4 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %5 = arith.addf %3, %4 : tensor<8xf32>
  return %2, %5 : tensor<8xf32>, tensor<8xf32>
}

// What all devices have is added by the first one alone.
// CHECK-LABEL: func @with_whole
// CHECK-SAME: %[[W:.*]]: tensor<8xf32>, %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK: %[[REST:.*]] = arith.constant dense<-0.0
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[S:.*]], %[[REST]] : tensor<8xf32>
// CHECK: %[[WA:.*]] = arith.addf %[[ONE]], %[[A]]
// CHECK: %[[WAB:.*]] = arith.subf %[[WA]], %[[B]]
// CHECK: shard.all_reduce %[[WAB]]
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @with_whole(%w: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %w0 = shard.all_reduce %w on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %s = math.exp %w0 : tensor<8xf32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %s, %0 : tensor<8xf32>
  %3 = arith.subf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// A maximum may take it on each device; what devices have otherwise must stay behind.
// CHECK-LABEL: func @maximum_with_whole
// CHECK: %[[E:.*]] = math.exp
// CHECK: %[[M:.*]] = arith.maximumf %[[E]], %arg1
// CHECK: %[[N:.*]] = arith.maximumf %[[M]], %arg2
// CHECK: shard.all_reduce %[[N]] on @g grid_axes = [0] reduction = max
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @maximum_with_whole(%w: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %w0 = shard.all_reduce %w on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %s = math.exp %w0 : tensor<8xf32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.maximumf %s, %0 : tensor<8xf32>
  %3 = arith.maximumf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// CHECK-LABEL: func @with_other
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @with_other(%w: tensor<8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %w, %0 : tensor<8xf32>
  %3 = arith.addf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Elementwise ops pass reduce_scatters; blocks become whole. With the all_gather behind it
// the one that is left is an all_reduce.
// CHECK-LABEL: func @scatters
// CHECK-SAME: %[[A:.*]]: tensor<8xi32>, %[[B:.*]]: tensor<8xi32>)
// CHECK: %[[E:.*]] = math.absi %{{.*}} : tensor<8xi32>
// CHECK-NOT: shard.all_slice
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[E]], %{{.*}} : tensor<8xi32>
// CHECK: %[[WA:.*]] = arith.addi %[[ONE]], %[[A]] : tensor<8xi32>
// CHECK: %[[WAB:.*]] = arith.subi %[[WA]], %[[B]] : tensor<8xi32>
// CHECK: %[[R:.*]] = shard.all_reduce %[[WAB]] on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
// CHECK-NEXT: return %[[R]]
func.func @scatters(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %w0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  %s = math.absi %w0 : tensor<8xi32>
  %w = shard.all_slice %s on @g grid_axes = [0] slice_axis = 0 : tensor<8xi32> -> tensor<2xi32>
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<2xi32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 0 : tensor<8xi32> -> tensor<2xi32>
  %2 = arith.addi %w, %0 : tensor<2xi32>
  %3 = arith.subi %2, %1 : tensor<2xi32>
  %4 = shard.all_gather %3 on @g grid_axes = [0] gather_axis = 0 : tensor<2xi32> -> tensor<8xi32>
  return %4 : tensor<8xi32>
}

// Blocks along different dimensions, or of other axes, do not mix; a transpose is not
// elementwise.
// CHECK-LABEL: func @scatters_unlike
// CHECK-COUNT-4: shard.reduce_scatter %arg
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @scatters_unlike(%a: tensor<8x2xi32>, %b: tensor<2x8xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %0 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<8x2xi32> -> tensor<2x2xi32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [0] scatter_axis = 1 : tensor<2x8xi32> -> tensor<2x2xi32>
  %2 = arith.addi %0, %1 : tensor<2x2xi32>
  %3 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<8x2xi32> -> tensor<2x2xi32>
  %4 = shard.reduce_scatter %a on @g grid_axes = [0] scatter_axis = 0 : tensor<8x2xi32> -> tensor<2x2xi32>
  %e = tensor.empty() : tensor<2x2xi32>
  %t = linalg.transpose ins(%4 : tensor<2x2xi32>) outs(%e : tensor<2x2xi32>) permutation = [1, 0]
  %5 = arith.addi %3, %t : tensor<2x2xi32>
  return %2, %5 : tensor<2x2xi32>, tensor<2x2xi32>
}

// A reduction with two users in one sum: it is taken as it is at both, and reduced once
// behind.
// CHECK-LABEL: func @twice
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[ABA:.*]] = arith.addf %[[AB]], %[[A]]
// CHECK-NEXT: %[[R:.*]] = shard.all_reduce %[[ABA]]
// CHECK-NEXT: return %[[R]]
func.func @twice(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  %3 = arith.addf %2, %0 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Two slices of one reduction are reduced at their sum, which is smaller.
// CHECK-LABEL: func @slices_of_one
// CHECK: %[[S:.*]] = arith.addf {{.*}} : tensor<2xf32>
// CHECK-NEXT: shard.all_reduce %[[S]] {{.*}} tensor<2xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @slices_of_one(%a: tensor<8xf32>) -> tensor<2xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = tensor.extract_slice %0[0] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %2 = tensor.extract_slice %0[5] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %3 = arith.addf %1, %2 : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// The first reduction stays for the user that is no sum; the others become one.
// CHECK-LABEL: func @used_elsewhere
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>, %[[C:.*]]: tensor<8xf32>)
// CHECK: shard.all_reduce %[[A]]
// CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[B]]
// CHECK: %[[ABC:.*]] = arith.addf %[[AB]], %[[C]]
// CHECK: shard.all_reduce %[[ABC]]
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @used_elsewhere(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = shard.all_reduce %c on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %3 = arith.addf %0, %1 : tensor<8xf32>
  %4 = arith.addf %3, %2 : tensor<8xf32>
  %5 = math.exp %0 : tensor<8xf32>
  return %4, %5 : tensor<8xf32>, tensor<8xf32>
}

// One sum beside another use saves nothing.
// CHECK-LABEL: func @one_elsewhere
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @one_elsewhere(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  %3 = math.exp %0 : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// The product of a reduction and itself is no sum of products.
// CHECK-LABEL: func @square_of_one
// CHECK: %[[R:.*]] = shard.all_reduce %arg0
// CHECK: %[[N:.*]] = arith.negf %[[R]]
// CHECK: arith.mulf %[[N]], %[[R]]
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @square_of_one(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = arith.negf %0 : tensor<8xf32>
  %2 = arith.mulf %1, %0 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// %0 has a tree of its own, which sends it narrowed. One device adds what that tree has completed.
// CHECK-LABEL: func.func @completedByAnother
// CHECK: %[[SUM:.*]] = shard.all_reduce %{{.*}} : tensor<4xi32> -> tensor<4xi32>
// CHECK: %[[ONE:.*]] = arith.select %{{.*}}, %[[SUM]], %{{.*}} : tensor<4xi32>
// CHECK: %[[FIRST:.*]] = arith.addi %[[ONE]], %{{.*}} : tensor<4xi32>
// CHECK: %[[ALL:.*]] = arith.addi %[[FIRST]], %{{.*}} : tensor<4xi32>
// CHECK: %[[ADDED:.*]] = shard.all_reduce %[[ALL]]
// CHECK: return %[[SUM]], %[[ADDED]]
func.func @completedByAnother(%x: tensor<4xi64>, %y: tensor<4xi64>, %z: tensor<4xi64>)
    -> (tensor<4xi32>, tensor<4xi32>) {
  %a = shard.all_reduce %x on @g grid_axes = [0] : tensor<4xi64> -> tensor<4xi64>
  %b = shard.all_reduce %y on @g grid_axes = [0] : tensor<4xi64> -> tensor<4xi64>
  %c = shard.all_reduce %z on @g grid_axes = [0] : tensor<4xi64> -> tensor<4xi64>
  %0 = arith.trunci %a : tensor<4xi64> to tensor<4xi32>
  %1 = arith.trunci %b : tensor<4xi64> to tensor<4xi32>
  %2 = arith.trunci %c : tensor<4xi64> to tensor<4xi32>
  %3 = arith.addi %0, %1 : tensor<4xi32>
  %4 = arith.addi %3, %2 : tensor<4xi32>
  return %0, %4 : tensor<4xi32>, tensor<4xi32>
}
