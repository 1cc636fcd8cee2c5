// A second propagation changes nothing, neither shardings nor the order in which
// they are written.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: shard-opt %t.once --sharding-propagation -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: FileCheck %s --input-file=%t.once

shard.grid @grid(shape = 2x2) axes ["x", "y"]
shard.grid @line(shape = 1x4) axes ["one", "four"]
shard.grid @point(shape = 1x1) axes ["p", "q"]

// The operand is replicated, the result is not, and the op cannot be split: the
// operand says so, else the result would split what comes before it.
// CHECK-LABEL: func.func @pad
// CHECK: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[\]\]}}
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[STATED:.*]] = shard.shard %[[SUM]] to %[[WHOLE]] :
// CHECK: tensor.pad %[[STATED]]
func.func @pad(%a: tensor<4xf32>)
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>}) {
  %sum = arith.addf %a, %a : tensor<4xf32>
  %padded = tensor.pad %sum low[1] high[3] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %number = arith.sitofp %n : i32 to f32
    tensor.yield %number : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %padded : tensor<8xf32>
}

// Results are annotated in their order, whatever order they are hinted in.
// CHECK-LABEL: func.func @results
// CHECK: %[[IF:.*]]:2 = scf.if
// CHECK: shard.shard %[[IF]]#0
// CHECK-NEXT: shard.shard %[[IF]]#1
func.func @results(%c: i1, %a: tensor<8xf32>, %b: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %x = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %y = shard.sharding @grid split_axes = [[1]] : !shard.sharding
  %if:2 = scf.if %c -> (tensor<8xf32>, tensor<8xf32>) {
    scf.yield %a, %b : tensor<8xf32>, tensor<8xf32>
  } else {
    scf.yield %b, %a : tensor<8xf32>, tensor<8xf32>
  }
  %second = shard.shard %if#1 to %y : tensor<8xf32>
  %first = shard.shard %if#0 to %x : tensor<8xf32>
  return %first, %second : tensor<8xf32>, tensor<8xf32>
}

