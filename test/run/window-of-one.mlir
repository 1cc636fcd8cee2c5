// A window of one iteration with dilation 2 over an output of 2 looks like the
// digits of a reshape: d0 + 2 * d1, d1 < 1. Splitting the window by two devices
// does not split the input.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 2)
func.func @main(
    %filter: tensor<2x3x1xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [0]]>},
    %init: tensor<2x2x2xf32>) -> tensor<2x2x2xf32> {
  %input = arith.constant dense<[[[2.0, -3.0], [0.0, -3.0], [0.0, -1.0]],
                                 [[2.0, 0.0], [-3.0, 2.0], [-3.0, 2.0]]]> : tensor<2x3x2xf32>
  %result = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>,
                                    strides = dense<1> : tensor<1xi64>}
      ins(%input, %filter : tensor<2x3x2xf32>, tensor<2x3x1xf32>)
      outs(%init : tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %result : tensor<2x2x2xf32>
}
