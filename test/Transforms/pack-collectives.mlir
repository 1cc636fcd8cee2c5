// RUN: shard-opt %s --shard-pack-collectives | FileCheck %s
// RUN: shard-opt %s --shard-pack-collectives --shard-verify-spmd -o /dev/null
// RUN: shard-run %s --entry gradients --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry gradients --verify | FileCheck %s --check-prefix=PACKED

// RUN: shard-run %s --entry weights --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry weights --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-run %s --entry moves --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry moves --verify | FileCheck %s --check-prefix=PASSES

// RUN: shard-run %s --entry other_dimensions --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry other_dimensions --verify | FileCheck %s --check-prefix=PASSES
// Each device has another part of what is gathered at the end.
// RUN: shard-run %s --entry exchanges --verify | FileCheck %s --check-prefix=PASSES
// RUN: shard-opt %s --shard-pack-collectives | shard-run - --entry exchanges --verify | FileCheck %s --check-prefix=PASSES

// PASSES: PASS
// EXEC: all_reduce
// EXEC: PASS
// PACKED: all_reduce
// PACKED-NOT: all_reduce
// PACKED: PASS

shard.grid @g(shape = 4) {shard.machine = {name = "a100"}}
shard.grid @bytes(shape = 4)
shard.grid @h(shape = 2x4) {shard.machine = {name = "a100"}}

// CHECK-LABEL: func @gradients
// CHECK: %[[X:.*]] = math.exp %arg2
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0] [8] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[8] [4] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[12] [1] [1]
// CHECK: %[[R:.*]] = shard.all_reduce %{{.*}} : tensor<13xf32> -> tensor<13xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: tensor.extract_slice %[[R]][8] [4] [1]
func.func @gradients(%a: tensor<8xf32>, %b: tensor<2x2xf32>, %c: tensor<f32>) -> (tensor<8xf32>, tensor<2x2xf32>, tensor<f32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<2x2xf32> -> tensor<2x2xf32>
  %x = math.exp %c : tensor<f32>
  %2 = shard.all_reduce %x on @g grid_axes = [0] : tensor<f32> -> tensor<f32>
  %3 = math.absf %0 : tensor<8xf32>
  return %3, %1, %2 : tensor<8xf32>, tensor<2x2xf32>, tensor<f32>
}

// One needs the result of the other; another type, another reduction.
// CHECK-LABEL: func @apart
// CHECK-COUNT-4: shard.all_reduce
// CHECK-NOT: insert_slice
// CHECK: return
func.func @apart(%a: tensor<8xf32>, %b: tensor<8xf64>) -> (tensor<8xf32>, tensor<8xf64>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf64> -> tensor<8xf64>
  %3 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf64>, tensor<8xf32>
}

// To copy 64 MB takes longer than the latency of one more collective.
// CHECK-LABEL: func @large
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @large(%a: tensor<8388608xf32>, %b: tensor<8388608xf32>) -> (tensor<8388608xf32>, tensor<8388608xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8388608xf32> -> tensor<8388608xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8388608xf32> -> tensor<8388608xf32>
  return %0, %1 : tensor<8388608xf32>, tensor<8388608xf32>
}

