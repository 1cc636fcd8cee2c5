// Redistributions of complex values, of dimensions without elements, without axes.

// RUN: shard-run %s --entry complex --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-run %s --entry complex --verify --mpi-dialect | FileCheck %s --check-prefix=PASSES
// RUN: shard-run %s --entry empty --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-run %s --entry alone --verify | FileCheck %s --check-prefix=PASSES
// PASSES: {{^}}PASS

shard.grid @g(shape = 2x3)
func.func @complex(%x: tensor<4xcomplex<f64>>) -> tensor<8xcomplex<f64>> {
  %0 = shard.redistribute %x on @g grid_axes = [0, 1] from = [[0]] to = [[1]] extents = [8] : tensor<4xcomplex<f64>> -> tensor<3xcomplex<f64>>
  %1 = shard.redistribute %0 on @g grid_axes = [1] from = [[1]] to = [[]] extents = [8] : tensor<3xcomplex<f64>> -> tensor<8xcomplex<f64>>
  return %1 : tensor<8xcomplex<f64>>
}
func.func @empty(%x: tensor<0x2xf32>) -> tensor<0x3xf32> {
  %0 = shard.redistribute %x on @g grid_axes = [0, 1] from = [[0], [1]] to = [[1], [0]] extents = [0, 6] : tensor<0x2xf32> -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}
func.func @alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = shard.redistribute %x on @g grid_axes = [] from = [[]] to = [[]] extents = [4] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
