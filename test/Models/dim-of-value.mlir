// The number of a dimension may be a value: each device chooses among the extents of the whole,
// and nothing is gathered.
//
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: %python -c "import numpy as np, sys; np.save(sys.argv[1], np.ones((12, 5), np.float32)); np.save(sys.argv[2], np.array(0, np.int64)); np.save(sys.argv[3], np.array(1, np.int64))" %t.x.npy %t.0.npy %t.1.npy
// RUN: shard-run %s --verify --input=%t.x.npy --input=%t.0.npy | FileCheck %s --check-prefix=GRID
// RUN: shard-run %s --verify --input=%t.x.npy --input=%t.1.npy | FileCheck %s --check-prefix=GRID
// GRID-NOT: all_gather
// GRID: PASS
// REQUIRES: numpy

shard.grid @grid(shape = 4)
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32> {{.*}}, %[[AT:.*]]: index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK: %[[ROWS:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK: %[[ALL:.*]] = arith.muli %[[ROWS]], %[[C4]]
// CHECK: %[[COLUMNS:.*]] = tensor.dim %[[X]], %[[C1]]
// CHECK: %[[IS:.*]] = arith.cmpi sge, %[[AT]], %[[C1]] : index
// CHECK: %[[EXTENT:.*]] = arith.select %[[IS]], %[[COLUMNS]], %[[ALL]] : index
// CHECK: return %[[EXTENT]]
func.func @main(%x: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %at: index) -> (index, tensor<?x?xf32>) {
  %0 = tensor.dim %x, %at : tensor<?x?xf32>
  %1 = arith.addf %x, %x : tensor<?x?xf32>
  return %0, %1 : index, tensor<?x?xf32>
}
