// Extents of 1 beside an unknown one: rows stay rows, where tosa is lowered and where its ops are
// partitioned as such, and nothing is sent but the number of rows where blocks may differ.

// RUN: %python -c "import numpy as n; n.save('%t.npy', n.arange(96, dtype='f4').reshape(12, 8))"
// RUN: shard-run %s --grid 2 --verify --hint 'arg0=[[0],[]]' --input %t.npy | FileCheck %s
// RUN: shard-run %s --grid 2 --partition-tosa --verify --hint 'arg0=[[0],[]]' --input %t.npy | FileCheck %s
// RUN: shard-run %s --grid 3 --uneven-dynamic --verify --hint 'arg0=[[0],[]]' --input %t.npy | FileCheck %s --check-prefix=UNEVEN
// CHECK: no collectives
// CHECK: {{^}}PASS
// UNEVEN-NOT: all_gather
// UNEVEN: {{^}}PASS

func.func @main(%x: tensor<?x8xf32>, %w: tensor<1x8x4xf32>) -> tensor<?x2x2x1xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %s = tosa.const_shape {values = dense<[1, -1, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %f = tosa.reshape %x, %s : (tensor<?x8xf32>, !tosa.shape<3>) -> tensor<1x?x8xf32>
  %m = tosa.matmul %f, %w, %zp, %zp : (tensor<1x?x8xf32>, tensor<1x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x?x4xf32>
  %s3 = tosa.const_shape {values = dense<[-1, 2, 2, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %y = tosa.reshape %m, %s3 : (tensor<1x?x4xf32>, !tosa.shape<4>) -> tensor<?x2x2x1xf32>
  return %y : tensor<?x2x2x1xf32>
}
