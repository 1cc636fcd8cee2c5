// A report partitions a program in which anything states a sharding, and takes any other one as
// the program of one device. The large argument has 128 bytes, of which a device has 32.

// RUN: shard-opt %s --shard-report --split-input-file -o /dev/null 2>&1 | FileCheck %s

// CHECK: program argument,
// CHECK: arguments 32 B,
shard.grid @g(shape = 4)
func.func @argument(%a: tensor<32xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<32xf32> {
  %0 = arith.negf %a : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// CHECK: program second_result,
// CHECK: arguments 32 B,
shard.grid @g(shape = 4)
func.func @second_result(%a: tensor<32xf32>) -> (tensor<f32>, tensor<32xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  %c = arith.constant dense<1.0> : tensor<f32>
  %0 = arith.negf %a : tensor<32xf32>
  return %c, %0 : tensor<f32>, tensor<32xf32>
}

// -----

// CHECK: program encoded_argument,
// CHECK: arguments 36 B,
shard.grid @g(shape = 4)
func.func @encoded_argument(%a: tensor<32xf32, #shard.sharding<@g, [[0]]>>, %b: tensor<f32>) -> tensor<f32> {
  return %b : tensor<f32>
}

// -----

// CHECK: program encoded_result,
// CHECK: arguments 36 B,
shard.grid @g(shape = 4)
func.func @encoded_result(%a: tensor<32xf32>, %b: tensor<f32>) -> (tensor<f32>, tensor<32xf32, #shard.sharding<@g, [[0]]>>) {
  %0 = tensor.cast %a : tensor<32xf32> to tensor<32xf32, #shard.sharding<@g, [[0]]>>
  return %b, %0 : tensor<f32>, tensor<32xf32, #shard.sharding<@g, [[0]]>>
}

// -----

// CHECK: program annotation,
// CHECK: arguments 32 B,
shard.grid @g(shape = 4)
func.func @annotation(%a: tensor<32xf32>) -> tensor<32xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<32xf32>
  %1 = arith.negf %0 : tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// CHECK: program constraint,
// CHECK: arguments 32 B,
shard.grid @g(shape = 4)
func.func @constraint(%a: tensor<32xf32>) -> tensor<32xf32> {
  %0 = shard.constraint %a to <@g, [[0]]> : tensor<32xf32>
  %1 = arith.negf %0 : tensor<32xf32>
  return %1 : tensor<32xf32>
}

// -----

// CHECK: program hint_of_op,
// CHECK: arguments 32 B,
shard.grid @g(shape = 4)
func.func @hint_of_op(%a: tensor<32xf32>) -> tensor<32xf32> {
  %0 = arith.negf %a {shard.sharding = #shard.sharding<@g, [[0]]>} : tensor<32xf32>
  return %0 : tensor<32xf32>
}

// -----

// CHECK: program nothing,
// CHECK: arguments 128 B,
shard.grid @g(shape = 4)
func.func @nothing(%a: tensor<32xf32>) -> (tensor<32xf32>, tensor<f32>) {
  %c = arith.constant dense<1.0> : tensor<f32>
  %0 = arith.negf %a : tensor<32xf32>
  return %0, %c : tensor<32xf32>, tensor<f32>
}
