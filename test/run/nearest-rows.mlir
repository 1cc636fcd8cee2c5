// Nearest-neighbour upsampling whose body extracts at quotients of its loops, and that of tosa,
// whose places are computed with floats: the images are split by rows and columns, and nothing
// is sent.
// RUN: shard-run %s --entry main --verify --report=json | FileCheck %s
// RUN: shard-run %s --entry tosa --verify --report=json | FileCheck %s
// RUN: shard-run %s --entry main --grid 3x2 --verify --report=json | FileCheck %s
// CHECK: "collectives": []
// CHECK: "pass": true

shard.grid @grid(shape = 2x3)
func.func @main(%x: tensor<2x4x6x6xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0], [1]]>})
    -> tensor<2x4x12x18xf32> {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %e = tensor.empty() : tensor<2x4x12x18xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>],
                       iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%e : tensor<2x4x12x18xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %h = linalg.index 2 : index
    %w = linalg.index 3 : index
    %i = arith.divui %h, %two : index
    %j = arith.floordivsi %w, %three : index
    %v = tensor.extract %x[%n, %c, %i, %j] : tensor<2x4x6x6xf32>
    linalg.yield %v : f32
  } -> tensor<2x4x12x18xf32>
  return %0 : tensor<2x4x12x18xf32>
}

func.func @tosa(%x: tensor<2x6x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], [1], []]>})
    -> tensor<2x12x12x4xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %x, %scale, %offset, %border {mode = NEAREST_NEIGHBOR}
      : (tensor<2x6x6x4xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x12x12x4xf32>
  return %0 : tensor<2x12x12x4xf32>
}
