// The windows of an image with 4 channels on 3 devices: the blocks of 2, 2 and 0 channels are
// gathered in front of the windows, which hold each element nine times.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --verify --grid 2x3 --hint 'arg0=[[0],[1],[],[]]' | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @g(shape = 3)

// CHECK-LABEL: func.func @main
// CHECK: %[[X:.*]] = shard.all_gather %arg0 {{.*}} tensor<6x2x10x14xf32> -> tensor<6x4x10x14xf32>
// CHECK: linalg.generic {{.*}} ins(%[[X]] :
// CHECK-NOT: shard.all_gather
func.func @main(%x: tensor<6x4x10x14xf32> {shard.sharding = #shard.sharding<@g, [[], [0], [], []]>})
    -> tensor<6x36x96xf32> {
  %e = tensor.empty() : tensor<6x4x3x8x3x12xf32>
  %windows = linalg.generic {
      indexing_maps = [affine_map<(a,b,c,d,e,f)->(a,b,c+d,e+f)>, affine_map<(a,b,c,d,e,f)->(a,b,c,d,e,f)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
      ins(%x : tensor<6x4x10x14xf32>) outs(%e : tensor<6x4x3x8x3x12xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<6x4x3x8x3x12xf32>
  %f = tensor.empty() : tensor<6x4x3x3x8x12xf32>
  %t = linalg.transpose ins(%windows : tensor<6x4x3x8x3x12xf32>) outs(%f : tensor<6x4x3x3x8x12xf32>)
      permutation = [0, 1, 2, 4, 3, 5]
  %r = tensor.collapse_shape %t [[0], [1, 2, 3], [4, 5]] : tensor<6x4x3x3x8x12xf32> into tensor<6x36x96xf32>
  return %r : tensor<6x36x96xf32>
}
