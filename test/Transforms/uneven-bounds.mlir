// Blocks whose bounds a user gives are as uneven as he wants: no remark. Blocks of
// another value of the same extent get one.
//
// RUN: shard-opt %s --sharding-propagation -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark

shard.grid @grid(shape = 4)

func.func @bounds(%a: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]], offsets = [0, 1, 3, 6, 7]>}) -> tensor<7xf32> {
  %0 = math.exp %a : tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func @both(%a: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]], offsets = [0, 1, 3, 6, 7]>},
                %b: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<7xf32>, tensor<7xf32>) {
  %0 = math.exp %a : tensor<7xf32>
  // CHECK: uneven-bounds.mlir:[[@LINE+1]]:8: remark: a dimension of extent 7 is split unevenly by axis 0
  %1 = math.exp %b : tensor<7xf32>
  return %0, %1 : tensor<7xf32>, tensor<7xf32>
}
