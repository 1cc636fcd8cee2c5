// All windows of a stencil take one exchange of halos, also where blocks are short.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-opt %s --grid 3x2 --shard-spmd | FileCheck %s
// RUN: shard-opt %s --grid 8x1 --shard-spmd | FileCheck %s
// RUN: shard-run %s --entry nine_points --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry nine_points --grid 3x2 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry nine_points --grid 8x1 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry corner_last --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2x2)

// The columns are 5 and 4. The first windows leave out the padding of the second block, and so
// do the halos that hold them; those of the side that comes last hold all. On 3x2 devices the
// blocks of the padded tensor begin where those of the first slice do, and are of no use for that
// slice alone; on 8x1 some devices have no elements.

// CHECK-LABEL: func.func @nine_points
// CHECK-COUNT-1: shard.update_halo {{.*}} halo_sizes = [1, 1, [[W:[01]]], [[W]]]
// CHECK-NOT: shard.update_halo
// CHECK: return
func.func @nine_points(%u: tensor<10x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) -> tensor<10x9xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %u low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<10x9xf32> to tensor<12x11xf32>
  %nw = tensor.extract_slice %p[0, 0] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %n = tensor.extract_slice %p[0, 1] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %ne = tensor.extract_slice %p[0, 2] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %w = tensor.extract_slice %p[1, 0] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %e = tensor.extract_slice %p[1, 2] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %sw = tensor.extract_slice %p[2, 0] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %s = tensor.extract_slice %p[2, 1] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %se = tensor.extract_slice %p[2, 2] [10, 9] [1, 1] : tensor<12x11xf32> to tensor<10x9xf32>
  %0 = arith.addf %nw, %n : tensor<10x9xf32>
  %1 = arith.addf %0, %ne : tensor<10x9xf32>
  %2 = arith.addf %1, %w : tensor<10x9xf32>
  %3 = arith.addf %2, %e : tensor<10x9xf32>
  %4 = arith.addf %3, %sw : tensor<10x9xf32>
  %5 = arith.addf %4, %s : tensor<10x9xf32>
  %6 = arith.addf %5, %se : tensor<10x9xf32>
  return %6 : tensor<10x9xf32>
}

// The windows of a row and of a column have no exchange in common. That of the corner, which
// comes last, holds both.

// CHECK-LABEL: func.func @corner_last
// CHECK-COUNT-1: shard.update_halo {{.*}} halo_sizes = [1, 0, {{[01]}}, 0]
// CHECK-NOT: shard.update_halo
// CHECK: return
func.func @corner_last(%u: tensor<10x12xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) -> tensor<10x12xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %u low[1, 1] high[0, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<10x12xf32> to tensor<11x13xf32>
  %n = tensor.extract_slice %p[0, 1] [10, 12] [1, 1] : tensor<11x13xf32> to tensor<10x12xf32>
  %w = tensor.extract_slice %p[1, 0] [10, 12] [1, 1] : tensor<11x13xf32> to tensor<10x12xf32>
  %nw = tensor.extract_slice %p[0, 0] [10, 12] [1, 1] : tensor<11x13xf32> to tensor<10x12xf32>
  %0 = arith.addf %n, %w : tensor<10x12xf32>
  %1 = arith.addf %0, %nw : tensor<10x12xf32>
  return %1 : tensor<10x12xf32>
}
