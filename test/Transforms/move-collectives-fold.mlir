// What moves may then stand next to what undoes it, and in front of what a loop changes:
// the gather moves behind the op, where a slice takes it back; the other operand is sliced
// once, in front of the loop.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3x3x2xf32> {{.*}}, %[[B:[a-z0-9]+]]: tensor<1x3x4xf32>
// CHECK: %[[S:.*]] = shard.all_slice %[[B]] on @grid grid_axes = [0] slice_axis = 2
// CHECK: scf.for
// CHECK-NOT: = shard.
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[S]] : tensor<1x3x2xf32>, tensor<1x3x2xf32>)
// CHECK-NOT: = shard.
// CHECK: scf.yield
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  shard.grid @grid(shape = 2)
  func.func @main(%arg0: tensor<3x3x4xf32>, %arg1: tensor<1x3x4xf32>) -> (tensor<3x3x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>}) {
    %0 = scf.forall (%arg5) in (3) shared_outs(%arg7 = %arg0) -> (tensor<3x3x4xf32>) {
      %extracted_slice_0 = tensor.extract_slice %arg7[%arg5, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<3x3x4xf32> to tensor<1x3x4xf32>
      %3 = tensor.empty() : tensor<1x3x4xi32>
      %4:2 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_0, %arg1 : tensor<1x3x4xf32>, tensor<1x3x4xf32>) outs(%3, %extracted_slice_0 : tensor<1x3x4xi32>, tensor<1x3x4xf32>) attrs =  {shard.loops = #shard.sharding<@grid, [[], [], []]>} {
      ^bb0(%in: f32, %in_1: f32, %out: i32, %out_2: f32):
        %5 = arith.fptosi %in_1 : f32 to i32
        linalg.yield %5, %in_1 : i32, f32
      } -> (tensor<1x3x4xi32>, tensor<1x3x4xf32>)
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %4#1 into %arg7[%arg5, 0, 0] [1, 3, 4] [1, 1, 1] : tensor<1x3x4xf32> into tensor<3x3x4xf32>
      }
    }
    return %0 : tensor<3x3x4xf32>
  }
}
