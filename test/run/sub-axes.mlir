// Hints by parts of an axis: propagation refines the grid, and arguments, results
// and signatures follow.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: [x0:(1)2]
// CHECK: [x0:(2)2]

shard.grid @grid(shape = 4x3) axes ["x0", "x1"]
func.func @main(
    %a: tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [["x0":(1)2]]>},
    %scale: tensor<i32> {shard.sharding = #shard.sharding<@grid, []>})
    -> (tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [["x0":(2)2]]>},
        tensor<i32> {shard.sharding = #shard.sharding<@grid, []>}) {
  %sum = arith.addi %a, %a : tensor<8xi32>
  return %sum, %scale : tensor<8xi32>, tensor<i32>
}
