// Tensors that are rolled, joined and inserted at other places along split dimensions, in
// even, short and empty blocks.

// RUN: shard-run %s --verify --entry roll --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry roll --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry roll --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry roll --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry pipeline --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry pipeline --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry pipeline --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry join --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry join --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry join --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry join --grid 7 | FileCheck %s
// RUN: shard-run %s --verify --entry insert --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry insert --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry insert --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry padded --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry padded --grid 4 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @g(shape = 4)

func.func @roll(%x: tensor<14x3xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<14x3xf32>, tensor<14x3xf32>) {
  %a = tensor.extract_slice %x[5, 0] [9, 3] [1, 1] : tensor<14x3xf32> to tensor<9x3xf32>
  %b = tensor.extract_slice %x[0, 0] [5, 3] [1, 1] : tensor<14x3xf32> to tensor<5x3xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<9x3xf32>, tensor<5x3xf32>) -> tensor<14x3xf32>
  %d = tensor.extract_slice %x[13, 0] [1, 3] [1, 1] : tensor<14x3xf32> to tensor<1x3xf32>
  %e = tensor.extract_slice %x[0, 0] [13, 3] [1, 1] : tensor<14x3xf32> to tensor<13x3xf32>
  %f = tensor.concat dim(0) %d, %e : (tensor<1x3xf32>, tensor<13x3xf32>) -> tensor<14x3xf32>
  return %c, %f : tensor<14x3xf32>, tensor<14x3xf32>
}

func.func @pipeline(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%u = %x) -> tensor<4x8xf32> {
    %a = tensor.extract_slice %u[3, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %b = tensor.extract_slice %u[0, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>
    %c = tensor.concat dim(0) %a, %b : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    %y = arith.addf %c, %c : tensor<4x8xf32>
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

func.func @join(%x: tensor<8x3xi32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                %y: tensor<5x3xi32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %z: tensor<1x3xi32>, %none: tensor<0x3xi32>) -> tensor<15x3xi32> {
  %c = tensor.concat dim(0) %none, %x, %z, %none, %y, %z : (tensor<0x3xi32>, tensor<8x3xi32>, tensor<1x3xi32>, tensor<0x3xi32>, tensor<5x3xi32>, tensor<1x3xi32>) -> tensor<15x3xi32>
  return %c : tensor<15x3xi32>
}

func.func @insert(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %y: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %s = tensor.extract_slice %x[3, 0] [9, 5] [1, 1] : tensor<16x8xf32> to tensor<9x5xf32>
  %c = tensor.insert_slice %s into %y[5, 1] [9, 5] [1, 1] : tensor<9x5xf32> into tensor<16x8xf32>
  %t = tensor.extract_slice %x[0, 3] [2, 1] [1, 1] : tensor<16x8xf32> to tensor<2xf32>
  %d = tensor.insert_slice %t into %c[14, 0] [2, 1] [1, 1] : tensor<2xf32> into tensor<16x8xf32>
  return %c, %d : tensor<16x8xf32>, tensor<16x8xf32>
}

// What a concatenation does not read of a window need not be the padding.
func.func @padded(%x: tensor<9xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<20xf32>, tensor<20xf32>) {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[2] high[3] {
  ^bb0(%a: index):
    tensor.yield %one : f32
  } : tensor<9xf32> to tensor<14xf32>
  %s = tensor.extract_slice %p[1] [6] [1] : tensor<14xf32> to tensor<6xf32>
  %c = tensor.concat dim(0) %s, %p : (tensor<6xf32>, tensor<14xf32>) -> tensor<20xf32>
  %d = tensor.insert_slice %p into %c[4] [14] [1] : tensor<14xf32> into tensor<20xf32>
  return %c, %d : tensor<20xf32>, tensor<20xf32>
}

// Rolled along both dimensions, and read by a window.
