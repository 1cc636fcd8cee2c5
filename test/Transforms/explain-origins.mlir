// Each axis is told to come from a hint that names it, also of values that take their sharding
// after propagation.
// RUN: shard-opt %s --shard-explain --split-input-file -o /dev/null 2>&1 | FileCheck %s

// Of the two hints of one value, the second one names the axis.
// CHECK: %arg0 at {{.*}}: {{\[\[}}x], [y]]
// CHECK-NEXT: axis x in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}"x"], [?]]>
// CHECK-NEXT: axis y in dimension 1: from the hint #shard.sharding<@grid, {{\[\[}}?], ["y"]]>
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @two_hints(
    %a: tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [["x"], [?]]>})
    -> tensor<4x4xf32> {
  %0 = shard.constraint %a to <@grid, [[?], ["y"]]> : tensor<4x4xf32>
  %1 = math.exp %a : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

// A constant takes the sharding that its one user wants.
// CHECK: %cst at {{.*}}: {{\[\[}}x0], [x1]]
// CHECK-NEXT: axis x0 in dimension 0: through linalg.select {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}"x0", ?], ["x1", ?]]>
// CHECK-NEXT: axis x1 in dimension 1: through linalg.select {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}"x0", ?], ["x1", ?]]>
shard.grid @grid(shape = 2x4) axes ["x0", "x1"]
func.func @constant(
    %a: tensor<3x8xf32> {shard.sharding = #shard.sharding<@grid, [["x0", ?], ["x1", ?]]>})
    -> (tensor<3x8xf32> {shard.sharding = #shard.sharding<@grid, [["x1"], ["x0"]]>}) {
  %cst = arith.constant dense<false> : tensor<3x8xi1>
  %0 = tensor.empty() : tensor<3x8xf32>
  %1 = linalg.select ins(%cst, %a, %a : tensor<3x8xi1>, tensor<3x8xf32>, tensor<3x8xf32>) outs(%0 : tensor<3x8xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// -----

// Rows become columns in front of a broadcast: the axis is that of the rows.
// CHECK: %3 at {{.*}}: {{\[\[}}], [], [x]]
// CHECK-NEXT: axis x in dimension 2: through linalg.generic {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}"x"], []]>
#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#sum = affine_map<(d0, d1, d2) -> (d1, d2)>
shard.grid @grid(shape = 2) axes ["x"]
func.func @region(
    %a: tensor<2x2xi32> {shard.sharding = #shard.sharding<@grid, [["x"], []]>}) -> tensor<2x2xi32> {
  %c0 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<2x2xi32>
  %1 = linalg.fill ins(%c0 : i32) outs(%0 : tensor<2x2xi32>) -> tensor<2x2xi32>
  %2 = tensor.empty() : tensor<2x2x2xi32>
  %3 = linalg.generic {indexing_maps = [#rows, #all], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a : tensor<2x2xi32>) outs(%2 : tensor<2x2x2xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<2x2x2xi32>
  %4 = linalg.generic {indexing_maps = [#all, #sum], iterator_types = ["reduction", "parallel", "parallel"]} ins(%3 : tensor<2x2x2xi32>) outs(%1 : tensor<2x2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %5 = arith.addi %out, %in : i32
    linalg.yield %5 : i32
  } -> tensor<2x2xi32>
  return %4 : tensor<2x2xi32>
}

// -----

// An op may be split by an axis that its operand does not have: the result has it from its hint.
// CHECK: exchange by linalg.softmax operand 0, %arg0, at {{.*}}: {{\[\[}}y], [], [x]]
// CHECK-NEXT: it has axis x in dimension 2 of result 0: through operand 0 of func.return {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}], [], ["x"]]>
// CHECK-NEXT: decided: the op combines what the devices have of dimension 2
// CHECK-NEXT: so: 2 all_reduce over x
shard.grid @grid(shape = 4x2) axes ["x", "y"]
func.func @exchange(
    %a: tensor<1x3x4xf64> {shard.sharding = #shard.sharding<@grid, [["y"], [], []]>},
    %e: tensor<1x3x4xf64> {shard.sharding = #shard.sharding<@grid, [["x"], [], []]>})
    -> (tensor<1x3x4xf64> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}) {
  %0 = linalg.softmax dimension(2) ins(%a : tensor<1x3x4xf64>) outs(%e : tensor<1x3x4xf64>) -> tensor<1x3x4xf64>
  return %0 : tensor<1x3x4xf64>
}

// -----

// Blocks may differ in halos and bounds alone.
// CHECK: reshard of %0 for func.return operand 0 at {{.*}}: {{\[\[}}x]] -> {{\[\[}}x]] halo = [1, 1]
// CHECK: decided: the blocks there are those of the hint #shard.sharding<@grid, {{\[\[}}"x"]], halo = [1, 1]>
// CHECK-NEXT: so: update_halo over x
// CHECK: reshard of %arg0 for arith.addf operand 0 at {{.*}}: {{\[\[}}x]] halo = [1, 1] -> {{\[\[}}x]]
// CHECK-NEXT: decided: the op takes blocks of one size, without halos
// CHECK-NEXT: so: trim_halo
// CHECK: reshard of %arg1 for arith.addf operand 1 at {{.*}}: {{\[\[}}x]] offsets = [0, 3, 8] -> {{\[\[}}x]]
// CHECK-NEXT: decided: the op takes blocks of one size, without halos
shard.grid @grid(shape = 2) axes ["x"]
func.func @makes_halo(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]], halo = [1, 1]>}) {
  %0 = arith.addf %a, %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @takes_blocks(
    %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]], halo = [1, 1]>},
    %b: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]], offsets = [0, 3, 8]>})
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [["x"]]>}) {
  %0 = arith.addf %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A result that is returned like the argument, and whose op then splits it further, keeps the
// origin of what it had.
// CHECK: %1 at {{.*}}: {{\[\[}}1], [0]]
// CHECK-NEXT: axis 1 in dimension 0: {{.*}} from the hint #shard.sharding<@grid, {{\[\[}}1, 0], []]>
// CHECK-NEXT: axis 0 in dimension 1: {{.*}} from the hint
// CHECK-NOT: from nowhere
shard.grid @grid(shape = 2x1)
func.func @returned(%a: tensor<2x1xi32> {shard.sharding = #shard.sharding<@grid, [[1, 0], []]>})
    -> (tensor<2x1xi32>, tensor<2x1xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%b = %a) -> (tensor<2x1xi32>) {
    scf.yield %a : tensor<2x1xi32>
  }
  %sharding = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %annotated = shard.shard %0 to %sharding : tensor<2x1xi32>
  %1 = tensor.empty() : tensor<2x1xi32>
  %mapped = linalg.map { arith.addi } ins(%annotated, %0 : tensor<2x1xi32>, tensor<2x1xi32>)
                                      outs(%1 : tensor<2x1xi32>)
  return %mapped, %mapped : tensor<2x1xi32>, tensor<2x1xi32>
}

// -----

// The sums of the pad have lost axis 1 since the constant got it through them.
// CHECK-NOT: from nowhere
// CHECK: %cst_4 at {{.*}}: {{\[\[}}1], [2], [0]]
// CHECK-NEXT: axis 1 in dimension 0: through tensor.insert_slice {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}1], [], [0, 2]]>
// CHECK-NOT: from nowhere

shard.grid @grid(shape = 2x4x2)
func.func @main(
    %arg0: tensor<4x5x4xf32> {shard.sharding = #shard.sharding<@grid, [[1, 2, ?], [], [0, ?]]>})
    -> (tensor<5x5x7xf32> {shard.sharding = #shard.sharding<@grid, [[0, ?], [2, ?], [?]], replicated = [1]>},
        tensor<5x5x7xf32> {shard.sharding = #shard.sharding<@grid, [[1], [], [0, 2]]>},
        tensor<5x5x7xf32> {shard.sharding = #shard.sharding<@grid, [[], [2], [0]]>}) {
  %cst = arith.constant -2.000000e+00 : f32
  %padded = tensor.pad %arg0 low[1, 0, 3] high[0, 0, 0] {
  ^bb0(%arg2: index, %arg3: index, %arg4: index):
    tensor.yield %cst : f32
  } : tensor<4x5x4xf32> to tensor<5x5x7xf32>
  %0 = tensor.empty() : tensor<5x5x7xf32>
  %mapped = linalg.map { arith.addf } ins(%padded, %padded : tensor<5x5x7xf32>, tensor<5x5x7xf32>) outs(%0 : tensor<5x5x7xf32>)
  %1 = tensor.empty() : tensor<5x5x7xf32>
  %mapped_0 = linalg.map { arith.addf } ins(%mapped, %mapped : tensor<5x5x7xf32>, tensor<5x5x7xf32>) outs(%1 : tensor<5x5x7xf32>)
  %cst_1 = arith.constant dense<5.000000e-01> : tensor<5x5x7xf32>
  %2 = arith.mulf %padded, %cst_1 : tensor<5x5x7xf32>
  %cst_2 = arith.constant dense<1.250000e-01> : tensor<5x5x7xf32>
  %3 = arith.mulf %mapped_0, %cst_2 : tensor<5x5x7xf32>
  %4 = arith.mulf %3, %3 : tensor<5x5x7xf32>
  %cst_3 = arith.constant dense<5.000000e-01> : tensor<5x5x7xf32>
  %5 = arith.addf %4, %cst_3 : tensor<5x5x7xf32>
  %6 = math.atan2 %2, %5 : tensor<5x5x7xf32>
  %cst_4 = arith.constant dense<-1.000000e+00> : tensor<2x4x2xf32>
  %inserted_slice = tensor.insert_slice %cst_4 into %mapped_0[3, 0, 5] [2, 4, 2] [1, 1, 1] : tensor<2x4x2xf32> into tensor<5x5x7xf32>
  return %padded, %mapped, %inserted_slice : tensor<5x5x7xf32>, tensor<5x5x7xf32>, tensor<5x5x7xf32>
}

// -----

// The second gather has axis x0 from the pad, which had it from the last gather and has lost it.
// CHECK-LABEL: %all_gather_0 at
// CHECK-NOT: from nowhere
// CHECK: axis x0 in dimension 1: through shard.all_gather {{.*}}, through shard.all_gather {{.*}}, through operand 0 of shard.return {{.*}}, from the hint #shard.sharding<@grid, {{\[\[}}], ["x0"], ["x2", "x1"]]>
// CHECK-NOT: from nowhere
shard.grid @grid(shape = 2x2x2) axes ["x0", "x1", "x2"] {refines = @coarse}
shard.grid @coarse(shape = 4x2)
func.func @main(%a: tensor<4x2x4xi32>) -> (tensor<10x4x8xi32>, tensor<10x8x8xi32>, tensor<10x4x8xi32>) {
  %0:3 = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x2", ?], [], []]>]
      out = [<@grid, [[], ["x0"], ["x2", "x1"]]>, <@grid, [["x2"], [?], []]>, <@grid, [["x2", ?], ["x1", ?], [?]]>]
      axes = ["x2"] (%b: tensor<2x2x4xi32>) {
    %c2 = arith.constant 2 : i32
    %padded = tensor.pad %b low[3, 0, 0] high[0, 2, 0] {
    ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %c2 : i32
    } : tensor<2x2x4xi32> to tensor<5x4x4xi32>
    %1 = shard.all_gather %padded on @coarse grid_axes = [1] gather_axis = 2 : tensor<5x4x4xi32> -> tensor<5x4x8xi32>
    %2 = shard.all_gather %padded on @grid grid_axes = [2] gather_axis = 2 : tensor<5x4x4xi32> -> tensor<5x4x8xi32>
    %3 = shard.all_gather %2 on @grid grid_axes = [2] gather_axis = 1 : tensor<5x4x8xi32> -> tensor<5x8x8xi32>
    %4 = shard.all_gather %padded on @coarse grid_axes = [1] gather_axis = 0 : tensor<5x4x4xi32> -> tensor<10x4x4xi32>
    shard.return %4, %3, %1 : tensor<10x4x4xi32>, tensor<5x8x8xi32>, tensor<5x4x8xi32>
  } : (tensor<4x2x4xi32>) -> (tensor<10x4x8xi32>, tensor<10x8x8xi32>, tensor<10x4x8xi32>)
  return %0#0, %0#1, %0#2 : tensor<10x4x8xi32>, tensor<10x8x8xi32>, tensor<10x4x8xi32>
}

// -----

// %1 got axis 1 from the pad, together with it, after the pad had got it from the users of the
// loop. Both have lost it since.
// CHECK-LABEL: %inserted_slice at
// CHECK: axis 1 in dimension 0: through tensor.insert_slice {{.*}}, from the hint <@grid, {{\[\[}}2, 1, 0]]>
// CHECK-NOT: from nowhere
shard.grid @grid(shape = 1x2x2)
func.func @main(%a: tensor<5xi32>, %n: index, %cond: i1) -> (tensor<10xi32>, tensor<10xi32>) {
  %cst = arith.constant dense<[1, 3, -1, 0, -3, -1, 3, 3, 2, 0]> : tensor<10xi32>
  %c2 = arith.constant 2 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %padded = tensor.pad %cst low[0] high[0] {
  ^bb0(%i: index):
    tensor.yield %c2 : i32
  } : tensor<10xi32> to tensor<10xi32>
  %0 = tensor.extract_slice %padded[0] [10] [1] : tensor<10xi32> to tensor<10xi32>
  %1 = tensor.extract_slice %padded[0] [10] [1] : tensor<10xi32> to tensor<10xi32>
  %2 = arith.addi %0, %1 : tensor<10xi32>
  %inserted = tensor.insert_slice %a into %1[0] [5] [1] : tensor<5xi32> into tensor<10xi32>
  %3 = tosa.clz %padded : (tensor<10xi32>) -> tensor<10xi32>
  %sharding = shard.sharding @grid split_axes = [[0]] partial = max [1, 2] : !shard.sharding
  %annotated = shard.shard %2 to %sharding : tensor<10xi32>
  %4 = scf.for %i = %c0 to %n step %c1 iter_args(%b = %3) -> (tensor<10xi32>) {
    scf.yield %annotated : tensor<10xi32>
  }
  %5 = scf.if %cond -> (tensor<10xi32>) {
    scf.yield %2 : tensor<10xi32>
  } else {
    %8 = arith.trunci %4 : tensor<10xi32> to tensor<10xi12>
    %first = shard.sharding @grid split_axes = [[2, 1, 0]] : !shard.sharding
    %9 = shard.shard %8 to %first annotate_for_users : tensor<10xi12>
    %second = shard.sharding @grid split_axes = [[0, 2, 1]] : !shard.sharding
    %10 = shard.shard %9 to %second annotate_for_users : tensor<10xi12>
    %11 = tensor.empty() : tensor<10xi12>
    %12 = linalg.transpose ins(%10 : tensor<10xi12>) outs(%11 : tensor<10xi12>) permutation = [0]
    scf.yield %cst : tensor<10xi32>
  }
  return %5, %3 : tensor<10xi32>, tensor<10xi32>
}
