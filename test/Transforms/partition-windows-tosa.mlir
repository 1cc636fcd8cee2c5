// Convolutions and pooling of tosa, with padding of their own, have one exchange of the
// image before padding, as those of linalg do. Windows of dynamic extents are not split:
// a gather, and a remark.

// RUN: shard-opt %s --shard-spmd --verify-diagnostics | FileCheck %s
// RUN: shard-run %s --entry conv --grid 3 --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry maxpool --grid 3 --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry avgpool --grid 4 --verify | FileCheck %s --check-prefix=PASS
// PASS-NOT: all_gather
// PASS: {{^}}PASS

// CHECK-LABEL: func.func @conv
// CHECK: shard.update_halo {{.*}} halo_sizes = [1, 1] : tensor<1x4x8x3xf32>
// CHECK-NOT: shard.{{all_gather|update_halo}}
// CHECK-LABEL: func.func @maxpool
// CHECK: shard.update_halo {{.*}} halo_sizes = [1, 1] : tensor<1x4x8x3xf32>
// CHECK-NOT: shard.{{all_gather|update_halo}}
// CHECK-LABEL: func.func @avgpool
// CHECK: shard.update_halo {{.*}} halo_sizes = [1, 1] : tensor<1x4x8x3xf32>
// CHECK-NOT: shard.{{all_gather|update_halo}}
// CHECK-LABEL: func.func @dyn
// CHECK: shard.all_gather

shard.grid @g(shape = 4)
func.func @conv(%x: tensor<1x8x8x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>}, %f: tensor<2x3x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x8x8x2xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %x, %f, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<2x3x3x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x2xf32>
  return %0 : tensor<1x8x8x2xf32>
}
func.func @maxpool(%x: tensor<1x8x8x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>}) -> tensor<1x8x8x3xf32> {
  %0 = tosa.max_pool2d %x {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>) -> tensor<1x8x8x3xf32>
  return %0 : tensor<1x8x8x3xf32>
}
func.func @avgpool(%x: tensor<1x8x8x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>}) -> tensor<1x8x8x3xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %x, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x3xf32>
  return %0 : tensor<1x8x8x3xf32>
}
func.func @dyn(%x: tensor<1x?x8x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>}, %f: tensor<3x3x3x2xf32>) -> tensor<1x?x6x2xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c1 : tensor<1x?x8x3xf32>
  %n = arith.subi %d, %c2 : index
  %e = tensor.empty(%n) : tensor<1x?x6x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x6x2xf32>) -> tensor<1x?x6x2xf32>
  // expected-remark@+1 {{a dimension of unknown extent is not split further by axis 0 (4 parts): windows over it are split on a grid with uneven_dynamic only (--uneven-dynamic)}}
  %0 = linalg.conv_2d_nhwc_hwcf ins(%x, %f : tensor<1x?x8x3xf32>, tensor<3x3x3x2xf32>) outs(%i : tensor<1x?x6x2xf32>) -> tensor<1x?x6x2xf32>
  return %0 : tensor<1x?x6x2xf32>
}
