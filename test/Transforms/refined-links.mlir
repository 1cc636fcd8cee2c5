// Hints that cut axes make a finer grid: its axes have the links of those that they are
// cut from. The second run finds the finer grid in the program and decides the same.
// RUN: shard-opt %s --sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once --sharding-propagation | diff %t.once -

// By bytes alone the slice would be computed as the argument is split, and resharded.
shard.grid @grid(shape = 4x4x1) axes ["x0", "x1", "x2"] {shard.machine = {name = "a100"}}

// CHECK-LABEL: func.func @main
// CHECK: shard.shard %arg0 to %{{.*}} annotate_for_users
// CHECK-NEXT: tensor.extract_slice
func.func @main(%arg0: tensor<2x12x6xf32> {shard.sharding = #shard.sharding<@grid, [["x2"], [1], []]>}) -> (tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [["x1":(1)2, "x2"], ["x0":(1)2]]>}) {
  %0 = tensor.extract_slice %arg0[0, 9, 5] [2, 2, 1] [1, 2, 1] : tensor<2x12x6xf32> to tensor<2x2xf32>
  %1 = tensor.extract_slice %0[1, 0] [1, 2] [2, 1] : tensor<2x2xf32> to tensor<1x2xf32>
  %cst = arith.constant dense<-2.000000e+00> : tensor<2x2xf32>
  %2 = tensor.insert_slice %1 into %cst[0, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
