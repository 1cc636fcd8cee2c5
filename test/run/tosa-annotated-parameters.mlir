// Zero points, shifts and other one-element parameters of tosa ops may carry
// annotations, as LLVM's propagation writes them.

// RUN: shard-run %s --verify --entry matmul | FileCheck %s
// RUN: shard-run %s --verify --entry matmul --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry negate | FileCheck %s
// RUN: shard-run %s --verify --entry multiply | FileCheck %s
// RUN: shard-run %s --verify --entry pad | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 4)

func.func @matmul(%a: tensor<1x8x16xf32>, %b: tensor<1x16x32xf32>) -> tensor<1x8x32xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %k = shard.sharding @g split_axes = [[], [], [0]] : !shard.sharding
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %0 = shard.shard %a to %k : tensor<1x8x16xf32>
  %z0 = shard.shard %z to %r : tensor<1xf32>
  %z1 = shard.shard %z0 to %r annotate_for_users : tensor<1xf32>
  %1 = tosa.matmul %0, %b, %z0, %z1 : (tensor<1x8x16xf32>, tensor<1x16x32xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x32xf32>
  return %1 : tensor<1x8x32xf32>
}

func.func @negate(%a: tensor<8x16xi8> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x16xi8> {
  %z = "tosa.const"() {values = dense<3> : tensor<1xi8>} : () -> tensor<1xi8>
  %z0 = shard.constraint %z to <@g, [[]]> : tensor<1xi8>
  %1 = tosa.negate %a, %z0, %z0 : (tensor<8x16xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<8x16xi8>
  return %1 : tensor<8x16xi8>
}

func.func @multiply(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xi32> {
  %z = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %z0 = shard.shard %z to %r : tensor<1xi8>
  %1 = tosa.mul %a, %a, %z0 : (tensor<8xi32>, tensor<8xi32>, tensor<1xi8>) -> tensor<8xi32>
  return %1 : tensor<8xi32>
}

func.func @pad(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x6xf32> {
  %p = tosa.const_shape {values = dense<[0, 0, 1, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %z = "tosa.const"() {values = dense<3.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r = shard.sharding @g split_axes = [[]] : !shard.sharding
  %z0 = shard.shard %z to %r : tensor<1xf32>
  %1 = tosa.pad %a, %p, %z0 : (tensor<8x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<8x6xf32>
  return %1 : tensor<8x6xf32>
}
