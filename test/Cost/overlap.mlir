// What a program takes whose device computes while its link sends. On this machine an
// exp of 1000 elements touches 8000 bytes in 8 us, and an all_reduce of them sends
// 6000 bytes in 6 us, and takes 1 us besides.
// RUN: shard-opt %s --shard-report="json" -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s

// JSON: "seconds": {{1.4999|1.5}}
// JSON: "seconds": {{7.9999|8}}
shard.grid @g(shape = 4) {shard.machine = {memory_bandwidth = 1.0e9, link_bandwidth = 1.0e9,
                                           link_latency = 1.0e-6, flops32 = 1.0e15}}

// CHECK-LABEL: program apart
// CHECK-NOT: computing beside sending
func.func @apart(%a: tensor<1000xf32>, %x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
  %1 = math.exp %x : tensor<1000xf32>
  return %0, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// The longer one of both.
// CHECK-LABEL: program beside
// CHECK: computing beside sending 0.008 ms, of 0.015 ms
func.func @beside(%a: tensor<1000xf32>, %x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
  %1 = math.exp %x : tensor<1000xf32>
  %2 = shard.wait %0 of %a : tensor<1000xf32>, tensor<1000xf32>
  return %2, %1 : tensor<1000xf32>, tensor<1000xf32>
}

// The second collective waits for the first one, and the exp for neither.
// CHECK-LABEL: program queued
// CHECK: computing beside sending 0.014 ms, of 0.022 ms
func.func @queued(%a: tensor<1000xf32>, %x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
  %1 = shard.all_reduce %x on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
  %2 = math.exp %x : tensor<1000xf32>
  %3 = shard.wait %0 of %a : tensor<1000xf32>, tensor<1000xf32>
  %4 = shard.wait %1 of %x : tensor<1000xf32>, tensor<1000xf32>
  return %3, %4, %2 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
}

// Ten times 8 us, behind the 7 us that are under way in front of the loop.
// CHECK-LABEL: program loop
// CHECK: computing beside sending 0.087 ms, of 0.157 ms
func.func @loop(%a: tensor<1000xf32>, %x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
  %1:2 = scf.for %i = %c0 to %c10 step %c1 iter_args(%b = %a, %y = %x) -> (tensor<1000xf32>, tensor<1000xf32>) {
    %2 = shard.all_reduce %b on @g grid_axes = [0] : tensor<1000xf32> -> tensor<1000xf32>
    %3 = math.exp %y : tensor<1000xf32>
    %4 = shard.wait %2 of %b : tensor<1000xf32>, tensor<1000xf32>
    scf.yield %4, %3 : tensor<1000xf32>, tensor<1000xf32>
  }
  %5 = shard.wait %0 of %a : tensor<1000xf32>, tensor<1000xf32>
  return %5, %1#0, %1#1 : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
}
