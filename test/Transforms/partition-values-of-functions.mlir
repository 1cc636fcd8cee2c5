// A function that is used as a value keeps its type.
// RUN: shard-opt %s -split-input-file -shard-spmd -verify-diagnostics | FileCheck %s

shard.grid @g(shape = 4)
// expected-note @below {{the function}}
func.func private @f(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  // expected-error @below {{makes a value of function @f, whose arguments or results are sharded; call it directly, or state that they are replicated}}
  %f = func.constant @f : (tensor<8xf32>) -> tensor<8xf32>
  %0 = func.call_indirect %f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// With replicated arguments it is called with gathered operands.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @gathered
// CHECK: %[[G:.*]] = shard.all_gather
// CHECK: call {{.*}}(%[[G]]) : (tensor<8xf32>) -> tensor<8xf32>
func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @gathered(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %p: i1) -> tensor<8xf32> {
  %f = func.constant @f : (tensor<8xf32>) -> tensor<8xf32>
  %h = arith.select %p, %f, %f : (tensor<8xf32>) -> tensor<8xf32>
  // expected-remark @below {{'func.call_indirect' has no sharding model: its sharded operands are gathered on every device}}
  %0 = func.call_indirect %h(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Tensors within values of other types stay whole.
shard.grid @g(shape = 4)
// CHECK-LABEL: func.func @async
// CHECK: %[[G:.*]] = shard.all_gather
// CHECK: async.execute -> !async.value<tensor<8xf32>>
// CHECK: math.exp %[[G]] : tensor<8xf32>
func.func @async(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  // expected-remark @below {{'async.execute' has no sharding model: its sharded operands are gathered on every device}}
  %token, %v = async.execute -> !async.value<tensor<8xf32>> {
    %0 = math.exp %a : tensor<8xf32>
    async.yield %0 : tensor<8xf32>
  }
  %r = async.await %v : !async.value<tensor<8xf32>>
  return %r : tensor<8xf32>
}
