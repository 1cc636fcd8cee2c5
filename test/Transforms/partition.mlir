// RUN: shard-opt %s --shard-partition --split-input-file | FileCheck %s

// Column-parallel then row-parallel weights: one all_reduce, nothing else.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: %[[X:[a-z0-9_]+]]: tensor<8x16xf32>
// CHECK-SAME: %[[W1:[a-z0-9_]+]]: tensor<16x8xf32> {shard.local = #shard.local<tensor<16x32xf32>, <@grid, {{\[\[\], \[0\]\]}}>>}
// CHECK-SAME: %[[W2:[a-z0-9_]+]]: tensor<8x16xf32> {shard.local = #shard.local<tensor<32x16xf32>, <@grid, {{\[\[0\], \[\]\]}}>>}
// CHECK-SAME: -> (tensor<8x16xf32> {shard.local
// CHECK: %[[H:[a-z0-9_]+]] = linalg.matmul ins(%[[X]], %[[W1]] : tensor<8x16xf32>, tensor<16x8xf32>)
// CHECK: %[[T:[a-z0-9_]+]] = math.tanh %[[H]] : tensor<8x8xf32>
// CHECK: %[[O:[a-z0-9_]+]] = linalg.matmul ins(%[[T]], %[[W2]]
// CHECK-NOT: shard.
// CHECK: %[[R:[a-z0-9_]+]] = shard.all_reduce %[[O]] on @grid grid_axes = [0] : tensor<8x16xf32> -> tensor<8x16xf32>
// CHECK-NEXT: return %[[R]]
func.func @mlp(%x: tensor<8x16xf32>,
    %w1: tensor<16x32xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %w2: tensor<32x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<8x16xf32> {
  %s = shard.sharding @grid split_axes = [[], [0]] : !shard.sharding
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x32xf32>
  %es = shard.shard %e to %s : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%es : tensor<8x32xf32>) -> tensor<8x32xf32>
  %fs = shard.shard %f to %s : tensor<8x32xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x16xf32>, tensor<16x32xf32>) outs(%fs : tensor<8x32xf32>) -> tensor<8x32xf32>
  %hs = shard.shard %h to %s : tensor<8x32xf32>
  %t = math.tanh %hs : tensor<8x32xf32>
  %ts = shard.shard %t to %s : tensor<8x32xf32>
  %e2 = tensor.empty() : tensor<8x16xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  %o = linalg.matmul ins(%ts, %w2 : tensor<8x32xf32>, tensor<32x16xf32>) outs(%f2 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %o : tensor<8x16xf32>
}

// -----

