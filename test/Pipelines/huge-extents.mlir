// Extents near 2^63, whose sums and products no integer holds: undefined behaviour is none
// (the preset asan tells), and numbers of bytes end at the largest.
//
// RUN: shard-opt %s --shard-explain=json -o %t 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: shard-opt %s --shard-report 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: shard-opt %s --shard-spmd --shard-decompose-collectives='min-gain=-1 reorder-sums' | FileCheck %s

// EXPLAIN: "reshards"
// REPORT: program sums, predicted for one device
// CHECK-LABEL: func.func @sums(

shard.grid @grid(shape = 2)
func.func @sums(%a: tensor<9223372036854775807x5xi128>, %c: tensor<5xi128>,
                %b: tensor<9223372036854775807x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %d: tensor<5xf32>) -> (tensor<5xi128>, tensor<5xf32>) {
  %0 = linalg.reduce ins(%a : tensor<9223372036854775807x5xi128>) outs(%c : tensor<5xi128>) dimensions = [0]
    (%in: i128, %acc: i128) {
      linalg.yield %acc : i128
    }
  %1 = linalg.reduce ins(%b : tensor<9223372036854775807x5xf32>) outs(%d : tensor<5xf32>) dimensions = [0]
    (%in: f32, %acc: f32) {
      %s = arith.subf %acc, %in : f32
      linalg.yield %s : f32
    }
  return %0, %1 : tensor<5xi128>, tensor<5xf32>
}

// No offset puts this slice into its dimension.
// CHECK-LABEL: func.func @slice(
func.func @slice(%a: tensor<160xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> tensor<9205357638345293823xf32> {
  %0 = tensor.extract_slice %a[0] [9205357638345293823] [2] : tensor<160xf32> to tensor<9205357638345293823xf32>
  return %0 : tensor<9205357638345293823xf32>
}
