// Elements that a body reads where its loop has fewer iterations than the dimension has
// elements: the diagonal of a tensor that is not square, and a prefix.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 2)
#map = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<3x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %b: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<3xf32>, tensor<3xf32>) {
  %e = tensor.empty() : tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %a[%i, %i] : tensor<3x4xf32>
    linalg.yield %x : f32
  } -> tensor<3xf32>
  %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%e : tensor<3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %x = tensor.extract %b[%i] : tensor<8xf32>
    linalg.yield %x : f32
  } -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}
