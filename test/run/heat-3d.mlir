// The heat equation in a box, 100 steps by 7 points and by 27 points, on 2x2x2. Blocks
// of 6x6x6 have three neighbours at faces, three at edges and one at a corner; per step a
// device sends, of f32:
//   7 points    3 faces of 36 elements, each apart                      3 x 144 bytes
//   27 points   3 faces of 36, 3 edges of 6 and a corner: 127 elements      508 bytes

// RUN: shard-run %s --entry seven --verify | FileCheck %s --check-prefix=SEVEN
// RUN: shard-run %s --entry twenty_seven --verify | FileCheck %s --check-prefix=ALL
// RUN: shard-run %s --entry seven --grid 3x1x2 --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry twenty_seven --grid 1x5x2 --verify | FileCheck %s --check-prefix=PASS
// SEVEN-COUNT-3: update_halo  0, 1, 2    100               14.1 KiB
// SEVEN-NOT: {{all_gather|update_halo|shift}}
// SEVEN: PASS
// ALL: update_halo  0, 1, 2    100               49.6 KiB
// ALL-NOT: {{all_gather|update_halo|shift}}
// ALL: PASS
// PASS-NOT: all_gather
// PASS: {{^}}PASS

shard.grid @g(shape = 2x2x2)
func.func @seven(%a: tensor<12x12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) -> (tensor<12x12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant dense<0.0625> : tensor<12x12x12xf32>
  %six = arith.constant dense<6.0> : tensor<12x12x12xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 100 : index
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%u = %a) -> tensor<12x12x12xf32> {
    %p = tensor.pad %u low[1, 1, 1] high[1, 1, 1] {
    ^bb0(%x: index, %y: index, %z: index):
      tensor.yield %zero : f32
    } : tensor<12x12x12xf32> to tensor<14x14x14xf32>
    %n0 = tensor.extract_slice %p[0, 1, 1] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %n1 = tensor.extract_slice %p[2, 1, 1] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %n2 = tensor.extract_slice %p[1, 0, 1] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %n3 = tensor.extract_slice %p[1, 2, 1] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %n4 = tensor.extract_slice %p[1, 1, 0] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %n5 = tensor.extract_slice %p[1, 1, 2] [12, 12, 12] [1, 1, 1] : tensor<14x14x14xf32> to tensor<12x12x12xf32>
    %s1 = arith.addf %n0, %n1 : tensor<12x12x12xf32>
    %s2 = arith.addf %s1, %n2 : tensor<12x12x12xf32>
    %s3 = arith.addf %s2, %n3 : tensor<12x12x12xf32>
    %s4 = arith.addf %s3, %n4 : tensor<12x12x12xf32>
    %s5 = arith.addf %s4, %n5 : tensor<12x12x12xf32>
    %d = arith.mulf %u, %six : tensor<12x12x12xf32>
    %l = arith.subf %s5, %d : tensor<12x12x12xf32>
    %k = arith.mulf %l, %c : tensor<12x12x12xf32>
    %v = arith.addf %u, %k : tensor<12x12x12xf32>
    scf.yield %v : tensor<12x12x12xf32>
  }
  return %r : tensor<12x12x12xf32>
}
func.func @twenty_seven(%a: tensor<12x12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) -> (tensor<12x12x12xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[0.0078125, 0.015625, 0.0078125], [0.015625, 0.03125, 0.015625], [0.0078125, 0.015625, 0.0078125]],
                             [[0.015625, 0.03125, 0.015625], [0.03125, 0.5, 0.03125], [0.015625, 0.03125, 0.015625]],
                             [[0.0078125, 0.015625, 0.0078125], [0.015625, 0.03125, 0.015625], [0.0078125, 0.015625, 0.0078125]]]> : tensor<3x3x3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 100 : index
  %e = tensor.empty() : tensor<12x12x12xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<12x12x12xf32>) -> tensor<12x12x12xf32>
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%u = %a) -> tensor<12x12x12xf32> {
    %p = tensor.pad %u low[1, 1, 1] high[1, 1, 1] {
    ^bb0(%x: index, %y: index, %z: index):
      tensor.yield %zero : f32
    } : tensor<12x12x12xf32> to tensor<14x14x14xf32>
    %v = linalg.conv_3d ins(%p, %w : tensor<14x14x14xf32>, tensor<3x3x3xf32>) outs(%zeros : tensor<12x12x12xf32>) -> tensor<12x12x12xf32>
    scf.yield %v : tensor<12x12x12xf32>
  }
  return %r : tensor<12x12x12xf32>
}