// The operand of a manual computation is resharded once.
// CHECK-LABEL: func.func @manual
// CHECK: %[[USE:.*]] = shard.shard %{{.*}} annotate_for_users
// CHECK-NOT: shard.shard
// CHECK: shard.manual_computation(%[[USE]])
func.func @manual(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>})
    -> tensor<8xf32> {
  %0 = shard.manual_computation(%a) on @grid
      in = [<@grid, [["y"]]>] out = [<@grid, [["y"]]>] axes = ["y"]
      (%local: tensor<4xf32>) {
    %1 = arith.addf %local, %local : tensor<4xf32>
    shard.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A dimension is taken whole also where its extent is asked of the value before
// the reshard.
// CHECK-LABEL: func.func @slice
// CHECK: %[[USE:.*]] = shard.shard %{{.*}} annotate_for_users
// CHECK-NEXT: tensor.extract_slice %[[USE]]
func.func @slice(
    %a: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>})
    -> tensor<?x?xf32> {
  %rows = arith.constant 4 : index
  %one = arith.constant 1 : index
  %columns = tensor.dim %a, %one : tensor<?x?xf32>
  %slice = tensor.extract_slice %a[0, 0] [%rows, %columns] [1, 1]
      : tensor<?x?xf32> to tensor<?x?xf32>
  return %slice : tensor<?x?xf32>
}

// An axis of size 1 could split either loop of a window: it splits none. All tensors
// of an op whose tensors disagree are stated, the replicated weights too.
// CHECK-LABEL: func.func @window(
// CHECK-SAME: %{{[^:]*}}: tensor<2xf32> {shard.sharding = #shard.sharding<@line, {{\[\[\]\]}}>})
#window = affine_map<(d0, d1, d2) -> (d0 + d1, d2)>
#weight = affine_map<(d0, d1, d2) -> (d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d2)>
func.func @window(%w: tensor<2xf32>) -> tensor<1x6xf32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() {shard.loops = #shard.sharding<@line, [["four"], []]>}
      : tensor<2x6xf32>
  %1 = linalg.fill {shard.loops = #shard.sharding<@line, [[], ["four"]]>}
      ins(%zero : f32) outs(%0 : tensor<2x6xf32>) -> tensor<2x6xf32>
  %2 = tensor.empty() : tensor<1x6xf32>
  %3 = linalg.fill
      {shard.loops = #shard.sharding<@line, [["one", "four", ?], []]>}
      ins(%zero : f32) outs(%2 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %4 = linalg.generic {indexing_maps = [#window, #weight, #out],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%1, %w : tensor<2x6xf32>, tensor<2xf32>) outs(%3 : tensor<1x6xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %5 = arith.subf %x, %y : f32
    %6 = arith.addf %z, %5 : f32
    linalg.yield %6 : f32
  } -> tensor<1x6xf32>
  return %4 : tensor<1x6xf32>
}

// An annotation for users without users is no use that needs the whole sum.
// CHECK-LABEL: func.func @no_users
// CHECK-DAG: %[[PARTIAL:.*]] = shard.sharding @grid split_axes = {{\[\[\]\]}} partial = sum [0]
// CHECK: %[[PRODUCT:.*]] = linalg.matmul
// CHECK-NEXT: shard.shard %[[PRODUCT]] to %[[PARTIAL]]
func.func @no_users(
    %a: tensor<1x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>},
    %b: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>})
    -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %0 = tensor.empty() : tensor<1x4xf32>
  %1 = linalg.fill ins(%zero : f32) outs(%0 : tensor<1x4xf32>) -> tensor<1x4xf32>
  %2 = linalg.matmul ins(%a, %b : tensor<1x8xf32>, tensor<8x4xf32>)
      outs(%1 : tensor<1x4xf32>) -> tensor<1x4xf32>
  %whole = shard.sharding @grid split_axes = [[], []] : !shard.sharding
  %none = shard.shard %2 to %whole annotate_for_users : tensor<1x4xf32>
  %3 = tensor.empty() : tensor<f32>
  %4 = linalg.fill ins(%zero : f32) outs(%3 : tensor<f32>) -> tensor<f32>
  %5 = linalg.reduce {arith.addf} ins(%2 : tensor<1x4xf32>)
      outs(%4 : tensor<f32>) dimensions = [0, 1]
  return %5 : tensor<f32>
}

// The result that the first run annotates is wanted partial by the axis of the
// reduction loop and by that of the operand. The loop stays as the operand has it.
// CHECK-LABEL: func.func @partial_by_loop_and_operand
// CHECK: %[[WANTED:.*]] = shard.sharding @grid split_axes = {{\[\[\]\]}} partial = sum [0, 1]
// CHECK: %[[PRODUCT:.*]] = linalg.batch_matvec
// CHECK-NEXT: shard.shard %[[PRODUCT]] to %[[WANTED]]
func.func @partial_by_loop_and_operand(
    %a: tensor<1x7x7xi16> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]], partial = sum ["y"]>},
    %init: tensor<1x7xi16>) -> tensor<1x1xi16> {
  %zero = arith.constant dense<0> : tensor<1x7xi16>
  %0 = linalg.batch_matvec ins(%a, %zero : tensor<1x7x7xi16>, tensor<1x7xi16>)
      outs(%init : tensor<1x7xi16>) -> tensor<1x7xi16>
  %1 = tensor.extract_slice %0[0, 6] [1, 1] [1, 1] : tensor<1x7xi16> to tensor<1x1xi16>
  return %1 : tensor<1x1xi16>
}

