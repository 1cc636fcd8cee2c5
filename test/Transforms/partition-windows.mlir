// Loops that slide over a split dimension: each device reads its block and a halo from
// its neighbours.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s --implicit-check-not=all_gather

shard.grid @g(shape = 4)
shard.grid @plane(shape = 2x2)

// One exchange in each step, and the padding at the borders is there before it.
// CHECK-LABEL: func.func @stencil
// CHECK: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : tensor<18x32xf32>
// CHECK: scf.for {{.*}} iter_args(%[[U:.*]] =
// CHECK-NEXT: %[[IN:.*]] = tensor.insert_slice %[[U]] into %[[ZEROS]][1, 0] [16, 32] [1, 1]
// CHECK-NEXT: shard.update_halo %[[IN]] on @g split_axes = {{\[\[}}0]] halo_sizes = [1, 1] : tensor<18x32xf32>
// CHECK-NOT: update_halo
func.func @stencil(%a: tensor<64x32xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %r = scf.for %i = %c0 to %c10 step %c1 iter_args(%u = %a) -> tensor<64x32xf32> {
    %p = tensor.pad %u low[1, 0] high[1, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<64x32xf32> to tensor<66x32xf32>
    %l = tensor.extract_slice %p[0, 0] [64, 32] [1, 1] : tensor<66x32xf32> to tensor<64x32xf32>
    %h = tensor.extract_slice %p[2, 0] [64, 32] [1, 1] : tensor<66x32xf32> to tensor<64x32xf32>
    %s = arith.addf %l, %h : tensor<64x32xf32>
    %n = arith.subf %s, %u : tensor<64x32xf32>
    scf.yield %n : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// Five points on a plane: the corners are not needed, so the two dimensions exchange
// apart.
// CHECK-LABEL: func.func @five_points
// CHECK-DAG: shard.update_halo %{{.*}} on @plane split_axes = {{\[\[}}0], [1]] halo_sizes = [1, 1, 0, 0]
// CHECK-DAG: shard.update_halo %{{.*}} on @plane split_axes = {{\[\[}}0], [1]] halo_sizes = [0, 0, 1, 1]
// CHECK-NOT: update_halo
func.func @five_points(%u: tensor<8x8xf32> {shard.sharding = #shard.sharding<@plane, [[0], [1]]>}) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %u low[1, 1] high[1, 1] {
  ^bb0(%x: index, %y: index):
    tensor.yield %zero : f32
  } : tensor<8x8xf32> to tensor<10x10xf32>
  %n = tensor.extract_slice %p[0, 1] [8, 8] [1, 1] : tensor<10x10xf32> to tensor<8x8xf32>
  %s = tensor.extract_slice %p[2, 1] [8, 8] [1, 1] : tensor<10x10xf32> to tensor<8x8xf32>
  %w = tensor.extract_slice %p[1, 0] [8, 8] [1, 1] : tensor<10x10xf32> to tensor<8x8xf32>
  %e = tensor.extract_slice %p[1, 2] [8, 8] [1, 1] : tensor<10x10xf32> to tensor<8x8xf32>
  %ns = arith.addf %n, %s : tensor<8x8xf32>
  %we = arith.addf %w, %e : tensor<8x8xf32>
  %0 = arith.addf %ns, %we : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// Padding and convolution together: one exchange of the image before padding, corners
// included.
// CHECK-LABEL: func.func @pad_conv
// CHECK: %[[HALO:.*]] = shard.update_halo %{{.*}} on @plane split_axes = {{\[\[}}], [], [0], [1]] halo_sizes = [1, 1, 1, 1] : tensor<1x3x6x6xf32>
// CHECK-NOT: update_halo
// CHECK: linalg.conv_2d_nchw_fchw {{.*}}ins(%[[HALO]], %{{.*}} : tensor<1x3x6x6xf32>, tensor<5x3x3x3xf32>)
func.func @pad_conv(%x: tensor<1x3x8x8xf32> {shard.sharding = #shard.sharding<@plane, [[], [], [0], [1]]>},
                    %f: tensor<5x3x3x3xf32>) -> tensor<1x5x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x3x8x8xf32> to tensor<1x3x10x10xf32>
  %e = tensor.empty() : tensor<1x5x8x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x5x8x8xf32>) -> tensor<1x5x8x8xf32>
  %0 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%p, %f : tensor<1x3x10x10xf32>, tensor<5x3x3x3xf32>) outs(%i : tensor<1x5x8x8xf32>) -> tensor<1x5x8x8xf32>
  return %0 : tensor<1x5x8x8xf32>
}

// Stride 2: the window begins one element before the block and ends with it.
// CHECK-LABEL: func.func @strided
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}], [0]] halo_sizes = [1, 0] : tensor<1x5x2xf32>
// CHECK-NOT: update_halo
func.func @strided(%x: tensor<1x16x2xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                   %f: tensor<3x2x2xf32>) -> tensor<1x8x2xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x16x2xf32> to tensor<1x17x2xf32>
  %e = tensor.empty() : tensor<1x8x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  %0 = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%p, %f : tensor<1x17x2xf32>, tensor<3x2x2xf32>) outs(%i : tensor<1x8x2xf32>) -> tensor<1x8x2xf32>
  return %0 : tensor<1x8x2xf32>
}

