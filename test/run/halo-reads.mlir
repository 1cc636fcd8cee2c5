// Exchanges that send only what devices read: blocks that drift, elements that a stride
// passes over in two dimensions, and corners that serve no window. Blocks that are nested
// unevenly lie elsewhere than an exchange takes them for; of those all is sent.

// RUN: shard-run %s --entry strided --verify | FileCheck %s
// RUN: shard-run %s --entry strided --grid 3x2x1 --verify | FileCheck %s
// RUN: shard-run %s --entry strided --grid 5x3x1 --verify | FileCheck %s
// RUN: shard-run %s --entry far --verify | FileCheck %s
// RUN: shard-run %s --entry far --grid 5x1x1 --verify | FileCheck %s
// RUN: shard-run %s --entry nested --verify | FileCheck %s
// RUN: shard-run %s --entry fields --grid 3x2x1 --verify | FileCheck %s
// CHECK-NOT: all_gather
// CHECK: {{^}}PASS

shard.grid @g(shape = 3x2x2)

func.func @strided(%a: tensor<1x2x14x11xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], [1]]>}, %k: tensor<2x2x1x1xf32>, %o: tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32> {
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<1x2x14x11xf32>, tensor<2x2x1x1xf32>) outs(%o : tensor<1x2x7x6xf32>) -> tensor<1x2x7x6xf32>
  return %r : tensor<1x2x7x6xf32>
}

func.func @far(%a: tensor<13x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<13x4xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %a low[2, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<13x4xf32> to tensor<16x4xf32>
  %x = tensor.extract_slice %p[0, 0] [13, 4] [1, 1] : tensor<16x4xf32> to tensor<13x4xf32>
  %y = tensor.extract_slice %p[3, 0] [13, 4] [1, 1] : tensor<16x4xf32> to tensor<13x4xf32>
  %r = arith.subf %x, %y : tensor<13x4xf32>
  return %r : tensor<13x4xf32>
}

// 7 rows in blocks of 3, 3 and 1, which are cut in two again.
func.func @nested(%a: tensor<7x9xf32> {shard.sharding = #shard.sharding<@g, [[0, 2], [1]]>}, %k: tensor<3xf32>, %o: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, 2 * j + k)>, affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %k : tensor<7x9xf32>, tensor<3xf32>) outs(%o : tensor<7x4xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %m, %z : f32
    linalg.yield %s : f32
  } -> tensor<7x4xf32>
  return %r : tensor<7x4xf32>
}

// Two windows of one block, of which one exchange is made.
func.func @fields(%a: tensor<1x1x16x9xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0], [1]]>}, %k: tensor<1x1x3x3xf32>, %l: tensor<1x1x2x2xf32>, %o: tensor<1x1x7x4xf32>) -> tensor<1x1x7x4xf32> {
  %s = tensor.extract_slice %a[0, 0, 0, 0] [1, 1, 14, 8] [1, 1, 1, 1] : tensor<1x1x16x9xf32> to tensor<1x1x14x8xf32>
  %r = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%a, %k : tensor<1x1x16x9xf32>, tensor<1x1x3x3xf32>) outs(%o : tensor<1x1x7x4xf32>) -> tensor<1x1x7x4xf32>
  %t = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%s, %l : tensor<1x1x14x8xf32>, tensor<1x1x2x2xf32>) outs(%r : tensor<1x1x7x4xf32>) -> tensor<1x1x7x4xf32>
  return %t : tensor<1x1x7x4xf32>
}
