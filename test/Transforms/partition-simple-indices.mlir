// RUN: shard-opt %s --sharding-propagation --shard-partition --split-input-file 2>/dev/null | FileCheck %s

// Where blocks and windows lie is computed from the position of the device, once, and without bounds
// that no device reaches: the windows of two devices begin at 1 - position and at 2 - position of
// blocks with halos.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @stencil(
// CHECK-DAG: %[[ONE:[a-z0-9_]+]] = arith.constant 1 : index
// CHECK-DAG: %[[P:[a-z0-9_]+]] = shard.process_multi_index on @grid axes = [0]
// CHECK: %[[FIRST:[a-z0-9_]+]] = arith.subi %[[ONE]], %[[P]]
// CHECK: tensor.extract_slice %{{.*}}[%[[FIRST]]] [7] [1]
// CHECK-NOT: arith.{{m[a-z]*i}}
// CHECK: %[[SECOND:[a-z0-9_]+]] = arith.subi %{{.*}}, %[[P]]
// CHECK: tensor.extract_slice %{{.*}}[%[[SECOND]]] [7] [1]
// CHECK: return
func.func @stencil(%a: tensor<16xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<14xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %l = tensor.extract_slice %a[0] [14] [1] : tensor<16xf32> to tensor<14xf32>
  %r = tensor.extract_slice %a[2] [14] [1] : tensor<16xf32> to tensor<14xf32>
  %s = arith.addf %l, %r : tensor<14xf32>
  return %s : tensor<14xf32>
}

// -----

// An extent that the device knows only when it runs has no such bounds.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @dynamic(
// CHECK: arith.maxsi
// CHECK: arith.minsi
// CHECK: return
func.func @dynamic(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %i: index)
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %part = arith.constant dense<1.0> : tensor<3xf32>
  %1 = tensor.insert_slice %part into %a[%i] [3] [1] : tensor<3xf32> into tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Numbers that no index holds are not computed.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @large(
// CHECK-SAME: %[[I:[a-z0-9_]+]]: index)
// CHECK: %[[A:[a-z0-9_]+]] = arith.addi %[[I]], %[[C:[a-z0-9_]+]]
// CHECK: %[[B:[a-z0-9_]+]] = arith.addi %[[A]], %[[C]]
// CHECK: %[[M:[a-z0-9_]+]] = arith.maxsi %[[B]], %[[I]]
// CHECK: return %[[M]]
func.func @large(%i: index) -> index {
  %c = arith.constant 9223372036854775807 : index
  %a = arith.addi %i, %c : index
  %b = arith.addi %a, %c : index
  %m = arith.maxsi %b, %i : index
  return %m : index
}
