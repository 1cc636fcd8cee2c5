// A sharding as the encoding of a tensor type is a hint.
// RUN: split-file %s %t
// RUN: shard-opt %t/main.mlir -sharding-propagation | FileCheck %s --implicit-check-not="f32, #shard"
// RUN: shard-opt %t/main.mlir -shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %t/main.mlir --verify | FileCheck %s --check-prefix=SAME
// RUN: shard-opt %t/errors.mlir -split-input-file -sharding-propagation -verify-diagnostics
// RUN: not shard-opt %t/main.mlir -shard-partition 2>&1 | FileCheck %s --check-prefix=UNREAD

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[0], []]>}, %{{.*}}: tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
// CHECK-SAME: -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>}, tensor<8x8xf32> {shard.sharding = #shard.sharding<@g, {{\[}}[], [0]]>})
// SPMD: func.func @main
// SPMD: math.exp %{{.*}} : tensor<2x8xf32>
// SPMD: shard.all_to_all
// SPMD: arith.addf %{{.*}} : tensor<8x2xf32>
// SAME: PASS
// UNREAD: error: has a tensor type with a sharding as its encoding, which propagation reads; run sharding-propagation before shard-partition

//--- main.mlir
shard.grid @g(shape = 4) axes ["a"]
func.func @main(%a: tensor<8x8xf32, #shard.sharding<@g, [["a"], []]>>, %b: tensor<8x8xf32>)
    -> (tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>, tensor<8x8xf32>) {
  %0 = math.exp %a : tensor<8x8xf32, #shard.sharding<@g, [["a"], []]>>
  %1 = tensor.cast %0 : tensor<8x8xf32, #shard.sharding<@g, [["a"], []]>> to tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32, #shard.sharding<@g, [["a"]]>>
  %kk = tensor.expand_shape %k [[0, 1]] output_shape [1, 8] : tensor<8xf32, #shard.sharding<@g, [["a"]]>> into tensor<1x8xf32>
  %c = tensor.cast %b : tensor<8x8xf32> to tensor<8x8xf32, #shard.sharding<@g, [[?], [?]]>>
  %d = tensor.cast %c : tensor<8x8xf32, #shard.sharding<@g, [[?], [?]]>> to tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>
  %2 = arith.addf %1, %d : tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>
  %p = arith.constant true
  %3 = scf.if %p -> tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>> {
    scf.yield %2 : tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>
  } else {
    scf.yield %1 : tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>
  }
  %4 = tensor.cast %3 : tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>> to tensor<8x8xf32>
  return %2, %4 : tensor<8x8xf32, #shard.sharding<@g, [[], [0]]>>, tensor<8x8xf32>
}

//--- errors.mlir
shard.grid @g(shape = 4)
// expected-error @below {{the encoding of 'tensor<8xf32, #shard.sharding<@h, [[0]]>>' names grid @h, which is not in scope}}
func.func @no_grid(%a: tensor<8xf32, #shard.sharding<@h, [[0]]>>) {
  return
}

// -----

shard.grid @g(shape = 4)
func.func @rank(%a: tensor<8xf32>) {
  // expected-error @below {{the encoding of 'tensor<8xf32, #shard.sharding<@g, [[0], []]>>': sharding has 2 dimensions, but 'tensor<8xf32, #shard.sharding<@g, [[0], []]>>' has rank 1}}
  %0 = tensor.cast %a : tensor<8xf32> to tensor<8xf32, #shard.sharding<@g, [[0], []]>>
  return
}

// -----

shard.grid @g(shape = 4)
// expected-error @below {{argument 0 of 'both' has the sharding #shard.sharding<@g, [[]]> and the encoding #shard.sharding<@g, [[0]]>, which differs; write one of them}}
func.func @both(%a: tensor<8xf32, #shard.sharding<@g, [[0]]>> {shard.sharding = #shard.sharding<@g, [[]]>}) {
  return
}
