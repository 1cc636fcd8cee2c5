// A hint says which elements a device has, short blocks included: 14 over 4 devices are
// 4 4 4 2. An axis is not cut into parts where that would make them 4 3 4 3, although 2
// rows could take a part.

// RUN: shard-opt %s --sharding-propagation --split-input-file 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// CHECK-LABEL: @uneven
// CHECK-SAME: %{{.*}}: tensor<14xf32> {shard.sharding = #shard.sharding<@g, {{\[\[0\]\]}}>}
// REMARK: remark: a dimension of extent 2 is not split further by axis 0 (4 parts): the parts do not fit
shard.grid @g(shape = 4)
func.func @uneven(%a: tensor<14xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %b: tensor<2x4xf32>) -> (tensor<14xf32>, tensor<2x4xf32>) {
  %e = math.exp %a : tensor<14xf32>
  %x = tensor.expand_shape %e [[0, 1]] output_shape [2, 7] : tensor<14xf32> into tensor<2x7xf32>
  %y = tensor.extract_slice %x[0, 0] [2, 4] [1, 1] : tensor<2x7xf32> to tensor<2x4xf32>
  %z = arith.addf %y, %b : tensor<2x4xf32>
  return %e, %z : tensor<14xf32>, tensor<2x4xf32>
}

// -----

// 12 are 3 3 3 3 either way.
// CHECK-LABEL: @even
// CHECK-SAME: %{{.*}}: tensor<12xf32> {shard.sharding = #shard.sharding<@g_0, {{\[\[0, 1\]\]}}>}
shard.grid @g(shape = 4)
func.func @even(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<12xf32>, tensor<2x6xf32>) {
  %e = math.exp %a : tensor<12xf32>
  %x = tensor.expand_shape %e [[0, 1]] output_shape [2, 6] : tensor<12xf32> into tensor<2x6xf32>
  return %e, %x : tensor<12xf32>, tensor<2x6xf32>
}
