// Every op of tosa that has a lowering: convolutions, pooling, transforms, control
// flow.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --partition-tosa --grid=2x3 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @conv2d(%a0: tensor<4x6x6x3xf32>, %a1: tensor<5x3x3x3xf32>, %a2: tensor<5xf32>) -> (tensor<4x6x6x5xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x5xf32>
  return %r0 : tensor<4x6x6x5xf32>
}

func.func private @conv2d_i8(%a0: tensor<4x6x6x3xi8>, %a1: tensor<5x3x3x3xi8>, %a2: tensor<5xi32>) -> (tensor<4x4x4x5xi32>) {
  %z = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %r0 = tosa.conv2d %a0, %a1, %a2, %z, %z {acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x4x4x5xi32>
  return %r0 : tensor<4x4x4x5xi32>
}

func.func private @conv3d(%a0: tensor<2x4x5x4x3xf32>, %a1: tensor<5x3x3x3x3xf32>, %a2: tensor<5xf32>) -> (tensor<2x2x3x2x5xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.conv3d %a0, %a1, %a2, %z, %z {acc_type = f32, dilation = array<i64: 1, 1, 1>, pad = array<i64: 0, 0, 0, 0, 0, 0>, stride = array<i64: 1, 1, 1>} : (tensor<2x4x5x4x3xf32>, tensor<5x3x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x3x2x5xf32>
  return %r0 : tensor<2x2x3x2x5xf32>
}

func.func private @depthwise_conv2d(%a0: tensor<4x6x6x3xf32>, %a1: tensor<3x3x3x2xf32>, %a2: tensor<6xf32>) -> (tensor<4x6x6x6xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.depthwise_conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x6xf32>
  return %r0 : tensor<4x6x6x6xf32>
}

func.func private @transpose_conv2d_1(%a0: tensor<4x6x6x3xf32>, %a1: tensor<5x3x3x3xf32>, %a2: tensor<5xf32>) -> (tensor<4x8x8x5xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.transpose_conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x8x8x5xf32>
  return %r0 : tensor<4x8x8x5xf32>
}

func.func private @transpose_conv2d_2(%a0: tensor<4x6x6x3xf32>, %a1: tensor<5x3x3x3xf32>, %a2: tensor<5xf32>) -> (tensor<4x13x13x5xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.transpose_conv2d %a0, %a1, %a2, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x13x13x5xf32>
  return %r0 : tensor<4x13x13x5xf32>
}

func.func private @max_pool2d(%a0: tensor<4x6x6x3xf32>) -> (tensor<4x6x6x3xf32>) {
  %r0 = tosa.max_pool2d %a0 {kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>) -> tensor<4x6x6x3xf32>
  return %r0 : tensor<4x6x6x3xf32>
}

func.func private @avg_pool2d(%a0: tensor<4x6x6x3xf32>) -> (tensor<4x6x6x3xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %r0 = tosa.avg_pool2d %a0, %z, %z {acc_type = f32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x6x6x3xf32>
  return %r0 : tensor<4x6x6x3xf32>
}

func.func private @avg_pool2d_i8(%a0: tensor<4x6x6x3xi8>) -> (tensor<4x6x6x3xi8>) {
  %z = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %r0 = tosa.avg_pool2d %a0, %z, %z {acc_type = i32, kernel = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<4x6x6x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x6x6x3xi8>
  return %r0 : tensor<4x6x6x3xi8>
}

func.func private @resize_bilinear(%a0: tensor<3x4x4x5xf32>) -> (tensor<3x7x7x5xf32>) {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r0 = tosa.resize %a0, %s, %o, %o {mode = BILINEAR} : (tensor<3x4x4x5xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x7x7x5xf32>
  return %r0 : tensor<3x7x7x5xf32>
}

func.func private @resize_nearest_neighbor(%a0: tensor<3x4x4x5xf32>) -> (tensor<3x7x7x5xf32>) {
  %s = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %o = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %r0 = tosa.resize %a0, %s, %o, %o {mode = NEAREST_NEIGHBOR} : (tensor<3x4x4x5xf32>, !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x7x7x5xf32>
  return %r0 : tensor<3x7x7x5xf32>
}

func.func private @fft2d(%a0: tensor<3x4x8xf32>, %a1: tensor<3x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x4x8xf32>) {
  %r0, %r1 = tosa.fft2d %a0, %a1 {inverse = false} : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x4x8xf32>)
  return %r0, %r1 : tensor<3x4x8xf32>, tensor<3x4x8xf32>
}

func.func private @rfft2d(%a0: tensor<3x4x8xf32>) -> (tensor<3x4x5xf32>, tensor<3x4x5xf32>) {
  %r0, %r1 = tosa.rfft2d %a0 : (tensor<3x4x8xf32>) -> (tensor<3x4x5xf32>, tensor<3x4x5xf32>)
  return %r0, %r1 : tensor<3x4x5xf32>, tensor<3x4x5xf32>
}

func.func private @cond_if(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>, %a2: tensor<i1>) -> (tensor<7x5xf32>) {
  %r0 = tosa.cond_if %a2 (%x0 = %a0, %y0 = %a1) : tensor<i1> (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32> {
  ^bb0(%x: tensor<7x5xf32>, %y: tensor<7x5xf32>):
    %0 = tosa.add %x, %y : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    tosa.yield %0 : tensor<7x5xf32>
  } else {
  ^bb0(%x: tensor<7x5xf32>, %y: tensor<7x5xf32>):
    %0 = tosa.sub %x, %y : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
    tosa.yield %0 : tensor<7x5xf32>
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @while_loop(%a0: tensor<7x5xf32>, %a1: tensor<i32>) -> (tensor<7x5xf32>, tensor<i32>) {
  %n = "tosa.const"() {values = dense<5> : tensor<i32>} : () -> tensor<i32>
  %one = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
  %i:2 = tosa.while_loop (%k = %a1, %x = %a0) : (tensor<i32>, tensor<7x5xf32>) -> (tensor<i32>, tensor<7x5xf32>) {
    %c = tosa.greater_equal %n, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  } do {
  ^bb0(%k: tensor<i32>, %x: tensor<7x5xf32>):
    %k1 = tosa.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = tosa.tanh %x : (tensor<7x5xf32>) -> tensor<7x5xf32>
    tosa.yield %k1, %y : tensor<i32>, tensor<7x5xf32>
  }
  %r0 = tosa.identity %i#1 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %r1 = tosa.identity %i#0 : (tensor<i32>) -> tensor<i32>
  return %r0, %r1 : tensor<7x5xf32>, tensor<i32>
}

func.func @main(
    %t4x6x6x3xf32: tensor<4x6x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x3x3x3xf32: tensor<5x3x3x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5xf32: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t4x6x6x3xi8: tensor<4x6x6x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x3x3x3xi8: tensor<5x3x3x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5xi32: tensor<5xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t2x4x5x4x3xf32: tensor<2x4x5x4x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x3x3x3x3xf32: tensor<5x3x3x3x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t3x3x3x2xf32: tensor<3x3x3x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6xf32: tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t3x4x4x5xf32: tensor<3x4x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t3x4x8xf32: tensor<3x4x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x4x8xf32_b: tensor<3x4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>},
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xf32_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %ti1: tensor<i1>,
    %ti32: tensor<i32>)
    -> (tensor<4x6x6x5xf32>, tensor<4x4x4x5xi32>, tensor<2x2x3x2x5xf32>,
        tensor<4x6x6x6xf32>, tensor<4x8x8x5xf32>, tensor<4x13x13x5xf32>,
        tensor<4x6x6x3xf32>, tensor<4x6x6x3xf32>, tensor<4x6x6x3xi8>,
        tensor<3x7x7x5xf32>, tensor<3x7x7x5xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>,
        tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<i32>) {
  %conv2d = call @conv2d(%t4x6x6x3xf32, %t5x3x3x3xf32, %t5xf32) : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> (tensor<4x6x6x5xf32>)
  %conv2d_i8 = call @conv2d_i8(%t4x6x6x3xi8, %t5x3x3x3xi8, %t5xi32) : (tensor<4x6x6x3xi8>, tensor<5x3x3x3xi8>, tensor<5xi32>) -> (tensor<4x4x4x5xi32>)
  %conv3d = call @conv3d(%t2x4x5x4x3xf32, %t5x3x3x3x3xf32, %t5xf32) : (tensor<2x4x5x4x3xf32>, tensor<5x3x3x3x3xf32>, tensor<5xf32>) -> (tensor<2x2x3x2x5xf32>)
  %depthwise_conv2d = call @depthwise_conv2d(%t4x6x6x3xf32, %t3x3x3x2xf32, %t6xf32) : (tensor<4x6x6x3xf32>, tensor<3x3x3x2xf32>, tensor<6xf32>) -> (tensor<4x6x6x6xf32>)
  %transpose_conv2d_1 = call @transpose_conv2d_1(%t4x6x6x3xf32, %t5x3x3x3xf32, %t5xf32) : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> (tensor<4x8x8x5xf32>)
  %transpose_conv2d_2 = call @transpose_conv2d_2(%t4x6x6x3xf32, %t5x3x3x3xf32, %t5xf32) : (tensor<4x6x6x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>) -> (tensor<4x13x13x5xf32>)
  %max_pool2d = call @max_pool2d(%t4x6x6x3xf32) : (tensor<4x6x6x3xf32>) -> (tensor<4x6x6x3xf32>)
  %avg_pool2d = call @avg_pool2d(%t4x6x6x3xf32) : (tensor<4x6x6x3xf32>) -> (tensor<4x6x6x3xf32>)
  %avg_pool2d_i8 = call @avg_pool2d_i8(%t4x6x6x3xi8) : (tensor<4x6x6x3xi8>) -> (tensor<4x6x6x3xi8>)
  %resize_bilinear = call @resize_bilinear(%t3x4x4x5xf32) : (tensor<3x4x4x5xf32>) -> (tensor<3x7x7x5xf32>)
  %resize_nearest_neighbor = call @resize_nearest_neighbor(%t3x4x4x5xf32) : (tensor<3x4x4x5xf32>) -> (tensor<3x7x7x5xf32>)
  %fft2d:2 = call @fft2d(%t3x4x8xf32, %t3x4x8xf32_b) : (tensor<3x4x8xf32>, tensor<3x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x4x8xf32>)
  %rfft2d:2 = call @rfft2d(%t3x4x8xf32) : (tensor<3x4x8xf32>) -> (tensor<3x4x5xf32>, tensor<3x4x5xf32>)
  %cond_if = call @cond_if(%t7x5xf32, %t7x5xf32_b, %ti1) : (tensor<7x5xf32>, tensor<7x5xf32>, tensor<i1>) -> (tensor<7x5xf32>)
  %while_loop:2 = call @while_loop(%t7x5xf32, %ti32) : (tensor<7x5xf32>, tensor<i32>) -> (tensor<7x5xf32>, tensor<i32>)
  return %conv2d, %conv2d_i8, %conv3d, %depthwise_conv2d, %transpose_conv2d_1,
      %transpose_conv2d_2, %max_pool2d, %avg_pool2d, %avg_pool2d_i8, %resize_bilinear,
      %resize_nearest_neighbor, %fft2d#0, %fft2d#1, %rfft2d#0, %rfft2d#1, %cond_if,
      %while_loop#0, %while_loop#1 :
      tensor<4x6x6x5xf32>, tensor<4x4x4x5xi32>, tensor<2x2x3x2x5xf32>,
      tensor<4x6x6x6xf32>, tensor<4x8x8x5xf32>, tensor<4x13x13x5xf32>,
      tensor<4x6x6x3xf32>, tensor<4x6x6x3xf32>, tensor<4x6x6x3xi8>,
      tensor<3x7x7x5xf32>, tensor<3x7x7x5xf32>, tensor<3x4x8xf32>, tensor<3x4x8xf32>,
      tensor<3x4x5xf32>, tensor<3x4x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<i32>
}
