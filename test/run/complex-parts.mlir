// The parts of complex numbers that the runtime does not know stand in a row: one call moves both.
// Halos speak of each dimension, and take a call for each part.

// RUN: shard-run %s --verify | FileCheck %s
// CHECK: all_reduce 0 1 64 B 64 B
// CHECK: reduce_scatter 0 1 32 B 32 B
// CHECK: all_gather 0 1 64 B 64 B
// CHECK: update_halo 0 2 32 B 32 B
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4x2xcomplex<f64>> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<6x2xcomplex<f64>>) {
  %0:4 = shard.manual_computation(%a) on @grid
      in = [<@grid, [[0], []]>]
      out = [<@grid, [[], []], replicated = [0]>, <@grid, [[0], []]>, <@grid, [[], []], replicated = [0]>, <@grid, [[0], []]>]
      axes = [0] (%x: tensor<2x2xcomplex<f64>>) {
    %1 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<2x2xcomplex<f64>> -> tensor<2x2xcomplex<f64>>
    %2 = shard.reduce_scatter %x on @grid grid_axes = [0] scatter_axis = 0 : tensor<2x2xcomplex<f64>> -> tensor<1x2xcomplex<f64>>
    %3 = shard.all_gather %x on @grid grid_axes = [0] gather_axis = 0 : tensor<2x2xcomplex<f64>> -> tensor<4x2xcomplex<f64>>
    %e = tensor.empty() : tensor<3x2xcomplex<f64>>
    %wide = tensor.insert_slice %x into %e[1, 0] [2, 2] [1, 1] : tensor<2x2xcomplex<f64>> into tensor<3x2xcomplex<f64>>
    %5 = shard.update_halo %wide on @grid split_axes = [[0]] halo_sizes = [1, 0] : tensor<3x2xcomplex<f64>>
    %z = complex.constant [0.0 : f64, 0.0 : f64] : complex<f64>
    %first = shard.process_multi_index on @grid axes = [0] : index
    %zero = arith.constant 0 : index
    %isFirst = arith.cmpi eq, %first, %zero : index
    %6 = linalg.map ins(%5 : tensor<3x2xcomplex<f64>>) outs(%e : tensor<3x2xcomplex<f64>>) (%n: complex<f64>, %o: complex<f64>) {
      %s = arith.select %isFirst, %z, %n : complex<f64>
      linalg.yield %s : complex<f64>
    }
    shard.return %1, %2, %3, %6 : tensor<2x2xcomplex<f64>>, tensor<1x2xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<3x2xcomplex<f64>>
  } : (tensor<4x2xcomplex<f64>>) -> (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<6x2xcomplex<f64>>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>, tensor<4x2xcomplex<f64>>, tensor<6x2xcomplex<f64>>
}
