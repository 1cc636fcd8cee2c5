// RUN: shard-opt %s --one-shot-bufferize="bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map" --convert-shard-to-runtime --canonicalize --cse --split-input-file | FileCheck %s

// A collective is a call on buffers: its own function describes them to the
// runtime.

shard.grid @g(shape = 2x4)

// CHECK-LABEL: func.func @all_gather
// CHECK-SAME:    %[[IN:.*]]: memref<8x2xf32>
func.func @all_gather(%a: tensor<8x2xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}}: memref<8x8xf32>
  // CHECK: call @__shard_all_gather(%[[IN]], %[[OUT]])
  // CHECK: return %[[OUT]]
  %0 = shard.all_gather %a on @g grid_axes = [1] gather_axis = 1 : tensor<8x2xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func private @__shard_all_gather
// CHECK-SAME:    %[[IN:.*]]: memref<8x2xf32>, %[[OUT:.*]]: memref<8x8xf32>
// The element type f32.
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK:         %[[TEXT:.*]] = memref.get_global @[[TEXTNAME:__shard_text_.*]] : memref<{{.*}}xi8>
// CHECK:         %[[LOC:.*]] = memref.extract_aligned_pointer_as_index %[[TEXT]]
// The grid 2x4, one axis, which is 1.
// CHECK:         %[[WORDS:.*]] = memref.get_global @__shard_words_2_2_4_1_1 : memref<5xi64>
// CHECK:         %[[GROUP:.*]] = memref.extract_aligned_pointer_as_index %[[WORDS]]
// CHECK:         %[[INDATA:.*]] = memref.extract_aligned_pointer_as_index %[[IN]]
// CHECK:         %[[INWORDS:.*]] = memref.alloca() : memref<7xindex>
// CHECK:         memref.store %[[INDATA]], %[[INWORDS]]
// CHECK:         %[[INPUT:.*]] = memref.extract_aligned_pointer_as_index %[[INWORDS]]
// CHECK:         %[[OUTDATA:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK:         %[[OUTWORDS:.*]] = memref.alloca() : memref<7xindex>
// CHECK:         memref.store %[[OUTDATA]], %[[OUTWORDS]]
// CHECK:         %[[RESULT:.*]] = memref.extract_aligned_pointer_as_index %[[OUTWORDS]]
// CHECK:         call @shard_rt_all_gather(%[[LOC]], %[[GROUP]], %[[C3]], %[[INPUT]], %[[RESULT]], %[[C1]])
// CHECK:       memref.global "private" constant @__shard_words_2_2_4_1_1 : memref<5xi64> = dense<[2, 2, 4, 1, 1]>
// CHECK-NOT: shard.grid

// -----

shard.grid @g(shape = 2x4)

// Two reads of one value: the input is not written, so nothing is copied.

// CHECK-LABEL: func.func @reads_only
// CHECK-SAME:    %[[IN:.*]]: memref<8xf32>
func.func @reads_only(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-NOT: memref.copy
  // CHECK: call @__shard_all_reduce(%[[IN]], %[[SUM:[a-z_0-9]+]])
  // CHECK: call @__shard_all_reduce_0(%[[IN]], %[[MAX:[a-z_0-9]+]])
  // CHECK: return %[[SUM]], %[[MAX]]
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// CHECK: func.func private @__shard_all_reduce(
// CHECK: call @shard_rt_all_reduce({{.*}}, %c1)
// CHECK: func.func private @__shard_all_reduce_0(
// CHECK: call @shard_rt_all_reduce({{.*}}, %c2)

// -----

shard.grid @g(shape = 2x4)

// CHECK-LABEL: func.func @converts
// CHECK-SAME:    %[[IN:.*]]: memref<8xbf16>
func.func @converts(%a: tensor<8xbf16>) -> tensor<8xf32> {
  // CHECK: %[[WIDE:.*]] = memref.alloc() {{.*}}: memref<8xf32>
  // CHECK: scf.for
  // CHECK:   arith.extf {{.*}} : bf16 to f32
  // CHECK:   memref.store {{.*}}, %[[WIDE]]
  // CHECK: call @__shard_all_reduce(%[[WIDE]], %[[OUT:[a-z_0-9]+]])
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xbf16> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 2x4)

// An argument that the caller reads again is copied; the halos of what nobody
// else reads are refreshed in place.

// CHECK-LABEL: func.func @update_halo
// CHECK-SAME:    %[[IN:.*]]: memref<6x8xf32>, %[[WIDTH:.*]]: i64
func.func @update_halo(%a: tensor<6x8xf32> {bufferization.writable = false}, %w: i64)
    -> (tensor<6x8xf32>) {
  // CHECK: %[[BUFFER:.*]] = memref.alloc() {{.*}}: memref<6x8xf32>
  // CHECK: memref.copy %[[IN]], %[[BUFFER]]
  // CHECK: %[[INDEX:.*]] = arith.index_cast %[[WIDTH]] : i64 to index
  // CHECK: call @__shard_update_halo(%[[BUFFER]], %[[INDEX]])
  // CHECK: call @__shard_update_halo_0(%[[BUFFER]])
  // CHECK: return %[[BUFFER]]
  %0 = shard.update_halo %a on @g split_axes = [[0, 1]] halo_sizes = [1, %w] : tensor<6x8xf32>
  %1 = shard.update_halo %0 on @g split_axes = [[], [1]] halo_sizes = [1, 2] : tensor<6x8xf32>
  return %1 : tensor<6x8xf32>
}
// Axes 0 and 1 on dimension 0, none on dimension 1.
// CHECK: func.func private @__shard_update_halo(
// CHECK:   memref.get_global @__shard_words_2_2_4_2_0_1
// CHECK:   memref.get_global @__shard_words_2_0
// CHECK:   %[[HALOS:.*]] = memref.alloca() : memref<4xindex>
// CHECK:   memref.extract_aligned_pointer_as_index %[[HALOS]]
// CHECK:   call @shard_rt_update_halo(
// CHECK: func.func private @__shard_update_halo_0(
// CHECK:   memref.get_global @__shard_words_2_2_4_1_1
// CHECK:   memref.get_global @__shard_words_0_1
// CHECK:   memref.get_global @__shard_words_0_0_1_2
// CHECK:   call @shard_rt_update_halo(

// -----

shard.grid @g(shape = 2x4)

// CHECK-LABEL: func.func @send_and_recv
// CHECK-SAME:    %[[IN:.*]]: memref<8xf32>, %[[TO:.*]]: index
func.func @send_and_recv(%a: tensor<8xf32>, %to: index) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: call @__shard_send(%[[IN]], %[[TO]])
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}}: memref<8xf32>
  // CHECK: call @__shard_recv(%[[OUT]])
  // CHECK: call @__shard_recv_0(%[[ANY:[a-z_0-9]+]])
  // CHECK: return %[[OUT]], %[[ANY]]
  %0 = shard.send %a on @g grid_axes = [0, 1] destination = [1, %to] : (tensor<8xf32>, index) -> tensor<8xf32>
  %1 = shard.recv %0 on @g grid_axes = [0, 1] source = [0, 3] : (tensor<8xf32>) -> tensor<8xf32>
  %2 = shard.recv %0 on @g grid_axes = [0, 1] : (tensor<8xf32>) -> tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
