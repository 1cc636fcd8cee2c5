// RUN: shard-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --convert-shard-to-mpi --canonicalize --cse | FileCheck %s

// Averages of integers are added up in i64, where no sum of the devices' values overflows.

// CHECK-LABEL: func.func private @__shard_all_reduce
// CHECK:         %[[A:.*]] = arith.extsi %{{.*}} : i8 to i64
// CHECK:         %[[B:.*]] = arith.extsi %{{.*}} : i8 to i64
// CHECK-NEXT:    %[[SUM:.*]] = arith.addi %[[A]], %[[B]] : i64
// CHECK-NEXT:    %[[AVERAGE:.*]] = arith.divsi %[[SUM]], %c2_i64 : i64
// CHECK-NEXT:    arith.trunci %[[AVERAGE]] : i64 to i8
shard.grid @grid(shape = 2)
func.func @average(%a: tensor<4xi8>) -> tensor<4xi8> {
  %0 = shard.all_reduce %a on @grid grid_axes = [0] reduction = average : tensor<4xi8> -> tensor<4xi8>
  return %0 : tensor<4xi8>
}
