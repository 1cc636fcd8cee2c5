// RUN: shard-opt %s --split-input-file --canonicalize | FileCheck %s

shard.grid @g(shape = 2x4)
shard.grid @d(shape = 2x?x1)

// CHECK-LABEL: func.func @halos_of_constants
func.func @halos_of_constants(%x: i64) -> (!shard.sharding, !shard.sharding, !shard.sharding) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %neg = arith.constant -1 : i64
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0], [1]] halo_sizes = [1, 0, %{{.*}}, 2]
  %0 = shard.sharding @g split_axes = [[0], [1]] halo_sizes = [1, %c0, %x, %c2] : !shard.sharding
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0]] :
  %1 = shard.sharding @g split_axes = [[0]] halo_sizes = [%c0, 0] : !shard.sharding
  // A negative width stays a value: it would not verify.
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0]] halo_sizes = [%{{.*}}, 1]
  %2 = shard.sharding @g split_axes = [[0]] halo_sizes = [%neg, 1] : !shard.sharding
  return %0, %1, %2 : !shard.sharding, !shard.sharding, !shard.sharding
}

// CHECK-LABEL: func.func @offsets_of_the_default_layout
func.func @offsets_of_the_default_layout() -> (!shard.sharding, !shard.sharding, !shard.sharding) {
  %c4 = arith.constant 4 : i64
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0]] :
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, %c4, 8] : !shard.sharding
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0], [1]] :
  %1 = shard.sharding @g split_axes = [[0], [1]] sharded_dims_offsets = [0, 4, 8, 0, 2, 4, 6, 8] : !shard.sharding
  // CHECK: shard.sharding @g split_axes = {{\[\[}}0, 1]] :
  %2 = shard.sharding @g split_axes = [[0, 1]] sharded_dims_offsets = [0, 1, 2, 3, 4, 5, 6, 7, 8] : !shard.sharding
  return %0, %1, %2 : !shard.sharding, !shard.sharding, !shard.sharding
}

// CHECK-LABEL: func.func @other_offsets
func.func @other_offsets(%x: i64) -> (!shard.sharding, !shard.sharding, !shard.sharding, !shard.sharding) {
  %c4 = arith.constant 4 : i64
  // Blocks of different sizes: the local types are dynamic.
  // CHECK: sharded_dims_offsets = [0, 5, 8]
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 5, 8] : !shard.sharding
  // One dimension of two has the default layout.
  // CHECK: sharded_dims_offsets = [0, 4, 8, 0, 2, 4, 6, 9]
  %1 = shard.sharding @g split_axes = [[0], [1]] sharded_dims_offsets = [0, 4, 8, 0, 2, 4, 6, 9] : !shard.sharding
  // CHECK: sharded_dims_offsets = [0, 4, %{{.*}}]
  %2 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, %c4, %x] : !shard.sharding
  // Decreasing constants would not verify: they stay values.
  // CHECK: sharded_dims_offsets = [0, 5, %{{.*}}]
  %3 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 5, %c4] : !shard.sharding
  return %0, %1, %2, %3 : !shard.sharding, !shard.sharding, !shard.sharding, !shard.sharding
}

