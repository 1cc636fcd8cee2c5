// Loops that add up products over a split dimension reduce once, behind the loop.
//
// RUN: shard-run %s --entry gradients --verify | FileCheck %s --check-prefix=GRADIENTS
// GRADIENTS: all_reduce x 1 3072 B 3072 B
// GRADIENTS-NOT: all_reduce
// GRADIENTS: PASS
// RUN: shard-run %s --entry integers --verify | FileCheck %s --check-prefix=INTEGERS
// INTEGERS: all_reduce x 1 96 B 96 B
// INTEGERS-NOT: all_reduce
// INTEGERS: PASS
// RUN: shard-run %s --entry no_trips --verify | FileCheck %s --check-prefix=TRIPS
// TRIPS: all_reduce x 1 96 B 96 B
// TRIPS-NOT: all_reduce
// TRIPS: PASS
// RUN: shard-run %s --entry uneven --verify | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: all_reduce x:(1)2 1 30 B 30 B
// UNEVEN-NOT: all_reduce
// UNEVEN: PASS
// RUN: shard-run %s --entry momentum --verify | FileCheck %s --check-prefix=MOMENTUM
// MOMENTUM: all_reduce x 1 96 B 96 B
// MOMENTUM-NOT: all_reduce
// MOMENTUM: PASS

shard.grid @grid(shape = 4) axes ["x"]

func.func @gradients(%a: tensor<8x16x64xf32> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}, %b: tensor<8x64x32xf32>) -> tensor<16x32xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> tensor<16x32xf32> {
    %x = tensor.extract_slice %a[%i, 0, 0] [1, 16, 64] [1, 1, 1] : tensor<8x16x64xf32> to tensor<16x64xf32>
    %y = tensor.extract_slice %b[%i, 0, 0] [1, 64, 32] [1, 1, 1] : tensor<8x64x32xf32> to tensor<64x32xf32>
    %p = linalg.matmul ins(%x, %y : tensor<16x64xf32>, tensor<64x32xf32>) outs(%zero : tensor<16x32xf32>) -> tensor<16x32xf32>
    %s = arith.addf %sum, %p : tensor<16x32xf32>
    scf.yield %s : tensor<16x32xf32>
  }
  return %0 : tensor<16x32xf32>
}

// The sum starts from any value, and the product is added by the op itself.
func.func @integers(%a: tensor<4x4x8xi32> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}, %b: tensor<8x4xi32>, %init: tensor<4x4xi32>) -> tensor<4x4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %init) -> tensor<4x4xi32> {
    %x = tensor.extract_slice %a[%i, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xi32> to tensor<4x8xi32>
    %p = linalg.matmul ins(%x, %b : tensor<4x8xi32>, tensor<8x4xi32>) outs(%sum : tensor<4x4xi32>) -> tensor<4x4xi32>
    scf.yield %p : tensor<4x4xi32>
  }
  return %0 : tensor<4x4xi32>
}

// No iteration runs, which only the run knows.
func.func @no_trips(%a: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %b: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = tensor.extract %init[%c0, %c0] : tensor<4x4xf32>
  %inf = arith.constant 0x7F800000 : f32
  %more = arith.cmpf ogt, %f, %inf : f32
  %n = arith.select %more, %c1, %c0 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %p = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

func.func @uneven(%a: tensor<4x3x7xbf16> {shard.sharding = #shard.sharding<@grid, [[], [], ["x":(1)2]]>}, %b: tensor<7x5xbf16>, %init: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %init) -> tensor<3x5xbf16> {
    %x = tensor.extract_slice %a[%i, 0, 0] [1, 3, 7] [1, 1, 1] : tensor<4x3x7xbf16> to tensor<3x7xbf16>
    %p = linalg.matmul ins(%x, %b : tensor<3x7xbf16>, tensor<7x5xbf16>) outs(%sum : tensor<3x5xbf16>) -> tensor<3x5xbf16>
    scf.yield %p : tensor<3x5xbf16>
  }
  return %0 : tensor<3x5xbf16>
}

// What is carried is scaled before the product is added.
func.func @momentum(%a: tensor<4x4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [], ["x"]]>}, %b: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %half = arith.constant dense<0.5> : tensor<4x4xf32>
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %x = tensor.extract_slice %a[%i, 0, 0] [1, 4, 8] [1, 1, 1] : tensor<4x4x8xf32> to tensor<4x8xf32>
    %p = linalg.matmul ins(%x, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %h = arith.mulf %sum, %half : tensor<4x4xf32>
    %s = arith.addf %h, %p : tensor<4x4xf32>
    scf.yield %s : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
