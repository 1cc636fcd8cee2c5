// A Cholesky decomposition by a loop, its rows split: the loop reads one element of what it
// carries at a place of the run. The device that has the element gives it; nothing gathers what
// changes in each iteration. What lies in front of a loop is exchanged once, there.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: all_reduce 0 8 32 B
// CHECK: all_gather 0 8 128 B
// CHECK-NOT: all_gather
// CHECK: PASS
// RUN: shard-run %s --entry in_front --verify | FileCheck %s --check-prefix=FRONT
// FRONT: all_to_all 0 1 64 B
// FRONT-NOT: all_gather
// FRONT-NOT: all_reduce
// FRONT: PASS

#at = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>
shard.grid @grid(shape = 2)

func.func @main(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %four = arith.constant 4.0 : f32
  %line = tensor.empty() : tensor<8xf32>
  %plane = tensor.empty() : tensor<8x8xf32>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%l = %a) -> (tensor<8x8xf32>) {
    %d = tensor.extract_slice %l[%k, %k] [1, 1] [1, 1] : tensor<8x8xf32> to tensor<f32>
    %pivot = tensor.extract %d[] : tensor<f32>
    %c = tensor.extract_slice %l[0, %k] [8, 1] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
    %scaled = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
        ins(%c : tensor<8xf32>) outs(%line : tensor<8xf32>) {
    ^bb0(%x: f32, %o: f32):
      %square = arith.mulf %pivot, %pivot : f32
      %positive = arith.addf %square, %four : f32
      %y = arith.divf %x, %positive : f32
      linalg.yield %y : f32
    } -> tensor<8xf32>
    %next = linalg.generic {indexing_maps = [#at, #row, #column, #at],
                            iterator_types = ["parallel", "parallel"]}
        ins(%l, %scaled, %scaled : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>)
        outs(%plane : tensor<8x8xf32>) {
    ^bb0(%x: f32, %i: f32, %j: f32, %o: f32):
      %product = arith.mulf %i, %j : f32
      %y = arith.subf %x, %product : f32
      linalg.yield %y : f32
    } -> tensor<8x8xf32>
    scf.yield %next : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

func.func @in_front(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                    %b: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%sum = %b) -> (tensor<8xf32>) {
    %row = tensor.extract_slice %a[%k, 0] [1, 8] [1, 1] : tensor<8x8xf32> to tensor<8xf32>
    %next = arith.subf %row, %sum : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