// A grid that states no latency has none.
// CHECK-LABEL: func @no_latency
// CHECK-COUNT-2: shard.all_reduce %arg
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @no_latency(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @bytes grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @bytes grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Blocks that are gathered or scattered along the first dimension of some elements: a row
// of the packed tensor for each device.
// CHECK-LABEL: func @weights
// CHECK: %[[P:.*]] = shard.all_gather %{{.*}} gather_axis = 0 : tensor<1x14xf32> -> tensor<4x14xf32>
// CHECK: tensor.extract_slice %[[P]][0, 0] [4, 8] [1, 1]
// CHECK: tensor.extract_slice %[[P]][0, 8] [4, 6] [1, 1]
// CHECK-NOT: shard.all_gather
// CHECK: %[[S:.*]] = shard.reduce_scatter %{{.*}} scatter_axis = 0 : tensor<4x14xf32> -> tensor<1x14xf32>
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @weights(%a: tensor<2x4xf32>, %b: tensor<1x3x2xf32>) -> (tensor<2x4xf32>, tensor<1x3x2xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x4xf32> -> tensor<8x4xf32>
  %1 = shard.all_gather %b on @g grid_axes = [0] gather_axis = 1 : tensor<1x3x2xf32> -> tensor<1x12x2xf32>
  %2 = math.absf %0 : tensor<8x4xf32>
  %3 = math.absf %1 : tensor<1x12x2xf32>
  %4 = shard.reduce_scatter %2 on @g grid_axes = [0] scatter_axis = 0 : tensor<8x4xf32> -> tensor<2x4xf32>
  %5 = shard.reduce_scatter %3 on @g grid_axes = [0] scatter_axis = 1 : tensor<1x12x2xf32> -> tensor<1x3x2xf32>
  return %4, %5 : tensor<2x4xf32>, tensor<1x3x2xf32>
}

// What moves blocks as a whole.
// CHECK-LABEL: func @moves
// CHECK: shard.permute %{{.*}} from_axes = [0, 1] to_axes = [1, 0] : tensor<12xf32>
// CHECK-NOT: shard.permute
// CHECK: shard.shift %{{.*}} offset = 2 rotate : tensor<8xf32> -> tensor<8xf32>
// CHECK: shard.shift %{{.*}} offset = 1 rotate : tensor<12xf32> -> tensor<12xf32>
// CHECK-NOT: shard.shift
// CHECK: shard.broadcast %{{.*}} root = [1] : (tensor<12xf32>) -> tensor<12xf32>
// CHECK-NOT: shard.broadcast
// CHECK: return
func.func @moves(%a: tensor<8xf32>, %b: tensor<2x2xf32>) -> (tensor<8xf32>, tensor<2x2xf32>, tensor<8xf32>) {
  %0 = shard.permute %a on @h from_axes = [0, 1] to_axes = [1, 0] : tensor<8xf32>
  %1 = shard.permute %b on @h from_axes = [0, 1] to_axes = [1, 0] : tensor<2x2xf32>
  %2 = shard.shift %0 on @h grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
  %3 = shard.shift %1 on @h grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<2x2xf32> -> tensor<2x2xf32>
  %4 = shard.shift %0 on @h grid_axes = [1] shift_axis = 1 offset = 2 rotate : tensor<8xf32> -> tensor<8xf32>
  %5 = shard.broadcast %2 on @h grid_axes = [1] root = [1] : (tensor<8xf32>) -> tensor<8xf32>
  %6 = shard.broadcast %3 on @h grid_axes = [1] root = [1] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %5, %6, %4 : tensor<8xf32>, tensor<2x2xf32>, tensor<8xf32>
}

// Blocks along other dimensions are brought together by transposes.
// CHECK-LABEL: func @other_dimensions
// CHECK: %[[P:.*]] = shard.all_gather %{{.*}} gather_axis = 0 : tensor<1x14xf32> -> tensor<4x14xf32>
// CHECK-NOT: shard.all_gather
// CHECK: %[[A:.*]] = tensor.extract_slice %[[P]][0, 0] [4, 8] [1, 1]
// CHECK: %[[AX:.*]] = tensor.expand_shape %[[A]] {{\[\[}}0], [1, 2, 3]] output_shape [4, 2, 2, 2]
// CHECK: %[[AT:.*]] = linalg.transpose ins(%[[AX]] : tensor<4x2x2x2xf32>) {{.*}} permutation = [1, 0, 2, 3]
// CHECK: tensor.collapse_shape %[[AT]] {{\[\[}}0], [1, 2], [3]] : tensor<2x4x2x2xf32> into tensor<2x8x2xf32>
// CHECK: %[[S:.*]] = shard.reduce_scatter %{{.*}} scatter_axis = 0 : tensor<4x14xf32> -> tensor<1x14xf32>
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @other_dimensions(%a: tensor<2x2x2xf32>, %b: tensor<3x2xf32>) -> (tensor<2x2x2xf32>, tensor<3x2xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1 : tensor<2x2x2xf32> -> tensor<2x8x2xf32>
  %1 = shard.all_gather %b on @g grid_axes = [0] gather_axis = 1 : tensor<3x2xf32> -> tensor<3x8xf32>
  %2 = math.absf %0 : tensor<2x8x2xf32>
  %3 = math.absf %1 : tensor<3x8xf32>
  %4 = shard.reduce_scatter %2 on @g grid_axes = [0] scatter_axis = 1 : tensor<2x8x2xf32> -> tensor<2x2x2xf32>
  %5 = shard.reduce_scatter %3 on @g grid_axes = [0] scatter_axis = 1 : tensor<3x8xf32> -> tensor<3x2xf32>
  return %4, %5 : tensor<2x2x2xf32>, tensor<3x2xf32>
}

// Row r goes to device r, and row r of the result comes from it. The last one cuts and joins
// one dimension.
// CHECK-LABEL: func @exchanges
// CHECK: %[[P:.*]] = shard.all_to_all %{{.*}} split_axis = 0 concat_axis = 0 : tensor<4x20xf32> -> tensor<4x20xf32>
// CHECK-NOT: shard.all_to_all
// CHECK: return
func.func @exchanges(%a: tensor<8x2xf32>, %b: tensor<3x4x2xf32>, %c: tensor<2x2x8xf32>, %d: tensor<2x4xf32>) -> (tensor<8x8xf32>, tensor<48x1x2xf32>, tensor<8x8x2xf32>, tensor<8x4xf32>) {
  %0 = shard.all_to_all %a on @g grid_axes = [0] split_axis = 0 concat_axis = 1 : tensor<8x2xf32> -> tensor<2x8xf32>
  %1 = shard.all_to_all %b on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<3x4x2xf32> -> tensor<12x1x2xf32>
  %2 = shard.all_to_all %c on @g grid_axes = [0] split_axis = 2 concat_axis = 1 : tensor<2x2x8xf32> -> tensor<2x8x2xf32>
  %3 = shard.all_to_all %d on @g grid_axes = [0] split_axis = 1 concat_axis = 1 : tensor<2x4xf32> -> tensor<2x4xf32>
  %4 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  %5 = shard.all_gather %1 on @g grid_axes = [0] gather_axis = 0 : tensor<12x1x2xf32> -> tensor<48x1x2xf32>
  %6 = shard.all_gather %2 on @g grid_axes = [0] gather_axis = 0 : tensor<2x8x2xf32> -> tensor<8x8x2xf32>
  %7 = shard.all_gather %3 on @g grid_axes = [0] gather_axis = 0 : tensor<2x4xf32> -> tensor<8x4xf32>
  return %4, %5, %6, %7 : tensor<8x8xf32>, tensor<48x1x2xf32>, tensor<8x8x2xf32>, tensor<8x4xf32>
}

// Short blocks have padding.
// CHECK-LABEL: func @short_blocks
// CHECK-COUNT-2: shard.all_gather %arg
// CHECK-COUNT-2: shard.all_to_all %arg
// CHECK: return
func.func @short_blocks(%a: tensor<2x8xf32>, %b: tensor<2x7xf32>) -> (tensor<7x8xf32>, tensor<7x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<7x8xf32>
  %1 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<7x8xf32>
  %2 = shard.all_to_all %b on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x7xf32> -> tensor<8x2xf32>
  %3 = shard.all_to_all %b on @g grid_axes = [0] split_axis = 1 concat_axis = 0 : tensor<2x7xf32> -> tensor<8x2xf32>
  return %0, %1, %2, %3 : tensor<7x8xf32>, tensor<7x8xf32>, tensor<8x2xf32>, tensor<8x2xf32>
}

// A large one stays alone beside small ones. To copy 589,824 bytes once in front
// and a quarter of them behind takes 0.7 microseconds; a transpose in front makes it 1.3, more
// than the latency.
// CHECK-LABEL: func @large_among_small
// CHECK: shard.all_reduce %arg1 {{.*}} : tensor<8388608xf32>
// CHECK: shard.reduce_scatter %arg3
// CHECK: shard.all_reduce %{{.*}} : tensor<16xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: shard.reduce_scatter %{{.*}} : tensor<4x36872xf32>
// CHECK-NOT: shard.reduce_scatter
// CHECK: return
func.func @large_among_small(%a: tensor<8xf32>, %b: tensor<8388608xf32>, %c: tensor<36864x4xf32>, %d: tensor<4x36864xf32>, %e: tensor<32xf32>) -> (tensor<8xf32>, tensor<8388608xf32>, tensor<8xf32>, tensor<9216x4xf32>, tensor<4x9216xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8388608xf32> -> tensor<8388608xf32>
  %x = math.absf %a : tensor<8xf32>
  %2 = shard.all_reduce %x on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %3 = shard.reduce_scatter %c on @g grid_axes = [0] scatter_axis = 0 : tensor<36864x4xf32> -> tensor<9216x4xf32>
  %4 = shard.reduce_scatter %d on @g grid_axes = [0] scatter_axis = 1 : tensor<4x36864xf32> -> tensor<4x9216xf32>
  %5 = shard.reduce_scatter %e on @g grid_axes = [0] scatter_axis = 0 : tensor<32xf32> -> tensor<8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<8xf32>, tensor<8388608xf32>, tensor<8xf32>, tensor<9216x4xf32>, tensor<4x9216xf32>, tensor<8xf32>
}
