// Halos and offsets that depend on what the program computes: where an annotation may
// state them, and what partition makes of them.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=PROPAGATE
// RUN: shard-opt %s --sharding-propagation --shard-partition --cse --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// An argument is there before the number is: it has the layout from the annotation on.
// What is computed behind the number keeps it.

// PROPAGATE-LABEL: func.func @offsets(
// PROPAGATE-SAME:      %[[A:.*]]: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[}}0]]>}, %[[I:.*]]: i64)
// PROPAGATE-SAME:      -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, {{\[\[}}0]]>})
// PROPAGATE:       %[[J:.*]] = arith.remui %[[I]],
// PROPAGATE:       %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] sharded_dims_offsets = [0, %[[J]], 8]
// PROPAGATE:       %[[X:.*]] = shard.shard %[[A]] to %[[S]] annotate_for_users
// PROPAGATE:       %[[T:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] sharded_dims_offsets = [0, %[[J]], 8]
// PROPAGATE:       %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// PROPAGATE:       shard.shard %[[Y]] to %[[T]] :

// One check of the number, one gather on the way in, one on the way out.
// CHECK-LABEL: func.func @offsets(
// CHECK-SAME:      %[[A:.*]]: tensor<4xf32> {{.*}}, %[[I:.*]]: i64
// CHECK:       %[[J:.*]] = arith.remui %[[I]],
// CHECK:       shard.all_gather %[[A]] on @grid
// CHECK:       %[[B:.*]] = arith.index_cast %[[J]] : i64 to index
// CHECK:       cf.assert %{{.*}}, "the offsets of dimension 0 do not rise from 0 to its extent 8"
// CHECK:       %[[TABLE:.*]] = tensor.from_elements %{{.*}}, %[[B]], %{{.*}} : tensor<3xindex>
// CHECK:       tensor.extract %[[TABLE]]
// CHECK:       %[[Y:.*]] = arith.addf %{{.*}} : tensor<?xf32>
// CHECK:       math.absf %[[Y]] : tensor<?xf32>
// CHECK:       shard.all_gather %{{.*}} : tensor<?xf32> -> tensor<?xf32>
// CHECK-NOT:   shard.all_gather
shard.grid @grid(shape = 2)
func.func @offsets(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  %n = arith.constant 9 : i64
  %j = arith.remui %i, %n : i64
  %s = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, %j, 8] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8xf32>
  %1 = arith.addf %0, %0 : tensor<8xf32>
  %2 = math.absf %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @halos(
// CHECK-SAME:      %[[A:.*]]: tensor<4xf32> {{.*}}, %[[I:.*]]: i64
// CHECK:       %[[W:.*]] = arith.index_cast %[[I]] : i64 to index
// CHECK:       %[[FITS:.*]] = arith.cmpi ule, %[[W]], %{{.*}} : index
// CHECK:       cf.assert %[[FITS]], "a halo of dimension 0 has a size that is negative or above 1099511627776"
// CHECK:       %[[WIDE:.*]] = shard.update_halo %{{.*}} on @grid split_axes = {{\[\[}}0]] halo_sizes = [1, %[[I]]] : tensor<?xf32>
// CHECK:       %[[Y:.*]] = arith.mulf %[[WIDE]], %[[WIDE]] : tensor<?xf32>
// CHECK:       tensor.extract_slice %[[Y]][1] [4] [1] : tensor<?xf32> to tensor<4xf32>
shard.grid @grid(shape = 2)
func.func @halos(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [1, %i] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8xf32>
  %1 = arith.mulf %0, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// What is made of nothing is made where the number is known.
// PROPAGATE-LABEL: func.func @creator(
// PROPAGATE:       %[[J:.*]] = arith.addi
// PROPAGATE:       shard.shard %{{.*}} annotate_for_users
// PROPAGATE:       %[[S:.*]] = shard.sharding @grid split_axes = {{\[\[}}0]] sharded_dims_offsets = [0, %[[J]], 8]
// PROPAGATE:       %[[E:.*]] = tensor.empty
// PROPAGATE:       shard.shard %[[E]] to %[[S]] :
// PROPAGATE:       linalg.exp
shard.grid @grid(shape = 2)
func.func @creator(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %j = arith.addi %i, %i : i64
  %s = shard.sharding @grid split_axes = [[0]] sharded_dims_offsets = [0, %j, 8] : !shard.sharding
  %0 = shard.shard %a to %s : tensor<8xf32>
  %1 = linalg.exp ins(%0 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

shard.grid @grid(shape = 2)
func.func @tied(%a: tensor<8xf32>, %i: i64) -> tensor<8xf32> {
  // expected-note @+1 {{the other value}}
  %n = arith.negf %a : tensor<8xf32>
  %j = arith.addi %i, %i : i64
  %s = shard.sharding @grid split_axes = [[0]] halo_sizes = [%j, 0] : !shard.sharding
  // expected-error @+1 {{sharding <@grid, [[0]] halo_sizes = [?, 0]> has halos or offsets that are not known where another value is made that is tied to this one; state a sharding of that value instead of a group}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  shard.group %0, %n id = 3 : tensor<8xf32>, tensor<8xf32>
  %1 = arith.addf %n, %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
