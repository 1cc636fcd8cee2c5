// Shardings that private functions return or get are stated where they are used.
// RUN: shard-opt %s -split-input-file -sharding-propagation -verify-diagnostics | FileCheck %s

shard.grid @g(shape = 4)

// CHECK-NOT: -> !shard.sharding
// CHECK-LABEL: func private @use(
// CHECK-SAME: %{{.*}}: tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0]]>}) -> (tensor<8xf32> {
// CHECK-LABEL: func @main
// CHECK-SAME: tensor<8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0]]>}
// CHECK: call @use(%{{.*}}) : (tensor<8xf32>) -> tensor<8xf32>
func.func private @make() -> (index, !shard.sharding) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %c = arith.constant 3 : index
  return %c, %s : index, !shard.sharding
}
func.func private @through(%s: !shard.sharding) -> !shard.sharding {
  return %s : !shard.sharding
}
func.func private @use(%t: tensor<8xf32>, %s: !shard.sharding) -> tensor<8xf32> {
  %0 = shard.shard %t to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @main(%t: tensor<8xf32>) -> (tensor<8xf32>, index) {
  %n, %s = func.call @make() : () -> (index, !shard.sharding)
  %u = func.call @through(%s) : (!shard.sharding) -> !shard.sharding
  %0 = func.call @use(%t, %u) : (tensor<8xf32>, !shard.sharding) -> tensor<8xf32>
  return %0, %n : tensor<8xf32>, index
}

// -----

// Each call of a private function passes its own.
shard.grid @g(shape = 4)

// CHECK-LABEL: func @two_calls
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
func.func private @use(%t: tensor<8x8xf32>, %s: !shard.sharding) -> tensor<8x8xf32> {
  %e = math.exp %t : tensor<8x8xf32>
  %0 = shard.shard %e to %s : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @two_calls(%t: tensor<8x8xf32>, %u: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %rows = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %columns = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = func.call @use(%t, %rows) : (tensor<8x8xf32>, !shard.sharding) -> tensor<8x8xf32>
  %1 = func.call @use(%u, %columns) : (tensor<8x8xf32>, !shard.sharding) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

// A public function may get any sharding, with or without a grid in sight.
func.func @public(%t: tensor<8xf32>, %s: !shard.sharding) -> tensor<8xf32> {
  // expected-error @below {{the sharding of this annotation is not known here; state it by shard.sharding, or take that of a value by shard.get_sharding}}
  %0 = shard.shard %t to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}
