// RUN: shard-opt %s --shard-move-collectives --cse --canonicalize | FileCheck %s
// RUN: shard-opt %s --shard-move-collectives --shard-verify-spmd -o /dev/null
// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(shard-move-collectives,cse,canonicalize))' | FileCheck %s
// RUN: shard-run %s --entry product --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry widened --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry exchanged --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry shared --verify | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 4)
shard.grid @h(shape = 2x2)

// Down past an elementwise op, a product that is smaller, and a transpose. The fill and
// the empty tensors are made again.
// CHECK-LABEL: func @product
// CHECK: %[[T:.*]] = math.tanh %arg0 : tensor<2x64xf32>
// CHECK: %[[F:.*]] = linalg.fill {{.*}} -> tensor<2x2xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[T]], %arg1 : tensor<2x64xf32>, tensor<64x2xf32>) outs(%[[F]] :
// CHECK: %[[R:.*]] = linalg.transpose ins(%[[P]] : tensor<2x2xf32>)
// CHECK-NEXT: %[[G:.*]] = shard.all_gather %[[R]] on @g grid_axes = [0] gather_axis = 1 : tensor<2x2xf32> -> tensor<2x8xf32>
// CHECK-NEXT: return %[[G]]
func.func @product(%x: tensor<2x64xf32> {shard.local = #shard.local<tensor<8x64xf32>, <@g, [[0], []]>>},
                   %w: tensor<64x2xf32> {shard.local = #shard.local<tensor<64x2xf32>, <@g, [[], []]>>})
    -> (tensor<2x8xf32> {shard.local = #shard.local<tensor<2x8xf32>, <@g, [[], []]>>}) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %1 = math.tanh %0 : tensor<8x64xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x2xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x2xf32>) -> tensor<8x2xf32>
  %2 = linalg.matmul ins(%1, %w : tensor<8x64xf32>, tensor<64x2xf32>) outs(%f : tensor<8x2xf32>) -> tensor<8x2xf32>
  %e2 = tensor.empty() : tensor<2x8xf32>
  %t = linalg.transpose ins(%2 : tensor<8x2xf32>) outs(%e2 : tensor<2x8xf32>) permutation = [1, 0]
  return %t : tensor<2x8xf32>
}

// Another weight on each device: the product of the gathered tensor is another one.
// CHECK-LABEL: func @other_weights
// CHECK: shard.all_gather {{.*}} -> tensor<8x64xf32>
// CHECK: linalg.matmul ins({{.*}} : tensor<8x64xf32>,
func.func @other_weights(%x: tensor<2x64xf32>,
                         %w: tensor<64x2xf32> {shard.local = #shard.local<tensor<64x8xf32>, <@g, [[], [0]]>>}) -> tensor<8x2xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %z = arith.constant dense<0.0> : tensor<8x2xf32>
  %2 = linalg.matmul ins(%0, %w : tensor<8x64xf32>, tensor<64x2xf32>) outs(%z : tensor<8x2xf32>) -> tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// Up: of bf16 instead of the f32 that it is widened to, in front of the broadcast, the
// reshape and the pad.
// CHECK-LABEL: func @widened
// CHECK-NEXT: %[[Z:.*]] = arith.constant 1
// CHECK-NEXT: %[[G:.*]] = shard.all_gather %arg0 on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xbf16> -> tensor<8x8xbf16>
// CHECK-NEXT: arith.extf %[[G]] : tensor<8x8xbf16> to tensor<8x8xf32>
// CHECK: linalg.broadcast {{.*}} outs({{.*}} : tensor<8x8x4xf32>)
// CHECK: tensor.collapse_shape {{.*}} : tensor<8x8x4xf32> into tensor<8x32xf32>
// CHECK: tensor.pad
// CHECK: tensor<8x32xf32> to tensor<8x64xf32>
// CHECK-NOT: shard.
// CHECK: return
func.func @widened(%x: tensor<2x8xbf16> {shard.local = #shard.local<tensor<8x8xbf16>, <@g, [[0], []]>>})
    -> (tensor<8x64xf32> {shard.local = #shard.local<tensor<8x64xf32>, <@g, [[], []]>>}) {
  %0 = arith.extf %x : tensor<2x8xbf16> to tensor<2x8xf32>
  %e = tensor.empty() : tensor<2x8x4xf32>
  %1 = linalg.broadcast ins(%0 : tensor<2x8xf32>) outs(%e : tensor<2x8x4xf32>) dimensions = [2]
  %2 = tensor.collapse_shape %1 [[0], [1, 2]] : tensor<2x8x4xf32> into tensor<2x32xf32>
  %z = arith.constant 1.0 : f32
  %p = tensor.pad %2 low[0, 8] high[0, 24] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<2x32xf32> to tensor<2x64xf32>
  %3 = shard.all_gather %p on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  return %3 : tensor<8x64xf32>
}

// An all_to_all moves half of the bytes, of the elements that are needed.
// CHECK-LABEL: func @exchanged
// CHECK-NEXT: %[[T:.*]] = arith.truncf %arg0 : tensor<8x2x16xf32> to tensor<8x2x16xf16>
// CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[T]][0, 0, 1] [8, 2, 4] [1, 1, 1]
// CHECK-NEXT: %[[A:.*]] = shard.all_to_all %[[S]] on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x2x4xf16> -> tensor<2x8x4xf16>
// CHECK-NEXT: return %[[A]]
func.func @exchanged(%x: tensor<8x2x16xf32> {shard.local = #shard.local<tensor<8x8x16xf32>, <@g, [[], [0], []]>>})
    -> (tensor<2x8x4xf16> {shard.local = #shard.local<tensor<8x8x4xf16>, <@g, [[0], [], []]>>}) {
  %0 = shard.all_to_all %x on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x2x16xf32> -> tensor<2x8x16xf32>
  %1 = arith.truncf %0 : tensor<2x8x16xf32> to tensor<2x8x16xf16>
  %2 = tensor.extract_slice %1[0, 0, 1] [2, 8, 4] [1, 1, 1] : tensor<2x8x16xf16> to tensor<2x8x4xf16>
  return %2 : tensor<2x8x4xf16>
}

// One shift of a sum is one shift less; shifts by other numbers stay.
// CHECK-LABEL: func @shifted
// CHECK: %[[S:.*]] = arith.addf %arg0, %arg1
// CHECK-NEXT: %[[M:.*]] = shard.shift %[[S]] on @g {{.*}} offset = 1
// CHECK-NEXT: return %[[M]]
func.func @shifted(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.shift %y on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// CHECK-LABEL: func @shifted_apart
// CHECK-COUNT-2: shard.shift %arg
func.func @shifted_apart(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.shift %y on @g grid_axes = [0] shift_axis = 0 offset = 2 rotate : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// Several users: a tensor that is needed whole is gathered once, and the op behind it
// takes the same; both results of an op that is needed in part are gathered behind it.
// CHECK-LABEL: func @shared
// CHECK-NEXT: %[[T:.*]] = math.tanh %arg0 : tensor<2x64xf32>
// CHECK-NEXT: %[[G:.*]] = shard.all_gather %[[T]]
// CHECK-NEXT: %[[S:.*]] = tensor.extract_slice %[[G]]
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @shared(%x: tensor<2x64xf32> {shard.local = #shard.local<tensor<8x64xf32>, <@g, [[0], []]>>})
    -> (tensor<8x64xf32> {shard.local = #shard.local<tensor<8x64xf32>, <@g, [[], []]>>},
        tensor<8x4xf32> {shard.local = #shard.local<tensor<8x4xf32>, <@g, [[], []]>>}) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %1 = math.tanh %0 : tensor<8x64xf32>
  %2 = tensor.extract_slice %1[0, 8] [8, 4] [1, 1] : tensor<8x64xf32> to tensor<8x4xf32>
  return %1, %2 : tensor<8x64xf32>, tensor<8x4xf32>
}
// CHECK-LABEL: func @parts
// CHECK: %[[A:.*]] = tensor.extract_slice %arg0[0, 8] [2000, 100]
// CHECK-NEXT: shard.all_gather %[[A]]
// CHECK-NEXT: %[[B:.*]] = tensor.extract_slice %arg0[0, 500] [2000, 100]
// CHECK-NEXT: shard.all_gather %[[B]]
// CHECK-NEXT: return
func.func @parts(%x: tensor<2000x2000xf32>) -> (tensor<8000x100xf32>, tensor<8000x100xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2000x2000xf32> -> tensor<8000x2000xf32>
  %1 = tensor.extract_slice %0[0, 8] [8000, 100] [1, 1] : tensor<8000x2000xf32> to tensor<8000x100xf32>
  %2 = tensor.extract_slice %0[0, 500] [8000, 100] [1, 1] : tensor<8000x2000xf32> to tensor<8000x100xf32>
  return %1, %2 : tensor<8000x100xf32>, tensor<8000x100xf32>
}

// Two gathers would take two latencies, which are longer than the bytes that they save. One
// gathers the parts side by side.
// CHECK-LABEL: func @small_parts
// CHECK: shard.all_gather %{{.*}} : tensor<2x12xf32> -> tensor<8x12xf32>
// CHECK-NOT: shard.all_gather
func.func @small_parts(%x: tensor<2x64xf32>) -> (tensor<8x8xf32>, tensor<8x4xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %1 = tensor.extract_slice %0[0, 8] [8, 8] [1, 1] : tensor<8x64xf32> to tensor<8x8xf32>
  %2 = tensor.extract_slice %0[0, 32] [8, 4] [1, 1] : tensor<8x64xf32> to tensor<8x4xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x4xf32>
}

// What is added is the same on all devices: each adds its block of it.
// CHECK-LABEL: func @bias
// CHECK-NEXT: %[[B:.*]] = shard.all_slice %arg1 on @g grid_axes = [0] slice_axis = 0
// CHECK-NEXT: %[[S:.*]] = arith.addf %arg0, %[[B]] : tensor<2x64xf32>
// CHECK-NEXT: %[[P:.*]] = tensor.extract_slice %[[S]]
// CHECK-NEXT: %[[G:.*]] = shard.all_gather %[[P]]
// CHECK-NEXT: return %[[G]]
func.func @bias(%x: tensor<2x64xf32>, %b: tensor<8x64xf32> {shard.local = #shard.local<tensor<8x64xf32>, <@g, [[], []]>>}) -> tensor<8x4xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %1 = arith.addf %0, %b : tensor<8x64xf32>
  %2 = tensor.extract_slice %1[0, 0] [8, 4] [1, 1] : tensor<8x64xf32> to tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Ops that combine along the dimension, and ops that read the index of the block: nothing
// moves past them.
// CHECK-LABEL: func @stays
// CHECK: shard.all_gather %arg0 {{.*}} tensor<2x64xf32> -> tensor<8x64xf32>
func.func @stays(%x: tensor<2x64xf32>) -> tensor<64xf32> {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<8x64xf32>
  %z = arith.constant dense<0.0> : tensor<64xf32>
  %1 = linalg.reduce ins(%0 : tensor<8x64xf32>) outs(%z : tensor<64xf32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %1 : tensor<64xf32>
}

// The blocks of one extent that make a dimension of one extent move as even ones do; those
// of another dimension are moved by themselves.
// CHECK-LABEL: func @uneven
// CHECK-DAG: %[[X:.*]] = tensor.extract_slice %arg0[0, 0] [2, 4] [1, 1]
// CHECK-DAG: shard.all_gather %[[X]] on @g grid_axes = [0] gather_axis = 0 : tensor<2x4xf32> -> tensor<7x4xf32>
// CHECK-DAG: %[[Y:.*]] = tensor.extract_slice %arg1[0, 0] [2, 4] [1, 1]
// CHECK-DAG: shard.all_gather %[[Y]] on @g grid_axes = [0] gather_axis = 0 : tensor<2x4xf32> -> tensor<5x4xf32>
func.func @uneven(%x: tensor<2x64xf32>, %y: tensor<2x64xf32>) -> (tensor<7x4xf32>, tensor<5x4xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<7x64xf32>
  %1 = tensor.extract_slice %0[0, 0] [7, 4] [1, 1] : tensor<7x64xf32> to tensor<7x4xf32>
  %2 = shard.all_gather %y on @g grid_axes = [0] gather_axis = 0 : tensor<2x64xf32> -> tensor<5x64xf32>
  %3 = tensor.extract_slice %2[0, 0] [5, 4] [1, 1] : tensor<5x64xf32> to tensor<5x4xf32>
  return %1, %3 : tensor<7x4xf32>, tensor<5x4xf32>
}

// The collective cuts 5 rows into 2, 2, 1 and 0, nested axes into 2, 1, 2 and 0: it stays in
// front of an op that reads its place.
// CHECK-LABEL: func @gaps
// CHECK: shard.all_gather %arg0 {{.*}} tensor<2x6xi32> -> tensor<5x6xi32>
func.func @gaps(%x: tensor<2x6xi32>) -> tensor<5x3xi32> {
  %a = shard.all_gather %x on @h grid_axes = [0, 1] gather_axis = 0 : tensor<2x6xi32> -> tensor<5x6xi32>
  %e = tensor.empty() : tensor<5x6xi32>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<5x6xi32>) outs(%e : tensor<5x6xi32>) {
  ^bb0(%in: i32, %o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %q = arith.addi %in, %n : i32
    linalg.yield %q : i32
  } -> tensor<5x6xi32>
  %z = tensor.extract_slice %y[0, 0] [5, 3] [1, 1] : tensor<5x6xi32> to tensor<5x3xi32>
  return %z : tensor<5x3xi32>
}

// Sums of whole shifted tensors are those of the tensors, on another device; a tensor
// without dimensions cannot be shifted.
// CHECK-LABEL: func @to_number
// CHECK: %[[S:.*]] = shard.shift %arg0
// CHECK: linalg.dot ins(%[[S]], %arg1
func.func @to_number(%x: tensor<8xi32>, %y: tensor<8xi32> {shard.local = #shard.local<tensor<8xi32>, <@g, [[]]>>}) -> tensor<i32> {
  %0 = shard.shift %x on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xi32> -> tensor<8xi32>
  %z = arith.constant dense<0> : tensor<i32>
  %1 = linalg.dot ins(%0, %y : tensor<8xi32>, tensor<8xi32>) outs(%z : tensor<i32>) -> tensor<i32>
  return %1 : tensor<i32>
}

// A split softmax would exchange its maxima and sums: one gather in front of it takes a third of
// the time.
shard.grid @pair(shape = 2)
// CHECK-LABEL: func.func @softmax
// CHECK: shard.all_gather %arg0
// CHECK-NEXT: linalg.softmax
// CHECK-NOT: all_reduce
func.func @softmax(%x: tensor<1xf32>, %init: tensor<2xf32>) -> tensor<2xi1> {
  %all = shard.all_gather %x on @pair grid_axes = [0] gather_axis = 0 : tensor<1xf32> -> tensor<2xf32>
  %0 = linalg.softmax dimension(0) ins(%all : tensor<2xf32>) outs(%init : tensor<2xf32>) -> tensor<2xf32>
  %limit = arith.constant dense<0.9> : tensor<2xf32>
  %1 = arith.cmpf ogt, %0, %limit : tensor<2xf32>
  return %1 : tensor<2xi1>
}

// What is gathered may be overwritten, the argument may not: an insertion in front of the
// collective would copy it.
shard.grid @three(shape = 3)
// CHECK-LABEL: func.func @insertion
// CHECK: shard.all_gather %arg0
// CHECK: tensor.insert_slice
func.func @insertion(%x: tensor<5x1xi32>) -> tensor<5x2xi32> {
  %all = shard.all_gather %x on @three grid_axes = [0] gather_axis = 1 : tensor<5x1xi32> -> tensor<5x2xi32>
  %zeros = arith.constant dense<0> : tensor<2x2xi32>
  %0 = tensor.insert_slice %zeros into %all[0, 0] [2, 2] [1, 1] : tensor<2x2xi32> into tensor<5x2xi32>
  return %0 : tensor<5x2xi32>
}
