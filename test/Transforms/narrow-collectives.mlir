// One collective may serve several slices of a tensor: it moves only what these read.

// RUN: shard-opt %s --shard-move-collectives | FileCheck %s
// RUN: shard-opt %s --shard-move-collectives --shard-move-collectives | FileCheck %s
// RUN: shard-run %s --entry rolled --verify | FileCheck %s --check-prefix=ROLLED
// RUN: shard-run %s --entry rows --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry columns --verify | FileCheck %s --check-prefix=SAME

// SAME: {{^}}PASS

shard.grid @g(shape = 3)

// Two rows that are apart are joined; one shift takes fewer calls than two.
// CHECK-LABEL: func @rows
// CHECK: %[[A:.*]] = tensor.extract_slice %arg0[31, 0] [1, 4]
// CHECK: %[[C:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0, 0] [1, 4]
// CHECK: %[[B:.*]] = tensor.extract_slice %arg0[33, 0] [1, 4]
// CHECK: %[[D:.*]] = tensor.insert_slice %[[B]] into %[[C]][1, 0] [1, 4]
// CHECK: %[[S:.*]] = shard.shift %[[D]] {{.*}} tensor<2x4xf32>
// CHECK: %[[X:.*]] = tensor.extract_slice %[[S]][0, 0] [1, 4]
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[S]][1, 0] [1, 4]
// CHECK: return %[[X]], %[[Y]]
func.func @rows(%a: tensor<34x4xf32> {shard.local = #shard.local<tensor<102x4xf32>, <@g, [[0], []]>>})
    -> (tensor<1x4xf32> {shard.local = #shard.local<tensor<3x4xf32>, <@g, [[0], []]>>},
        tensor<1x4xf32> {shard.local = #shard.local<tensor<3x4xf32>, <@g, [[0], []]>>}) {
  %0 = tensor.extract_slice %a[31, 0] [1, 4] [1, 1] : tensor<34x4xf32> to tensor<1x4xf32>
  %1 = shard.shift %0 on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<1x4xf32> -> tensor<1x4xf32>
  %2 = tensor.extract_slice %a[33, 0] [1, 4] [1, 1] : tensor<34x4xf32> to tensor<1x4xf32>
  %3 = shard.shift %2 on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<1x4xf32> -> tensor<1x4xf32>
  return %1, %3 : tensor<1x4xf32>, tensor<1x4xf32>
}

// The rows stay whole, as the all_gather joins them; columns that touch are one slice.
// CHECK-LABEL: func @columns
// CHECK: %[[S:.*]] = tensor.extract_slice %arg0[0, 2] [5, 4] [1, 1] : tensor<5x64xf32> to tensor<5x4xf32>
// CHECK: %[[G:.*]] = shard.all_gather %[[S]] {{.*}} tensor<5x4xf32> -> tensor<15x4xf32>
// CHECK: tensor.extract_slice %[[G]][1, 0] [2, 3]
// CHECK: tensor.extract_slice %[[G]][4, 2] [1, 2] [1, 1] : tensor<15x4xf32> to tensor<2xf32>
func.func @columns(%a: tensor<5x64xf32> {shard.local = #shard.local<tensor<15x64xf32>, <@g, [[0], []]>>})
    -> (tensor<2x3xf32>, tensor<2xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<5x64xf32> -> tensor<15x64xf32>
  %1 = tensor.extract_slice %0[1, 2] [2, 3] [1, 1] : tensor<15x64xf32> to tensor<2x3xf32>
  %2 = tensor.extract_slice %0[4, 4] [1, 2] [1, 1] : tensor<15x64xf32> to tensor<2xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2xf32>
}

// Something else reads the whole result.
// CHECK-LABEL: func @whole
// CHECK: shard.shift %arg0 {{.*}} tensor<34x4xf32>
func.func @whole(%a: tensor<34x4xf32>) -> (tensor<1x4xf32>, tensor<34x4xf32>) {
  %0 = shard.shift %a on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<34x4xf32> -> tensor<34x4xf32>
  %1 = tensor.extract_slice %0[31, 0] [1, 4] [1, 1] : tensor<34x4xf32> to tensor<1x4xf32>
  return %1, %0 : tensor<1x4xf32>, tensor<34x4xf32>
}

// 100 rows on 3 devices, rolled by one: a device sends its last row, and the last one the row in
// front of its padding.
// ROLLED: shift 0 1 32 B 32 B {{.*}} tensor.concat
// ROLLED: {{^}}PASS
func.func @rolled(%a: tensor<100x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<100x4xf32> {
  %0 = tensor.extract_slice %a[99, 0] [1, 4] [1, 1] : tensor<100x4xf32> to tensor<1x4xf32>
  %1 = tensor.extract_slice %a[0, 0] [99, 4] [1, 1] : tensor<100x4xf32> to tensor<99x4xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1x4xf32>, tensor<99x4xf32>) -> tensor<100x4xf32>
  return %2 : tensor<100x4xf32>
}
