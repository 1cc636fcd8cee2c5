// Every op of linalg that is no convolution and no pooling.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xf32_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xf32_c: tensor<7x5xf32>,
    %t7x5xi32: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi32_b: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi32_c: tensor<7x5xi32>,
    %t7x5xi1: tensor<7x5xi1> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5xf32: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %f32: f32,
    %f64: f64,
    %f64_b: f64,
    %i32: i32,
    %t7xf32: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t5x7xf32: tensor<5x7xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7xf32_b: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %tf32: tensor<f32>,
    %t5x9xf32: tensor<5x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x9xf32: tensor<7x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi8: tensor<7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5x9xi8: tensor<5x9xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x9xi32: tensor<7x9xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x7x5xf32: tensor<3x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x5x9xf32: tensor<3x5x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x7x9xf32: tensor<3x7x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x5xf32: tensor<3x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x7xf32: tensor<3x7xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x9xf32: tensor<3x9xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x5x2x4xf32: tensor<3x5x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t7x5x3x4xf32: tensor<7x5x3x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t3x7x2x3xf32: tensor<3x7x2x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x3x5x2x4xf32: tensor<2x3x5x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x7x5x3x4xf32: tensor<2x7x5x3x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x3x7x2x3xf32: tensor<2x3x7x2x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t7x5x2xf32: tensor<7x5x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x9x2xf32: tensor<5x9x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %i32_b: i32,
    %t3x7x5xi8: tensor<3x7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x5x9xi8: tensor<3x5x9xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x7x9xi32: tensor<3x7x9xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5xf32_b: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t8x12xf32: tensor<8x12xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t4x3x4x2xf32: tensor<4x3x4x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t3x4x2x4xf32: tensor<3x4x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t4x2x2x4xf32: tensor<4x2x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t4x3x2x4xf32: tensor<4x3x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>})
    -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<5xf32>, tensor<7xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<f32>, tensor<7xf32>,
        tensor<5xf32>, tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xi32>,
        tensor<3x7x9xf32>, tensor<3x7xf32>, tensor<3x9xf32>, tensor<7x9xf32>,
        tensor<3x7x2x3xf32>, tensor<2x3x7x2x3xf32>, tensor<7x9xf32>, tensor<7x9xi32>,
        tensor<3x7x9xi32>, tensor<5xf32>, tensor<5xf32>, tensor<4x3x4x2xf32>,
        tensor<3x4x2x4xf32>, tensor<4x2x2x4xf32>, tensor<8x12xf32>, tensor<7x5xf32>) {
  %abs = linalg.abs ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %ceil = linalg.ceil ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %erf = linalg.erf ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %exp = linalg.exp ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %floor = linalg.floor ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %log = linalg.log ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %negf = linalg.negf ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %reciprocal = linalg.reciprocal ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %round = linalg.round ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %rsqrt = linalg.rsqrt ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %sqrt = linalg.sqrt ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %square = linalg.square ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %tanh = linalg.tanh ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %add = linalg.add ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %sub = linalg.sub ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %mul = linalg.mul ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %div = linalg.div ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %max = linalg.max ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %min = linalg.min ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %powf = linalg.powf ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %div_i = linalg.div ins(%t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>, tensor<7x5xi32>) outs(%t7x5xi32_c : tensor<7x5xi32>) -> tensor<7x5xi32>
  %div_unsigned = linalg.div_unsigned ins(%t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>, tensor<7x5xi32>) outs(%t7x5xi32_c : tensor<7x5xi32>) -> tensor<7x5xi32>
  %select = linalg.select ins(%t7x5xi1, %t7x5xf32, %t7x5xf32_b : tensor<7x5xi1>, tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %copy = linalg.copy ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %elementwise = linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %elementwise2 = linalg.elementwise kind=#linalg.elementwise_kind<mul> indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>] ins(%t7x5xf32, %t5xf32 : tensor<7x5xf32>, tensor<5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %fill_f = linalg.fill ins(%f32 : f32) outs(%t7x5xf32 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %fill = arith.addf %fill_f, %t7x5xf32 : tensor<7x5xf32>
  %fill_rng_2d = linalg.fill_rng_2d ins(%f64, %f64_b, %i32 : f64, f64, i32) outs(%t7x5xf32 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %map = linalg.map { arith.addf } ins(%t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>, tensor<7x5xf32>) outs(%t7x5xf32_c : tensor<7x5xf32>)
  %reduce = linalg.reduce { arith.addf } ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t5xf32 : tensor<5xf32>) dimensions = [0]
  %reduce2 = linalg.reduce { arith.maximumf } ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7xf32 : tensor<7xf32>) dimensions = [1]
  %broadcast = linalg.broadcast ins(%t5xf32 : tensor<5xf32>) outs(%t7x5xf32 : tensor<7x5xf32>) dimensions = [0]
  %transpose = linalg.transpose ins(%t5x7xf32 : tensor<5x7xf32>) outs(%t7x5xf32 : tensor<7x5xf32>) permutation = [1,0]
  %softmax = linalg.softmax dimension(1) ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %softmax0 = linalg.softmax dimension(0) ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t7x5xf32_b : tensor<7x5xf32>) -> tensor<7x5xf32>
  %dot = linalg.dot ins(%t7xf32, %t7xf32_b : tensor<7xf32>, tensor<7xf32>) outs(%tf32 : tensor<f32>) -> tensor<f32>
  %matvec = linalg.matvec ins(%t7x5xf32, %t5xf32 : tensor<7x5xf32>, tensor<5xf32>) outs(%t7xf32 : tensor<7xf32>) -> tensor<7xf32>
  %vecmat = linalg.vecmat ins(%t7xf32, %t7x5xf32 : tensor<7xf32>, tensor<7x5xf32>) outs(%t5xf32 : tensor<5xf32>) -> tensor<5xf32>
  %matmul = linalg.matmul ins(%t7x5xf32, %t5x9xf32 : tensor<7x5xf32>, tensor<5x9xf32>) outs(%t7x9xf32 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %matmul_ta = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(k,m)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>] ins(%t5x7xf32, %t5x9xf32 : tensor<5x7xf32>, tensor<5x9xf32>) outs(%t7x9xf32 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %matmul_i8 = linalg.matmul ins(%t7x5xi8, %t5x9xi8 : tensor<7x5xi8>, tensor<5x9xi8>) outs(%t7x9xi32 : tensor<7x9xi32>) -> tensor<7x9xi32>
  %batch_matmul = linalg.batch_matmul ins(%t3x7x5xf32, %t3x5x9xf32 : tensor<3x7x5xf32>, tensor<3x5x9xf32>) outs(%t3x7x9xf32 : tensor<3x7x9xf32>) -> tensor<3x7x9xf32>
  %batch_matvec = linalg.batch_matvec ins(%t3x7x5xf32, %t3x5xf32 : tensor<3x7x5xf32>, tensor<3x5xf32>) outs(%t3x7xf32 : tensor<3x7xf32>) -> tensor<3x7xf32>
  %batch_vecmat = linalg.batch_vecmat ins(%t3x5xf32, %t3x5x9xf32 : tensor<3x5xf32>, tensor<3x5x9xf32>) outs(%t3x9xf32 : tensor<3x9xf32>) -> tensor<3x9xf32>
  %batch_reduce_matmul = linalg.batch_reduce_matmul ins(%t3x7x5xf32, %t3x5x9xf32 : tensor<3x7x5xf32>, tensor<3x5x9xf32>) outs(%t7x9xf32 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %mmt4d = linalg.mmt4d ins(%t3x5x2x4xf32, %t7x5x3x4xf32 : tensor<3x5x2x4xf32>, tensor<7x5x3x4xf32>) outs(%t3x7x2x3xf32 : tensor<3x7x2x3xf32>) -> tensor<3x7x2x3xf32>
  %batch_mmt4d = linalg.batch_mmt4d ins(%t2x3x5x2x4xf32, %t2x7x5x3x4xf32 : tensor<2x3x5x2x4xf32>, tensor<2x7x5x3x4xf32>) outs(%t2x3x7x2x3xf32 : tensor<2x3x7x2x3xf32>) -> tensor<2x3x7x2x3xf32>
  %contract = linalg.contract indexing_maps = [affine_map<(m,n,k,l)->(m,k,l)>, affine_map<(m,n,k,l)->(k,n,l)>, affine_map<(m,n,k,l)->(m,n)>] ins(%t7x5x2xf32, %t5x9x2xf32 : tensor<7x5x2xf32>, tensor<5x9x2xf32>) outs(%t7x9xf32 : tensor<7x9xf32>) -> tensor<7x9xf32>
  %quantized_matmul = linalg.quantized_matmul ins(%t7x5xi8, %t5x9xi8, %i32, %i32_b : tensor<7x5xi8>, tensor<5x9xi8>, i32, i32) outs(%t7x9xi32 : tensor<7x9xi32>) -> tensor<7x9xi32>
  %quantized_batch_matmul = linalg.quantized_batch_matmul ins(%t3x7x5xi8, %t3x5x9xi8, %i32, %i32_b : tensor<3x7x5xi8>, tensor<3x5x9xi8>, i32, i32) outs(%t3x7x9xi32 : tensor<3x7x9xi32>) -> tensor<3x7x9xi32>
  %generic_r0, %generic_r1 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(j)>], iterator_types = ["reduction","parallel"]} ins(%t7x5xf32 : tensor<7x5xf32>) outs(%t5xf32, %t5xf32_b : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%generic_x: f32, %generic_acc: f32, %generic_mx: f32):
    %generic_i = linalg.index 0 : index
    %generic_k = arith.index_cast %generic_i : index to i32
    %generic_f = arith.sitofp %generic_k : i32 to f32
    %2 = arith.mulf %generic_x, %generic_f : f32
    %3 = arith.addf %generic_acc, %2 : f32
    %4 = arith.maximumf %generic_mx, %generic_x : f32
    linalg.yield %3, %4 : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  %pack = linalg.pack %t8x12xf32 inner_dims_pos = [1, 0] inner_tiles = [4, 2] into %t4x3x4x2xf32 : tensor<8x12xf32> -> tensor<4x3x4x2xf32>
  %pack_perm = linalg.pack %t8x12xf32 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %t3x4x2x4xf32 : tensor<8x12xf32> -> tensor<3x4x2x4xf32>
  %pack_pad = linalg.pack %t7x5xf32 padding_value(%f32 : f32) inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %t4x2x2x4xf32 : tensor<7x5xf32> -> tensor<4x2x2x4xf32>
  %unpack = linalg.unpack %t4x3x2x4xf32 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %t8x12xf32 : tensor<4x3x2x4xf32> -> tensor<8x12xf32>
  %unpack_trim = linalg.unpack %t4x2x2x4xf32 inner_dims_pos = [0, 1] inner_tiles = [2, 4] into %t7x5xf32 : tensor<4x2x2x4xf32> -> tensor<7x5xf32>
  return %abs, %ceil, %erf, %exp, %floor, %log, %negf, %reciprocal, %round, %rsqrt, %sqrt,
      %square, %tanh, %add, %sub, %mul, %div, %max, %min, %powf, %div_i, %div_unsigned,
      %select, %copy, %elementwise, %elementwise2, %fill, %fill_rng_2d, %map, %reduce,
      %reduce2, %broadcast, %transpose, %softmax, %softmax0, %dot, %matvec, %vecmat,
      %matmul, %matmul_ta, %matmul_i8, %batch_matmul, %batch_matvec, %batch_vecmat,
      %batch_reduce_matmul, %mmt4d, %batch_mmt4d, %contract, %quantized_matmul,
      %quantized_batch_matmul, %generic_r0, %generic_r1, %pack, %pack_perm, %pack_pad,
      %unpack, %unpack_trim :
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<5xf32>, tensor<7xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<f32>, tensor<7xf32>, tensor<5xf32>,
      tensor<7x9xf32>, tensor<7x9xf32>, tensor<7x9xi32>, tensor<3x7x9xf32>,
      tensor<3x7xf32>, tensor<3x9xf32>, tensor<7x9xf32>, tensor<3x7x2x3xf32>,
      tensor<2x3x7x2x3xf32>, tensor<7x9xf32>, tensor<7x9xi32>, tensor<3x7x9xi32>,
      tensor<5xf32>, tensor<5xf32>, tensor<4x3x4x2xf32>, tensor<3x4x2x4xf32>,
      tensor<4x2x2x4xf32>, tensor<8x12xf32>, tensor<7x5xf32>
}
