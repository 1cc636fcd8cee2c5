// RUN: shard-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --convert-shard-to-mpi --canonicalize --cse --split-input-file | FileCheck %s

// A collective is a function with messages in rounds: the lower position of the two that
// meet sends first. Nothing of the runtime is left.

shard.grid @g(shape = 2x4)

// CHECK-NOT: shard
// CHECK-LABEL: func.func @all_gather
// CHECK-SAME:    %[[IN:.*]]: memref<8x2xf32>
func.func @all_gather(%a: tensor<8x2xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[OUT:.*]] = memref.alloc() {{.*}}: memref<8x8xf32>
  // CHECK: call @__shard_all_gather(%[[IN]], %[[OUT]])
  %0 = shard.all_gather %a on @g grid_axes = [1] gather_axis = 1 : tensor<8x2xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// CHECK-LABEL: func.func private @__shard_all_gather
// CHECK-SAME:    (%[[IN:.*]]: memref<8x2xf32>, %[[OUT:.*]]: memref<8x8xf32>) {
// CHECK:         %[[COMM:.*]] = mpi.comm_world : !mpi.comm
// CHECK:         %[[RANK:.*]] = mpi.comm_rank(%[[COMM]]) : i32
// CHECK:         %[[DEVICE:.*]] = arith.index_cast %[[RANK]] : i32 to index
// CHECK:         %[[PLACE:.*]] = arith.remui %[[DEVICE]], %c4 : index
// CHECK:         %[[FIRST:.*]] = arith.subi %[[DEVICE]], %[[PLACE]] : index
// CHECK:         %[[SENT:.*]] = memref.alloc() : memref<16xi32>
// CHECK:         memref.load %[[IN]]
// CHECK:         arith.bitcast %{{.*}} : f32 to i32
// CHECK:         scf.for
// CHECK:           %[[PARTNER:.*]] = arith.remui
// CHECK:           %[[TAKEN:.*]] = memref.alloc() : memref<16xi32>
// CHECK:           %[[LOWER:.*]] = arith.cmpi slt, %[[PLACE]], %[[PARTNER]]
// CHECK:           scf.if %[[LOWER]] {
// CHECK:             mpi.send(%[[SENT]], %c0_i32, %[[TO:.*]], %[[COMM]]) : memref<16xi32>, i32, i32
// CHECK-NEXT:        mpi.recv(%[[TAKEN]], %c0_i32, %[[TO]], %[[COMM]]) : memref<16xi32>, i32, i32
// CHECK:           } else {
// CHECK:             mpi.recv
// CHECK-NEXT:        mpi.send
// CHECK:           memref.store %{{.*}}, %[[OUT]]
// CHECK:           memref.dealloc %[[TAKEN]]
// CHECK:         memref.dealloc %[[SENT]]

// -----

shard.grid @g(shape = 2x4)

// f16 is combined in f32, and rounded once.
// CHECK-LABEL: func.func private @__shard_all_reduce
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK:           arith.extf %{{.*}} : f16 to f32
// CHECK:           arith.addf %{{.*}} : f32
// CHECK:         arith.truncf %{{.*}} : f32 to f16
func.func @reduce(%a: tensor<6xf16>) -> tensor<6xf16> {
  %0 = shard.all_reduce %a on @g grid_axes = [1] : tensor<6xf16> -> tensor<6xf16>
  return %0 : tensor<6xf16>
}

// -----

shard.grid @g(shape = 4)

// A send and the recv behind it are one exchange: each device takes the message of the
// lower sender first.
// CHECK-LABEL: func.func @ring
// CHECK:         mpi.send
// CHECK:         mpi.recv
// CHECK:         mpi.send
// CHECK-NOT:     mpi.
func.func @ring(%a: tensor<4xf32>, %to: index, %from: index) -> tensor<4xf32> {
  %0 = shard.send %a on @g grid_axes = [0] destination = [%to] : (tensor<4xf32>, index) -> tensor<4xf32>
  %1 = shard.recv %0 on @g grid_axes = [0] source = [%from] : (tensor<4xf32>, index) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

shard.grid @g(shape = 4)

// The extent of a dynamic dimension is cut by contract.
// CHECK-LABEL: func.func @dynamic
// CHECK:         cf.assert %{{.*}}, "at {{.*}}shard-to-mpi.mlir:{{.*}}: a dynamic dimension is cut over a group of devices that does not divide it; state uneven_dynamic on the grid (--uneven-dynamic), or give a static extent"
// CHECK:         arith.divui %{{.*}}, %c4
func.func @dynamic(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = shard.all_slice %a on @g grid_axes = [0] slice_axis = 0 : tensor<?xf32> -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
