// Dynamic dimensions: extents, indices and slices of local blocks; blocks that
// are not equal are an error that says so.
//
// RUN: %python %S/Inputs/npy.py %t6.npy 6 6
// RUN: shard-run %s --verify --input=%t6.npy --hint='arg0=[[0],[]]' | FileCheck %s
// RUN: shard-run %s --verify --input=%t6.npy --hint='arg0=[[],[0]]' | FileCheck %s
// RUN: shard-run %s --verify --input=%t6.npy --hint='result0=[[0],[]]' | FileCheck %s
// CHECK: {{^}}PASS
// RUN: %python %S/Inputs/npy.py %t7.npy 7 6
// RUN: not shard-run %s --verify --input=%t7.npy --hint='result0=[[0],[]]' 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: {{.*}}extent 7, which 3 devices do not divide evenly

shard.grid @grid(shape = 3)

func.func @main(%a: tensor<?x6xf32>, %b: tensor<6x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x6xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x6xf32>, tensor<6x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = math.tanh %0 : tensor<?x4xf32>
  %g = tensor.generate %n { ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %k = arith.index_cast %s : index to i32
    %x = arith.sitofp %k : i32 to f32
    tensor.yield %x : f32 } : tensor<?x4xf32>
  %2 = arith.addf %1, %g : tensor<?x4xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%2 : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %y = arith.sitofp %k : i32 to f32
    %r = arith.addf %x, %y : f32
    linalg.yield %r : f32
  } -> tensor<?x4xf32>
  %c1 = arith.constant 1 : index
  %five = arith.constant 5.0 : f32
  %5 = tensor.insert %five into %4[%c1, %c1] : tensor<?x4xf32>
  %ex = tensor.expand_shape %5 [[0, 1], [2]] output_shape [%n, 1, 4] : tensor<?x4xf32> into tensor<?x1x4xf32>
  %6 = tensor.collapse_shape %ex [[0, 1], [2]] : tensor<?x1x4xf32> into tensor<?x4xf32>
  %7 = tensor.extract_slice %6[0, 1] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %8 = tensor.insert_slice %7 into %6[0, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x4xf32>
  return %8 : tensor<?x4xf32>
}
