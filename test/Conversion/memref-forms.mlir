// RUN: shard-opt %s --convert-shard-to-runtime | FileCheck %s

// The forms on memrefs, attributes of the dialect, and assertions.

shard.grid @g(shape = 2x4)

// CHECK-LABEL: func.func @all_reduce
// CHECK-SAME:    %[[IN:.*]]: memref<?x8xf32, strided<[16, 1]>>
func.func @all_reduce(%a: memref<?x8xf32, strided<[16, 1]>>) -> memref<?x8xf32> {
  // CHECK: %[[D0:.*]] = memref.dim %[[IN]]
  // CHECK: %[[OUT:.*]] = memref.alloc(%[[D0]]) : memref<?x8xf32>
  // CHECK: call @__shard_all_reduce(%[[IN]], %[[OUT]])
  // CHECK: return %[[OUT]]
  %0 = shard.all_reduce %a on @g grid_axes = [1] : memref<?x8xf32, strided<[16, 1]>> -> memref<?x8xf32>
  return %0 : memref<?x8xf32>
}

// CHECK-LABEL: func.func @update_halo
// CHECK-SAME:    %[[IN:.*]]: memref<6x8xf32>
func.func @update_halo(%a: memref<6x8xf32>) -> memref<6x8xf32> {
  // CHECK-NEXT: call @__shard_update_halo(%[[IN]])
  // CHECK-NEXT: return %[[IN]]
  %0 = shard.update_halo %a on @g split_axes = [[0]] halo_sizes = [1, 1] : memref<6x8xf32>
  return %0 : memref<6x8xf32>
}

// What the attributes say is of no use any more.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME:    (%{{.*}}: tensor<4xf32> {test.kept})
// CHECK-NOT:     shard.
func.func @attributes(%a: tensor<4xf32> {test.kept, shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>})
    -> (tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>}) {
  // Nobody uses this handle.
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  return %a : tensor<4xf32>
}

// CHECK-LABEL: func.func @assert
// CHECK-SAME:    %[[OK:.*]]: i1
func.func @assert(%ok: i1) {
  // CHECK: %[[TRUE:.*]] = arith.constant true
  // CHECK: %[[FAILS:.*]] = arith.xori %[[OK]], %[[TRUE]]
  // CHECK: scf.if %[[FAILS]]
  // CHECK:   memref.get_global @[[TEXT:.*]] :
  // CHECK:   call @shard_rt_fail(
  cf.assert %ok, "no"
  return
}
