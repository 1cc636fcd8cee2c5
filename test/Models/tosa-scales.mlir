// A tosa.rescale with multipliers or shifts that are no constants, for which MLIR's lowering writes
// an empty tensor or comparisons of two types. test/Numpy computes with them.
//
// RUN: shard-opt %s --shard-lower-tosa | FileCheck %s

// CHECK-LABEL: func @shifts_given
// CHECK: %[[BY:.*]] = arith.constant dense<[5, 6, 7]> : tensor<3xi32>
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %[[BY]], %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi8>, tensor<3xi32>, tensor<3xi8>, tensor<i8>, tensor<i16>)
func.func @shifts_given(%x: tensor<3xi8>, %shifts: tensor<3xi8>) -> tensor<3xi16> {
  %by = "tosa.const"() {values = dense<[5, 6, 7]> : tensor<3xi32>} : () -> tensor<3xi32>
  %from = "tosa.const"() {values = dense<-9> : tensor<1xi8>} : () -> tensor<1xi8>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi16>} : () -> tensor<1xi16>
  %y = tosa.rescale %x, %by, %shifts, %from, %to {rounding_mode = SINGLE_ROUND,
      scale32 = true, per_channel = true, input_unsigned = false, output_unsigned = false}
      : (tensor<3xi8>, tensor<3xi32>, tensor<3xi8>, tensor<1xi8>, tensor<1xi16>) -> tensor<3xi16>
  return %y : tensor<3xi16>
}

// CHECK-LABEL: func @multiplier_given
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<3xi8>, tensor<i32>, tensor<i8>, tensor<i8>, tensor<i16>)
func.func @multiplier_given(%x: tensor<3xi8>, %by: tensor<1xi32>) -> tensor<3xi16> {
  %shift = "tosa.const"() {values = dense<26> : tensor<1xi8>} : () -> tensor<1xi8>
  %from = "tosa.const"() {values = dense<-9> : tensor<1xi8>} : () -> tensor<1xi8>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi16>} : () -> tensor<1xi16>
  %y = tosa.rescale %x, %by, %shift, %from, %to {rounding_mode = DOUBLE_ROUND,
      scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false}
      : (tensor<3xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi16>) -> tensor<3xi16>
  return %y : tensor<3xi16>
}

// CHECK-LABEL: func @more_bits
// CHECK: %[[SCALED:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK: %[[WIDE:.*]] = arith.extsi %[[SCALED]] : i32 to i48
// CHECK: linalg.yield %[[WIDE]] : i48
func.func @more_bits(%x: tensor<3xi16>, %by: tensor<1xi32>, %shift: tensor<1xi8>) -> tensor<3xi48> {
  %from = "tosa.const"() {values = dense<0> : tensor<1xi16>} : () -> tensor<1xi16>
  %to = "tosa.const"() {values = dense<0> : tensor<1xi48>} : () -> tensor<1xi48>
  %y = tosa.rescale %x, %by, %shift, %from, %to {rounding_mode = SINGLE_ROUND,
      scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false}
      : (tensor<3xi16>, tensor<1xi32>, tensor<1xi8>, tensor<1xi16>, tensor<1xi48>) -> tensor<3xi48>
  return %y : tensor<3xi48>
}
