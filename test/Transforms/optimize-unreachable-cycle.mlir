// In blocks that are never reached ops may take each other's results. Each pass ends.
//
// RUN: shard-opt %s --shard-move-collectives | FileCheck %s
// RUN: shard-opt %s --shard-sink-reductions | FileCheck %s
// RUN: shard-opt %s --shard-optimize-collectives | FileCheck %s
// CHECK: shard.all_gather
// CHECK: return

shard.grid @grid(shape = 4)
func.func @f(%x: tensor<2xf32>) -> tensor<8xf32> {
  %g = shard.all_gather %x on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  return %g : tensor<8xf32>
^bb1:
  %a = arith.addf %b, %x : tensor<2xf32>
  %b = arith.addf %a, %x : tensor<2xf32>
  %h = shard.all_gather %b on @grid grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  %t = math.tanh %h : tensor<8xf32>
  %r = shard.all_reduce %t on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %c = arith.mulf %r, %h : tensor<8xf32>
  cf.br ^bb2(%c : tensor<8xf32>)
^bb2(%d: tensor<8xf32>):
  return %d : tensor<8xf32>
}
