// Programs that are partitioned already: what shard-opt wrote, on global inputs, and
// collectives of a function that every device runs on the same inputs.

// RUN: split-file %s %t
// RUN: shard-opt %t/layouts.mlir --shard-spmd -o %t/spmd.mlir
// RUN: shard-run %t/spmd.mlir --entry uneven --verify | FileCheck %s --check-prefixes=UNEVEN,CHECK
// RUN: shard-run %t/spmd.mlir --entry halo --verify | FileCheck %s
// RUN: shard-run %t/spmd.mlir --entry offsets --verify | FileCheck %s
// RUN: shard-run %t/spmd.mlir --entry partial --verify | FileCheck %s
// RUN: shard-run %t/spmd.mlir --entry branches --verify | FileCheck %s
// RUN: shard-run %t/spmd.mlir --entry loop --verify | FileCheck %s
// RUN: shard-opt %t/layouts.mlir --sharding-propagation --shard-partition=global-arguments -o %t/global.mlir
// RUN: shard-run %t/global.mlir --entry uneven --verify | FileCheck %s
// RUN: shard-run %t/same-inputs.mlir --verify | FileCheck %s
// UNEVEN: arg0{{ +}}tensor<7x6xf32>{{ +\[\[0\], \[\]\]}}
// CHECK: PASS
//
// A dynamic dimension is as long as its input.
// RUN: not shard-run %t/spmd.mlir --entry dynamic --verify 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: argument 0 has type 'tensor<?x3xf32>': an input or a shape has to say how large it is
//
// A wrong program: nobody has summed what the result needs.
// RUN: not shard-run %t/wrong.mlir --verify | FileCheck %s --check-prefix=WRONG
// WRONG: FAIL
//
// Devices that wait for each other forever are found before the run.
// RUN: not shard-run %t/parted.mlir --verify 2>&1 | FileCheck %s --check-prefix=PARTED
// PARTED: parted.mlir:{{[0-9:]+}} error: {{.*}}all_reduce

//--- layouts.mlir
shard.grid @grid(shape = 2x2)
func.func @uneven(%a: tensor<7x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                  %b: tensor<6x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>})
    -> (tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<7x6xf32>, tensor<6x5xf32>) outs(%f : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}
func.func @halo(%a: tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[1, 0], []], halo = [3, 1]>})
    -> (tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]], halo = [0, 2]>}) {
  %0 = arith.addf %a, %a : tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
func.func @offsets(%a: tensor<5x7xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]], offsets = [0, 1, 5, 0, 3, 7]>})
    -> (tensor<5x7xi32> {shard.sharding = #shard.sharding<@grid, [[0], []], offsets = [0, 1, 5]>}) {
  %0 = arith.muli %a, %a : tensor<5x7xi32>
  return %0 : tensor<5x7xi32>
}
func.func @partial(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
                   %b: tensor<6x5xf32> {shard.sharding = #shard.sharding<@grid, [[1], []]>})
    -> (tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[], []], partial = sum [1]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x5xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x5xf32>) -> tensor<8x5xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x6xf32>, tensor<6x5xf32>) outs(%f : tensor<8x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}
func.func @branches(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %c: i1)
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  cf.cond_br %c, ^one, ^two(%a : tensor<8xf32>)
^one:
  %0 = math.exp %a : tensor<8xf32>
  cf.br ^two(%0 : tensor<8xf32>)
^two(%1: tensor<8xf32>):
  return %1 : tensor<8xf32>
}
func.func private @square(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%zero : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @loop(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> tensor<8x8xf32> {
    %1 = func.call @square(%v) : (tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}
func.func @dynamic(%a: tensor<?x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<?x3xf32> {
  %0 = math.exp %a : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

//--- same-inputs.mlir
shard.grid @grid(shape = 2x2)
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<8x4xf32>) {
  %i = shard.process_linear_index on @grid : index
  %n = arith.index_cast %i : index to i32
  %f = arith.sitofp %n : i32 to f32
  %s = tensor.splat %f : tensor<4x4xf32>
  %own = arith.mulf %x, %s : tensor<4x4xf32>
  %0 = shard.all_reduce %own on @grid grid_axes = [0, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %1 = shard.all_reduce %own on @grid grid_axes = [1] : tensor<4x4xf32> -> tensor<4x4xf32>
  %2 = shard.all_gather %1 on @grid grid_axes = [0] gather_axis = 0 : tensor<4x4xf32> -> tensor<8x4xf32>
  return %0, %2 : tensor<4x4xf32>, tensor<8x4xf32>
}

//--- wrong.mlir
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, [[0]]>>}) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

//--- parted.mlir
shard.grid @grid(shape = 2)
func.func @main(%a: tensor<4xf32> {shard.local = #shard.local<tensor<8xf32>, <@grid, [[0]]>>}) -> tensor<4xf32> {
  %i = shard.process_linear_index on @grid : index
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %i, %c0 : index
  %0 = scf.if %first -> tensor<4xf32> {
    %1 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
