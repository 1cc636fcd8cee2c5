// Two values of different layouts share the block of one constant. The gather of the one does not
// move in front of the constant with a slice for the other: the slice would have zeros behind the
// uneven blocks of the first layout, where the other one has elements.

// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// CHECK: PASS

// SPMD-LABEL: func.func @main
// SPMD: %[[FILL:.*]] = linalg.fill ins(%{{.*}}) outs(%{{.*}} : tensor<2xf32>)
// SPMD: linalg.generic {{.*}} outs(%[[FILL]] : tensor<2xf32>)
// SPMD-NOT: shard.all_slice
// SPMD: return
shard.grid @grid(shape = 3x2)
func.func @main(%a: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0]]>},
                %b: tensor<3xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>})
    -> (tensor<7xf32>, tensor<10xf32>) {
  %two = arith.constant -2.0 : f32
  %least = arith.constant -100.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %w = linalg.fill ins(%two : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %f = tensor.empty() : tensor<7xf32>
  %init = linalg.fill ins(%least : f32) outs(%f : tensor<7xf32>) -> tensor<7xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%a, %w : tensor<7xf32>, tensor<1xf32>) outs(%init : tensor<7xf32>) {
  ^bb0(%x: f32, %y: f32, %m: f32):
    %more = arith.maximumf %y, %m : f32
    linalg.yield %more : f32
  } -> tensor<7xf32>
  %joined = tensor.concat dim(0) %init, %b : (tensor<7xf32>, tensor<3xf32>) -> tensor<10xf32>
  return %max, %joined : tensor<7xf32>, tensor<10xf32>
}