// The same product with a row-sharded result: one reduce_scatter instead.

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @scatter(
// CHECK: %[[O:[a-z0-9_]+]] = linalg.matmul
// CHECK-NEXT: %[[R:[a-z0-9_]+]] = shard.reduce_scatter %[[O]] on @grid grid_axes = [0] scatter_axis = 0 : tensor<8x16xf32> -> tensor<2x16xf32>
// CHECK-NEXT: return %[[R]]
func.func @scatter(
    %a: tensor<8x32xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %b: tensor<32x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %o = linalg.matmul ins(%a, %b : tensor<8x32xf32>, tensor<32x16xf32>) outs(%zero : tensor<8x16xf32>) -> tensor<8x16xf32>
  %os = shard.shard %o to %s : tensor<8x16xf32>
  return %os : tensor<8x16xf32>
}

// -----

// An init that is not neutral counts on the first device of the group only.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @init(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x4xi32> {{.*}}, %[[I:[a-z0-9_]+]]: tensor<4xi32>
// CHECK-DAG: %[[C:[a-z0-9_]+]] = shard.process_multi_index on @grid axes = [0]
// CHECK-DAG: %[[Z:[a-z0-9_]+]] = arith.constant dense<0> : tensor<4xi32>
// CHECK: %[[FIRST:[a-z0-9_]+]] = arith.cmpi eq, %[[C]]
// CHECK: %[[INIT:[a-z0-9_]+]] = arith.select %[[FIRST]], %[[I]], %[[Z]] : tensor<4xi32>
// CHECK: %[[P:[a-z0-9_]+]] = linalg.reduce {{.*}} ins(%[[A]] : tensor<4x4xi32>) outs(%[[INIT]] : tensor<4xi32>)
// CHECK: shard.all_reduce %[[P]]
func.func @init(
    %a: tensor<4x8xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %i: tensor<4xi32>) -> tensor<4xi32> {
  %r = linalg.reduce {arith.addi} ins(%a : tensor<4x8xi32>) outs(%i : tensor<4xi32>) dimensions = [1]
  return %r : tensor<4xi32>
}

// -----

// What mixes elements of an uneven dimension, or may trap on padding, sees the
// valid elements only.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @uneven_reduction(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x4xi32>
// CHECK: %[[V:[a-z0-9_]+]] = tensor.extract_slice %[[A]][0, 0] [4, %{{.*}}] [1, 1] : tensor<4x4xi32> to tensor<4x?xi32>
// CHECK: linalg.reduce {{.*}} ins(%[[V]] : tensor<4x?xi32>)
func.func @uneven_reduction(
    %a: tensor<4x7xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<4xi32> {
  %zero = arith.constant dense<0> : tensor<4xi32>
  %r = linalg.reduce {arith.addi} ins(%a : tensor<4x7xi32>) outs(%zero : tensor<4xi32>) dimensions = [1]
  return %r : tensor<4xi32>
}
// CHECK-LABEL: func.func @uneven_division(
// CHECK-COUNT-2: tensor.extract_slice {{.*}} : tensor<4xi32> to tensor<?xi32>
// CHECK: arith.divsi {{.*}} : tensor<?xi32>
// CHECK: tensor.insert_slice {{.*}} : tensor<?xi32> into tensor<4xi32>
func.func @uneven_division(
    %a: tensor<7xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %b: tensor<7xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<7xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %d = arith.divsi %a, %b : tensor<7xi32>
  %ds = shard.shard %d to %s : tensor<7xi32>
  return %ds : tensor<7xi32>
}

// -----

// linalg.index counts globally.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @index(
// CHECK: %[[C:[a-z0-9_]+]] = shard.process_multi_index on @grid axes = [0]
// CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.muli %[[C]], %{{.*}} : index
// CHECK: linalg.generic
// CHECK: %[[I:[a-z0-9_]+]] = linalg.index 0
// CHECK-NEXT: arith.addi %[[I]], %[[OFFSET]]
func.func @index(%a: tensor<8xindex> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<8xindex> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%a : tensor<8xindex>) {
  ^bb0(%x: index):
    %i = linalg.index 0 : index
    %y = arith.addi %x, %i : index
    linalg.yield %y : index
  } -> tensor<8xindex>
  %rs = shard.shard %r to %s : tensor<8xindex>
  return %rs : tensor<8xindex>
}

// -----

// Loops carry local values; branches reshard to what their targets have.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @loop(
// CHECK: scf.for {{.*}} iter_args(%[[ACC:[a-z0-9_]+]] = %{{.*}}) -> (tensor<4xf32>)
// CHECK-NEXT: %[[B:[a-z0-9_]+]] = math.exp %[[ACC]] : tensor<4xf32>
// CHECK-NEXT: scf.yield %[[B]] : tensor<4xf32>
func.func @loop(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<8xf32> {
    %as = shard.shard %a to %s : tensor<8xf32>
    %b = math.exp %as : tensor<8xf32>
    %bs = shard.shard %b to %s : tensor<8xf32>
    scf.yield %bs : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[COND:[a-z0-9_]+]]: i1, %[[A:[a-z0-9_]+]]: tensor<4xf32> {{.*}}, %[[B:[a-z0-9_]+]]: tensor<8xf32>
// CHECK: %[[SLICE:[a-z0-9_]+]] = shard.all_slice %[[B]]
// CHECK: cf.cond_br %[[COND]], ^bb1(%[[A]] : tensor<4xf32>), ^bb1(%[[SLICE]] : tensor<4xf32>)
// CHECK: ^bb1(%[[R:[a-z0-9_]+]]: tensor<4xf32>)
func.func @branches(%cond: i1, %a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
                    %b: tensor<8xf32>) -> tensor<8xf32> {
  cf.cond_br %cond, ^bb1(%a : tensor<8xf32>), ^bb1(%b : tensor<8xf32>)
^bb1(%r: tensor<8xf32>):
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %rs = shard.shard %r to %s : tensor<8xf32>
  return %rs : tensor<8xf32>
}

// -----

// Calls pass what the signature of the callee states.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func private @callee(tensor<4xf32> {shard.local = {{.*}}}) -> (tensor<8xf32> {shard.local = {{.*}}})
func.func private @callee(tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32>
// CHECK-LABEL: func.func @caller(
// CHECK: %[[SLICE:[a-z0-9_]+]] = shard.all_slice
// CHECK-NEXT: %[[R:[a-z0-9_]+]] = call @callee(%[[SLICE]]) : (tensor<4xf32>) -> tensor<8xf32>
// CHECK-NEXT: return %[[R]]
func.func @caller(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) -> tensor<8xf32> {
  %r = call @callee(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Without a grid nothing changes.

// CHECK-LABEL: func.func @untouched(%{{.*}}: tensor<8xf32>) -> tensor<8xf32>
func.func @untouched(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
