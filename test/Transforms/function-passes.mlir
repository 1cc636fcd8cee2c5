// On one function alone the passes see no caller: only public functions, whose
// stated signature is what they are called by, are changed so.

// RUN: shard-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation))' --split-input-file --verify-diagnostics=only-expected | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-partition --split-input-file -o /dev/null

shard.grid @grid(shape = 2)
// expected-error @+1 {{propagation of a private function must see its calls; run it on the module}}
func.func private @sharded(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Without any hint there is nothing to do, neither for the private function nor
// for the declaration.

// CHECK: shard.grid @whole
shard.grid @whole(shape = 2)
// CHECK: func.func private @outside(tensor<8xf32>)
func.func private @outside(tensor<8xf32>)
// CHECK: func.func private @unsharded(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> {
func.func private @unsharded(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: math.exp
  %0 = math.exp %a : tensor<8xf32>
  // CHECK-NEXT: return
  return %0 : tensor<8xf32>
}
// CHECK: func.func @public(%{{.*}}: tensor<8xf32> {shard.sharding = {{.*}}) -> (tensor<8xf32> {shard.sharding = {{.*}}) {
func.func @public(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@whole, [[0]]>}) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
