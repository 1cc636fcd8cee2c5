// Loops that slide over two split dimensions, and over one that both axes split.

// RUN: shard-run %s --verify --entry maps | FileCheck %s
// RUN: shard-run %s --verify --entry maps --grid 3x2 | FileCheck %s
// RUN: shard-run %s --verify --entry maps --grid 1x4 | FileCheck %s
// RUN: shard-run %s --verify --entry maps --grid 4x3 | FileCheck %s
// RUN: shard-run %s --verify --entry nested | FileCheck %s
// RUN: shard-run %s --verify --entry nested --grid 2x3 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @plane(shape = 2x2)

// Maps of 7x7, as at the end of convolution networks.
func.func @maps(%x: tensor<1x2x7x7xf32> {shard.sharding = #shard.sharding<@plane, [[], [], [0], [1]]>},
                %f: tensor<3x2x3x3xf32>) -> tensor<1x3x7x7xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x2x7x7xf32> to tensor<1x2x9x9xf32>
  %e = tensor.empty() : tensor<1x3x7x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<1x2x9x9xf32>, tensor<3x2x3x3xf32>) outs(%i : tensor<1x3x7x7xf32>) -> tensor<1x3x7x7xf32>
  return %0 : tensor<1x3x7x7xf32>
}

// Two axes split one dimension; blocks of blocks lie at unequal distances where sizes
// do not divide, and the dimension is gathered.
func.func @nested(%a: tensor<10xf32> {shard.sharding = #shard.sharding<@plane, [[0, 1]]>}) -> tensor<10xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[1] high[0] {
  ^bb0(%x: index):
    tensor.yield %zero : f32
  } : tensor<10xf32> to tensor<11xf32>
  %0 = tensor.extract_slice %p[0] [10] [1] : tensor<11xf32> to tensor<10xf32>
  return %0 : tensor<10xf32>
}
