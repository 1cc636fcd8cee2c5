// Halos along an axis of one device lie outside of the tensor: they keep what they hold, also where
// the halos of another dimension take elements of a neighbour. Without elements in the core all
// elements are halos.
// RUN: shard-run %s --verify | FileCheck %s

// CHECK: {{^}}PASS
shard.grid @grid(shape = 1x4) axes ["one", "four"]

func.func @main(%x: tensor<8x12xi32>) -> (tensor<8x12xi32>, tensor<8x12xi32>) {
  %0:2 = shard.manual_computation(%x) on @grid in = [<@grid, [["one"], ["four"]]>]
      out = [<@grid, [["one"], ["four"]]>, <@grid, [["one"], ["four"]]>] axes = ["one", "four"] (%b: tensor<8x3xi32>) {
    %1 = shard.update_halo %b on @grid split_axes = [[0], [1]] halo_sizes = [2, 1, 0, 1] : tensor<8x3xi32>
    %2 = shard.update_halo %b on @grid split_axes = [[0], [1]] halo_sizes = [8, 0, 1, 1] : tensor<8x3xi32>
    shard.return %1, %2 : tensor<8x3xi32>, tensor<8x3xi32>
  } : (tensor<8x12xi32>) -> (tensor<8x12xi32>, tensor<8x12xi32>)
  return %0#0, %0#1 : tensor<8x12xi32>, tensor<8x12xi32>
}