// The product does not take a partial maximum, so the slice is reduced. What the product
// sums up may stay partial then, in the first run as in the second.
// CHECK-LABEL: func.func @partial_behind_a_refused_one
// CHECK: %[[SUM:.*]] = linalg.matmul
// CHECK-NEXT: shard.shard %[[SUM]]
// CHECK-NEXT: linalg.reduce
func.func @partial_behind_a_refused_one(
    %a: tensor<4x2xf32> {shard.sharding = #shard.sharding<@grid, [[?], ["y", ?]], partial = max ["x"]>},
    %b: tensor<2x1xf32>, %init: tensor<1xf32>, %c: tensor<2x1xf32>) -> tensor<1xf32> {
  %0 = tensor.extract_slice %a[0, 0] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
  %1 = linalg.matmul ins(%0, %b : tensor<2x2xf32>, tensor<2x1xf32>)
      outs(%c : tensor<2x1xf32>) -> tensor<2x1xf32>
  %2 = linalg.reduce {arith.addf} ins(%1 : tensor<2x1xf32>) outs(%init : tensor<1xf32>)
      dimensions = [0]
  return %2 : tensor<1xf32>
}

// The product is reduced where it is computed, because its users are to get it complete.
// It stays so when that hint, which changes nothing, has gone: the cast could pass a sum on,
// and on one device it costs nothing to leave it partial.
// CHECK-LABEL: func.func @complete_for_users(
// CHECK: %[[M:.*]] = linalg.batch_matmul
// CHECK-NEXT: %[[A:.*]] = shard.shard %[[M]]
// CHECK-NEXT: tensor.cast %[[A]]
func.func @complete_for_users(%x: tensor<2x2x1xf32> {shard.sharding = #shard.sharding<@point, [[], [], ["p"]]>})
    -> index {
  %w = arith.constant dense<-1.0> : tensor<2x1x2xf32>
  %z = arith.constant dense<0.0> : tensor<2x2x2xf32>
  %0 = linalg.batch_matmul ins(%x, %w : tensor<2x2x1xf32>, tensor<2x1x2xf32>)
                           outs(%z : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  %s = shard.sharding @point split_axes = [[], [], []] : !shard.sharding
  %1 = shard.shard %0 to %s annotate_for_users : tensor<2x2x2xf32>
  %cast = tensor.cast %1 : tensor<2x2x2xf32> to tensor<2x2x?xf32>
  %c2 = arith.constant 2 : index
  %dim = tensor.dim %cast, %c2 : tensor<2x2x?xf32>
  return %dim : index
}

// Priorities decide what is split. A returned sum that they leave whole takes the layout of
// the argument of its type in the first run, as in the second, where there are no priorities.
// CHECK-LABEL: func.func @whole_beside_priorities(
// CHECK-SAME: -> (tensor<2xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[0\]\]}}>})
func.func @whole_beside_priorities(
    %x: tensor<2xf32> {shard.sharding = #shard.sharding<@grid, [["x", ?]p3]>},
    %m: tensor<2x2xf32>, %init: tensor<2xf32> {shard.sharding = #shard.sharding<@grid, [[]]>})
    -> tensor<2xf32> {
  %0 = linalg.matvec ins(%m, %x : tensor<2x2xf32>, tensor<2xf32>)
      outs(%init : tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// With the rows of the result split, the op splits none of its summed loops. The first
// propagation moves the axis to the rows. A second one, which finds the constant annotated,
// must not be the first to do so.
// CHECK-LABEL: func.func @moved_sum(
// CHECK: linalg.mmt4d
shard.grid @three_by_four(shape = 3x4)
func.func @moved_sum(%x: tensor<3x3x3x2xf32> {shard.sharding = #shard.sharding<@three_by_four, [[], [0], [], [1]]>}) -> tensor<3x4x3x2xf32> {
  %w = arith.constant dense<2.0> : tensor<4x3x2x2xf32>
  %zero = arith.constant dense<0.0> : tensor<3x4x3x2xf32>
  %0 = linalg.mmt4d ins(%x, %w : tensor<3x3x3x2xf32>, tensor<4x3x2x2xf32>) outs(%zero : tensor<3x4x3x2xf32>) -> tensor<3x4x3x2xf32>
  return %0 : tensor<3x4x3x2xf32>
}

// Over the axis of one device nothing is left to reduce: it splits the columns of all, beside the
// other axis, over which the product takes its first operand partial.
// CHECK-LABEL: func.func @partial_beside_axis_of_one(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x2xi32> {shard.sharding = #shard.sharding<@one_axis_of_one, {{\[\[\], \[2\]\]}}, partial = sum [1]>}
// CHECK-SAME: %[[Y:[a-z0-9]+]]: tensor<2x1xi32> {shard.sharding = #shard.sharding<@one_axis_of_one, {{\[\[2\], \[0\]\]}}>}
// CHECK-SAME: %[[INIT:[a-z0-9]+]]: tensor<2x1xi32> {shard.sharding
// CHECK: linalg.matmul ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[INIT]] :
shard.grid @one_axis_of_one(shape = 1x2x2)
func.func @partial_beside_axis_of_one(
    %x: tensor<2x2xi32> {shard.sharding = #shard.sharding<@one_axis_of_one, [[], [2]], partial = sum [0, 1]>},
    %y: tensor<2x1xi32>,
    %init: tensor<2x1xi32> {shard.sharding = #shard.sharding<@one_axis_of_one, [[], [0]]>})
    -> (tensor<2x1xi32> {shard.sharding = #shard.sharding<@one_axis_of_one, [[], [0]]>}) {
  %0 = linalg.matmul ins(%x, %y : tensor<2x2xi32>, tensor<2x1xi32>)
      outs(%init : tensor<2x1xi32>) -> tensor<2x1xi32>
  return %0 : tensor<2x1xi32>
}

// The rows of the table are looked up on two devices and added up. Splitting the lookups
// instead is cheaper only if the op does split them: indices that it would gather again do
// not become split, neither by the first propagation nor by a second one, for which the
// result is hinted.
// CHECK-LABEL: func.func @looked_up(
// CHECK-SAME: %{{[a-z0-9]+}}: tensor<6x1xi8>) ->
// CHECK-NOT: annotate_for_users
// CHECK: return
shard.grid @two_by_four(shape = 2x4)
func.func @looked_up(
    %table: tensor<64x4xf32> {shard.sharding = #shard.sharding<@two_by_four, [[0], [1]]>},
    %rows: tensor<6x1xi8>) -> tensor<6x1x4xf32> {
  %found = tensor.gather %table[%rows] gather_dims([0])
      : (tensor<64x4xf32>, tensor<6x1xi8>) -> tensor<6x1x4xf32>
  %whole = shard.sharding @two_by_four split_axes = [[], [], [1]] : !shard.sharding
  %stated = shard.shard %found to %whole : tensor<6x1x4xf32>
  return %stated : tensor<6x1x4xf32>
}

shard.grid @loops(shape = 4x2)

// The slice in the loop and the one behind it, of a constant that is made for it, want different
// things of their operand, though the operand's sharding is the same.
// CHECK-LABEL: func.func @slices
// CHECK: ^bb0
// CHECK-NOT: annotate_for_users
// CHECK: scf.yield
func.func @slices(%n: index) -> (tensor<5xi32> {shard.sharding = #shard.sharding<@loops, [[1, 0, ?]], halo = [1, 1]>}, tensor<5xi32>) {
  %cst = arith.constant dense<[2, -1, -3, -1, -2]> : tensor<5xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %4:2 = scf.while (%i = %c0, %x = %cst) : (index, tensor<5xi32>) -> (index, tensor<5xi32>) {
    %19 = arith.cmpi ult, %i, %c1 : index
    scf.condition(%19) %i, %x : index, tensor<5xi32>
  } do {
  ^bb0(%i: index, %x: tensor<5xi32>):
    %s = tensor.extract_slice %x[3] [2] [1] : tensor<5xi32> to tensor<2xi32>
    %t = tensor.insert_slice %s into %x[0] [2] [1] : tensor<2xi32> into tensor<5xi32>
    %19 = arith.addi %i, %c1 : index
    scf.yield %19, %t : index, tensor<5xi32>
  }
  %s = tensor.extract_slice %cst[3] [2] [1] : tensor<5xi32> to tensor<2xi32>
  %t = tensor.insert_slice %s into %cst[0] [2] [1] : tensor<2xi32> into tensor<5xi32>
  %5 = arith.xori %4#1, %t : tensor<5xi32>
  return %5, %t : tensor<5xi32>, tensor<5xi32>
}
