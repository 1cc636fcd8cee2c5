// RUN: shard-opt %s --shard-overlap-collectives=min-gain=0 | FileCheck %s
// RUN: shard-opt %s --shard-overlap-collectives=min-gain=0 --shard-verify-spmd -o /dev/null
// RUN: shard-opt %s --shard-overlap-collectives | FileCheck %s --check-prefix=SMALL
// RUN: shard-opt %s --shard-overlap-collectives=min-gain=0 | shard-opt --shard-overlap-collectives=min-gain=0 | FileCheck %s

// Where less time is hidden than a start and a wait take, nothing changes.
// SMALL-NOT: shard.wait

shard.grid @g(shape = 4) {shard.machine = {name = "a100"}}

// What needs neither the result nor what depends on it moves in front of the wait.
// CHECK-LABEL: func @down
// CHECK: %[[R:.*]] = shard.all_reduce %arg0
// CHECK-NEXT: %[[E:.*]] = math.exp %arg1
// CHECK-NEXT: %[[W:.*]] = shard.wait %[[R]] of %arg0 : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[W]]
// CHECK-NEXT: math.exp %[[T]]
func.func @down(%a: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  %2 = math.exp %1 : tensor<8xf32>
  %3 = math.exp %x : tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// The collective moves up, behind the op that makes its operand.
// CHECK-LABEL: func @up
// CHECK: %[[A:.*]] = math.exp %arg0
// CHECK-NEXT: %[[R:.*]] = shard.all_gather %[[A]]
// CHECK-NEXT: %[[T:.*]] = math.tanh %arg1
// CHECK-NEXT: %[[W:.*]] = shard.wait %[[R]] of %[[A]]
// CHECK-NEXT: arith.addf %[[T]], %[[W]]
func.func @up(%a: tensor<2xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<2xf32>
  %1 = math.tanh %x : tensor<8xf32>
  %2 = shard.all_gather %0 on @g grid_axes = [0] gather_axis = 0 : tensor<2xf32> -> tensor<8xf32>
  %3 = arith.addf %1, %2 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// Nothing to hide: the result is needed at once, and all else depends on it.
// CHECK-LABEL: func @chain
// CHECK-NOT: shard.wait
func.func @chain(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// An op hides one collective.
// CHECK-LABEL: func @once
// CHECK: shard.wait
// CHECK-NOT: shard.wait
// CHECK: return
func.func @once(%a: tensor<8xf32>, %b: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %2 = math.exp %x : tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// An op that may fail guards those behind it, and a collective keeps its order with others.
// CHECK-LABEL: func @borders
// CHECK-NOT: shard.wait
func.func @borders(%a: tensor<8xf32>, %x: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  cf.assert %c, "no"
  %2 = math.exp %x : tensor<8xf32>
  %3 = shard.all_reduce %2 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// The second user of the result stays behind the wait.
// CHECK-LABEL: func @two_users
// CHECK: shard.all_reduce
// CHECK-NEXT: %[[E:.*]] = math.exp %arg1
// CHECK-NEXT: %[[W:.*]] = shard.wait
// CHECK-NEXT: math.tanh %[[W]]
// CHECK-NEXT: math.sin %[[W]]
func.func @two_users(%a: tensor<8xf32>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  %2 = math.sin %0 : tensor<8xf32>
  %3 = math.exp %x : tensor<8xf32>
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// bf16 that is combined in f32 is converted in front of the call: it runs to its end.
// CHECK-LABEL: func @converts
// CHECK-NOT: shard.wait
func.func @converts(%a: tensor<8xbf16>, %x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xbf16> -> tensor<8xf32>
  %1 = math.exp %x : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
