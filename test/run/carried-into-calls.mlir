// What a loop carries goes into a call whose function states columns; the loop begins with
// rows. The carried tensors take the columns, and the operand is exchanged once in front of the
// loop, not for each call.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: all_to_all 0 1 48 B
// CHECK-NOT: all_to_all
// CHECK: PASS

shard.grid @grid(shape = 2)
func.func private @next(%a: tensor<8x6xf32>, %b: tensor<8x6xf32>)
    -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %0 = math.tanh %a : tensor<8x6xf32>
  return %b, %0 : tensor<8x6xf32>, tensor<8x6xf32>
}
func.func @columns(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> tensor<8x6xf32> {
  %0 = arith.addf %a, %a : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
func.func @main(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %b: tensor<8x6xf32>) -> (tensor<8x6xf32>, tensor<8x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a, %y = %b)
      -> (tensor<8x6xf32>, tensor<8x6xf32>) {
    %s:2 = func.call @next(%x, %y) : (tensor<8x6xf32>, tensor<8x6xf32>)
        -> (tensor<8x6xf32>, tensor<8x6xf32>)
    %p = func.call @columns(%s#0) : (tensor<8x6xf32>) -> tensor<8x6xf32>
    scf.yield %p, %s#1 : tensor<8x6xf32>, tensor<8x6xf32>
  }
  return %r#0, %r#1 : tensor<8x6xf32>, tensor<8x6xf32>
}
