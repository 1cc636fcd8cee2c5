// Tensors that are rolled, reversed and inserted elsewhere: dimensions that several axes
// split, and two dimensions of one tensor.

// RUN: shard-run %s --verify --entry roll --grid 2x2x2 | FileCheck %s
// RUN: shard-run %s --verify --entry roll --grid 3x1x2 | FileCheck %s
// RUN: shard-run %s --verify --entry roll --grid 2x3x1 | FileCheck %s
// RUN: shard-run %s --verify --entry plane --grid 2x2x2 | FileCheck %s
// RUN: shard-run %s --verify --entry plane --grid 3x1x2 | FileCheck %s
// RUN: shard-run %s --verify --entry plane --grid 2x3x1 | FileCheck %s
// RUN: shard-run %s --verify --entry both --grid 2x2x2 | FileCheck %s
// RUN: shard-run %s --verify --entry both --grid 3x1x2 | FileCheck %s
// RUN: shard-run %s --verify --entry both --grid 2x3x1 | FileCheck %s
// RUN: shard-run %s --verify --entry flip --grid 2x2x2 | FileCheck %s
// RUN: shard-run %s --verify --entry flip --grid 3x1x2 | FileCheck %s
// RUN: shard-run %s --verify --entry flip --grid 2x3x1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @g(shape = 2x2x2)
func.func @roll(%a: tensor<16x3xi32> {shard.sharding = #shard.sharding<@g, [[0, 1, 2], []]>}) -> (tensor<16x3xi32> {shard.sharding = #shard.sharding<@g, [[0, 1, 2], []]>}) {
  %s = tensor.extract_slice %a[5, 0] [11, 3] [1, 1] : tensor<16x3xi32> to tensor<11x3xi32>
  %t = tensor.extract_slice %a[0, 0] [5, 3] [1, 1] : tensor<16x3xi32> to tensor<5x3xi32>
  %r = tensor.concat dim(0) %s, %t : (tensor<11x3xi32>, tensor<5x3xi32>) -> tensor<16x3xi32>
  return %r : tensor<16x3xi32>
}
func.func @plane(%a: tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}) -> (tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}) {
  %s = tensor.extract_slice %a[4, 0] [12, 8] [1, 1] : tensor<16x8xi32> to tensor<12x8xi32>
  %t = tensor.extract_slice %a[0, 0] [4, 8] [1, 1] : tensor<16x8xi32> to tensor<4x8xi32>
  %r = tensor.concat dim(0) %s, %t : (tensor<12x8xi32>, tensor<4x8xi32>) -> tensor<16x8xi32>
  %s1 = tensor.extract_slice %r[0, 4] [16, 4] [1, 1] : tensor<16x8xi32> to tensor<16x4xi32>
  %t1 = tensor.extract_slice %r[0, 0] [16, 4] [1, 1] : tensor<16x8xi32> to tensor<16x4xi32>
  %r1 = tensor.concat dim(1) %s1, %t1 : (tensor<16x4xi32>, tensor<16x4xi32>) -> tensor<16x8xi32>
  return %r1 : tensor<16x8xi32>
}
func.func @both(%a: tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}, %b: tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}) -> (tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}) {
  %s = tensor.extract_slice %a[0, 0] [8, 4] [1, 1] : tensor<16x8xi32> to tensor<8x4xi32>
  %r = tensor.insert_slice %s into %b[8, 4] [8, 4] [1, 1] : tensor<8x4xi32> into tensor<16x8xi32>
  return %r : tensor<16x8xi32>
}
func.func @flip(%a: tensor<16x8xi32> {shard.sharding = #shard.sharding<@g, [[2, 0], [1]]>}) -> (tensor<16x8xi32>) {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<16x8xi32>) -> tensor<16x8xi32>
  %r2 = tosa.reverse %r {axis = 1 : i32} : (tensor<16x8xi32>) -> tensor<16x8xi32>
  return %r2 : tensor<16x8xi32>
}
