// Every convolution of linalg, split by batch and by the last dimension of the
// filter.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t5xf32: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t2xf32: tensor<2xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t4xf32: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t5x5xf32: tensor<5x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t2x2xf32: tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t4x4xf32: tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t4x4x4xf32: tensor<4x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x2x2xf32: tensor<2x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x3x3xf32: tensor<3x3x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x8x3xf32: tensor<5x8x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x3x6xf32: tensor<2x3x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x4x6xf32: tensor<5x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x3x8xf32: tensor<5x3x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t6x3x2xf32: tensor<6x3x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x6x4xf32: tensor<5x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x8x8x3xf32: tensor<5x8x8x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2x3x6xf32: tensor<2x2x3x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x4x4x6xf32: tensor<5x4x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x2x2x3xf32: tensor<6x2x2x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x8x8x3xi8: tensor<5x8x8x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2x3x6xi8: tensor<2x2x3x6xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %i32: i32,
    %i32_b: i32,
    %t5x4x4x6xi32: tensor<5x4x4x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x2x2x3xi8: tensor<6x2x2x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x3x8x8xi8: tensor<5x3x8x8xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x3x2x2xi8: tensor<6x3x2x2xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x6x4x4xi32: tensor<5x6x4x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x3x8x8xf32: tensor<5x3x8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x3x2x2xf32: tensor<6x3x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x6x4x4xf32: tensor<5x6x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x6x3x8x8xf32: tensor<5x6x3x8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t4x6x3x2x2xf32: tensor<4x6x3x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x6x4x4x4xf32: tensor<5x6x4x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t6x4x3x2x2xf32: tensor<6x4x3x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x8x8x6x3xf32: tensor<5x8x8x6x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t6x4x2x2x3xf32: tensor<6x4x2x2x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x4x4x6x4xf32: tensor<5x4x4x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x8x8x6x3xi8: tensor<5x8x8x6x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t6x4x2x2x3xi8: tensor<6x4x2x2x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x4x4x6x4xi32: tensor<5x4x4x6x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x6x3x8x8xi8: tensor<5x6x3x8x8xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t6x4x3x2x2xi8: tensor<6x4x3x2x2xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x6x4x4x4xi32: tensor<5x6x4x4x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x4x4x4x3xf32: tensor<5x4x4x4x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x2x2x3x6xf32: tensor<2x2x2x3x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x3x3x3x6xf32: tensor<5x3x3x3x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x4x4x4x3xi8: tensor<5x4x4x4x3xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x2x2x3x6xi8: tensor<2x2x2x3x6xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x3x3x3x6xi32: tensor<5x3x3x3x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x3x4x4x4xf32: tensor<5x3x4x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t6x3x2x2x2xf32: tensor<6x3x2x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x6x3x3x3xf32: tensor<5x6x3x3x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x8x6xf32: tensor<5x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x6xf32: tensor<2x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5x6x8xf32: tensor<5x6x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t6x2xf32: tensor<6x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t2x6x4xf32: tensor<2x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x4x6x4xf32: tensor<5x4x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x8x8x6xf32: tensor<5x8x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2x6xf32: tensor<2x2x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x6x8x8xf32: tensor<5x6x8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x2x2xf32: tensor<6x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x8x8x6xi8: tensor<5x8x8x6xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2x6xi8: tensor<2x2x6xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x2x6x4xf32: tensor<2x2x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2x6x4xi8: tensor<2x2x6x4xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x4x4x4x6xf32: tensor<5x4x4x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x2x2x6xf32: tensor<2x2x2x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t6x2x2x2xf32: tensor<6x2x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x4x4x4x4xf32: tensor<5x4x4x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x2x2x4x6xf32: tensor<2x2x2x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t5x3x3x3x4x6xf32: tensor<5x3x3x3x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], [], []]>})
    -> (tensor<4xf32>, tensor<4x4xf32>, tensor<3x3x3xf32>, tensor<5x4x6xf32>,
        tensor<5x6x4xf32>, tensor<5x4x4x6xf32>, tensor<5x4x4x6xf32>,
        tensor<5x4x4x6xi32>, tensor<5x4x4x6xi32>, tensor<5x6x4x4xi32>,
        tensor<5x6x4x4xf32>, tensor<5x6x4x4x4xf32>, tensor<5x6x4x4x4xf32>,
        tensor<5x4x4x6x4xf32>, tensor<5x4x4x6x4xi32>, tensor<5x6x4x4x4xi32>,
        tensor<5x3x3x3x6xf32>, tensor<5x3x3x3x6xi32>, tensor<5x6x3x3x3xf32>,
        tensor<5x4x6xf32>, tensor<5x6x4xf32>, tensor<5x4x6x4xf32>, tensor<5x4x4x6xf32>,
        tensor<5x6x4x4xf32>, tensor<5x4x4x6xi32>, tensor<5x4x4x6x4xf32>,
        tensor<5x4x4x6x4xi32>, tensor<5x3x3x3x6xf32>, tensor<5x6x3x3x3xf32>,
        tensor<5x3x3x3x4x6xf32>) {
  %conv_1d = linalg.conv_1d ins(%t5xf32, %t2xf32 : tensor<5xf32>, tensor<2xf32>) outs(%t4xf32 : tensor<4xf32>) -> tensor<4xf32>
  %conv_2d = linalg.conv_2d ins(%t5x5xf32, %t2x2xf32 : tensor<5x5xf32>, tensor<2x2xf32>) outs(%t4x4xf32 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %conv_3d = linalg.conv_3d ins(%t4x4x4xf32, %t2x2x2xf32 : tensor<4x4x4xf32>, tensor<2x2x2xf32>) outs(%t3x3x3xf32 : tensor<3x3x3xf32>) -> tensor<3x3x3xf32>
  %conv_1d_nwc_wcf = linalg.conv_1d_nwc_wcf {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x3xf32, %t2x3x6xf32 : tensor<5x8x3xf32>, tensor<2x3x6xf32>) outs(%t5x4x6xf32 : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %conv_1d_ncw_fcw = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x3x8xf32, %t6x3x2xf32 : tensor<5x3x8xf32>, tensor<6x3x2xf32>) outs(%t5x6x4xf32 : tensor<5x6x4xf32>) -> tensor<5x6x4xf32>
  %conv_2d_nhwc_hwcf = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x3xf32, %t2x2x3x6xf32 : tensor<5x8x8x3xf32>, tensor<2x2x3x6xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %conv_2d_nhwc_fhwc = linalg.conv_2d_nhwc_fhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x3xf32, %t6x2x2x3xf32 : tensor<5x8x8x3xf32>, tensor<6x2x2x3xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %conv_2d_nhwc_hwcf_q = linalg.conv_2d_nhwc_hwcf_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x3xi8, %t2x2x3x6xi8, %i32, %i32_b : tensor<5x8x8x3xi8>, tensor<2x2x3x6xi8>, i32, i32) outs(%t5x4x4x6xi32 : tensor<5x4x4x6xi32>) -> tensor<5x4x4x6xi32>
  %conv_2d_nhwc_fhwc_q = linalg.conv_2d_nhwc_fhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x3xi8, %t6x2x2x3xi8, %i32, %i32_b : tensor<5x8x8x3xi8>, tensor<6x2x2x3xi8>, i32, i32) outs(%t5x4x4x6xi32 : tensor<5x4x4x6xi32>) -> tensor<5x4x4x6xi32>
  %conv_2d_nchw_fchw_q = linalg.conv_2d_nchw_fchw_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x3x8x8xi8, %t6x3x2x2xi8, %i32, %i32_b : tensor<5x3x8x8xi8>, tensor<6x3x2x2xi8>, i32, i32) outs(%t5x6x4x4xi32 : tensor<5x6x4x4xi32>) -> tensor<5x6x4x4xi32>
  %conv_2d_nchw_fchw = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x3x8x8xf32, %t6x3x2x2xf32 : tensor<5x3x8x8xf32>, tensor<6x3x2x2xf32>) outs(%t5x6x4x4xf32 : tensor<5x6x4x4xf32>) -> tensor<5x6x4x4xf32>
  %conv_2d_ngchw_fgchw = linalg.conv_2d_ngchw_fgchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x3x8x8xf32, %t4x6x3x2x2xf32 : tensor<5x6x3x8x8xf32>, tensor<4x6x3x2x2xf32>) outs(%t5x6x4x4x4xf32 : tensor<5x6x4x4x4xf32>) -> tensor<5x6x4x4x4xf32>
  %conv_2d_ngchw_gfchw = linalg.conv_2d_ngchw_gfchw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x3x8x8xf32, %t6x4x3x2x2xf32 : tensor<5x6x3x8x8xf32>, tensor<6x4x3x2x2xf32>) outs(%t5x6x4x4x4xf32 : tensor<5x6x4x4x4xf32>) -> tensor<5x6x4x4x4xf32>
  %conv_2d_nhwgc_gfhwc = linalg.conv_2d_nhwgc_gfhwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6x3xf32, %t6x4x2x2x3xf32 : tensor<5x8x8x6x3xf32>, tensor<6x4x2x2x3xf32>) outs(%t5x4x4x6x4xf32 : tensor<5x4x4x6x4xf32>) -> tensor<5x4x4x6x4xf32>
  %conv_2d_nhwgc_gfhwc_q = linalg.conv_2d_nhwgc_gfhwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6x3xi8, %t6x4x2x2x3xi8, %i32, %i32_b : tensor<5x8x8x6x3xi8>, tensor<6x4x2x2x3xi8>, i32, i32) outs(%t5x4x4x6x4xi32 : tensor<5x4x4x6x4xi32>) -> tensor<5x4x4x6x4xi32>
  %conv_2d_ngchw_gfchw_q = linalg.conv_2d_ngchw_gfchw_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x3x8x8xi8, %t6x4x3x2x2xi8, %i32, %i32_b : tensor<5x6x3x8x8xi8>, tensor<6x4x3x2x2xi8>, i32, i32) outs(%t5x6x4x4x4xi32 : tensor<5x6x4x4x4xi32>) -> tensor<5x6x4x4x4xi32>
  %conv_3d_ndhwc_dhwcf = linalg.conv_3d_ndhwc_dhwcf {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x3xf32, %t2x2x2x3x6xf32 : tensor<5x4x4x4x3xf32>, tensor<2x2x2x3x6xf32>) outs(%t5x3x3x3x6xf32 : tensor<5x3x3x3x6xf32>) -> tensor<5x3x3x3x6xf32>
  %conv_3d_ndhwc_dhwcf_q = linalg.conv_3d_ndhwc_dhwcf_q {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x3xi8, %t2x2x2x3x6xi8, %i32, %i32_b : tensor<5x4x4x4x3xi8>, tensor<2x2x2x3x6xi8>, i32, i32) outs(%t5x3x3x3x6xi32 : tensor<5x3x3x3x6xi32>) -> tensor<5x3x3x3x6xi32>
  %conv_3d_ncdhw_fcdhw = linalg.conv_3d_ncdhw_fcdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x3x4x4x4xf32, %t6x3x2x2x2xf32 : tensor<5x3x4x4x4xf32>, tensor<6x3x2x2x2xf32>) outs(%t5x6x3x3x3xf32 : tensor<5x6x3x3x3xf32>) -> tensor<5x6x3x3x3xf32>
  %depthwise_conv_1d_nwc_wc = linalg.depthwise_conv_1d_nwc_wc {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xf32, %t2x6xf32 : tensor<5x8x6xf32>, tensor<2x6xf32>) outs(%t5x4x6xf32 : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %depthwise_conv_1d_ncw_cw = linalg.depthwise_conv_1d_ncw_cw {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x6x8xf32, %t6x2xf32 : tensor<5x6x8xf32>, tensor<6x2xf32>) outs(%t5x6x4xf32 : tensor<5x6x4xf32>) -> tensor<5x6x4xf32>
  %depthwise_conv_1d_nwc_wcm = linalg.depthwise_conv_1d_nwc_wcm {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xf32, %t2x6x4xf32 : tensor<5x8x6xf32>, tensor<2x6x4xf32>) outs(%t5x4x6x4xf32 : tensor<5x4x6x4xf32>) -> tensor<5x4x6x4xf32>
  %depthwise_conv_2d_nhwc_hwc = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xf32, %t2x2x6xf32 : tensor<5x8x8x6xf32>, tensor<2x2x6xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %depthwise_conv_2d_nchw_chw = linalg.depthwise_conv_2d_nchw_chw {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x8x8xf32, %t6x2x2xf32 : tensor<5x6x8x8xf32>, tensor<6x2x2xf32>) outs(%t5x6x4x4xf32 : tensor<5x6x4x4xf32>) -> tensor<5x6x4x4xf32>
  %depthwise_conv_2d_nhwc_hwc_q = linalg.depthwise_conv_2d_nhwc_hwc_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xi8, %t2x2x6xi8, %i32, %i32_b : tensor<5x8x8x6xi8>, tensor<2x2x6xi8>, i32, i32) outs(%t5x4x4x6xi32 : tensor<5x4x4x6xi32>) -> tensor<5x4x4x6xi32>
  %depthwise_conv_2d_nhwc_hwcm = linalg.depthwise_conv_2d_nhwc_hwcm {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xf32, %t2x2x6x4xf32 : tensor<5x8x8x6xf32>, tensor<2x2x6x4xf32>) outs(%t5x4x4x6x4xf32 : tensor<5x4x4x6x4xf32>) -> tensor<5x4x4x6x4xf32>
  %depthwise_conv_2d_nhwc_hwcm_q = linalg.depthwise_conv_2d_nhwc_hwcm_q {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xi8, %t2x2x6x4xi8, %i32, %i32_b : tensor<5x8x8x6xi8>, tensor<2x2x6x4xi8>, i32, i32) outs(%t5x4x4x6x4xi32 : tensor<5x4x4x6x4xi32>) -> tensor<5x4x4x6x4xi32>
  %depthwise_conv_3d_ndhwc_dhwc = linalg.depthwise_conv_3d_ndhwc_dhwc {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x6xf32, %t2x2x2x6xf32 : tensor<5x4x4x4x6xf32>, tensor<2x2x2x6xf32>) outs(%t5x3x3x3x6xf32 : tensor<5x3x3x3x6xf32>) -> tensor<5x3x3x3x6xf32>
  %depthwise_conv_3d_ncdhw_cdhw = linalg.depthwise_conv_3d_ncdhw_cdhw {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x6x4x4x4xf32, %t6x2x2x2xf32 : tensor<5x6x4x4x4xf32>, tensor<6x2x2x2xf32>) outs(%t5x6x3x3x3xf32 : tensor<5x6x3x3x3xf32>) -> tensor<5x6x3x3x3xf32>
  %depthwise_conv_3d_ndhwc_dhwcm = linalg.depthwise_conv_3d_ndhwc_dhwcm {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x4xf32, %t2x2x2x4x6xf32 : tensor<5x4x4x4x4xf32>, tensor<2x2x2x4x6xf32>) outs(%t5x3x3x3x4x6xf32 : tensor<5x3x3x3x4x6xf32>) -> tensor<5x3x3x3x4x6xf32>
  return %conv_1d, %conv_2d, %conv_3d, %conv_1d_nwc_wcf, %conv_1d_ncw_fcw,
      %conv_2d_nhwc_hwcf, %conv_2d_nhwc_fhwc, %conv_2d_nhwc_hwcf_q,
      %conv_2d_nhwc_fhwc_q, %conv_2d_nchw_fchw_q, %conv_2d_nchw_fchw,
      %conv_2d_ngchw_fgchw, %conv_2d_ngchw_gfchw, %conv_2d_nhwgc_gfhwc,
      %conv_2d_nhwgc_gfhwc_q, %conv_2d_ngchw_gfchw_q, %conv_3d_ndhwc_dhwcf,
      %conv_3d_ndhwc_dhwcf_q, %conv_3d_ncdhw_fcdhw, %depthwise_conv_1d_nwc_wc,
      %depthwise_conv_1d_ncw_cw, %depthwise_conv_1d_nwc_wcm,
      %depthwise_conv_2d_nhwc_hwc, %depthwise_conv_2d_nchw_chw,
      %depthwise_conv_2d_nhwc_hwc_q, %depthwise_conv_2d_nhwc_hwcm,
      %depthwise_conv_2d_nhwc_hwcm_q, %depthwise_conv_3d_ndhwc_dhwc,
      %depthwise_conv_3d_ncdhw_cdhw, %depthwise_conv_3d_ndhwc_dhwcm :
      tensor<4xf32>, tensor<4x4xf32>, tensor<3x3x3xf32>, tensor<5x4x6xf32>,
      tensor<5x6x4xf32>, tensor<5x4x4x6xf32>, tensor<5x4x4x6xf32>, tensor<5x4x4x6xi32>,
      tensor<5x4x4x6xi32>, tensor<5x6x4x4xi32>, tensor<5x6x4x4xf32>,
      tensor<5x6x4x4x4xf32>, tensor<5x6x4x4x4xf32>, tensor<5x4x4x6x4xf32>,
      tensor<5x4x4x6x4xi32>, tensor<5x6x4x4x4xi32>, tensor<5x3x3x3x6xf32>,
      tensor<5x3x3x3x6xi32>, tensor<5x6x3x3x3xf32>, tensor<5x4x6xf32>,
      tensor<5x6x4xf32>, tensor<5x4x6x4xf32>, tensor<5x4x4x6xf32>, tensor<5x6x4x4xf32>,
      tensor<5x4x4x6xi32>, tensor<5x4x4x6x4xf32>, tensor<5x4x4x6x4xi32>,
      tensor<5x3x3x3x6xf32>, tensor<5x6x3x3x3xf32>, tensor<5x3x3x3x4x6xf32>
}
