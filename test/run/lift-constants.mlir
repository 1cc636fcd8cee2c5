// --lift-constants finds the weights of private functions, whose hints it keeps, and
// says when there is nothing to lift.

// RUN: split-file %s %t
// RUN: shard-run %t/layer.mlir --verify --lift-constants | FileCheck %s
// RUN: shard-run %t/none.mlir --verify --lift-constants 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: shard-opt %t/layer.mlir --inline | FileCheck %s --check-prefix=KEPT
// RUN: shard-opt %t/plain.mlir --inline | FileCheck %s --check-prefix=INLINED
// RUN: shard-opt %t/groups.mlir --inline | FileCheck %s --check-prefix=GROUPS

// CHECK: arg0      tensor<64x64xf32>  {{\[\[}}0], []]
// CHECK: arg1      tensor<64x64xf32>  {{\[\[}}0], []]
// CHECK: PASS
// NONE: remark: --lift-constants lifts nothing: 'main' has no float constant of more than 64 elements
// NONE: PASS

// What the signature asks for would be lost, so MLIR's pass keeps this call.
// KEPT: call @layer
// INLINED-LABEL: func.func @main
// INLINED-NOT: call @
// INLINED: shard.shard
// The second group of the same number would join the first.
// GROUPS-LABEL: func.func @main
// GROUPS: shard.group
// GROUPS: call @twins

//--- layer.mlir
shard.grid @g(shape = 2)
func.func private @layer(%a: tensor<64x64xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<64x64xf32> {
  %w = arith.constant dense<0.5> : tensor<64x64xf32>
  %r = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = arith.mulf %a, %w : tensor<64x64xf32>
  %1 = shard.shard %0 to %r : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = func.call @layer(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

//--- plain.mlir
shard.grid @g(shape = 2)
func.func private @layer(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %w = arith.constant dense<0.5> : tensor<64x64xf32>
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<64x64xf32>
  %1 = arith.mulf %0, %w : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
func.func @main(%a: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = func.call @layer(%a) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

//--- none.mlir
shard.grid @g(shape = 2)
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- groups.mlir
shard.grid @g(shape = 2)
func.func private @twins(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  shard.group %a, %b id = 0 : tensor<8xf32>, tensor<8xf32>
  %0 = arith.addf %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = func.call @twins(%a, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = func.call @twins(%0, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
