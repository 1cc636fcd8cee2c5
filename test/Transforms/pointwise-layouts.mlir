// Pointwise ops work on blocks with halos or explicit offsets as they are, and results of
// functions keep them.
// RUN: shard-opt %s -sharding-propagation -o %t.once
// RUN: shard-opt %t.once -sharding-propagation | diff %t.once -
// RUN: shard-opt %s -shard-spmd | FileCheck %s

shard.grid @g(shape = 4)

// The result keeps its halo, and nothing that is exchanged is thrown away.
// CHECK-LABEL: func.func @halo_of_result
// CHECK-SAME: -> (tensor<5x16xf32> {shard.local = #shard.local<tensor<8x16xf32>, <@g, {{\[}}[0], []], halo = [2, 1]>>})
// CHECK: %[[U:.*]] = shard.update_halo
// CHECK-NEXT: return %[[U]]
func.func @halo_of_result(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [2, 1] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8x16xf32>
  %1 = shard.shard %0 to %h annotate_for_users : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// No exchange but the first.
// CHECK-LABEL: func.func @halo_through_elementwise
// CHECK: shard.update_halo
// CHECK-NEXT: math.tanh %{{.*}} : tensor<6x16xf32>
// CHECK-NEXT: math.absf %{{.*}} : tensor<6x16xf32>
// CHECK-NEXT: return
func.func @halo_through_elementwise(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 1] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = math.tanh %0 : tensor<16x16xf32>
  %2 = shard.shard %1 to %h : tensor<16x16xf32>
  %3 = shard.shard %2 to %h annotate_for_users : tensor<16x16xf32>
  %4 = math.absf %3 : tensor<16x16xf32>
  %5 = shard.shard %4 to %h : tensor<16x16xf32>
  return %5 : tensor<16x16xf32>
}

// Operands that are made out of nothing are made with the halo, as inits are.
// CHECK-LABEL: func.func @made_to_order
// CHECK: arith.constant dense<2.000000e+00> : tensor<7x16xf32>
// CHECK-COUNT-2: shard.update_halo
// CHECK-NOT: shard.
// CHECK: arith.addf {{.*}} : tensor<7x16xf32>
// CHECK-NEXT: arith.mulf %{{.*}} : tensor<7x16xf32>
// CHECK-NEXT: math.exp {{.*}} : tensor<7x16xf32>
// CHECK-NEXT: return
func.func @made_to_order(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = shard.shard %b to %h annotate_for_users : tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %c = arith.constant dense<2.0> : tensor<16x16xf32>
  %2 = linalg.add ins(%0, %1 : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = arith.mulf %2, %c : tensor<16x16xf32>
  %4 = linalg.exp ins(%3 : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %4 : tensor<16x16xf32>
}

// Offsets that all tensors agree on stay.
// CHECK-LABEL: func.func @offsets
// CHECK-SAME: -> (tensor<?xf32> {shard.local = #shard.local<tensor<10xf32>, <@g, {{\[}}[0]], offsets = [0, 1, 3, 6, 10]>>})
// CHECK-NOT: shard.all
// CHECK: arith.addf %{{.*}} : tensor<?xf32>
// CHECK-NOT: shard.all
// CHECK: arith.mulf %{{.*}} : tensor<?xf32>
// CHECK-NEXT: return
func.func @offsets(%a: tensor<10xf32>, %b: tensor<10xf32>) -> tensor<10xf32> {
  %h = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 1, 3, 6, 10] : !shard.sharding
  %0 = shard.shard %a to %h : tensor<10xf32>
  %1 = shard.shard %b to %h : tensor<10xf32>
  %2 = arith.addf %0, %1 : tensor<10xf32>
  %c = arith.constant dense<2.0> : tensor<10xf32>
  %3 = arith.mulf %2, %c : tensor<10xf32>
  return %3 : tensor<10xf32>
}

// A hint without a halo is obeyed; nothing is computed on a halo in vain.
// CHECK-LABEL: func.func @hinted
// CHECK: %[[T:.*]] = tensor.extract_slice
// CHECK: math.exp %[[T]] : tensor<4x16xf32>
func.func @hinted(%a: tensor<16x16xf32>) -> (tensor<16x16xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16x16xf32>
  %1 = math.exp %0 : tensor<16x16xf32>
  %2 = shard.shard %1 to %s : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// Beyond the edge of the tensor a halo may have any element: a division by it would stop
// the program, so the halo is trimmed. So it is for an op that asks where it is.
// CHECK-LABEL: func.func @not_pointwise
// CHECK: arith.divsi %{{.*}} : tensor<4xi32>
// CHECK: linalg.generic
// CHECK-SAME: tensor<4xi32>
#map = affine_map<(d0) -> (d0)>
func.func @not_pointwise(%a: tensor<16xi32>) -> (tensor<16xi32>, tensor<16xi32>) {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16xi32>
  %c = arith.constant dense<3> : tensor<16xi32>
  %e = tensor.empty() : tensor<16xi32>
  %1 = arith.divsi %c, %0 : tensor<16xi32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%0 : tensor<16xi32>) outs(%e : tensor<16xi32>) {
  ^bb0(%x: i32, %o: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %y = arith.addi %x, %n : i32
    linalg.yield %y : i32
  } -> tensor<16xi32>
  return %1, %2 : tensor<16xi32>, tensor<16xi32>
}

// Two returns that agree, and two that do not.
// CHECK-LABEL: func.func @returns
// CHECK-SAME: -> (tensor<7xf32> {{.*}}, tensor<4xf32>
func.func @returns(%a: tensor<16xf32>, %p: i1) -> (tensor<16xf32>, tensor<16xf32>) {
  %h = shard.sharding @g split_axes = [[0]] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16xf32>
  cf.cond_br %p, ^a, ^b
^a:
  return %0, %0 : tensor<16xf32>, tensor<16xf32>
^b:
  %1 = math.exp %0 : tensor<16xf32>
  return %1, %a : tensor<16xf32>, tensor<16xf32>
}

// A result never takes the layout of summands, also not those of a group of one
// device.
// CHECK-LABEL: func.func @summands
// CHECK-NOT: partial
// CHECK: return
shard.grid @one(shape = 4x1)
func.func @summands(%a: tensor<16xf32>) -> tensor<16xf32> {
  %h = shard.sharding @one split_axes = [[0]] partial = sum [1] halo_sizes = [1, 2] : !shard.sharding
  %0 = shard.shard %a to %h annotate_for_users : tensor<16xf32>
  return %0 : tensor<16xf32>
}
