// Of a split dimension that a slice keeps, with one element at a known place, the device that has
// the element gives it to the others.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --entry last_token --verify | FileCheck %s --check-prefix=SENT
// RUN: shard-run %s --entry last_token --grid 3 --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry corner --verify | FileCheck %s --check-prefix=SAME
// SAME: {{^}}PASS

// 64 elements, each of which a device sends 2 * 3/4 times.
// SENT: all_reduce 0 1 384 B
// SENT-NOT: 0 1
// SENT: {{^}}PASS

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func @last_token(
// CHECK: shard.all_reduce {{.*}} tensor<64xf32> -> tensor<64xf32>
// CHECK: tensor.expand_shape
// CHECK: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x64xf32>, tensor<64x100xf32>)
func.func @last_token(%x: tensor<128x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %w: tensor<64x100xf32>) -> tensor<1x100xf32> {
  %zero = arith.constant 0.0 : f32
  %row = tensor.extract_slice %x[127, 0] [1, 64] [1, 1] : tensor<128x64xf32> to tensor<1x64xf32>
  %e = tensor.empty() : tensor<1x100xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x100xf32>) -> tensor<1x100xf32>
  %0 = linalg.matmul ins(%row, %w : tensor<1x64xf32>, tensor<64x100xf32>) outs(%f : tensor<1x100xf32>) -> tensor<1x100xf32>
  return %0 : tensor<1x100xf32>
}

// Several such dimensions, all of them, beside one that is dropped.
// CHECK-LABEL: func.func @corner(
// CHECK: shard.all_reduce {{.*}} tensor<f32> -> tensor<f32>
// CHECK: tensor.expand_shape %{{.*}} [] output_shape [1, 1]
func.func @corner(%x: tensor<8x4x2xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>}) -> tensor<1x1xf32> {
  %0 = tensor.extract_slice %x[7, 2, 1] [1, 1, 1] [1, 1, 1] : tensor<8x4x2xf32> to tensor<1x1xf32>
  %1 = math.exp %0 : tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// What is rolled takes windows: the row moves to the one device that needs it.
// CHECK-LABEL: func.func @rolled(
// CHECK-NOT: shard.all_reduce
// CHECK: shard.shift
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @rolled(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x4xf32> {
  %0 = tensor.extract_slice %x[1, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %1 = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<7x4xf32>, tensor<1x4xf32>) -> tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @hinted(
// CHECK: tensor.extract_slice {{.*}} to tensor<1x1xf32>
func.func @hinted(%x: tensor<8x4xf32>) -> tensor<1x4xf32> {
  %0 = tensor.extract_slice %x[3, 0] [1, 4] [1, 1] {shard.sharding = #shard.sharding<@g, [[], [0]]>} : tensor<8x4xf32> to tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}