// CHECK-LABEL: func.func @offsets_that_do_not_fit_the_tensor
func.func @offsets_that_do_not_fit_the_tensor(%t: tensor<8xf32>) -> tensor<8xf32> {
  %c4 = arith.constant 4 : i64
  // CHECK: sharded_dims_offsets = [0, 3, %{{.*}}]
  %0 = shard.sharding @g split_axes = [[0]] sharded_dims_offsets = [0, 3, %c4] : !shard.sharding
  %1 = shard.shard %t to %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @duplicates
func.func @duplicates(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %1 = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  // CHECK: %[[A:.*]] = shard.shard %{{.*}} to %{{.*}} : tensor<8xf32>
  %2 = shard.shard %t to %0 : tensor<8xf32>
  %3 = shard.shard %t to %1 : tensor<8xf32>
  %4 = shard.shard %3 to %1 : tensor<8xf32>
  // CHECK-NEXT: return %[[A]], %[[A]], %[[A]]
  return %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @duplicates_for_users
func.func @duplicates_for_users(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // CHECK: %[[A:.*]] = shard.shard %{{.*}} to %{{.*}} : tensor<8xf32>
  %1 = shard.shard %t to %0 : tensor<8xf32>
  // CHECK: %[[B:.*]] = shard.shard %[[A]] to %{{.*}} annotate_for_users : tensor<8xf32>
  %2 = shard.shard %1 to %0 annotate_for_users : tensor<8xf32>
  %3 = shard.shard %1 to %0 annotate_for_users : tensor<8xf32>
  // CHECK: return %[[A]], %[[B]], %[[B]]
  return %1, %2, %3 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// LLVM folds the second annotation into the first and loses that it is for users.
// CHECK-LABEL: func.func @flag_is_kept
func.func @flag_is_kept(%t: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // CHECK: shard.shard %{{.*}} to %{{.*}} : tensor<8xf32>
  %1 = shard.shard %t to %0 : tensor<8xf32>
  // CHECK: shard.shard %{{.*}} to %{{.*}} annotate_for_users : tensor<8xf32>
  %2 = shard.shard %t to %0 annotate_for_users : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func.func @different_shardings
func.func @different_shardings(%t: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %1 = shard.sharding @g split_axes = [[1]] : !shard.sharding
  %2 = shard.sharding @g split_axes = [[1]] partial = sum [0] : !shard.sharding
  // CHECK-COUNT-3: shard.shard
  %3 = shard.shard %t to %0 annotate_for_users : tensor<8x8xf32>
  %4 = shard.shard %t to %1 annotate_for_users : tensor<8x8xf32>
  %5 = shard.shard %t to %2 annotate_for_users : tensor<8x8xf32>
  return %3, %4, %5 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A constraint without users is about the value itself; it is not dead.
// CHECK-LABEL: func.func @wishes_stay
func.func @wishes_stay(%t: tensor<8xf32>) {
  // CHECK: shard.constraint
  %0 = shard.constraint %t to <@g, [[0]]> : tensor<8xf32>
  // CHECK: shard.group
  shard.group %t id = 0 : tensor<8xf32>
  return
}

// CHECK-LABEL: func.func @sharding_of_annotated
func.func @sharding_of_annotated(%t: tensor<8xf32>) -> !shard.sharding {
  // CHECK: %[[S:.*]] = shard.sharding
  %0 = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %1 = shard.shard %t to %0 : tensor<8xf32>
  %2 = shard.get_sharding %1 : tensor<8xf32> -> !shard.sharding
  // CHECK: return %[[S]]
  return %2 : !shard.sharding
}

// CHECK-LABEL: func.func @grid_shape
func.func @grid_shape() -> (index, index, index, index, index) {
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
  // CHECK: %[[D:.*]] = shard.grid_shape @d axes = [1] : index
  %0 = shard.grid_shape @g axes = [1] : index
  %1:3 = shard.grid_shape @d : index, index, index
  %2 = shard.grid_shape @d axes = [1] : index
  // CHECK: return %[[C4]], %[[C2]], %[[D]], %[[C1]], %{{.*}} :
  return %0, %1#0, %1#1, %1#2, %2 : index, index, index, index, index
}

// CHECK-LABEL: func.func @coordinate_on_an_axis_of_one
func.func @coordinate_on_an_axis_of_one() -> (index, index) {
  // CHECK: %[[C0:.*]] = arith.constant 0 : index
  // CHECK: %[[I:.*]]:2 = shard.process_multi_index on @d axes = [0, 2]
  %0:2 = shard.process_multi_index on @d axes = [0, 2] : index, index
  // CHECK: return %[[I]]#0, %[[C0]]
  return %0#0, %0#1 : index, index
}

// CHECK-LABEL: func.func @update_halo
func.func @update_halo(%t: tensor<8xf32>, %x: i64) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c9 = arith.constant 9 : i64
  %0 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [0, %c0] : tensor<8xf32>
  // CHECK: %[[A:.*]] = shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [%{{.*}}, 0]
  %1 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [%x, %c0] : tensor<8xf32>
  // Constants that do not fit stay values.
  // CHECK: %[[B:.*]] = shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [%{{.*}}, 0]
  %2 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [%c9, 0] : tensor<8xf32>
  // CHECK: return %arg0, %[[A]], %[[B]]
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// Dead tensor collectives go, memory stays as it is.
// CHECK-LABEL: func.func @effects
func.func @effects(%t: tensor<8xf32>, %m: memref<8xf32>) {
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.update_halo %t on @g split_axes = [[0]] halo_sizes = [1, 1] : tensor<8xf32>
  // CHECK-NEXT: shard.update_halo %arg1
  %2 = shard.update_halo %m on @g split_axes = [[0]] halo_sizes = [1, 1] : memref<8xf32>
  // CHECK-NEXT: shard.send
  %3 = shard.send %t on @g grid_axes = [0] destination = [0] : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: return
  return
}

// Memory that is reduced is not the same memory.
// CHECK-LABEL: func.func @one_device_of_memory
func.func @one_device_of_memory(%m: memref<8xf32>) -> memref<8xf32> {
  // CHECK: shard.all_reduce
  %0 = shard.all_reduce %m on @g : memref<8xf32> -> memref<8xf32>
  return %0 : memref<8xf32>
}

// Elements are converted before the reduction: one conversion is one.
// CHECK-LABEL: func.func @converts_once
func.func @converts_once(%t: tensor<8xf16>) -> tensor<8xf32> {
  // CHECK: shard.all_reduce %{{.*}} on @g grid_axes = [0, 1] : tensor<8xf16> -> tensor<8xf32>
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8xf16> -> tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// CHECK-LABEL: func.func @converts_twice
func.func @converts_twice(%t: tensor<8xf16>) -> tensor<8xf64> {
  // CHECK-COUNT-2: shard.all_reduce
  %0 = shard.all_reduce %t on @g grid_axes = [0] : tensor<8xf16> -> tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [1] : tensor<8xf32> -> tensor<8xf64>
  return %1 : tensor<8xf64>
}
