// Halos of one dimension are computed, those of a dynamic one are known only when the
// program runs and are exchanged. The configuration of lit lets malloc fill memory, so
// that what nothing has written shows.
//
// RUN: shard-run %s --verify --halo-steps=2 2>&1 | FileCheck %s
// CHECK: update_halo
// CHECK: PASS

shard.grid @grid(shape = 2x2) axes ["x", "y"] {uneven_dynamic}

func.func @main(%start: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["y"]]>})
    -> (tensor<?x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>}, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  // Its steps are unrolled, and what they read is computed again.
  %steps = scf.for %i = %c0 to %c2 step %c1 iter_args(%u = %start) -> (tensor<8x8xf32>) {
    %around = tensor.pad %u low[0, 1] high[0, 1] {
    ^bb0(%a: index, %b: index):
      tensor.yield %zero : f32
    } : tensor<8x8xf32> to tensor<8x10xf32>
    %left = tensor.extract_slice %around[0, 0] [8, 8] [1, 1] : tensor<8x10xf32> to tensor<8x8xf32>
    %right = tensor.extract_slice %around[0, 2] [8, 8] [1, 1] : tensor<8x10xf32> to tensor<8x8xf32>
    %sum = arith.addf %left, %right : tensor<8x8xf32>
    scf.yield %sum : tensor<8x8xf32>
  }
  // A fill grows as well: any part of it costs nothing.
  %made = tensor.empty(%c12) : tensor<?x8xf32>
  %filled = linalg.fill ins(%zero : f32) outs(%made : tensor<?x8xf32>) -> tensor<?x8xf32>
  %padded = tensor.pad %filled low[0, 1] high[1, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %one : f32
  } : tensor<?x8xf32> to tensor<?x9xf32>
  %rows = tensor.dim %filled, %c0 : tensor<?x8xf32>
  %window = tensor.empty() : tensor<2x2xf32>
  %out = tensor.empty(%rows) : tensor<?x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<?x8xf32>) -> tensor<?x8xf32>
  %sums = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i + k, j + l)>, affine_map<(i, j, k, l) -> (k, l)>, affine_map<(i, j, k, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%padded, %window : tensor<?x9xf32>, tensor<2x2xf32>) outs(%init : tensor<?x8xf32>) {
  ^bb0(%in: f32, %unused: f32, %sum: f32):
    %next = arith.addf %in, %sum : f32
    linalg.yield %next : f32
  } -> tensor<?x8xf32>
  return %sums, %steps : tensor<?x8xf32>, tensor<8x8xf32>
}
