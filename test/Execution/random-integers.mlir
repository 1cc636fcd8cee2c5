// A program that takes some integers alone, as a look-up does: where random ones end it on one
// device, the message says which argument was random.

// RUN: not shard-run %s --verify 2>&1 | FileCheck %s
// CHECK: error: on one device: device 0: {{.*}}: no such row (argument 1 is random integers; give it an input if the program does not take all)
// CHECK-NEXT: FAIL

// Random floats have no such limits.
// RUN: not shard-run %s --entry floats --verify 2>&1 | FileCheck %s --check-prefix=FLOATS
// FLOATS: error: on one device: device 0: {{.*}}: too small{{$}}

shard.grid @grid(shape = 2)

func.func @main(%table: tensor<4xf32>, %rows: tensor<4xi32>) -> tensor<4xf32> {
  %first = arith.constant 0 : index
  %least = arith.constant 100 : i32
  %row = tensor.extract %rows[%first] : tensor<4xi32>
  %fine = arith.cmpi sge, %row, %least : i32
  cf.assert %fine, "no such row"
  return %table : tensor<4xf32>
}

func.func @floats(%x: tensor<4xf32>) -> tensor<4xf32> {
  %first = arith.constant 0 : index
  %least = arith.constant 2.0 : f32
  %e = tensor.extract %x[%first] : tensor<4xf32>
  %fine = arith.cmpf oge, %e, %least : f32
  cf.assert %fine, "too small"
  return %x : tensor<4xf32>
}