// CHECK: func.func private @__shard_send(
// CHECK:   call @shard_rt_send(
// CHECK: func.func private @__shard_recv(
// CHECK:   memref.get_global @__shard_words_0_3
// CHECK:   call @shard_rt_recv(
// From anybody: no source.
// CHECK: func.func private @__shard_recv_0(
// CHECK:   %[[C0:.*]] = arith.constant 0 : index
// CHECK:   call @shard_rt_recv({{.*}}, %[[C0]])

// -----

shard.grid @g(shape = 2x4)

// What only moves elements takes any that fit into a byte or more of them.

// CHECK-LABEL: func.func @other_types
func.func @other_types(%a: tensor<8xf8E4M3FN>, %b: tensor<8xcomplex<f32>>, %c: tensor<8xi1>, %d: tensor<8xindex>)
    -> (tensor<2xf8E4M3FN>, tensor<2xcomplex<f32>>, tensor<2xi1>, tensor<2xindex>) {
  %0 = shard.all_slice %a on @g grid_axes = [1] slice_axis = 0 : tensor<8xf8E4M3FN> -> tensor<2xf8E4M3FN>
  %1 = shard.all_slice %b on @g grid_axes = [1] slice_axis = 0 : tensor<8xcomplex<f32>> -> tensor<2xcomplex<f32>>
  %2 = shard.all_slice %c on @g grid_axes = [1] slice_axis = 0 : tensor<8xi1> -> tensor<2xi1>
  %3 = shard.all_slice %d on @g grid_axes = [1] slice_axis = 0 : tensor<8xindex> -> tensor<2xindex>
  return %0, %1, %2, %3 : tensor<2xf8E4M3FN>, tensor<2xcomplex<f32>>, tensor<2xi1>, tensor<2xindex>
}
// CHECK: func.func private @__shard_all_slice(%{{.*}}: memref<8xf8E4M3FN>
// CHECK: %[[I8:.*]] = arith.constant 6 : index
// CHECK: call @shard_rt_all_slice(%{{.*}}, %{{.*}}, %[[I8]],
// CHECK: func.func private @__shard_all_slice_0(%{{.*}}: memref<8xcomplex<f32>>
// CHECK: %[[I64:.*]] = arith.constant 9 : index
// CHECK: call @shard_rt_all_slice(%{{.*}}, %{{.*}}, %[[I64]],
// CHECK: func.func private @__shard_all_slice_1(%{{.*}}: memref<8xi1>
// CHECK: %[[I1:.*]] = arith.constant 5 : index
// CHECK: call @shard_rt_all_slice(%{{.*}}, %{{.*}}, %[[I1]],
// CHECK: func.func private @__shard_all_slice_2(%{{.*}}: memref<8xindex>
// CHECK: %[[INDEX:.*]] = arith.constant 9 : index
// CHECK: call @shard_rt_all_slice(%{{.*}}, %{{.*}}, %[[INDEX]],

// -----

shard.grid @g(shape = 2x4)

// A call in a loop: what it puts on the stack is gone when it returns.

// CHECK-LABEL: func.func @loop
func.func @loop(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK-NOT: alloca
  // CHECK:   call @__shard_shift
  // CHECK-NOT: alloca
  // CHECK: return
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %1 = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
    scf.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
