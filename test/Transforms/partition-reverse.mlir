// Dimensions that are reversed: devices take the mirrored blocks, or the parts of two
// blocks that their windows lie in, and nothing is gathered.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s --implicit-check-not=all_gather --implicit-check-not=all_to_all --implicit-check-not=update_halo
// RUN: shard-opt %s --shard-spmd=lower-tosa=false 2>/dev/null | FileCheck %s --implicit-check-not=all_gather --implicit-check-not=all_to_all --implicit-check-not=update_halo

shard.grid @g(shape = 4)
shard.grid @cube(shape = 2x2x2)

// CHECK-LABEL: func.func @even
// CHECK: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 3 rotate mirror : tensor<3x2xf32> -> tensor<3x2xf32>
// CHECK-NOT: shard.shift
// CHECK: return
func.func @even(%a: tensor<12x2xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<12x2xf32> {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<12x2xf32>) -> tensor<12x2xf32>
  return %r : tensor<12x2xf32>
}

// Of 10 elements in blocks of 3 device p needs [7 - 3p, 10 - 3p).
// CHECK-LABEL: func.func @uneven
// CHECK: shard.shift {{.*}} offset = 2 rotate mirror : tensor<2x2xf32>
// CHECK: shard.shift {{.*}} offset = 3 rotate mirror : tensor<1x2xf32>
// CHECK-NOT: shard.shift
// CHECK: return
func.func @uneven(%a: tensor<10x2xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<10x2xf32> {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<10x2xf32>) -> tensor<10x2xf32>
  return %r : tensor<10x2xf32>
}

// Along the axes of the dimension, which are not in the order of the grid.
// CHECK-LABEL: func.func @axes
// CHECK: shard.shift %{{.*}} on @cube grid_axes = [2, 0] shift_axis = 2 minor_axes = [0] offset = 3 rotate mirror : tensor<2x1xf32>
// CHECK-NOT: shard.shift
// CHECK: return
func.func @axes(%a: tensor<8x2xf32> {shard.sharding = #shard.sharding<@cube, [[2, 0], [1]]>}) -> tensor<8x2xf32> {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<8x2xf32>) -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}

// A slice backward, every second element.
// CHECK-LABEL: func.func @slice
// CHECK: shard.shift {{.*}} rotate mirror
// CHECK: tensor.extract_slice %{{.*}}[2] [2] [-2]
func.func @slice(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  %r = tensor.extract_slice %a[15] [8] [-2] : tensor<16xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// A roll along several axes: as along one.
// CHECK-LABEL: func.func @roll
// CHECK: shard.shift %{{.*}} on @cube grid_axes = [0, 1, 2] shift_axis = 0 minor_axes = [1, 2] offset = -3 rotate : tensor<2xf32>
// CHECK-NOT: shard.shift
// CHECK: return
func.func @roll(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@cube, [[0, 1, 2]]>}) -> (tensor<16xf32> {shard.sharding = #shard.sharding<@cube, [[0, 1, 2]]>}) {
  %s = tensor.extract_slice %a[6] [10] [1] : tensor<16xf32> to tensor<10xf32>
  %t = tensor.extract_slice %a[0] [6] [1] : tensor<16xf32> to tensor<6xf32>
  %r = tensor.concat dim(0) %s, %t : (tensor<10xf32>, tensor<6xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}
