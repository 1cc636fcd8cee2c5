// --shape gives random arguments with dynamic dimensions their shapes.

// RUN: shard-run %s --entry product --verify --shape 0=6x8 | FileCheck %s
// RUN: shard-run %s --entry product --verify --shape 0=0x8 | FileCheck %s
// RUN: shard-run %s --entry product --verify --shape 1=8x4 --shape 0=5x8 --uneven-dynamic | FileCheck %s
// CHECK: PASS

// RUN: shard-run %s --entry product --shape 0=6x8 --seed 3 --output %t.1.npy
// RUN: shard-run %s --entry static --seed 3 --output %t.2.npy
// RUN: diff %t.1.npy %t.2.npy

// RUN: not shard-run %s --entry product 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: [[@LINE+22]]:20: error: argument 0 has type 'tensor<?x8xf32>': an input or a shape has to say how large it is
// RUN: not shard-run %s --entry product --shape 0=6x9 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: argument 0 takes ?x8xf32, but the input is 6x9xf32
// RUN: not shard-run %s --entry product --shape 0=6 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: argument 0 takes ?x8xf32, but the input is 6xf32
// RUN: not shard-run %s --entry product --shape 6x8 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: --shape '6x8':1:1: error: is not an argument's number and its shape, such as 0=16x8
// RUN: not shard-run %s --entry product --shape 2=6x8 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: 'product' takes 2 arguments, numbered from 0; there is no argument 2
// RUN: not shard-run %s --entry product --shape 0=6x8 --shape 0=6x8 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: argument 0 has two shapes
// RUN: not shard-run %s --entry product --shape 0=6x8 --input %t.1.npy 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: argument 0 has an input
// RUN: not shard-run %s --entry product --shape 0=-6x8 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: '-6' is not an extent
// RUN: not shard-run %s --entry product --shape 0=4000000000x8000000000 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: error: argument 0
// RUN: not shard-run %s --entry product --shape 0=5x8 2>&1 | FileCheck %s --check-prefix=UNEVEN
// UNEVEN: error: argument 0: dynamic dimension 0 has extent 5, which 2 devices do not divide evenly

shard.grid @g(shape = 2)

func.func @product(%x: tensor<?x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                   %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %x, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%rows) : tensor<?x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x4xf32>) -> tensor<?x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x4xf32>)
      outs(%init : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}

func.func @static(%x: tensor<6x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %w: tensor<8x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<6x8xf32>, tensor<8x4xf32>)
      outs(%init : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}
