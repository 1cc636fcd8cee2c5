// A function without a body keeps what it states; its calls pass that, and nothing else.
// RUN: shard-opt %s -split-input-file -sharding-propagation -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: shard-opt %t.once -split-input-file -sharding-propagation | diff %t.once -
// RUN: shard-opt %s -split-input-file -shard-spmd -shard-verify-spmd | FileCheck %s --check-prefix=SPMD

shard.grid @g(shape = 4)

// CHECK-LABEL: func.func private @ext
// CHECK-SAME: (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], []]>})
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>}, index)
// CHECK: func.func @main
// CHECK-SAME: %{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>}
// SPMD: func.func private @ext
// SPMD-SAME: (tensor<2x8xf32> {{.*}}, tensor<8x8xf32> {{.*}}) -> (tensor<8x2xf32>
// SPMD: call @ext(%{{.*}}, %{{.*}}) : (tensor<2x8xf32>, tensor<8x8xf32>) -> (tensor<8x2xf32>, index)
func.func private @ext(tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, tensor<8x8xf32>)
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}, index)
func.func @main(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %a : tensor<8x8xf32>
  %1, %n = func.call @ext(%0, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> (tensor<8x8xf32>, index)
  %2 = math.exp %1 : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// -----

// What comes otherwise is resharded in front of the call. Open dimensions are closed:
// the code behind the declaration is there already.
shard.grid @g(shape = 4)

// CHECK-LABEL: func.func private @rows
// CHECK-SAME: (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>})
// SPMD-LABEL: func.func @columns
// SPMD: %[[A:.*]] = shard.all_to_all
// SPMD: call @rows(%[[A]]) : (tensor<2x8xf32>)
// SPMD-LABEL: func.func @other
// SPMD: %[[B:.*]] = shard.all_slice
// SPMD: call @rows(%[[B]]) : (tensor<2x8xf32>)
func.func private @rows(tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0], [?]]>})
func.func @columns(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  func.call @rows(%a) : (tensor<8x8xf32>) -> ()
  return
}
func.func @other(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[], []]>}) {
  func.call @rows(%a) : (tensor<8x8xf32>) -> ()
  return
}

// -----

// A part of an axis refines the grid for all that call one another.
shard.grid @g(shape = 4)

// CHECK: shard.grid @[[FINE:.*]](shape = 2x2) {refines = @g}
// CHECK-LABEL: func.func private @part
// CHECK-SAME: (tensor<8x8xf32> {shard.sharding = #shard.sharding<@[[FINE]], {{\[}}[0], []]>})
// SPMD: call @part(%{{.*}}) : (tensor<4x8xf32>)
func.func private @part(tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, [[0:(1)2], []]>})
func.func @main(%a: tensor<8x8xf32>) {
  func.call @part(%a) : (tensor<8x8xf32>) -> ()
  return
}

// -----

// A partial result is one summand per device.
shard.grid @g(shape = 4)

// SPMD-LABEL: func.func @summands
// SPMD: %[[P:.*]] = call @partial
// SPMD: shard.all_reduce %[[P]]
func.func private @partial() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[]], partial = sum [0]>})
func.func @summands() -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  %0 = func.call @partial() : () -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
