// Two fields that a stencil couples, in two dimensions, 7 steps: one exchange for each
// pair of steps and one for the last, however many steps one serves.

// RUN: shard-run %s --halo-steps=1 --verify | FileCheck %s --check-prefix=ONE
// RUN: shard-run %s --halo-steps=2 --verify | FileCheck %s --check-prefix=TWO
// RUN: shard-run %s --halo-steps=3 --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --halo-steps=2 --entry uneven --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --halo-steps=5 --entry uneven --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --halo-steps=9 --verify | FileCheck %s --check-prefix=PASS
// ONE-COUNT-2: update_halo{{ +}}0, 1{{ +}}7
// ONE-NOT: {{update_halo|all_gather}}
// ONE: {{^}}PASS
// TWO-COUNT-2: update_halo{{ +}}0, 1{{ +}}3
// TWO-COUNT-2: update_halo{{ +}}0, 1{{ +}}1
// TWO-NOT: {{update_halo|all_gather}}
// TWO: {{^}}PASS
// PASS: {{^}}PASS

shard.grid @g(shape = 2x2)
func.func @main(%a: tensor<12x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}, %b: tensor<12x16xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) -> (tensor<12x16xf32>, tensor<12x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant dense<0.5> : tensor<12x16xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %r:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%u = %a, %v = %b) -> (tensor<12x16xf32>, tensor<12x16xf32>) {
    %p = tensor.pad %u low[1, 0] high[1, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<12x16xf32> to tensor<14x16xf32>
    %n = tensor.extract_slice %p[0, 0] [12, 16] [1, 1] : tensor<14x16xf32> to tensor<12x16xf32>
    %s = tensor.extract_slice %p[2, 0] [12, 16] [1, 1] : tensor<14x16xf32> to tensor<12x16xf32>
    %q = tensor.pad %v low[0, 1] high[0, 1] {
    ^bb0(%x: index, %y: index):
      tensor.yield %one : f32
    } : tensor<12x16xf32> to tensor<12x18xf32>
    %w = tensor.extract_slice %q[0, 0] [12, 16] [1, 1] : tensor<12x18xf32> to tensor<12x16xf32>
    %e = tensor.extract_slice %q[0, 2] [12, 16] [1, 1] : tensor<12x18xf32> to tensor<12x16xf32>
    %ns = arith.subf %n, %s : tensor<12x16xf32>
    %we = arith.subf %w, %e : tensor<12x16xf32>
    %d = arith.mulf %ns, %half : tensor<12x16xf32>
    %f = arith.mulf %we, %half : tensor<12x16xf32>
    %u1 = arith.addf %u, %f : tensor<12x16xf32>
    %v1 = arith.subf %v, %d : tensor<12x16xf32>
    scf.yield %u1, %v1 : tensor<12x16xf32>, tensor<12x16xf32>
  }
  return %r#0, %r#1 : tensor<12x16xf32>, tensor<12x16xf32>
}

// 11 rows on 2, 13 columns on 2; the place of an element counts.
func.func @uneven(%a: tensor<11x13xf32> {shard.sharding = #shard.sharding<@g, [[0], [1]]>}) -> tensor<11x13xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%u = %a) -> tensor<11x13xf32> {
    %p = tensor.pad %u low[1, 2] high[1, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<11x13xf32> to tensor<13x15xf32>
    %e = tensor.empty() : tensor<11x13xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<11x13xf32>) -> tensor<11x13xf32>
    %w = tensor.empty() : tensor<3x3xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        ins(%p, %w : tensor<13x15xf32>, tensor<3x3xf32>) outs(%f : tensor<11x13xf32>) {
    ^bb0(%in: f32, %unused: f32, %out: f32):
      %m = arith.maximumf %in, %out : f32
      linalg.yield %m : f32
    } -> tensor<11x13xf32>
    %t = linalg.generic {
        indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%s : tensor<11x13xf32>) outs(%e : tensor<11x13xf32>) {
    ^bb0(%in: f32, %out: f32):
      %row = linalg.index 0 : index
      %column = linalg.index 1 : index
      %sum = arith.addi %row, %column : index
      %number = arith.index_cast %sum : index to i32
      %float = arith.sitofp %number : i32 to f32
      %scaled = arith.divf %in, %float : f32
      %less = arith.subf %in, %scaled : f32
      linalg.yield %less : f32
    } -> tensor<11x13xf32>
    scf.yield %t : tensor<11x13xf32>
  }
  return %r : tensor<11x13xf32>
}
