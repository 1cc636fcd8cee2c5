// Generic ops that fill or apply one elementwise op are written as such; inits that are not read
// become tensor.empty; numbers are written into bodies.

// RUN: shard-opt %s --shard-normalize-ops --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-raise-elementwise --split-input-file | FileCheck %s --check-prefix=RAISED

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#number = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: func.func @fills
// CHECK-SAME: %[[X:.*]]: f32, %[[E:.*]]: tensor<4x8xf32>
// CHECK: linalg.fill ins(%[[X]] : f32) outs(%[[E]]
// CHECK: %[[TWO:.*]] = arith.constant 2.0
// CHECK: linalg.fill ins(%[[TWO]] : f32) outs(%[[E]]
// CHECK: linalg.fill ins(%[[X]] : f32) outs(%[[E]]
func.func @fills(%x: f32, %e: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#number, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : f32) outs(%e : tensor<4x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x8xf32>
  %1 = linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    %two = arith.constant 2.0 : f32
    linalg.yield %two : f32
  } -> tensor<4x8xf32>
  %2 = linalg.generic {indexing_maps = [#same], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<4x8xf32>) {
  ^bb0(%out: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A diagonal leaves elements as they are. A hint for loops in another order than the dimensions
// of the result stays with its op.

shard.grid @g(shape = 2)
#diagonal = affine_map<(d0) -> (d0, d0)>
#turned = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func.func @no_fills
// CHECK-NOT: linalg.fill
// CHECK-NOT: tensor.empty
func.func @no_fills(%x: f32, %e: tensor<8x8xf32>, %f: tensor<?x8xf32>) -> (tensor<8x8xf32>, tensor<?x8xf32>) {
  %0 = linalg.generic {indexing_maps = [#diagonal], iterator_types = ["parallel"]}
      outs(%e : tensor<8x8xf32>) {
  ^bb0(%out: f32):
    linalg.yield %x : f32
  } -> tensor<8x8xf32>
  %1 = linalg.generic {indexing_maps = [#turned], iterator_types = ["parallel", "parallel"],
                       shard.loops = #shard.sharding<@g, [[0], []]>}
      outs(%f : tensor<?x8xf32>) {
  ^bb0(%out: f32):
    %y = arith.addf %out, %x : f32
    linalg.yield %y : f32
  } -> tensor<?x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<?x8xf32>
}

// -----

#same = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @inits
// CHECK-SAME: %[[A:.*]]: tensor<?xf32>, %[[B:.*]]: tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(
// RAISED: arith.addf %{{.*}}, %{{.*}} fastmath<nnan> : tensor<?xf32>
// RAISED: linalg.generic
// RAISED: linalg.generic
// CHECK: %[[N:.*]] = tensor.dim %[[A]]
// CHECK: %[[NEW:.*]] = tensor.empty(%[[N]]) : tensor<?xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]], %[[B]] : {{.*}}) outs(%[[NEW]] :
// CHECK: linalg.generic {{.*}} ins(%[[A]] : {{.*}}) outs(%[[B]] :
func.func @inits(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %y, %x fastmath<nnan> : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%a : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.mulf %s, %y : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<?xf32>) outs(%b : tensor<?xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s = arith.addf %x, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// Numbers. The loop of the second op is told by its constant alone, which stays.

#same = affine_map<(d0, d1) -> (d0, d1)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#rows = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @numbers
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<4x8xf32>
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<4x8xf32>) outs(
// CHECK: arith.constant 3.0
// CHECK: arith.mulf
// CHECK: linalg.generic {{.*}} ins(%[[A]], %{{.*}} : tensor<4x8xf32>, tensor<4x2xf32>)
func.func @numbers(%a: tensor<4x8xf32>, %z: tensor<4x8xf32>, %y: tensor<4xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  %c = arith.constant dense<3.0> : tensor<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.transpose ins(%c : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
  %0 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a, %t : tensor<4x8xf32>, tensor<4x8xf32>) outs(%z : tensor<4x8xf32>) {
  ^bb0(%x: f32, %n: f32, %out: f32):
    %s = arith.mulf %x, %n : f32
    %r = arith.addf %s, %x : f32
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %two = arith.constant dense<1.0> : tensor<4x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0)>],
                       iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%a, %two : tensor<4x8xf32>, tensor<4x2xf32>) outs(%y : tensor<4xf32>) {
  ^bb0(%x: f32, %n: f32, %out: f32):
    %s = arith.mulf %x, %n : f32
    %r = arith.addf %s, %out : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// An annotation is a hint for its use.

shard.grid @g(shape = 2)
#same = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @hint
// CHECK: %[[S:.*]] = shard.shard %
// CHECK: linalg.generic {{.*}} outs(%[[S]] :
func.func @hint(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.shard %a to %s annotate_for_users : tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%h : tensor<8xf32>) {
  ^bb0(%x: f32, %out: f32):
    %s0 = arith.negf %x : f32
    %s1 = math.exp %s0 : f32
    linalg.yield %s1 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Tensors that are there already.

#turned = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func.func @identities
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<4x8xf32>
// CHECK: return %[[A]], %[[A]], %[[A]], %[[A]], %[[A]], %[[A]]
func.func @identities(%a: tensor<4x8xf32>, %o: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tensor.extract_slice %a[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> to tensor<4x8xf32>
  %1 = tensor.insert_slice %a into %o[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x8xf32>
  %u = tensor.cast %a : tensor<4x8xf32> to tensor<?x8xf32>
  %v = tensor.cast %u : tensor<?x8xf32> to tensor<?x?xf32>
  %2 = tensor.cast %v : tensor<?x?xf32> to tensor<4x8xf32>
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32>
  %3 = tensor.collapse_shape %e [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %n = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%n : tensor<8x4xf32>) permutation = [1, 0]
  %4 = linalg.transpose ins(%t : tensor<8x4xf32>) outs(%o : tensor<4x8xf32>) permutation = [1, 0]
  %5 = linalg.generic {indexing_maps = [#turned, #turned], iterator_types = ["parallel", "parallel"]}
      ins(%4 : tensor<4x8xf32>) outs(%o : tensor<4x8xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4, %5
      : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What is another tensor, or has a hint, stays.

shard.grid @g(shape = 2)
#same = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#turned = affine_map<(d0, d1, d2) -> (d1, d0, d2)>

// CHECK-LABEL: func.func @others
// CHECK: tensor.extract_slice
// CHECK: linalg.transpose
// CHECK: linalg.transpose
// CHECK: linalg.generic
// CHECK: tensor.cast
// CHECK: linalg.copy {{.*}}shard.loops
func.func @others(%a: tensor<4x4x4xf32>, %d: tensor<?x4x4xf32>)
    -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) {
  %0 = tensor.extract_slice %a[0, 0, 0] [4, 4, 4] [1, 1, 1] : tensor<4x4x4xf32> to tensor<4x4x4xf32>
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.shard %0 to %s : tensor<4x4x4xf32>
  %n = tensor.empty() : tensor<4x4x4xf32>
  %t = linalg.transpose ins(%h : tensor<4x4x4xf32>) outs(%n : tensor<4x4x4xf32>) permutation = [1, 2, 0]
  %1 = linalg.transpose ins(%t : tensor<4x4x4xf32>) outs(%n : tensor<4x4x4xf32>) permutation = [1, 2, 0]
  %2 = linalg.generic {indexing_maps = [#turned, #same], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<4x4x4xf32>) outs(%n : tensor<4x4x4xf32>) {
  ^bb0(%x: f32, %out: f32):
    linalg.yield %x : f32
  } -> tensor<4x4x4xf32>
  %3 = tensor.cast %d : tensor<?x4x4xf32> to tensor<4x4x4xf32>
  %4 = linalg.copy {shard.loops = #shard.sharding<@g, [[0], [], []]>}
      ins(%3 : tensor<4x4x4xf32>) outs(%n : tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %h, %1, %2, %4 : tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>
}

// -----

// What nothing uses; a hint, and what it is about, stay.

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: %[[E:.*]] = math.exp
// CHECK-NEXT: shard.sharding
// CHECK-NEXT: shard.shard %[[E]]
// CHECK-NEXT: math.tan %{{.*}} {shard.loops
// CHECK-NEXT: return
func.func @unused(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.sin %a : tensor<8xf32>
  %1 = math.cos %0 : tensor<8xf32>
  %2 = math.exp %a : tensor<8xf32>
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %3 = shard.shard %2 to %s : tensor<8xf32>
  %4 = math.tan %a {shard.loops = #shard.sharding<@g, [[0]]>} : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// Dimensions of one element that elementwise ops do not need. Other dimensions stay, and so does
// what has another operand.

// CHECK-LABEL: func.func @units
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<4x8xf32>, %[[B:[a-z0-9]*]]: tensor<4x8xf32>
// CHECK: %[[TWO:.*]] = arith.constant dense<2.0{{.*}}> : tensor<4x8xf32>
// CHECK: %[[S:.*]] = arith.addf %[[A]], %[[TWO]] fastmath<nnan> : tensor<4x8xf32>
// CHECK: %[[P:.*]] = arith.mulf %[[S]], %[[B]] : tensor<4x8xf32>
// CHECK: tensor.expand_shape
// CHECK: arith.divf {{.*}} : tensor<4x2x4xf32>
// CHECK: arith.divf {{.*}} : tensor<4x1x8xf32>
// CHECK: return %[[P]],
func.func @units(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<4x1x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x2x4xf32>, tensor<4x1x8xf32>) {
  %two = arith.constant dense<2.0> : tensor<4x1x8xf32>
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 1, 8] : tensor<4x8xf32> into tensor<4x1x8xf32>
  %1 = tensor.expand_shape %b [[0, 1], [2]] output_shape [4, 1, 8] : tensor<4x8xf32> into tensor<4x1x8xf32>
  %2 = arith.addf %0, %two fastmath<nnan> : tensor<4x1x8xf32>
  %3 = arith.mulf %2, %1 : tensor<4x1x8xf32>
  %4 = tensor.collapse_shape %3 [[0, 1], [2]] : tensor<4x1x8xf32> into tensor<4x8xf32>
  %5 = tensor.expand_shape %a [[0], [1, 2]] output_shape [4, 2, 4] : tensor<4x8xf32> into tensor<4x2x4xf32>
  %6 = arith.divf %5, %5 : tensor<4x2x4xf32>
  %7 = arith.divf %0, %c : tensor<4x1x8xf32>
  return %4, %6, %7 : tensor<4x8xf32>, tensor<4x2x4xf32>, tensor<4x1x8xf32>
}

// -----

// The init of a copy that is dropped has a hint, which stays.

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @hinted_init
// CHECK-SAME: %[[A:[a-z0-9]*]]: tensor<8xf32>
// CHECK: shard.shard
// CHECK-NOT: linalg.copy
// CHECK: return %[[A]]
func.func @hinted_init(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %h = shard.shard %b to %s : tensor<8xf32>
  %0 = linalg.copy ins(%a : tensor<8xf32>) outs(%h : tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A hint on a tensor in between counts for the tensors on both sides of it.

shard.grid @g(shape = 2)
#same = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @hint_between
// CHECK: tensor.cast
// CHECK: tensor.cast
// CHECK: tensor.expand_shape
// CHECK: tensor.collapse_shape
// CHECK: linalg.transpose
// CHECK: linalg.transpose
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4x8xf32>)
func.func @hint_between(%a: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %s3 = shard.sharding @g split_axes = [[], [0], []] : !shard.sharding
  %u = tensor.cast %a : tensor<4x8xf32> to tensor<?x8xf32>
  %h0 = shard.shard %u to %s : tensor<?x8xf32>
  %0 = tensor.cast %u : tensor<?x8xf32> to tensor<4x8xf32>
  %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32>
  %h1 = shard.shard %e to %s3 : tensor<1x4x8xf32>
  %1 = tensor.collapse_shape %e [[0, 1], [2]] : tensor<1x4x8xf32> into tensor<4x8xf32>
  %n = tensor.empty() : tensor<8x4xf32>
  %t = linalg.transpose ins(%a : tensor<4x8xf32>) outs(%n : tensor<8x4xf32>) permutation = [1, 0]
  %h2 = shard.shard %t to %s : tensor<8x4xf32>
  %m = tensor.empty() : tensor<4x8xf32>
  %2 = linalg.transpose ins(%t : tensor<8x4xf32>) outs(%m : tensor<4x8xf32>) permutation = [1, 0]
  %c = arith.constant dense<2.0> : tensor<4x8xf32>
  %h3 = shard.shard %c to %s : tensor<4x8xf32>
  %3 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%a, %c : tensor<4x8xf32>, tensor<4x8xf32>) outs(%m : tensor<4x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %x : f32
    linalg.yield %q : f32
  } -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A tensor that is packed and unpacked is the same, unless a hint is about what is packed.

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @unpacked
// CHECK-SAME: (%[[A:[a-z0-9]*]]: tensor<5x8xf32>
// CHECK-NOT: %[[A]] padding_value
// CHECK: linalg.pack %[[A]] inner_dims_pos
// CHECK: %[[U:.*]] = linalg.unpack
// CHECK: %[[V:.*]] = linalg.unpack
// CHECK: %[[W:.*]] = linalg.unpack
// CHECK: return %[[A]], %[[U]], %[[V]], %[[W]]
func.func @unpacked(%a: tensor<5x8xf32>, %b: tensor<?x8xf32>, %c: tensor<?x8xf32>, %n: index)
    -> (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<?x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x8x2xf32>
  %u = tensor.empty() : tensor<5x8xf32>
  %p = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [2] into %e
      : tensor<5x8xf32> -> tensor<3x8x2xf32>
  %0 = linalg.unpack %p inner_dims_pos = [0] inner_tiles = [2] into %u
      : tensor<3x8x2xf32> -> tensor<5x8xf32>
  %f = tensor.empty() : tensor<5x8x1xf32>
  %q = linalg.pack %a inner_dims_pos = [0] inner_tiles = [1] into %f {shard.sharding = #shard.sharding<@g, [[], [0], []]>}
      : tensor<5x8xf32> -> tensor<5x8x1xf32>
  %1 = linalg.unpack %q inner_dims_pos = [0] inner_tiles = [1] into %u
      : tensor<5x8x1xf32> -> tensor<5x8xf32>
  // Other dimensions.
  %2 = linalg.unpack %q inner_dims_pos = [1] inner_tiles = [1] into %u
      : tensor<5x8x1xf32> -> tensor<5x8xf32>
  // More or less of the last tile.
  %g = tensor.empty(%n) : tensor<?x8x2xf32>
  %r = linalg.pack %b padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [2] into %g
      : tensor<?x8xf32> -> tensor<?x8x2xf32>
  %3 = linalg.unpack %r inner_dims_pos = [0] inner_tiles = [2] into %c
      : tensor<?x8x2xf32> -> tensor<?x8xf32>
  return %0, %1, %2, %3 : tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>, tensor<?x8xf32>
}

// -----

// An op that yields what its init holds gives the init, whatever it reads and writes.

// CHECK-LABEL: func.func @init
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[R:.*]]:2 = linalg.generic
// CHECK: return %[[B]], %[[R]]#0, %[[R]]#1
func.func @init(%a: tensor<4x8xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = linalg.reduce ins(%a : tensor<4x8xf32>) outs(%b : tensor<4xf32>) dimensions = [1]
      (%x: f32, %out: f32) {
    %s = arith.addf %x, %out : f32
    linalg.yield %out : f32
  }
  // Sums, and the init of another result.
  %1:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>,
                                          affine_map<(d0, d1) -> (d0)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%0, %b : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %out0: f32, %out1: f32):
    %s = arith.addf %x, %out0 : f32
    linalg.yield %s, %out0 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0, %1#0, %1#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Elementwise ops that give an operand, or a constant whatever the operands hold.

shard.grid @g(shape = 2)

// CHECK-LABEL: func.func @folded
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xi32>, %[[B:.*]]: tensor<4x8xi32>, %{{.*}})
// CHECK-DAG: %[[Z:.*]] = arith.constant dense<0> : tensor<4x8xi32>
// CHECK-DAG: %[[H:.*]] = arith.andi %[[A]], %[[A]]
// CHECK: %[[U:.*]] = arith.xori
// CHECK: return %[[A]], %[[B]], %[[Z]], %[[H]], %[[U]]
func.func @folded(%a: tensor<4x8xi32>, %b: tensor<4x8xi32>, %c: tensor<?xi32>)
    -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<?xi32>) {
  %true = arith.constant true
  %0 = arith.andi %a, %a : tensor<4x8xi32>
  %1 = arith.select %true, %b, %a : tensor<4x8xi32>
  %2 = arith.subi %b, %b : tensor<4x8xi32>
  // With a hint it stays.
  %3 = arith.andi %a, %a {shard.sharding = #shard.sharding<@g, [[0], []]>} : tensor<4x8xi32>
  // A constant has a static type.
  %4 = arith.xori %c, %c : tensor<?xi32>
  return %0, %1, %2, %3, %4 : tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>, tensor<?xi32>
}

// -----

// Code that is not reached may be made of itself.

// CHECK-LABEL: func.func @unreached
// CHECK: tensor.cast
// CHECK: tensor.cast
func.func @unreached(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
^bb1:
  %s = tensor.cast %t : tensor<?xf32> to tensor<4xf32>
  %t = tensor.cast %s : tensor<4xf32> to tensor<?xf32>
  cf.br ^bb1
}

// -----

// An elementwise op of fills and numbers is a number. Other constants stay as they are.

// CHECK-LABEL: func.func @of_fills
// CHECK-DAG: %[[THREE:.*]] = arith.constant dense<3> : tensor<4x8xi32>
// CHECK-DAG: %[[LIST:.*]] = arith.addi
// CHECK: return %[[THREE]], %[[LIST]]
func.func @of_fills() -> (tensor<4x8xi32>, tensor<2xi32>) {
  %c = arith.constant -2 : i32
  %empty = tensor.empty() : tensor<4x8xi32>
  %fill = linalg.fill ins(%c : i32) outs(%empty : tensor<4x8xi32>) -> tensor<4x8xi32>
  %two = math.absi %fill : tensor<4x8xi32>
  %one = arith.constant dense<1> : tensor<4x8xi32>
  %three = arith.addi %two, %one : tensor<4x8xi32>
  %list = arith.constant dense<[1, 2]> : tensor<2xi32>
  %twice = arith.addi %list, %list : tensor<2xi32>
  return %three, %twice : tensor<4x8xi32>, tensor<2xi32>
}

// -----

// An element of a fill is its number, wherever it lies: what a body makes of it may be a fill.

// CHECK-LABEL: func.func @elements
// CHECK-NOT: tensor.extract
// CHECK: %[[ALL:.*]] = linalg.fill ins(%{{.*}} : i32) outs(%{{.*}} : tensor<4xi32>)
// CHECK: return %c3{{.*}}, %[[ALL]]
func.func @elements(%i: index) -> (i32, tensor<4xi32>) {
  %c = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<8xi32>
  %fill = linalg.fill ins(%c : i32) outs(%empty : tensor<8xi32>) -> tensor<8xi32>
  %one = tensor.extract %fill[%i] : tensor<8xi32>
  %new = tensor.empty() : tensor<4xi32>
  %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%new : tensor<4xi32>) {
  ^bb0(%out: i32):
    %at = linalg.index 0 : index
    %element = tensor.extract %fill[%at] : tensor<8xi32>
    linalg.yield %element : i32
  } -> tensor<4xi32>
  return %one, %all : i32, tensor<4xi32>
}

// -----

// An op of linalg whose body computes one number of fills and numbers is that number. One that
// reads its place, or a tensor that is not a fill, stays.

// CHECK-LABEL: func.func @bodies_of_fills
// CHECK-DAG: %[[FIVE:.*]] = arith.constant dense<5> : tensor<4x8xi32>
// CHECK-DAG: %[[FOUR:.*]] = arith.constant dense<4> : tensor<4x8xi32>
// CHECK: %[[PLACE:.*]] = linalg.generic
// CHECK: return %[[FOUR]], %[[FIVE]], %[[PLACE]]
func.func @bodies_of_fills() -> (tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>) {
  %c = arith.constant 2 : i32
  %empty = tensor.empty() : tensor<4x8xi32>
  %fill = linalg.fill ins(%c : i32) outs(%empty : tensor<4x8xi32>) -> tensor<4x8xi32>
  %four = linalg.add ins(%fill, %fill : tensor<4x8xi32>, tensor<4x8xi32>) outs(%empty : tensor<4x8xi32>) -> tensor<4x8xi32>
  %five = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%fill, %four : tensor<4x8xi32>, tensor<4x8xi32>) outs(%empty : tensor<4x8xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %one = arith.constant -1 : i32
    %less = arith.addi %one, %a : i32
    %sum = arith.addi %less, %b : i32
    linalg.yield %sum : i32
  } -> tensor<4x8xi32>
  %place = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%fill : tensor<4x8xi32>) outs(%empty : tensor<4x8xi32>) {
  ^bb0(%a: i32, %out: i32):
    %at = linalg.index 0 : index
    %row = arith.index_cast %at : index to i32
    %sum = arith.addi %a, %row : i32
    linalg.yield %sum : i32
  } -> tensor<4x8xi32>
  return %four, %five, %place : tensor<4x8xi32>, tensor<4x8xi32>, tensor<4x8xi32>
}

// -----

// What the body of a manual computation returns is stated by that op: an op that is a number
// becomes one.

// CHECK-LABEL: func.func @returned
// CHECK: %[[ONE:.*]] = arith.constant dense<-1> : tensor<4xi32>
// CHECK: shard.return %[[ONE]]
shard.grid @grid(shape = 2)
func.func @returned(%a: tensor<8xi32>) -> tensor<8xi32> {
  %r = shard.manual_computation(%a) on @grid in = [<@grid, [[0]]>] out = [<@grid, [[0]]>] axes = [0]
      (%x: tensor<4xi32>) {
    %zero = arith.constant dense<0> : tensor<4xi32>
    %one = arith.constant dense<-1> : tensor<4xi32>
    %least = arith.minsi %zero, %one : tensor<4xi32>
    shard.return %least : tensor<4xi32>
  } : (tensor<8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}

// -----

// Reshapes in front of an op that moves past them are gone.

// CHECK-LABEL: func.func @moved_past
// CHECK-NOT: shape %
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}} : tensor<8x7xi8>
// CHECK-NOT: shape %
// CHECK: return %[[SUM]]
func.func @moved_past(%a: tensor<8x7xi8>, %b: tensor<8x7xi8>) -> tensor<8x7xi8> {
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 8, 7] : tensor<8x7xi8> into tensor<1x8x7xi8>
  %1 = tensor.expand_shape %b [[0, 1], [2]] output_shape [1, 8, 7] : tensor<8x7xi8> into tensor<1x8x7xi8>
  %2 = arith.addi %0, %1 : tensor<1x8x7xi8>
  %3 = tensor.collapse_shape %2 [[0, 1], [2]] : tensor<1x8x7xi8> into tensor<8x7xi8>
  return %3 : tensor<8x7xi8>
}

// -----

// What a body asserts is asserted, whatever it yields.

#same = affine_map<(i) -> (i)>
// CHECK-LABEL: func.func @asserts
// CHECK-COUNT-3: cf.assert
func.func @asserts(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %empty = tensor.empty() : tensor<4xi32>
  %one = arith.constant 1 : i32
  %0 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi32>) outs(%empty : tensor<4xi32>) {
  ^bb0(%x: i32, %out: i32):
    %is = arith.cmpi sgt, %x, %one : i32
    cf.assert %is, "too small"
    linalg.yield %x : i32
  } -> tensor<4xi32>
  %1 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi32>) outs(%empty : tensor<4xi32>) {
  ^bb0(%x: i32, %out: i32):
    %is = arith.cmpi sgt, %x, %one : i32
    cf.assert %is, "too small"
    linalg.yield %one : i32
  } -> tensor<4xi32>
  %2 = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]}
      ins(%a : tensor<4xi32>) outs(%empty : tensor<4xi32>) {
  ^bb0(%x: i32, %out: i32):
    %is = arith.cmpi sgt, %x, %one : i32
    cf.assert %is, "too small"
    %two = arith.addi %one, %one : i32
    linalg.yield %two : i32
  } -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// A body that folds to an input copies it. The number may be one operand among others, or of the
// outside; what is hinted is taken for no number.
#same = affine_map<(d0) -> (d0)>
#number = affine_map<(d0) -> ()>
shard.grid @g(shape = 2)
// CHECK-LABEL: func.func @folded
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK: %[[HINTED:.*]] = linalg.generic
// CHECK: arith.mulf
// CHECK: return %[[B]], %[[HINTED]] :
func.func @folded(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %empty = tensor.empty() : tensor<4xf32>
  %false = arith.constant false
  %ones = arith.constant dense<1.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#same, #same, #same, #number, #same], iterator_types = ["parallel"]}
      ins(%a, %b, %ones, %false : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, i1) outs(%empty : tensor<4xf32>) {
  ^bb0(%x: f32, %y: f32, %one: f32, %is: i1, %out: f32):
    %product = arith.mulf %y, %one : f32
    %chosen = arith.select %is, %x, %product : f32
    %again = arith.select %false, %x, %chosen : f32
    linalg.yield %again : f32
  } -> tensor<4xf32>
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %stated = arith.constant dense<1.0> : tensor<4xf32>
  %hinted = shard.shard %stated to %s : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#same, #same, #same], iterator_types = ["parallel"]}
      ins(%a, %hinted : tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%x: f32, %one: f32, %out: f32):
    %product = arith.mulf %x, %one : f32
    linalg.yield %product : f32
  } -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
