// Hints that cut axes make a finer grid: its axes have the links of those that they are
// cut from. The second run finds the finer grid in the program and decides the same.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -
// RUN: sed 's/1.0e9, 1.0e11/1.0e11, 1.0e9/' %s > %t.other
// RUN: shard-opt %t.other --sharding-propagation | FileCheck %s --check-prefix=OTHER

// By bytes alone either operand may be moved. The result is gathered along the faster
// link: x1 of the one file, x0 of the other.
shard.grid @grid(shape = 4x4) axes ["x0", "x1"] {bandwidth = array<f64: 1.0e9, 1.0e11>}

// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = shard.sharding @grid_0 split_axes = {{\[\[}}2]]
// CHECK: shard.shard %arg0 to %[[S]] annotate_for_users
// CHECK: arith.addf
// OTHER-LABEL: func.func @main
// OTHER: %[[S:.*]] = shard.sharding @grid_0 split_axes = {{\[\[}}0]]
// OTHER: shard.shard %arg1 to %[[S]] annotate_for_users
// OTHER: arith.addf
func.func @main(%a: tensor<64x64xf32> {shard.sharding = #shard.sharding<@grid, [["x0":(1)2], []]>},
                %b: tensor<64x64xf32> {shard.sharding = #shard.sharding<@grid, [["x1":(1)2], []]>})
    -> (tensor<64x64xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %0 = arith.addf %a, %b : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
