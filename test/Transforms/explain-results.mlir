// Results that change behind the op: an axis goes, moves, or is added up.

// RUN: shard-opt %s --shard-explain -o /dev/null --split-input-file 2>&1 | FileCheck %s

// CHECK: reshard of %0 for linalg.matmul result 0 {{.*}}: {{\[\[}}0], []] -> {{\[\[}}], []]
// CHECK-NEXT: it has axis 0 in dimension 0 of operand 0: from the hint
// CHECK-NEXT: against no more axes in dimension 0: from the hint
// CHECK-NEXT: decided: of the ways to run the op, this one reshards the fewest bytes
// CHECK-NEXT: so: all_gather over 0
shard.grid @g(shape = 2)
func.func @gathered(%x: tensor<8x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %w: tensor<64x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}, %c: tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) -> (tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %1 = linalg.matmul {shard.sharding = #shard.sharding<@g, [[], []]>} ins(%x, %w : tensor<8x64xf32>, tensor<64x2xf32>) outs(%c : tensor<8x2xf32>) -> tensor<8x2xf32>
  %2 = math.exp %1 : tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// -----

// CHECK: reshard of %0 for linalg.matmul result 0 {{.*}}: {{\[\[}}0], []] -> {{\[\[}}], [0]]
// CHECK-NEXT: it has axis 0 in dimension 0 of operand 0: from the hint
// CHECK-NEXT: against no more axes in dimension 0: from the hint
// CHECK-NEXT: against axis 0 in dimension 1: from the hint
// CHECK-NEXT: decided: of the ways to run the op, this one reshards the fewest bytes
// CHECK-NEXT: so: all_to_all over 0
shard.grid @g(shape = 2)
func.func @moved(%x: tensor<8x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %w: tensor<64x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}, %c: tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) -> (tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %1 = linalg.matmul {shard.sharding = #shard.sharding<@g, [[], [0]]>} ins(%x, %w : tensor<8x64xf32>, tensor<64x2xf32>) outs(%c : tensor<8x2xf32>) -> tensor<8x2xf32>
  %2 = math.exp %1 : tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// -----

// CHECK: reshard of %0 for linalg.matmul result 0 {{.*}}: {{\[\[}}], []] partial = sum [0] -> {{\[\[}}], []]
// CHECK-NEXT: it has axis 0 in dimension 1 of operand 0: from the hint
// CHECK-NEXT: it has axis 0 in dimension 0 of operand 1: from the hint
// CHECK-NEXT: against the complete value: from the hint
// CHECK-NEXT: decided: its hint asks for the complete value
// CHECK-NEXT: so: all_reduce over 0
shard.grid @g(shape = 2)
func.func @added(%x: tensor<8x64xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %w: tensor<64x2xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %c: tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) -> (tensor<8x2xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  %1 = linalg.matmul {shard.sharding = #shard.sharding<@g, [[], []]>} ins(%x, %w : tensor<8x64xf32>, tensor<64x2xf32>) outs(%c : tensor<8x2xf32>) -> tensor<8x2xf32>
  %2 = math.exp %1 : tensor<8x2xf32>
  return %2 : tensor<8x2xf32>
}

// -----

// The same axes in another order.
// CHECK-LABEL: reshard of %0 for math.absf result 0
// CHECK-SAME: {{\[\[}}x, y]] -> {{\[\[}}y, x]]
// CHECK-NEXT: it has axis x in dimension 0 of operand 0: from the hint
// CHECK-NEXT: it has axis y in dimension 0 of operand 0: from the hint
// CHECK-NEXT: against axis y in dimension 0: through operand 0 of func.return
// CHECK-NEXT: against axis x in dimension 0: through operand 0 of func.return
// CHECK-NEXT: decided: of the ways to run the op, this one reshards the fewest bytes
// CHECK-NEXT: so: permute over x, y to y, x
shard.grid @g(shape = 2x2) axes ["x", "y"]
func.func @order(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [["x", "y"]]>})
    -> (tensor<16xf32> {shard.sharding = #shard.sharding<@g, [["y", "x"]]>}) {
  %0 = math.absf %a : tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Halos are no matter of partial values.
// CHECK-LABEL: reshard of %0 for math.ceil result 0
// CHECK-SAME: {{\[\[}}0]] -> {{\[\[}}0]] halo = [1, 1]
// CHECK-NEXT: decided: the blocks are those of the hint <@g, {{\[\[}}0]] halo_sizes = [1, 1]>
// CHECK-NEXT: so: update_halo over 0
shard.grid @g(shape = 2)
func.func @halos(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<16xf32> {
  %0 = math.ceil %a : tensor<16xf32>
  %s = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %1 = shard.shard %0 to %s : tensor<16xf32>
  %2 = math.exp %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// The tasks of scf.forall write whole rows, on each device.
// CHECK-LABEL: reshard of %0 for scf.forall result 0
// CHECK-SAME: {{\[\[}}], [1]] -> {{\[\[}}1, 0], []]
// CHECK-NEXT: it has axis 1 in dimension 1: through operand 0 of scf.forall
// CHECK-NEXT: against axis 1 in dimension 0: through operand 0 of func.return
// CHECK-NEXT: against axis 0 in dimension 0: through operand 0 of func.return
// CHECK-NEXT: decided: the body writes the tensor in one sharding
// CHECK-NEXT: so: redistribute over 0, 1
shard.grid @g(shape = 2x2)
func.func @rows(%a: tensor<4x4xi32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>})
    -> (tensor<4x4xi32> {shard.sharding = #shard.sharding<@g, [[1, 0], []]>}) {
  %0 = scf.forall (%i) in (4) shared_outs(%o = %a) -> (tensor<4x4xi32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<4x4xi32> to tensor<1x4xi32>
    %sum = arith.addi %row, %row : tensor<1x4xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<4x4xi32>
    }
  }
  return %0 : tensor<4x4xi32>
}
