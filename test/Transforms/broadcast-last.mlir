// What makes values larger comes after communication, what makes them smaller before it.
// RUN: shard-opt %s -shard-spmd | FileCheck %s
// RUN: shard-opt %s -sharding-propagation -o %t.once
// RUN: shard-opt %t.once -sharding-propagation | diff %t.once -
// RUN: shard-opt %s -sharding-propagation=traversal=forward | FileCheck %s --check-prefix=FORWARD
// RUN: shard-run %s --entry vector --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry bias --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry chain --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry slice --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-run %s --entry sum --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

shard.grid @g(shape = 4) axes ["a"]

// The vector is gathered, then broadcast.
// CHECK-LABEL: func.func @vector
// CHECK: %[[G:.*]] = shard.all_gather %{{.*}} : tensor<256xf32> -> tensor<1024xf32>
// CHECK: linalg.broadcast ins(%[[G]] : tensor<1024xf32>) outs(%{{.*}} : tensor<64x1024xf32>)
// CHECK-NOT: shard.all
// CHECK: return
func.func @vector(%b: tensor<1024xf32> {shard.sharding = #shard.sharding<@g, [["a"]]>})
    -> (tensor<256x1024xf32> {shard.sharding = #shard.sharding<@g, [["a"], []]>}) {
  %e = tensor.empty() : tensor<256x1024xf32>
  %bb = linalg.broadcast ins(%b : tensor<1024xf32>) outs(%e : tensor<256x1024xf32>) dimensions = [0]
  return %bb : tensor<256x1024xf32>
}

// The bias of an activation that is split by rows.
// CHECK-LABEL: func.func @bias
// CHECK: shard.all_gather %{{.*}} : tensor<16xf32> -> tensor<64xf32>
// CHECK: linalg.broadcast
// CHECK-NOT: shard.all
// CHECK: return
func.func @bias(%x: tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [["a"], []]>},
                %b: tensor<64xf32> {shard.sharding = #shard.sharding<@g, [["a"]]>}) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %bb = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<32x64xf32>) dimensions = [0]
  %y = arith.addf %x, %bb : tensor<32x64xf32>
  return %y : tensor<32x64xf32>
}

// Through ops between the broadcast and the hint.
// CHECK-LABEL: func.func @chain
// CHECK: shard.all_gather %{{.*}} : tensor<16xf32> -> tensor<64xf32>
// CHECK: linalg.broadcast
// CHECK-NOT: shard.all
// CHECK: return
func.func @chain(%b: tensor<64xf32> {shard.sharding = #shard.sharding<@g, [["a"]]>})
    -> (tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [["a"], []]>}) {
  %e = tensor.empty() : tensor<32x64xf32>
  %bb = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<32x64xf32>) dimensions = [0]
  %0 = math.exp %bb : tensor<32x64xf32>
  %1 = arith.mulf %0, %0 : tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// Where nothing else is said, the result is split as the operand is; also with one
// direction only.
// CHECK-LABEL: func.func @alone
// CHECK-NOT: shard.all
// CHECK: return %{{.*}} : tensor<32x16xf32>
// FORWARD-LABEL: func.func @alone
// FORWARD-SAME: -> (tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
func.func @alone(%b: tensor<64xf32> {shard.sharding = #shard.sharding<@g, [["a"]]>}) -> tensor<32x64xf32> {
  %e = tensor.empty() : tensor<32x64xf32>
  %bb = linalg.broadcast ins(%b : tensor<64xf32>) outs(%e : tensor<32x64xf32>) dimensions = [0]
  return %bb : tensor<32x64xf32>
}

// A slice is taken, then sent.
// CHECK-LABEL: func.func @slice
// CHECK: tensor.extract_slice %{{.*}} : tensor<8x64xf32> to tensor<8x4xf32>
// CHECK: shard.all_to_all %{{.*}} : tensor<8x4xf32> -> tensor<32x1xf32>
func.func @slice(%x: tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [["a"], []]>})
    -> (tensor<32x4xf32> {shard.sharding = #shard.sharding<@g, [[], ["a"]]>}) {
  %0 = tensor.extract_slice %x[0, 8] [32, 4] [1, 1] : tensor<32x64xf32> to tensor<32x4xf32>
  return %0 : tensor<32x4xf32>
}

// A sum is taken, then sent.
// CHECK-LABEL: func.func @sum
// CHECK: linalg.reduce
// CHECK: shard.all_gather %{{.*}} : tensor<8xf32> -> tensor<32xf32>
func.func @sum(%x: tensor<32x64xf32> {shard.sharding = #shard.sharding<@g, [["a"], []]>})
    -> (tensor<32xf32> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  %c = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32xf32>
  %z = linalg.fill ins(%c : f32) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<32x64xf32>) outs(%z : tensor<32xf32>) dimensions = [1]
  return %0 : tensor<32xf32>
}
