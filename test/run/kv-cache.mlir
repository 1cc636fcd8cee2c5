// Steps of a decoder with a cache of keys and values. Split by position, the row is
// written where it lives and scores are computed where their keys are; the softmax completes
// its maxima and sums, one number of each head, and the sum over positions is completed.
// Split by heads, the loop sends nothing. The cache is never gathered.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s
// RUN: shard-run %s --entry by_position --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry by_position --grid 3 --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry by_heads --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry by_heads --grid 3 --verify | FileCheck %s --check-prefix=PASS
// PASS: {{^}}PASS

// CHECK-LABEL: func.func @by_position
// CHECK-NOT: {{shard.(all_gather|all_reduce|all_to_all|update_halo|shift|reduce_scatter|permute)}}
// CHECK: shard.all_reduce {{.*}} max : tensor<4x1xf32>
// CHECK-NOT: {{shard.(all_gather|all_reduce|all_to_all|update_halo|shift|reduce_scatter|permute)}}
// CHECK: shard.all_reduce {{.*}} : tensor<4x1xf32>
// CHECK-NOT: {{shard.(all_gather|all_reduce|all_to_all|update_halo|shift|reduce_scatter|permute)}}
// CHECK: shard.all_reduce {{.*}} : tensor<4x1x8xf32>
// CHECK-NOT: {{shard.(all_gather|all_reduce|all_to_all|update_halo|shift|reduce_scatter|permute)}}
// CHECK-LABEL: func.func @by_heads
// CHECK-NOT: {{shard.(all_gather|all_reduce|all_to_all|update_halo|shift|reduce_scatter|permute)}}
// CHECK: return

shard.grid @g(shape = 4)

func.func @by_position(%keys: tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                 %values: tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                 %q: tensor<4x1x8xf32>, %k: tensor<4x1x8xf32>, %v: tensor<4x1x8xf32>)
    -> (tensor<4x1x8xf32>, tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}, tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e+30 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c12 = arith.constant 12 : index
  %start = tensor.empty() : tensor<4x1x8xf32>
  %o = linalg.fill ins(%zero : f32) outs(%start : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %r:3 = scf.for %at = %c9 to %c12 step %c1 iter_args(%x = %q, %ks = %keys, %vs = %values) -> (tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>) {
    %k1 = arith.mulf %x, %k : tensor<4x1x8xf32>
    %kn = tensor.insert_slice %k1 into %ks[0, %at, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x16x8xf32>
    %vn = tensor.insert_slice %v into %vs[0, %at, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x16x8xf32>
    %e = tensor.empty() : tensor<4x1x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
        ins(%x, %kn : tensor<4x1x8xf32>, tensor<4x16x8xf32>) outs(%z : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    // Later positions do not count.
    %masked = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%scores : tensor<4x1x16xf32>) outs(%e : tensor<4x1x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = linalg.index 2 : index
      %counts = arith.cmpi sle, %n, %at : index
      %m = arith.select %counts, %a, %low : f32
      linalg.yield %m : f32
    } -> tensor<4x1x16xf32>
    %p = linalg.softmax dimension(2) ins(%masked : tensor<4x1x16xf32>) outs(%e : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %y = linalg.batch_matmul ins(%p, %vn : tensor<4x1x16xf32>, tensor<4x16x8xf32>) outs(%o : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    scf.yield %y, %kn, %vn : tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>
}

func.func @by_heads(%keys: tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>},
                 %values: tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>},
                 %q: tensor<4x1x8xf32>, %k: tensor<4x1x8xf32>, %v: tensor<4x1x8xf32>)
    -> (tensor<4x1x8xf32>, tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>}, tensor<4x16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [], []]>}) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e+30 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c12 = arith.constant 12 : index
  %start = tensor.empty() : tensor<4x1x8xf32>
  %o = linalg.fill ins(%zero : f32) outs(%start : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %r:3 = scf.for %at = %c9 to %c12 step %c1 iter_args(%x = %q, %ks = %keys, %vs = %values) -> (tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>) {
    %k1 = arith.mulf %x, %k : tensor<4x1x8xf32>
    %kn = tensor.insert_slice %k1 into %ks[0, %at, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x16x8xf32>
    %vn = tensor.insert_slice %v into %vs[0, %at, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x16x8xf32>
    %e = tensor.empty() : tensor<4x1x16xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %scores = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>]
        ins(%x, %kn : tensor<4x1x8xf32>, tensor<4x16x8xf32>) outs(%z : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    // Later positions do not count.
    %masked = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%scores : tensor<4x1x16xf32>) outs(%e : tensor<4x1x16xf32>) {
    ^bb0(%a: f32, %b: f32):
      %n = linalg.index 2 : index
      %counts = arith.cmpi sle, %n, %at : index
      %m = arith.select %counts, %a, %low : f32
      linalg.yield %m : f32
    } -> tensor<4x1x16xf32>
    %p = linalg.softmax dimension(2) ins(%masked : tensor<4x1x16xf32>) outs(%e : tensor<4x1x16xf32>) -> tensor<4x1x16xf32>
    %y = linalg.batch_matmul ins(%p, %vn : tensor<4x1x16xf32>, tensor<4x16x8xf32>) outs(%o : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    scf.yield %y, %kn, %vn : tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4x1x8xf32>, tensor<4x16x8xf32>, tensor<4x16x8xf32>
}
