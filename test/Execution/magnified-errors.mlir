// Programs that magnify the rounding of a sum: on one device and on two it is added up in another
// order. Where a result differs by more than the tolerance, it is measured how far it moves if
// the inputs are rounded otherwise, and the report tells that this was allowed for.
// RUN: shard-run %s --entry sine --grid 2 --hint 'arg0=[[0],[]]' --verify | FileCheck %s --check-prefix=SINE
// RUN: shard-run %s --entry sine --grid 2 --hint 'arg0=[[0],[]]' --verify --report=json | FileCheck %s --check-prefix=JSON
// RUN: shard-run %s --entry cancels --grid 2 --hint 'arg0=[[],[0]]' --verify | FileCheck %s --check-prefix=CANCELS
// RUN: shard-run %s --entry plain --grid 2 --hint 'arg0=[[],[0]]' --verify | FileCheck %s --check-prefix=PLAIN

// SINE: largest error {{.*}} (allowed {{[0-9.e+-]+}})
// SINE-NEXT: result0: rounding the inputs otherwise moves it by {{[0-9.e+-]+}} (its root mean square is {{[0-9.e+-]+}}), which is allowed for; that the runs agree proves little
// SINE: {{^}}PASS
// JSON: "moved_by_rounding":{{ *}}0.{{[0-9]*[1-9]}}
func.func @sine(%x: tensor<4x1000xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x1000xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %large = arith.constant dense<1.0e6> : tensor<4xf32>
  %product = arith.mulf %sum, %large : tensor<4xf32>
  %sine = math.sin %product : tensor<4xf32>
  return %sine : tensor<4xf32>
}

// A result that is 0 but for rounding: the sum of the distances from the mean.
// CANCELS: result0: rounding the inputs otherwise moves it by {{[0-9.e+-]+}} (its root mean square is {{[0-9.e+-]+}}), which is allowed for; that the runs agree proves little
// CANCELS: {{^}}PASS
func.func @cancels(%x: tensor<4x1000xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x1000xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  %share = arith.constant dense<1.0e-3> : tensor<4xf32>
  %mean = arith.mulf %sum, %share : tensor<4xf32>
  %empty = tensor.empty() : tensor<4x1000xf32>
  %means = linalg.broadcast ins(%mean : tensor<4xf32>) outs(%empty : tensor<4x1000xf32>) dimensions = [1]
  %distances = arith.subf %x, %means : tensor<4x1000xf32>
  %rest = linalg.reduce { arith.addf } ins(%distances : tensor<4x1000xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  return %rest : tensor<4xf32>
}

// Nothing is measured where the tolerance holds.
// PLAIN-NOT: rounding
// PLAIN: {{^}}PASS
func.func @plain(%x: tensor<4x1000xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<4x1000xf32>) outs(%zero : tensor<4xf32>) dimensions = [1]
  return %sum : tensor<4xf32>
}
