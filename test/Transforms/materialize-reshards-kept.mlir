// Each communication is a step on global types, or a remark says that it is not. What a
// region captures, and what a tie asks for, are steps like others.

// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards --verify-diagnostics | FileCheck %s
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards 2>/dev/null | shard-run - --entry captures --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards 2>/dev/null | shard-run - --entry tie --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-opt %s --sharding-propagation --shard-materialize-reshards 2>/dev/null | shard-run - --entry element_in_loop --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @g(shape = 4)
shard.grid @h(shape = 2x2)

// CHECK-LABEL: func.func @window
// CHECK-NOT: shard.step
func.func @window(%x: tensor<18xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %k: tensor<3xf32>) -> (tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  %z = arith.constant dense<0.0> : tensor<16xf32>
  // expected-remark@+1 {{the exchange of what 'linalg.conv_1d' reads of operand 0 beyond its block is no step in the program; partition makes it}}
  %y = linalg.conv_1d ins(%x, %k : tensor<18xf32>, tensor<3xf32>) outs(%z : tensor<16xf32>) -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// CHECK-LABEL: func.func @grids
// CHECK-NOT: shard.step
func.func @grids(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@h, [[], [0, 1]]>}) {
  %e = math.exp %x : tensor<8x4xf32>
  %s = shard.sharding @h split_axes = [[], [0, 1]] : !shard.sharding
  // expected-remark@+1 {{the move from grid @g to grid @h is no step in the program; partition makes it}}
  %t = shard.shard %e to %s annotate_for_users : tensor<8x4xf32>
  %u = math.exp %t : tensor<8x4xf32>
  return %u : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @captures
// CHECK: %[[C:.*]] = shard.shard %{{.*}} annotate_for_users {shard.step = "all_gather"} : tensor<8x4xf32>
// CHECK: tensor.generate
// CHECK: tensor.extract %[[C]]
func.func @captures(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %e = math.exp %x : tensor<8x4xf32>
  // expected-remark @+1 {{'tensor.generate' takes a tensor from outside whole into its body, for 'tensor.extract': dimension 0 is gathered over axis 0}}
  %r = tensor.generate {
  ^bb0(%i: index, %j: index):
    %q = tensor.extract %e[%j, %j] : tensor<8x4xf32>
    tensor.yield %q : f32
  } : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @element_in_loop
func.func @element_in_loop(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %empty = tensor.empty() : tensor<8x4xf32>
  %e = math.exp %x : tensor<8x4xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %empty) -> (tensor<8x4xf32>) {
    // expected-remark@+1 {{the reshard of operand 0 of 'tensor.extract', which no annotation states, is no step in the program; partition makes it}}
    %q = tensor.extract %e[%c0, %c0] : tensor<8x4xf32>
    %t = tensor.splat %q : tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @tie
// CHECK: shard.shard %{{.*}} annotate_for_users {shard.step = "all_to_all"} : tensor<8x4xf32>
func.func @tie(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %y: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<8x4xf32> {
  %s = shard.get_sharding %x : tensor<8x4xf32> -> !shard.sharding
  %z = math.exp %y : tensor<8x4xf32>
  %t = shard.shard %z to %s annotate_for_users : tensor<8x4xf32>
  %u = arith.addf %t, %x : tensor<8x4xf32>
  return %u : tensor<8x4xf32>
}
