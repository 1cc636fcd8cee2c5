// Integers of 65 to 96 bits take 16 bytes in memory, as LLVM's layout for the processor
// says. The configuration of lit lets malloc fill memory, and glibc checks its own.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// Both results are computed of the products, so that these are sent: 2 blocks of 12 elements.
// CHECK: all_gather 0 1 384 B
// CHECK: PASS

shard.grid @grid(shape = 3)
func.func @main(%x: tensor<3x3x1x4xi32>, %y: tensor<36xi64> {shard.sharding = #shard.sharding<@grid, [[0]]>},
                %z: tensor<36xi64> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<4x3x3x1xi32>, tensor<36xi64> {shard.sharding = #shard.sharding<@grid, [[]]>},
        tensor<36xi64> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %wide = arith.extui %x : tensor<3x3x1x4xi32> to tensor<3x3x1x4xi65>
  %sharding = shard.sharding @grid split_axes = [[], [], [0], []] : !shard.sharding
  %split = shard.shard %wide to %sharding annotate_for_users : tensor<3x3x1x4xi65>
  %empty = tensor.empty() : tensor<4x3x3x1xi65>
  %moved = linalg.transpose ins(%split : tensor<3x3x1x4xi65>) outs(%empty : tensor<4x3x3x1xi65>)
      permutation = [3, 1, 0, 2]
  %0 = arith.trunci %moved : tensor<4x3x3x1xi65> to tensor<4x3x3x1xi32>
  %1 = arith.extsi %y : tensor<36xi64> to tensor<36xi96>
  %z1 = arith.extsi %z : tensor<36xi64> to tensor<36xi96>
  %2 = arith.muli %1, %z1 : tensor<36xi96>
  %c = arith.constant dense<20> : tensor<36xi96>
  %3 = arith.shrsi %2, %c : tensor<36xi96>
  %4 = arith.trunci %3 : tensor<36xi96> to tensor<36xi64>
  %5 = arith.trunci %2 : tensor<36xi96> to tensor<36xi64>
  return %0, %4, %5 : tensor<4x3x3x1xi32>, tensor<36xi64>, tensor<36xi64>
}
