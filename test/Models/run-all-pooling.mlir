// Every pooling op of linalg.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t5x8x8x6xf32: tensor<5x8x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2xf32: tensor<2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5x4x4x6xf32: tensor<5x4x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x6x8x8xf32: tensor<5x6x8x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x6x4x4xf32: tensor<5x6x4x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x8x8x6xi32: tensor<5x8x8x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t2x2xi32: tensor<2x2xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5x4x4x6xi32: tensor<5x4x4x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t5x8x6xf32: tensor<5x8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2xf32: tensor<2xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t5x4x6xf32: tensor<5x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x6x8xf32: tensor<5x6x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x6x4xf32: tensor<5x6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x8x6xi32: tensor<5x8x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2xi32: tensor<2xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t5x4x6xi32: tensor<5x4x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x4x4x4x6xf32: tensor<5x4x4x4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>},
    %t2x2x2xf32: tensor<2x2x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t5x3x3x3x6xf32: tensor<5x3x3x3x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], [], []]>})
    -> (tensor<5x4x4x6xf32>, tensor<5x6x4x4xf32>, tensor<5x4x4x6xf32>,
        tensor<5x4x4x6xi32>, tensor<5x6x4x4xf32>, tensor<5x4x4x6xf32>,
        tensor<5x4x4x6xi32>, tensor<5x4x6xf32>, tensor<5x6x4xf32>, tensor<5x4x6xf32>,
        tensor<5x4x6xi32>, tensor<5x6x4xf32>, tensor<5x4x6xf32>, tensor<5x4x6xi32>,
        tensor<5x3x3x3x6xf32>, tensor<5x3x3x3x6xf32>, tensor<5x3x3x3x6xf32>) {
  %pooling_nhwc_sum = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xf32, %t2x2xf32 : tensor<5x8x8x6xf32>, tensor<2x2xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %pooling_nchw_sum = linalg.pooling_nchw_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x8x8xf32, %t2x2xf32 : tensor<5x6x8x8xf32>, tensor<2x2xf32>) outs(%t5x6x4x4xf32 : tensor<5x6x4x4xf32>) -> tensor<5x6x4x4xf32>
  %pooling_nhwc_max = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xf32, %t2x2xf32 : tensor<5x8x8x6xf32>, tensor<2x2xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %pooling_nhwc_max_unsigned = linalg.pooling_nhwc_max_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xi32, %t2x2xi32 : tensor<5x8x8x6xi32>, tensor<2x2xi32>) outs(%t5x4x4x6xi32 : tensor<5x4x4x6xi32>) -> tensor<5x4x4x6xi32>
  %pooling_nchw_max = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x6x8x8xf32, %t2x2xf32 : tensor<5x6x8x8xf32>, tensor<2x2xf32>) outs(%t5x6x4x4xf32 : tensor<5x6x4x4xf32>) -> tensor<5x6x4x4xf32>
  %pooling_nhwc_min = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xf32, %t2x2xf32 : tensor<5x8x8x6xf32>, tensor<2x2xf32>) outs(%t5x4x4x6xf32 : tensor<5x4x4x6xf32>) -> tensor<5x4x4x6xf32>
  %pooling_nhwc_min_unsigned = linalg.pooling_nhwc_min_unsigned {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%t5x8x8x6xi32, %t2x2xi32 : tensor<5x8x8x6xi32>, tensor<2x2xi32>) outs(%t5x4x4x6xi32 : tensor<5x4x4x6xi32>) -> tensor<5x4x4x6xi32>
  %pooling_nwc_sum = linalg.pooling_nwc_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xf32, %t2xf32 : tensor<5x8x6xf32>, tensor<2xf32>) outs(%t5x4x6xf32 : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %pooling_ncw_sum = linalg.pooling_ncw_sum {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x6x8xf32, %t2xf32 : tensor<5x6x8xf32>, tensor<2xf32>) outs(%t5x6x4xf32 : tensor<5x6x4xf32>) -> tensor<5x6x4xf32>
  %pooling_nwc_max = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xf32, %t2xf32 : tensor<5x8x6xf32>, tensor<2xf32>) outs(%t5x4x6xf32 : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %pooling_nwc_max_unsigned = linalg.pooling_nwc_max_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xi32, %t2xi32 : tensor<5x8x6xi32>, tensor<2xi32>) outs(%t5x4x6xi32 : tensor<5x4x6xi32>) -> tensor<5x4x6xi32>
  %pooling_ncw_max = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x6x8xf32, %t2xf32 : tensor<5x6x8xf32>, tensor<2xf32>) outs(%t5x6x4xf32 : tensor<5x6x4xf32>) -> tensor<5x6x4xf32>
  %pooling_nwc_min = linalg.pooling_nwc_min {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xf32, %t2xf32 : tensor<5x8x6xf32>, tensor<2xf32>) outs(%t5x4x6xf32 : tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %pooling_nwc_min_unsigned = linalg.pooling_nwc_min_unsigned {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>} ins(%t5x8x6xi32, %t2xi32 : tensor<5x8x6xi32>, tensor<2xi32>) outs(%t5x4x6xi32 : tensor<5x4x6xi32>) -> tensor<5x4x6xi32>
  %pooling_ndhwc_sum = linalg.pooling_ndhwc_sum {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x6xf32, %t2x2x2xf32 : tensor<5x4x4x4x6xf32>, tensor<2x2x2xf32>) outs(%t5x3x3x3x6xf32 : tensor<5x3x3x3x6xf32>) -> tensor<5x3x3x3x6xf32>
  %pooling_ndhwc_max = linalg.pooling_ndhwc_max {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x6xf32, %t2x2x2xf32 : tensor<5x4x4x4x6xf32>, tensor<2x2x2xf32>) outs(%t5x3x3x3x6xf32 : tensor<5x3x3x3x6xf32>) -> tensor<5x3x3x3x6xf32>
  %pooling_ndhwc_min = linalg.pooling_ndhwc_min {dilations = dense<1> : tensor<3xi64>, strides = dense<1> : tensor<3xi64>} ins(%t5x4x4x4x6xf32, %t2x2x2xf32 : tensor<5x4x4x4x6xf32>, tensor<2x2x2xf32>) outs(%t5x3x3x3x6xf32 : tensor<5x3x3x3x6xf32>) -> tensor<5x3x3x3x6xf32>
  return %pooling_nhwc_sum, %pooling_nchw_sum, %pooling_nhwc_max,
      %pooling_nhwc_max_unsigned, %pooling_nchw_max, %pooling_nhwc_min,
      %pooling_nhwc_min_unsigned, %pooling_nwc_sum, %pooling_ncw_sum, %pooling_nwc_max,
      %pooling_nwc_max_unsigned, %pooling_ncw_max, %pooling_nwc_min,
      %pooling_nwc_min_unsigned, %pooling_ndhwc_sum, %pooling_ndhwc_max,
      %pooling_ndhwc_min :
      tensor<5x4x4x6xf32>, tensor<5x6x4x4xf32>, tensor<5x4x4x6xf32>,
      tensor<5x4x4x6xi32>, tensor<5x6x4x4xf32>, tensor<5x4x4x6xf32>,
      tensor<5x4x4x6xi32>, tensor<5x4x6xf32>, tensor<5x6x4xf32>, tensor<5x4x6xf32>,
      tensor<5x4x6xi32>, tensor<5x6x4xf32>, tensor<5x4x6xf32>, tensor<5x4x6xi32>,
      tensor<5x3x3x3x6xf32>, tensor<5x3x3x3x6xf32>, tensor<5x3x3x3x6xf32>
}
