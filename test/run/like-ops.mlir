// Ops that differ only in what makes their tensors are not alike: what their models say of one
// is not true of the other.
//
// RUN: split-file %s %t
// RUN: shard-run %t/gathers.mlir --verify | FileCheck %s
// RUN: shard-run %t/scatters.mlir --verify | FileCheck %s
// RUN: %python -c "import numpy as np, sys; [np.save(p, np.arange(n * 5, dtype=np.float32).reshape(n, 5)) for p, n in zip(sys.argv[1:], (8, 12))]" %t/8.npy %t/12.npy
// RUN: shard-run %t/slices.mlir --verify --input %t/8.npy --input %t/12.npy | FileCheck %s
// RUN: shard-run %t/slices.mlir --verify --input %t/8.npy --input %t/12.npy --uneven-dynamic | FileCheck %s
// RUN: shard-run %t/insertions.mlir --verify --input %t/8.npy --input %t/12.npy --uneven-dynamic | FileCheck %s
// REQUIRES: numpy
// CHECK: {{^}}PASS

// The first coordinate of %i is the batch, that of %p may be any.
//--- gathers.mlir
shard.grid @grid(shape = 4)
func.func @main(%t: tensor<4x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
                %k: tensor<4x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %p: tensor<4x5x2xindex>) -> (tensor<4x5x6xf32>, tensor<4x5x6xf32>) {
  %e = tensor.empty() : tensor<4x5x2xindex>
  %i = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<4x5xi32>) outs(%e : tensor<4x5x2xindex>) {
  ^bb0(%x: i32, %o: index):
    %b = linalg.index 0 : index
    %c = linalg.index 2 : index
    %one = arith.constant 1 : index
    %is = arith.cmpi eq, %c, %one : index
    %place = arith.index_cast %x : i32 to index
    %s = arith.select %is, %place, %b : index
    linalg.yield %s : index
  } -> tensor<4x5x2xindex>
  %0 = tensor.gather %t[%i] gather_dims([0, 1]) : (tensor<4x8x6xf32>, tensor<4x5x2xindex>) -> tensor<4x5x6xf32>
  %1 = tensor.gather %t[%p] gather_dims([0, 1]) : (tensor<4x8x6xf32>, tensor<4x5x2xindex>) -> tensor<4x5x6xf32>
  return %0, %1 : tensor<4x5x6xf32>, tensor<4x5x6xf32>
}

//--- scatters.mlir
shard.grid @grid(shape = 4)
func.func @main(%t: tensor<4x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
                %u: tensor<4x5x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
                %k: tensor<4x5xi32>, %p: tensor<4x5x2xindex>) -> (tensor<4x8x6xf32>, tensor<4x8x6xf32>) {
  %e = tensor.empty() : tensor<4x5x2xindex>
  %i = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%k : tensor<4x5xi32>) outs(%e : tensor<4x5x2xindex>) {
  ^bb0(%x: i32, %o: index):
    %b = linalg.index 0 : index
    %c = linalg.index 2 : index
    %one = arith.constant 1 : index
    %is = arith.cmpi eq, %c, %one : index
    %place = arith.index_cast %x : i32 to index
    %s = arith.select %is, %place, %b : index
    linalg.yield %s : index
  } -> tensor<4x5x2xindex>
  %0 = tensor.scatter %u into %t[%i] scatter_dims([0, 1]) unique
      : (tensor<4x5x6xf32>, tensor<4x8x6xf32>, tensor<4x5x2xindex>) -> tensor<4x8x6xf32>
  %1 = tensor.scatter %u into %t[%p] scatter_dims([0, 1]) unique
      : (tensor<4x5x6xf32>, tensor<4x8x6xf32>, tensor<4x5x2xindex>) -> tensor<4x8x6xf32>
  return %0, %1 : tensor<4x8x6xf32>, tensor<4x8x6xf32>
}

// The first slice has all rows, the second one those of another tensor.
//--- slices.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<?x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %y: tensor<?x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x5xf32>
  %0 = tensor.extract_slice %x[0, 0] [%m, 5] [1, 1] : tensor<?x5xf32> to tensor<?x5xf32>
  %1 = tensor.extract_slice %y[0, 0] [%m, 5] [1, 1] : tensor<?x5xf32> to tensor<?x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x5xf32>
}

//--- insertions.mlir
shard.grid @grid(shape = 4)
func.func @main(%x: tensor<?x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %y: tensor<?x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x5xf32>
  %e = math.exp %x : tensor<?x5xf32>
  %0 = tensor.insert_slice %e into %x[0, 0] [%m, 5] [1, 1] : tensor<?x5xf32> into tensor<?x5xf32>
  %1 = tensor.insert_slice %e into %y[0, 0] [%m, 5] [1, 1] : tensor<?x5xf32> into tensor<?x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x5xf32>
}
