// Products whose collectives travel as rings beside their parts compute the same; as many
// bytes are sent as are predicted, and as the collectives would send.

// RUN: shard-run %s --entry rows --verify | FileCheck %s --check-prefix=WHOLE
// RUN: shard-run %s --entry rows --overlap --verify | FileCheck %s --check-prefix=ROWS
// RUN: shard-run %s --entry columns --overlap --verify | FileCheck %s --check-prefix=COLUMNS
// RUN: shard-run %s --entry sums --overlap --verify --link=1e9,1e-4 | FileCheck %s --check-prefix=SUMS
// RUN: shard-run %s --entry scatter --overlap --verify | FileCheck %s --check-prefix=SCATTER
// RUN: shard-run %s --entry batches --overlap --verify | FileCheck %s --check-prefix=BATCHES

// WHOLE: all_gather 0, 1 1 480 B 480 B
// WHOLE: {{^}}PASS
// ROWS: shift 0, 1 5 480 B 480 B
// ROWS-NOT: all_gather
// ROWS: {{^}}PASS
// COLUMNS: shift 0 2
// COLUMNS-NOT: all_gather
// COLUMNS: {{^}}PASS
// SUMS: shift 0 2
// SUMS-NOT: all_gather
// SUMS: {{^}}PASS
// SCATTER: shift 0 2
// SCATTER-NOT: reduce_scatter
// SCATTER: {{^}}PASS
// BATCHES: shift 0 2
// BATCHES-NOT: all_gather
// BATCHES: {{^}}PASS

shard.grid @g(shape = 3x2) {shard.machine = {flops32 = 1.0e8, link_bandwidth = 1.0e6, link_latency = 1.0e-9}}

// Each device needs all rows, for its columns of the result.
func.func @rows(%a: tensor<12x12xf32> {shard.sharding = #shard.sharding<@g, [[0, 1], []]>}, %b: tensor<12x36xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>})
    -> (tensor<12x36xf32> {shard.sharding = #shard.sharding<@g, [[], [0, 1]]>}) {
  %z = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<12x36xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<12x36xf32>) -> tensor<12x36xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<12x12xf32>, tensor<12x36xf32>) outs(%f : tensor<12x36xf32>) -> tensor<12x36xf32>
  return %1 : tensor<12x36xf32>
}

func.func @columns(%a: tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %b: tensor<12x12xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %c: tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %1 = linalg.matmul ins(%a, %b : tensor<36x12xf32>, tensor<12x12xf32>) outs(%c : tensor<36x12xf32>) -> tensor<36x12xf32>
  return %1 : tensor<36x12xf32>
}

// The weight is split along the rows that are summed over, the batch along the same axis.
func.func @sums(%a: tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %b: tensor<12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<36x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<36x12xf32>) -> tensor<36x12xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<36x12xf32>, tensor<12x12xf32>) outs(%f : tensor<36x12xf32>) -> tensor<36x12xf32>
  return %1 : tensor<36x12xf32>
}

func.func @scatter(%a: tensor<12x36xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, %b: tensor<36x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}, %c: tensor<12x12xf32> {shard.sharding = #shard.sharding<@g, [[], [1]]>})
    -> (tensor<12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) {
  %1 = linalg.matmul ins(%a, %b : tensor<12x36xf32>, tensor<36x12xf32>) outs(%c : tensor<12x12xf32>) -> tensor<12x12xf32>
  return %1 : tensor<12x12xf32>
}

// A contraction in batches, with its dimensions in another order.
func.func @batches(%a: tensor<2x36x5xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>}, %b: tensor<5x6xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>})
    -> (tensor<6x2x36xf32> {shard.sharding = #shard.sharding<@g, [[], [], [0]]>}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x2x36xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<6x2x36xf32>) -> tensor<6x2x36xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (k, j)>, affine_map<(b, i, j, k) -> (j, b, i)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<2x36x5xf32>, tensor<5x6xf32>) outs(%f : tensor<6x2x36xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.mulf %x, %y : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<6x2x36xf32>
  return %1 : tensor<6x2x36xf32>
}