// A halo wider than a block comes from several neighbours.
// CHECK-LABEL: func.func @wide
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [3, 0] : tensor<5xf32>
func.func @wide(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %f: tensor<4xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[3] high[0] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<11xf32>
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.conv_1d ins(%p, %f : tensor<11xf32>, tensor<4xf32>) outs(%i : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A block further away: only what is needed of it is sent, not the halo between.
// CHECK-LABEL: func.func @far
// CHECK-DAG: shard.shift {{.*}} offset = 1 rotate : tensor<1xf32>
// CHECK-DAG: shard.shift {{.*}} rotate : tensor<1xf32>
// CHECK-NOT: {{update_halo|shard.shift}}
// CHECK: return
func.func @far(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[3] high[0] {
  ^bb0(%a: index):
    tensor.yield %zero : f32
  } : tensor<8xf32> to tensor<11xf32>
  %0 = tensor.extract_slice %p[0] [8] [1] : tensor<11xf32> to tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A reduction loop slides: the gradient of a filter. The sum over the blocks is
// completed; the image has a halo.
// CHECK-LABEL: func.func @gradient
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [0, 2] : tensor<6xf32>
// CHECK: shard.all_reduce
func.func @gradient(%x: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>},
                    %dy: tensor<14xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, n) -> (n + k)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (k)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %dy : tensor<16xf32>, tensor<14xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Groups and images are independent: split by either, nothing is sent.
// CHECK-LABEL: func.func @grouped
// CHECK-NOT: {{update_halo|all_reduce|all_to_all|permute}}
// CHECK: linalg.conv_2d_ngchw_gfchw {{.*}} : tensor<2x2x3x6x6xf32>, tensor<2x4x3x3x3xf32>)
// CHECK-NOT: {{update_halo|all_reduce|all_to_all|permute}}
// CHECK: return
func.func @grouped(%x: tensor<4x4x3x6x6xf32> {shard.sharding = #shard.sharding<@plane, [[0], [1], [], [], []]>},
                   %f: tensor<4x4x3x3x3xf32> {shard.sharding = #shard.sharding<@plane, [[1], [], [], [], []]>}) -> tensor<4x4x4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4x4x4x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4x4x4x4xf32>) -> tensor<4x4x4x4x4xf32>
  %0 = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %f : tensor<4x4x3x6x6xf32>, tensor<4x4x3x3x3xf32>) outs(%i : tensor<4x4x4x4x4xf32>) -> tensor<4x4x4x4x4xf32>
  return %0 : tensor<4x4x4x4x4xf32>
}

// A convolution of tosa with its own padding is lowered to the same program.
// CHECK-LABEL: func.func @tosa
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}], [0]] halo_sizes = [1, 1] : tensor<1x4x8x3xf32>
// CHECK-NOT: update_halo
// CHECK: return
func.func @tosa(%x: tensor<1x8x8x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>},
                %f: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<1x8x8x5xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %f, %b, %zp, %zp {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>}
      : (tensor<1x8x8x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x5xf32>
  return %0 : tensor<1x8x8x5xf32>
}
