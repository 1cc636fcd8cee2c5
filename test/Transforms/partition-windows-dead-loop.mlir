// A loop of no use goes with the views inside, once.

// RUN: shard-opt %s --sharding-propagation --shard-partition | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT: scf.for
// CHECK: math.exp %{{.*}} : tensor<4x4xf32>

shard.grid @grid(shape = 2)
func.func @main(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %p = tensor.pad %a low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<8x4xf32> to tensor<10x4xf32>
  %dead = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %a) -> tensor<8x4xf32> {
    %q = tensor.pad %u low[1, 0] high[1, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<8x4xf32> to tensor<10x4xf32>
    %l = tensor.extract_slice %q[2, 0] [8, 4] [1, 1] : tensor<10x4xf32> to tensor<8x4xf32>
    %m = arith.addf %u, %l : tensor<8x4xf32>
    scf.yield %m : tensor<8x4xf32>
  }
  %s = tensor.extract_slice %dead[1, 0] [6, 4] [1, 1] : tensor<8x4xf32> to tensor<6x4xf32>
  %e = math.exp %a : tensor<8x4xf32>
  return %e : tensor<8x4xf32>
}
