// RUN: shard-opt %s --shard-sink-reductions | FileCheck %s
//
// Reductions pass ops that commute with them to the bit: where two become one, where the
// elements become smaller, and in front of ops that make them larger.

shard.grid @g(shape = 2x4)

// CHECK-LABEL: @max_of_finite_sums(
// CHECK: arith.addf %arg0
// CHECK: math.floor %arg1
// CHECK: %[[MAX:.*]] = arith.maximumf
// CHECK: shard.all_reduce %[[MAX]]
// CHECK: return
func.func @max_of_finite_sums(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<3.0> : tensor<8xf32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %c : tensor<8xf32>
  %3 = math.floor %1 : tensor<8xf32>
  %4 = arith.maximumf %2, %3 : tensor<8xf32>
  return %4 : tensor<8xf32>
}

// Infinities of both signs would make NaN.
// CHECK-LABEL: @infinite(
// CHECK: shard.all_reduce %arg0
// CHECK: shard.all_reduce %arg1
// CHECK: arith.addf
func.func @infinite(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<0x7F800000> : tensor<8xf32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.addf %0, %c : tensor<8xf32>
  %3 = arith.maximumf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}

// CHECK-LABEL: @narrow(
// CHECK: %[[CUT:.*]] = arith.truncf %arg0
// CHECK: shard.all_reduce %[[CUT]] {{.*}} : tensor<8xbf16>
func.func @narrow(%a: tensor<8xf32>) -> tensor<8xbf16> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = arith.truncf %0 : tensor<8xf32> to tensor<8xbf16>
  return %1 : tensor<8xbf16>
}
// The format has no infinities: what is too small would become NaN.
// CHECK-LABEL: @narrow_f8(
// CHECK: shard.all_reduce %arg0
// CHECK: arith.truncf
func.func @narrow_f8(%a: tensor<8xf32>) -> tensor<8xf8E4M3FN> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = arith.truncf %0 : tensor<8xf32> to tensor<8xf8E4M3FN>
  return %1 : tensor<8xf8E4M3FN>
}
// CHECK-LABEL: @widened(
// CHECK: shard.all_reduce %arg0 {{.*}} : tensor<8xbf16>
// CHECK: arith.extf
func.func @widened(%a: tensor<8xbf16>) -> tensor<8xf32> {
  %0 = arith.extf %a : tensor<8xbf16> to tensor<8xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = min : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// CHECK-LABEL: @broadcast(
// CHECK: shard.all_reduce %arg0
// CHECK: linalg.broadcast
func.func @broadcast(%a: tensor<8xf32>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.broadcast ins(%a : tensor<8xf32>) outs(%e : tensor<8x4xf32>) dimensions = [1]
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<8x4xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// Devices may have different %b.
// CHECK-LABEL: @truncated_sum(
// CHECK: shard.all_reduce %arg0
// CHECK: overflow<nsw>
// CHECK: arith.trunci
func.func @truncated_sum(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi8> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  %s = arith.addi %0, %b overflow<nsw> : tensor<8xi32>
  %1 = arith.trunci %s : tensor<8xi32> to tensor<8xi8>
  return %1 : tensor<8xi8>
}
// A difference of summands may overflow where that of the sums does not.
// CHECK-LABEL: @nsw(
// CHECK: %[[SUM:.*]] = arith.subi %arg0, %arg1 : tensor<8xi32>
// CHECK: shard.all_reduce %[[SUM]]
func.func @nsw(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xi32> -> tensor<8xi32>
  %s = arith.subi %0, %1 overflow<nsw> : tensor<8xi32>
  return %s : tensor<8xi32>
}
// CHECK-LABEL: @masked(
// CHECK: arith.select %{{.*}}, %arg0
// CHECK: arith.maximumf
// CHECK: shard.all_reduce
// CHECK: return
func.func @masked(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<0xFF800000> : tensor<8xf32>
  %m = arith.constant dense<[true, false, true, false, true, false, true, true]> : tensor<8xi1>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = arith.select %m, %0, %c : tensor<8xi1>, tensor<8xf32>
  %3 = arith.maximumf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// CHECK-LABEL: @generic(
// CHECK: linalg.generic {{.*}} ins(%arg0
// CHECK: arith.maximumf
// CHECK: shard.all_reduce
// CHECK: return
func.func @generic(%a: tensor<8xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %two = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8x4xf32> -> tensor<8x4xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %m = arith.mulf %x, %two : f32
    %n = arith.minimumf %m, %two : f32
    linalg.yield %n : f32
  } -> tensor<8x4xf32>
  %3 = arith.maximumf %2, %1 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
// An approximation may fall where the function rises.
// CHECK-LABEL: @approximated(
// CHECK: shard.all_reduce %arg0
// CHECK: shard.all_reduce %arg1
// CHECK: math.exp
func.func @approximated(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %2 = math.exp %0 : tensor<8xf32>
  %3 = arith.maximumf %2, %1 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// CHECK-LABEL: @bits(
// CHECK: arith.shrui %arg0
// CHECK: arith.trunci
// CHECK: shard.all_reduce {{.*}} : tensor<8xi8>
func.func @bits(%a: tensor<8xi32>) -> tensor<8xi8> {
  %c = arith.constant dense<4> : tensor<8xi32>
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = bitwise_xor : tensor<8xi32> -> tensor<8xi32>
  %1 = arith.shrui %0, %c : tensor<8xi32>
  %2 = arith.trunci %1 : tensor<8xi32> to tensor<8xi8>
  return %2 : tensor<8xi8>
}
// CHECK-LABEL: @unsigned_in_signed(
// CHECK: arith.extui
// CHECK: shard.all_reduce
func.func @unsigned_in_signed(%a: tensor<8xi8>) -> tensor<8xi32> {
  %0 = arith.extui %a : tensor<8xi8> to tensor<8xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = max : tensor<8xi32> -> tensor<8xi32>
  return %1 : tensor<8xi32>
}
// CHECK-LABEL: @unsigned(
// CHECK: shard.all_reduce %arg0
// CHECK: arith.extui
func.func @unsigned(%a: tensor<8xi8>) -> tensor<8xi32> {
  %0 = arith.extui %a : tensor<8xi8> to tensor<8xi32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] reduction = umax : tensor<8xi32> -> tensor<8xi32>
  return %1 : tensor<8xi32>
}
// A constant of equal elements is a block of a larger one.
// CHECK-LABEL: @scattered(
// CHECK: %[[SCALED:.*]] = arith.mulf %arg0, %{{.*}} : tensor<8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[SCALED]], %arg1 : tensor<8xf32>
// CHECK: shard.reduce_scatter %[[SUM]]
// CHECK-NOT: shard.reduce_scatter
func.func @scattered(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<2xf32> {
  %c = arith.constant dense<0.5> : tensor<2xf32>
  %0 = shard.reduce_scatter %a on @g grid_axes = [1] scatter_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  %1 = shard.reduce_scatter %b on @g grid_axes = [1] scatter_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  %2 = arith.mulf %0, %c : tensor<2xf32>
  %3 = arith.addf %2, %1 : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// No back end reduces floats of one byte.
// CHECK-LABEL: @byte_floats(
// CHECK: shard.all_reduce %arg0 {{.*}} : tensor<8xf32>
// CHECK: arith.truncf
// CHECK: %[[WIDE:.*]] = arith.extf %arg1
// CHECK: shard.all_reduce %[[WIDE]]
func.func @byte_floats(%a: tensor<8xf32>, %b: tensor<8xf8E5M2>) -> (tensor<8xf8E5M2>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %1 = arith.truncf %0 : tensor<8xf32> to tensor<8xf8E5M2>
  %2 = arith.extf %b : tensor<8xf8E5M2> to tensor<8xf32>
  %3 = shard.all_reduce %2 on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %1, %3 : tensor<8xf8E5M2>, tensor<8xf32>
}

// Of the integers as signed numbers the order stays, of unsigned ones it does not.
// CHECK-LABEL: @integers_to_floats(
// CHECK: %[[SMALL:.*]] = arith.sitofp %arg0
// CHECK: shard.all_reduce %[[SMALL]] {{.*}} : tensor<8xbf16>
// CHECK: %[[UNSIGNED:.*]] = shard.all_reduce %arg1 {{.*}} : tensor<8xi32>
// CHECK: arith.sitofp %[[UNSIGNED]]
func.func @integers_to_floats(%a: tensor<8xi32>, %b: tensor<8xi32>) -> (tensor<8xbf16>, tensor<8xbf16>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xi32> -> tensor<8xi32>
  %1 = arith.sitofp %0 : tensor<8xi32> to tensor<8xbf16>
  %2 = shard.all_reduce %b on @g grid_axes = [0] reduction = umax : tensor<8xi32> -> tensor<8xi32>
  %3 = arith.sitofp %2 : tensor<8xi32> to tensor<8xbf16>
  return %1, %3 : tensor<8xbf16>, tensor<8xbf16>
}
