// tosa is lowered first; what it becomes has models. Or it is partitioned by its
// own models.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5 | FileCheck %s
// RUN: shard-run %s --verify --partition-tosa --print-partitioned | FileCheck %s --check-prefixes=TOSA,CHECK
// RUN: shard-run %s --verify --partition-tosa --grid=2x2 | FileCheck %s
// RUN: shard-opt %s --shard-spmd=lower-tosa=false | FileCheck %s --check-prefix=TOSA
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=LOWERED
// TOSA: tosa.apply_scale {{.*}} -> tensor<3x5xi32>
// TOSA: tosa.matmul
// LOWERED-NOT: tosa.
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @ew(%a: tensor<7x5xf32>, %b: tensor<1x5xf32>) -> tensor<7x5xf32> {
  %s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.add %a, %b : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %1 = tosa.mul %0, %b, %s : (tensor<7x5xf32>, tensor<1x5xf32>, tensor<1xi8>) -> tensor<7x5xf32>
  %2 = tosa.sigmoid %1 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %3 = tosa.clamp %2 {min_val = 0.1 : f32, max_val = 0.6 : f32} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %4 = tosa.maximum %3, %a : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  %5 = tosa.greater %4, %b : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xi1>
  %6 = tosa.select %5, %4, %b : (tensor<7x5xi1>, tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %7 = tosa.erf %6 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  return %7 : tensor<7x5xf32>
}

func.func private @cast(%a: tensor<7x5xf32>) -> tensor<7x5xi32> {
  %0 = tosa.cast %a : (tensor<7x5xf32>) -> tensor<7x5xi32>
  %m = "tosa.const"() {values = dense<1073741824> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %s = "tosa.const"() {values = dense<29> : tensor<7x5xi8>} : () -> tensor<7x5xi8>
  %1 = tosa.apply_scale %0, %m, %s {rounding_mode = SINGLE_ROUND} : (tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi8>) -> tensor<7x5xi32>
  return %1 : tensor<7x5xi32>
}

func.func private @matmul(%a: tensor<2x7x5xf32>, %b: tensor<2x5x4xf32>) -> tensor<2x7x4xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<2x7x5xf32>, tensor<2x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x7x4xf32>
  return %0 : tensor<2x7x4xf32>
}

func.func private @transpose(%a: tensor<7x4x5xf32>) -> tensor<5x7x4xf32> {
  %0 = tosa.transpose %a {perms = array<i32: 2, 0, 1>} : (tensor<7x4x5xf32>) -> tensor<5x7x4xf32>
  return %0 : tensor<5x7x4xf32>
}

func.func private @reshape(%a: tensor<6x4xf32>) -> tensor<2x12xf32> {
  %s = tosa.const_shape {values = dense<[2, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %a, %s : (tensor<6x4xf32>, !tosa.shape<2>) -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

func.func private @reduce(%a: tensor<7x5xf32>) -> (tensor<1x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>) {
  %0 = tosa.reduce_sum %a {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  %1 = tosa.reduce_max %a {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  %2 = tosa.reduce_product %a {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  return %0, %1, %2 : tensor<1x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>
}

func.func private @argmax(%a: tensor<7x5xf32>) -> tensor<7xi32> {
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7xi32>
  return %0 : tensor<7xi32>
}

func.func private @concat(%a: tensor<7x4xf32>, %b: tensor<7x3xf32>) -> tensor<7x7xf32> {
  %0 = tosa.concat %a, %b {axis = 1 : i32} : (tensor<7x4xf32>, tensor<7x3xf32>) -> tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

func.func private @slice(%a: tensor<7x4xf32>) -> tensor<7x2xf32> {
  %s = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %t = tosa.const_shape {values = dense<[7, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.slice %a, %s, %t : (tensor<7x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<7x2xf32>
  return %0 : tensor<7x2xf32>
}

func.func private @pad(%a: tensor<7x4xf32>) -> tensor<7x7xf32> {
  %s = tosa.const_shape {values = dense<[0, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %z = "tosa.const"() {values = dense<1.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.pad %a, %s, %z : (tensor<7x4xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

func.func private @tile(%a: tensor<7x4xf32>) -> tensor<14x4xf32> {
  %s = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.tile %a, %s : (tensor<7x4xf32>, !tosa.shape<2>) -> tensor<14x4xf32>
  return %0 : tensor<14x4xf32>
}

func.func private @reverse(%a: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = tosa.reverse %a {axis = 0 : i32} : (tensor<7x4xf32>) -> tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @gather(%a: tensor<2x7x4xf32>) -> tensor<2x5x4xf32> {
  %i = "tosa.const"() {values = dense<[[0,3,6,2,1],[5,5,0,6,4]]> : tensor<2x5xi32>} : () -> tensor<2x5xi32>
  %0 = tosa.gather %a, %i : (tensor<2x7x4xf32>, tensor<2x5xi32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

func.func private @conv(%a: tensor<4x6x6x3xf32>, %f: tensor<5x3x3x3xf32>, %b: tensor<5xf32>) -> tensor<4x4x4x5xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.conv2d %a, %f, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x4x4x5xf32>
  return %0 : tensor<4x4x4x5xf32>
}

func.func private @depthwise(%a: tensor<4x6x6x3xf32>, %f: tensor<3x3x3x2xf32>, %b: tensor<6xf32>) -> tensor<4x6x6x6xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.depthwise_conv2d %a, %f, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x6xf32>
  return %0 : tensor<4x6x6x6xf32>
}

func.func private @max_pool(%a: tensor<4x6x6x3xf32>) -> tensor<4x3x3x3xf32> {
  %0 = tosa.max_pool2d %a {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<4x6x6x3xf32>) -> tensor<4x3x3x3xf32>
  return %0 : tensor<4x3x3x3xf32>
}

func.func private @avg_pool(%a: tensor<4x6x6x3xf32>) -> tensor<4x6x6x3xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.avg_pool2d %a, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x3xf32>
  return %0 : tensor<4x6x6x3xf32>
}

func.func private @table(%a: tensor<7x5xi8>) -> tensor<7x5xi8> {
  %t = "tosa.const"() {values = dense<7> : tensor<256xi8>} : () -> tensor<256xi8>
  %0 = tosa.table %a, %t : (tensor<7x5xi8>, tensor<256xi8>) -> tensor<7x5xi8>
  return %0 : tensor<7x5xi8>
}

func.func private @resize(%a: tensor<3x4x4x5xf32>) -> tensor<3x7x7x5xf32> {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %a, %s, %o, %o {mode = BILINEAR} : (tensor<3x4x4x5xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x7x7x5xf32>
  return %0 : tensor<3x7x7x5xf32>
}

func.func private @intdiv(%a: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %t = "tosa.const"() {values = dense<7> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %0 = tosa.intdiv %t, %a : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  return %0 : tensor<7x5xi32>
}

func.func @main(
    %ew_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %ew_b: tensor<1x5xf32>,
    %cast_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %matmul_a: tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %matmul_b: tensor<2x5x4xf32>,
    %transpose_a: tensor<7x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %reshape_a: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %reduce_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %argmax_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %concat_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %concat_b: tensor<7x3xf32>,
    %slice_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %pad_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %tile_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reverse_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %gather_a: tensor<2x7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %conv_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %conv_f: tensor<5x3x3x3xf32>,
    %conv_b: tensor<5xf32>,
    %depthwise_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %depthwise_f: tensor<3x3x3x2xf32>,
    %depthwise_b: tensor<6xf32>,
    %max_pool_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %avg_pool_a: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %table_a: tensor<7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %resize_a: tensor<3x4x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], [], []]>},
    %intdiv_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<7x5xf32>, tensor<7x5xi32>, tensor<2x7x4xf32>, tensor<5x7x4xf32>, tensor<2x12xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>, tensor<7xi32>, tensor<7x7xf32>, tensor<7x2xf32>, tensor<7x7xf32>, tensor<14x4xf32>, tensor<7x4xf32>, tensor<2x5x4xf32>, tensor<4x4x4x5xf32>, tensor<4x6x6x6xf32>, tensor<4x3x3x3xf32>, tensor<4x6x6x3xf32>, tensor<7x5xi8>, tensor<3x7x7x5xf32>, tensor<7x5xi32>) {
  %ew_r = call @ew(%ew_a, %ew_b) : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %cast_r = call @cast(%cast_a) : (tensor<7x5xf32>) -> tensor<7x5xi32>
  %matmul_r = call @matmul(%matmul_a, %matmul_b) : (tensor<2x7x5xf32>, tensor<2x5x4xf32>) -> tensor<2x7x4xf32>
  %transpose_r = call @transpose(%transpose_a) : (tensor<7x4x5xf32>) -> tensor<5x7x4xf32>
  %reshape_r = call @reshape(%reshape_a) : (tensor<6x4xf32>) -> tensor<2x12xf32>
  %reduce_r:3 = call @reduce(%reduce_a) : (tensor<7x5xf32>) -> (tensor<1x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>)
  %argmax_r = call @argmax(%argmax_a) : (tensor<7x5xf32>) -> tensor<7xi32>
  %concat_r = call @concat(%concat_a, %concat_b) : (tensor<7x4xf32>, tensor<7x3xf32>) -> tensor<7x7xf32>
  %slice_r = call @slice(%slice_a) : (tensor<7x4xf32>) -> tensor<7x2xf32>
  %pad_r = call @pad(%pad_a) : (tensor<7x4xf32>) -> tensor<7x7xf32>
  %tile_r = call @tile(%tile_a) : (tensor<7x4xf32>) -> tensor<14x4xf32>
  %reverse_r = call @reverse(%reverse_a) : (tensor<7x4xf32>) -> tensor<7x4xf32>
  %gather_r = call @gather(%gather_a) : (tensor<2x7x4xf32>) -> tensor<2x5x4xf32>
  %conv_r = call @conv(%conv_a, %conv_f, %conv_b) : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> tensor<4x4x4x5xf32>
  %depthwise_r = call @depthwise(%depthwise_a, %depthwise_f, %depthwise_b) : (tensor<4x6x6x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>) -> tensor<4x6x6x6xf32>
  %max_pool_r = call @max_pool(%max_pool_a) : (tensor<4x6x6x3xf32>) -> tensor<4x3x3x3xf32>
  %avg_pool_r = call @avg_pool(%avg_pool_a) : (tensor<4x6x6x3xf32>) -> tensor<4x6x6x3xf32>
  %table_r = call @table(%table_a) : (tensor<7x5xi8>) -> tensor<7x5xi8>
  %resize_r = call @resize(%resize_a) : (tensor<3x4x4x5xf32>) -> tensor<3x7x7x5xf32>
  %intdiv_r = call @intdiv(%intdiv_a) : (tensor<7x5xi32>) -> tensor<7x5xi32>
  return %ew_r, %cast_r, %matmul_r, %transpose_r, %reshape_r, %reduce_r#0, %reduce_r#1, %reduce_r#2, %argmax_r, %concat_r, %slice_r, %pad_r, %tile_r, %reverse_r, %gather_r, %conv_r, %depthwise_r, %max_pool_r, %avg_pool_r, %table_r, %resize_r, %intdiv_r
      : tensor<7x5xf32>, tensor<7x5xi32>, tensor<2x7x4xf32>, tensor<5x7x4xf32>, tensor<2x12xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>, tensor<7xi32>, tensor<7x7xf32>, tensor<7x2xf32>, tensor<7x7xf32>, tensor<14x4xf32>, tensor<7x4xf32>, tensor<2x5x4xf32>, tensor<4x4x4x5xf32>, tensor<4x6x6x6xf32>, tensor<4x3x3x3xf32>, tensor<4x6x6x3xf32>, tensor<7x5xi8>, tensor<3x7x7x5xf32>, tensor<7x5xi32>
}
