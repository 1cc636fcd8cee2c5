// A tensor that is rolled and cut along both of its split dimensions.

// RUN: shard-run %s --verify --grid 2x2 | FileCheck %s
// RUN: shard-run %s --verify --grid 3x2 | FileCheck %s
// RUN: shard-run %s --verify --grid 1x4 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x2)

func.func @main(%x: tensor<8x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) -> (tensor<8x9xf32>, tensor<6x8xf32>) {
  %a = tensor.extract_slice %x[3, 0] [5, 9] [1, 1] : tensor<8x9xf32> to tensor<5x9xf32>
  %b = tensor.extract_slice %x[0, 0] [3, 9] [1, 1] : tensor<8x9xf32> to tensor<3x9xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<5x9xf32>, tensor<3x9xf32>) -> tensor<8x9xf32>
  %d = tensor.extract_slice %c[0, 8] [8, 1] [1, 1] : tensor<8x9xf32> to tensor<8x1xf32>
  %e = tensor.extract_slice %c[0, 0] [8, 8] [1, 1] : tensor<8x9xf32> to tensor<8x8xf32>
  %f = tensor.concat dim(1) %d, %e : (tensor<8x1xf32>, tensor<8x8xf32>) -> tensor<8x9xf32>
  %s = tensor.extract_slice %x[1, 1] [6, 8] [1, 1] : tensor<8x9xf32> to tensor<6x8xf32>
  %t = tensor.extract_slice %f[2, 0] [6, 8] [1, 1] : tensor<8x9xf32> to tensor<6x8xf32>
  %u = arith.addf %s, %t : tensor<6x8xf32>
  return %f, %u : tensor<8x9xf32>, tensor<6x8xf32>
}
