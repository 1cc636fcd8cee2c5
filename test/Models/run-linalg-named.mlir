// Named ops of linalg: matmul and its family, convolutions, pooling, relayouts.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @matmul(%a: tensor<7x5xf32>, %b: tensor<5x4xf32>, %c: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<7x5xf32>, tensor<5x4xf32>) outs(%c : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @matmul_ta(%a: tensor<5x7xf32>, %b: tensor<5x4xf32>, %c: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(k,m)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>] ins(%a, %b : tensor<5x7xf32>, tensor<5x4xf32>) outs(%c : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @batch_matmul(%a: tensor<2x7x5xf32>, %b: tensor<2x5x4xf32>, %c: tensor<2x7x4xf32>) -> tensor<2x7x4xf32> {
  %0 = linalg.batch_matmul ins(%a, %b : tensor<2x7x5xf32>, tensor<2x5x4xf32>) outs(%c : tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  return %0 : tensor<2x7x4xf32>
}

func.func private @contract(%a: tensor<7x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = linalg.contract indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(n,m)>] ins(%a, %b : tensor<7x5xf32>, tensor<4x5xf32>) outs(%c : tensor<4x7xf32>) -> tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

func.func private @batch_reduce_matmul(%a: tensor<3x7x5xf32>, %b: tensor<3x5x4xf32>, %c: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = linalg.batch_reduce_matmul ins(%a, %b : tensor<3x7x5xf32>, tensor<3x5x4xf32>) outs(%c : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @elementwise(%a: tensor<7x4xf32>, %b: tensor<4x7xf32>, %c: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [affine_map<(m,n)->(m,n)>, affine_map<(m,n)->(n,m)>, affine_map<(m,n)->(m,n)>] ins(%a, %b : tensor<7x4xf32>, tensor<4x7xf32>) outs(%c : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @matvec(%a: tensor<7x5xf32>, %b: tensor<5xf32>, %c: tensor<7xf32>) -> tensor<7xf32> {
  %0 = linalg.matvec ins(%a, %b : tensor<7x5xf32>, tensor<5xf32>) outs(%c : tensor<7xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func private @dot(%a: tensor<7xf32>, %b: tensor<7xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : tensor<7xf32>, tensor<7xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @transpose(%a: tensor<7x4x5xf32>, %c: tensor<5x7x4xf32>) -> tensor<5x7x4xf32> {
  %0 = linalg.transpose ins(%a: tensor<7x4x5xf32>) outs(%c : tensor<5x7x4xf32>) permutation = [2,0,1]
  return %0 : tensor<5x7x4xf32>
}

func.func private @broadcast(%a: tensor<7x5xf32>, %c: tensor<7x4x5xf32>) -> tensor<7x4x5xf32> {
  %0 = linalg.broadcast ins(%a: tensor<7x5xf32>) outs(%c : tensor<7x4x5xf32>) dimensions = [1]
  return %0 : tensor<7x4x5xf32>
}

func.func private @fill(%c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %z = arith.constant 2.0 : f32
  %0 = linalg.fill ins(%z : f32) outs(%c : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @fill_rng(%c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %lo = arith.constant 2.0 : f64
  %hi = arith.constant 3.0 : f64
  %seed = arith.constant 3 : i32
  %0 = linalg.fill_rng_2d ins(%lo, %hi, %seed : f64, f64, i32) outs(%c : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @copy(%a: tensor<7x5xf32>, %c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %0 = linalg.copy ins(%a : tensor<7x5xf32>) outs(%c : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @conv(%a: tensor<4x6x6x3xf32>, %f: tensor<3x3x3x5xf32>, %c: tensor<4x4x4x5xf32>) -> tensor<4x4x4x5xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %f : tensor<4x6x6x3xf32>, tensor<3x3x3x5xf32>) outs(%c : tensor<4x4x4x5xf32>) -> tensor<4x4x4x5xf32>
  return %0 : tensor<4x4x4x5xf32>
}

func.func private @conv1x1(%a: tensor<4x7x6x3xf32>, %f: tensor<1x1x3x5xf32>, %c: tensor<4x7x6x5xf32>) -> tensor<4x7x6x5xf32> {
  %0 = linalg.conv_2d_nhwc_hwcf ins(%a, %f : tensor<4x7x6x3xf32>, tensor<1x1x3x5xf32>) outs(%c : tensor<4x7x6x5xf32>) -> tensor<4x7x6x5xf32>
  return %0 : tensor<4x7x6x5xf32>
}

func.func private @depthwise(%a: tensor<4x6x6x3xf32>, %f: tensor<3x3x3xf32>, %c: tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32> {
  %0 = linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %f : tensor<4x6x6x3xf32>, tensor<3x3x3xf32>) outs(%c : tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32>
  return %0 : tensor<4x4x4x3xf32>
}

func.func private @pool(%a: tensor<4x6x6x3xf32>, %f: tensor<2x2xf32>, %c: tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32> {
  %0 = linalg.pooling_nhwc_sum {strides = dense<2> : tensor<2xi64>} ins(%a, %f : tensor<4x6x6x3xf32>, tensor<2x2xf32>) outs(%c : tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  return %0 : tensor<4x3x3x3xf32>
}

func.func private @pool_max(%a: tensor<4x6x6x3xf32>, %f: tensor<3x3xf32>, %c: tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32> {
  %0 = linalg.pooling_nhwc_max ins(%a, %f : tensor<4x6x6x3xf32>, tensor<3x3xf32>) outs(%c : tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32>
  return %0 : tensor<4x4x4x3xf32>
}

func.func private @softmax(%a: tensor<7x5xf32>, %c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<7x5xf32>) outs(%c : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @pack(%a: tensor<24x10xf32>, %c: tensor<5x6x4x2xf32>) -> tensor<5x6x4x2xf32> {
  %0 = linalg.pack %a outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %c : tensor<24x10xf32> -> tensor<5x6x4x2xf32>
  return %0 : tensor<5x6x4x2xf32>
}

func.func private @pack_pad(%a: tensor<23x7xf32>, %c: tensor<6x7x4xf32>) -> tensor<6x7x4xf32> {
  %z = arith.constant 2.0 : f32
  %0 = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0] inner_tiles = [4] into %c : tensor<23x7xf32> -> tensor<6x7x4xf32>
  return %0 : tensor<6x7x4xf32>
}

func.func private @unpack(%a: tensor<6x7x4xf32>, %c: tensor<24x7xf32>) -> tensor<24x7xf32> {
  %0 = linalg.unpack %a inner_dims_pos = [0] inner_tiles = [4] into %c : tensor<6x7x4xf32> -> tensor<24x7xf32>
  return %0 : tensor<24x7xf32>
}

func.func private @unit(%a: tensor<1x5xf32>, %b: tensor<5x1xf32>, %c: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<1x5xf32>, tensor<5x1xf32>) outs(%c : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

func.func private @zero_k(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x0xf32>, tensor<0x3xf32>) outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func private @quantized(%a: tensor<7x5xi8>, %b: tensor<5x4xi8>, %c: tensor<7x4xi32>) -> tensor<7x4xi32> {
  %z = arith.constant 3 : i32
  %0 = linalg.quantized_matmul ins(%a, %b, %z, %z : tensor<7x5xi8>, tensor<5x4xi8>, i32, i32) outs(%c : tensor<7x4xi32>) -> tensor<7x4xi32>
  return %0 : tensor<7x4xi32>
}

func.func private @mmt4d(%a: tensor<2x3x4x5xf32>, %b: tensor<2x3x6x5xf32>, %c: tensor<2x2x4x6xf32>) -> tensor<2x2x4x6xf32> {
  %0 = linalg.mmt4d ins(%a, %b : tensor<2x3x4x5xf32>, tensor<2x3x6x5xf32>) outs(%c : tensor<2x2x4x6xf32>) -> tensor<2x2x4x6xf32>
  return %0 : tensor<2x2x4x6xf32>
}

func.func @main(
    %matmul_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %matmul_b: tensor<5x4xf32>,
    %matmul_c: tensor<7x4xf32>,
    %matmul_ta_a: tensor<5x7xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %matmul_ta_b: tensor<5x4xf32>,
    %matmul_ta_c: tensor<7x4xf32>,
    %batch_matmul_a: tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %batch_matmul_b: tensor<2x5x4xf32>,
    %batch_matmul_c: tensor<2x7x4xf32>,
    %contract_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %contract_b: tensor<4x5xf32>,
    %contract_c: tensor<4x7xf32>,
    %batch_reduce_matmul_a: tensor<3x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
    %batch_reduce_matmul_b: tensor<3x5x4xf32>,
    %batch_reduce_matmul_c: tensor<7x4xf32>,
    %elementwise_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %elementwise_b: tensor<4x7xf32>,
    %elementwise_c: tensor<7x4xf32>,
    %matvec_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %matvec_b: tensor<5xf32>,
    %matvec_c: tensor<7xf32>,
    %dot_a: tensor<7xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %dot_b: tensor<7xf32>,
    %dot_c: tensor<f32>,
    %transpose_a: tensor<7x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %transpose_c: tensor<5x7x4xf32>,
    %broadcast_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %broadcast_c: tensor<7x4x5xf32>,
    %fill_c: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %fill_rng_c: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %copy_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %copy_c: tensor<7x5xf32>,
    %conv_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %conv_f: tensor<3x3x3x5xf32>,
    %conv_c: tensor<4x4x4x5xf32>,
    %conv1x1_a: tensor<4x7x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %conv1x1_f: tensor<1x1x3x5xf32>,
    %conv1x1_c: tensor<4x7x6x5xf32>,
    %depthwise_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %depthwise_f: tensor<3x3x3xf32>,
    %depthwise_c: tensor<4x4x4x3xf32>,
    %pool_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %pool_f: tensor<2x2xf32>,
    %pool_c: tensor<4x3x3x3xf32>,
    %pool_max_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %pool_max_f: tensor<3x3xf32>,
    %pool_max_c: tensor<4x4x4x3xf32>,
    %softmax_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %softmax_c: tensor<7x5xf32>,
    %pack_a: tensor<24x10xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %pack_c: tensor<5x6x4x2xf32>,
    %pack_pad_a: tensor<23x7xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %pack_pad_c: tensor<6x7x4xf32>,
    %unpack_a: tensor<6x7x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
    %unpack_c: tensor<24x7xf32>,
    %unit_a: tensor<1x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %unit_b: tensor<5x1xf32>,
    %unit_c: tensor<1x1xf32>,
    %zero_k_a: tensor<4x0xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %zero_k_b: tensor<0x3xf32>,
    %zero_k_c: tensor<4x3xf32>,
    %quantized_a: tensor<7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %quantized_b: tensor<5x4xi8>,
    %quantized_c: tensor<7x4xi32>,
    %mmt4d_a: tensor<2x3x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %mmt4d_b: tensor<2x3x6x5xf32>,
    %mmt4d_c: tensor<2x2x4x6xf32>)
    -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<2x7x4xf32>, tensor<4x7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7xf32>, tensor<f32>, tensor<5x7x4xf32>, tensor<7x4x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<4x4x4x5xf32>, tensor<4x7x6x5xf32>, tensor<4x4x4x3xf32>, tensor<4x3x3x3xf32>, tensor<4x4x4x3xf32>, tensor<7x5xf32>, tensor<5x6x4x2xf32>, tensor<6x7x4xf32>, tensor<24x7xf32>, tensor<1x1xf32>, tensor<4x3xf32>, tensor<7x4xi32>, tensor<2x2x4x6xf32>) {
  %matmul_r = call @matmul(%matmul_a, %matmul_b, %matmul_c) : (tensor<7x5xf32>, tensor<5x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %matmul_ta_r = call @matmul_ta(%matmul_ta_a, %matmul_ta_b, %matmul_ta_c) : (tensor<5x7xf32>, tensor<5x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %batch_matmul_r = call @batch_matmul(%batch_matmul_a, %batch_matmul_b, %batch_matmul_c) : (tensor<2x7x5xf32>, tensor<2x5x4xf32>, tensor<2x7x4xf32>) -> tensor<2x7x4xf32>
  %contract_r = call @contract(%contract_a, %contract_b, %contract_c) : (tensor<7x5xf32>, tensor<4x5xf32>, tensor<4x7xf32>) -> tensor<4x7xf32>
  %batch_reduce_matmul_r = call @batch_reduce_matmul(%batch_reduce_matmul_a, %batch_reduce_matmul_b, %batch_reduce_matmul_c) : (tensor<3x7x5xf32>, tensor<3x5x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %elementwise_r = call @elementwise(%elementwise_a, %elementwise_b, %elementwise_c) : (tensor<7x4xf32>, tensor<4x7xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %matvec_r = call @matvec(%matvec_a, %matvec_b, %matvec_c) : (tensor<7x5xf32>, tensor<5xf32>, tensor<7xf32>) -> tensor<7xf32>
  %dot_r = call @dot(%dot_a, %dot_b, %dot_c) : (tensor<7xf32>, tensor<7xf32>, tensor<f32>) -> tensor<f32>
  %transpose_r = call @transpose(%transpose_a, %transpose_c) : (tensor<7x4x5xf32>, tensor<5x7x4xf32>) -> tensor<5x7x4xf32>
  %broadcast_r = call @broadcast(%broadcast_a, %broadcast_c) : (tensor<7x5xf32>, tensor<7x4x5xf32>) -> tensor<7x4x5xf32>
  %fill_r = call @fill(%fill_c) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %fill_rng_r = call @fill_rng(%fill_rng_c) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %copy_r = call @copy(%copy_a, %copy_c) : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  %conv_r = call @conv(%conv_a, %conv_f, %conv_c) : (tensor<4x6x6x3xf32>, tensor<3x3x3x5xf32>, tensor<4x4x4x5xf32>) -> tensor<4x4x4x5xf32>
  %conv1x1_r = call @conv1x1(%conv1x1_a, %conv1x1_f, %conv1x1_c) : (tensor<4x7x6x3xf32>, tensor<1x1x3x5xf32>, tensor<4x7x6x5xf32>) -> tensor<4x7x6x5xf32>
  %depthwise_r = call @depthwise(%depthwise_a, %depthwise_f, %depthwise_c) : (tensor<4x6x6x3xf32>, tensor<3x3x3xf32>, tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32>
  %pool_r = call @pool(%pool_a, %pool_f, %pool_c) : (tensor<4x6x6x3xf32>, tensor<2x2xf32>, tensor<4x3x3x3xf32>) -> tensor<4x3x3x3xf32>
  %pool_max_r = call @pool_max(%pool_max_a, %pool_max_f, %pool_max_c) : (tensor<4x6x6x3xf32>, tensor<3x3xf32>, tensor<4x4x4x3xf32>) -> tensor<4x4x4x3xf32>
  %softmax_r = call @softmax(%softmax_a, %softmax_c) : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  %pack_r = call @pack(%pack_a, %pack_c) : (tensor<24x10xf32>, tensor<5x6x4x2xf32>) -> tensor<5x6x4x2xf32>
  %pack_pad_r = call @pack_pad(%pack_pad_a, %pack_pad_c) : (tensor<23x7xf32>, tensor<6x7x4xf32>) -> tensor<6x7x4xf32>
  %unpack_r = call @unpack(%unpack_a, %unpack_c) : (tensor<6x7x4xf32>, tensor<24x7xf32>) -> tensor<24x7xf32>
  %unit_r = call @unit(%unit_a, %unit_b, %unit_c) : (tensor<1x5xf32>, tensor<5x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %zero_k_r = call @zero_k(%zero_k_a, %zero_k_b, %zero_k_c) : (tensor<4x0xf32>, tensor<0x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %quantized_r = call @quantized(%quantized_a, %quantized_b, %quantized_c) : (tensor<7x5xi8>, tensor<5x4xi8>, tensor<7x4xi32>) -> tensor<7x4xi32>
  %mmt4d_r = call @mmt4d(%mmt4d_a, %mmt4d_b, %mmt4d_c) : (tensor<2x3x4x5xf32>, tensor<2x3x6x5xf32>, tensor<2x2x4x6xf32>) -> tensor<2x2x4x6xf32>
  return %matmul_r, %matmul_ta_r, %batch_matmul_r, %contract_r, %batch_reduce_matmul_r, %elementwise_r, %matvec_r, %dot_r, %transpose_r, %broadcast_r, %fill_r, %fill_rng_r, %copy_r, %conv_r, %conv1x1_r, %depthwise_r, %pool_r, %pool_max_r, %softmax_r, %pack_r, %pack_pad_r, %unpack_r, %unit_r, %zero_k_r, %quantized_r, %mmt4d_r
      : tensor<7x4xf32>, tensor<7x4xf32>, tensor<2x7x4xf32>, tensor<4x7xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7xf32>, tensor<f32>, tensor<5x7x4xf32>, tensor<7x4x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<4x4x4x5xf32>, tensor<4x7x6x5xf32>, tensor<4x4x4x3xf32>, tensor<4x3x3x3xf32>, tensor<4x4x4x3xf32>, tensor<7x5xf32>, tensor<5x6x4x2xf32>, tensor<6x7x4xf32>, tensor<24x7xf32>, tensor<1x1xf32>, tensor<4x3xf32>, tensor<7x4xi32>, tensor<2x2x4x6xf32>
}
