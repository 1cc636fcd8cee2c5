// A grouped convolution as JAX lowers it: padding, channels split into groups, one generic op.
// The groups are split in front of the padding, so that the halo comes from the image: one row
// of 2x8x8 f32 for each neighbour.
//
// RUN: shard-run %s --verify --grid 4 --hint 'arg0=[[],[0],[],[]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 3 --hint 'arg0=[[],[0],[],[]]' | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --verify --grid 2x2 --hint 'arg0=[[],[0],[1],[]]' | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry kept --verify --grid 4 --hint 'arg0=[[0],[]]' | FileCheck %s --check-prefix=SAME
// CHECK: update_halo 0 1 1024 B
// CHECK-NOT: update_halo
// CHECK: PASS
// SAME: PASS

#image = affine_map<(g, f, y, x, n, i, j, c) -> (n, y + i, x + j, g, c)>
#filter = affine_map<(g, f, y, x, n, i, j, c) -> (i, j, c, g, f)>
#result = affine_map<(g, f, y, x, n, i, j, c) -> (n, y, x, g, f)>

func.func @main(%image: tensor<2x8x8x8xf32>, %filter: tensor<3x3x2x8xf32>) -> tensor<2x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %y: index, %x: index, %c: index):
    %fill = arith.constant 0.0 : f32
    tensor.yield %fill : f32
  } : tensor<2x8x8x8xf32> to tensor<2x10x10x8xf32>
  %groups = tensor.expand_shape %padded [[0], [1], [2], [3, 4]] output_shape [2, 10, 10, 4, 2]
      : tensor<2x10x10x8xf32> into tensor<2x10x10x4x2xf32>
  %filters = tensor.expand_shape %filter [[0], [1], [2], [3, 4]] output_shape [3, 3, 2, 4, 2]
      : tensor<3x3x2x8xf32> into tensor<3x3x2x4x2xf32>
  %empty = tensor.empty() : tensor<2x8x8x4x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x8x4x2xf32>)
      -> tensor<2x8x8x4x2xf32>
  %sum = linalg.generic {
      indexing_maps = [#image, #filter, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction",
                        "reduction", "reduction"]}
      ins(%groups, %filters : tensor<2x10x10x4x2xf32>, tensor<3x3x2x4x2xf32>)
      outs(%init : tensor<2x8x8x4x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %o, %product : f32
    linalg.yield %next : f32
  } -> tensor<2x8x8x4x2xf32>
  %merged = tensor.collapse_shape %sum [[0], [1], [2], [3, 4]]
      : tensor<2x8x8x4x2xf32> into tensor<2x8x8x8xf32>
  return %merged : tensor<2x8x8x8xf32>
}

// What is padded is split, and another op reads the padding: both stay.
func.func @kept(%x: tensor<6x4xf32>) -> (tensor<2x4x4xf32>, tensor<8x2x3xf32>, tensor<8x6xf32>) {
  %one = arith.constant 1.0 : f32
  %rows = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<6x4xf32> to tensor<8x4xf32>
  %0 = tensor.expand_shape %rows [[0, 1], [2]] output_shape [2, 4, 4]
      : tensor<8x4xf32> into tensor<2x4x4xf32>
  %both = tensor.pad %x low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<6x4xf32> to tensor<8x6xf32>
  %1 = tensor.expand_shape %both [[0], [1, 2]] output_shape [8, 2, 3]
      : tensor<8x6xf32> into tensor<8x2x3xf32>
  return %0, %1, %both : tensor<2x4x4xf32>, tensor<8x2x3xf32>, tensor<8x6xf32>
}
