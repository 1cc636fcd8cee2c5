// Sums and means of complex numbers over devices: the reference of one device has them in
// manual computations, in partitioned programs and where a manual computation ends.

// RUN: split-file %s %t
// RUN: shard-run %t/manual.mlir --verify | FileCheck %s
// RUN: shard-run %t/local.mlir --verify | FileCheck %s
// CHECK: {{^}}PASS
// RUN: not shard-run %t/recv.mlir --verify 2>&1 | FileCheck %s --check-prefix=RECV
// RECV: error: 'shard.recv' op in a partitioned program is not supported by the reference of one device: no send before it

//--- manual.mlir
shard.grid @grid(shape = 2x2)
func.func @main(%a: tensor<4x6xcomplex<f32>>, %b: tensor<4xcomplex<f64>>)
    -> (tensor<4x6xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4x6xcomplex<f32>>) {
  %0:3 = shard.manual_computation(%a, %b) on @grid
      in = [<@grid, [[0], [1]]>, <@grid, [[0, 1]]>]
      out = [<@grid, [[0], [1]]>, <@grid, [[]], partial = sum [0], replicated = [1]>,
             <@grid, [[0], [1]]>]
      axes = [0, 1] (%x: tensor<2x3xcomplex<f32>>, %y: tensor<1xcomplex<f64>>) {
    %1 = shard.all_reduce %x on @grid grid_axes = [0] reduction = average
        : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
    %2 = shard.all_gather %y on @grid grid_axes = [0, 1] gather_axis = 0
        : tensor<1xcomplex<f64>> -> tensor<4xcomplex<f64>>
    %3 = shard.all_reduce %x on @grid grid_axes = [0, 1]
        : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
    shard.return %1, %2, %3
        : tensor<2x3xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<2x3xcomplex<f32>>
  } : (tensor<4x6xcomplex<f32>>, tensor<4xcomplex<f64>>)
      -> (tensor<4x6xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4x6xcomplex<f32>>)
  return %0#0, %0#1, %0#2
      : tensor<4x6xcomplex<f32>>, tensor<4xcomplex<f64>>, tensor<4x6xcomplex<f32>>
}

//--- local.mlir
shard.grid @grid(shape = 3)
func.func @main(%a: tensor<4xcomplex<f32>> {shard.local = #shard.local<tensor<12xcomplex<f32>>, <@grid, [[0]]>>})
    -> tensor<4xcomplex<f32>> {
  %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = average
      : tensor<4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

//--- recv.mlir
shard.grid @grid(shape = 3)
func.func @main(%a: tensor<4xf32> {shard.local = #shard.local<tensor<12xf32>, <@grid, [[0]]>>},
                %i: index) -> tensor<4xf32> {
  %0 = shard.recv %a on @grid grid_axes = [0] source = [%i] : (tensor<4xf32>, index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
