// Slices of joined tensors that lie in one part are slices of this part, and a join of a join that
// nothing else reads is one join.
// RUN: shard-opt %s --shard-spread-insertions | FileCheck %s
// RUN: shard-run %s --entry sliced --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

shard.grid @grid(shape = 2)

// The place of the last one in the other dimension is not known.
// CHECK-LABEL: func @sliced
// CHECK-SAME: %[[A:[^:]*]]: tensor<4x6xf32>{{.*}}, %[[B:[^:]*]]: tensor<8x6xf32>, %[[I:[^:]*]]: index
// CHECK: tensor.extract_slice %[[A]][1, 2] [2, 3] [2, 1] : tensor<4x6xf32> to tensor<2x3xf32>
// CHECK: tensor.extract_slice %[[B]][7, 0] [3, 6] [-1, 1] : tensor<8x6xf32> to tensor<3x6xf32>
// CHECK: tensor.extract_slice %[[B]][0, %[[I]]] [1, 2] [1, 1] : tensor<8x6xf32> to tensor<2xf32>
func.func @sliced(%a: tensor<4x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %b: tensor<8x6xf32>, %i: index)
    -> (tensor<2x3xf32>, tensor<3x6xf32>, tensor<2xf32>) {
  %0 = tensor.concat dim(0) %a, %b : (tensor<4x6xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
  %1 = tensor.extract_slice %0[1, 2] [2, 3] [2, 1] : tensor<12x6xf32> to tensor<2x3xf32>
  %2 = tensor.extract_slice %0[11, 0] [3, 6] [-1, 1] : tensor<12x6xf32> to tensor<3x6xf32>
  %5 = tensor.extract_slice %0[4, %i] [1, 2] [1, 1] : tensor<12x6xf32> to tensor<2xf32>
  return %1, %2, %5 : tensor<2x3xf32>, tensor<3x6xf32>, tensor<2xf32>
}

// A join that is rolled stays one tensor, and so does one of which a slice is at a place that is
// not known.
// CHECK-LABEL: func @whole
// CHECK: %[[J:.*]] = tensor.concat dim(0)
// CHECK-COUNT-2: tensor.extract_slice %[[J]]
// CHECK: tensor.concat dim(0)
// CHECK: %[[K:.*]] = tensor.concat dim(0)
// CHECK-COUNT-2: tensor.extract_slice %[[K]]
func.func @whole(%a: tensor<4xf32>, %b: tensor<8xf32>, %i: index)
    -> (tensor<12xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<8xf32>) -> tensor<12xf32>
  %1 = tensor.extract_slice %0[11] [1] [1] : tensor<12xf32> to tensor<1xf32>
  %2 = tensor.extract_slice %0[0] [11] [1] : tensor<12xf32> to tensor<11xf32>
  %3 = tensor.concat dim(0) %1, %2 : (tensor<1xf32>, tensor<11xf32>) -> tensor<12xf32>
  %4 = tensor.concat dim(0) %b, %a : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
  %5 = tensor.extract_slice %4[%i] [2] [1] : tensor<12xf32> to tensor<2xf32>
  %6 = tensor.extract_slice %4[2] [2] [1] : tensor<12xf32> to tensor<2xf32>
  return %3, %5, %6 : tensor<12xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @joined
// CHECK-SAME: %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK: %[[K:.*]] = tensor.concat dim(0) %[[B]], %[[A]]
// CHECK: %[[R:.*]] = tensor.concat dim(0) %[[A]], %[[B]], %[[A]], %[[K]] : (tensor<4xf32>, tensor<8xf32>, tensor<4xf32>, tensor<12xf32>)
// CHECK: return %[[R]], %[[K]]
func.func @joined(%a: tensor<4xf32>, %b: tensor<8xf32>) -> (tensor<28xf32>, tensor<12xf32>) {
  %0 = tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<8xf32>) -> tensor<12xf32>
  %1 = tensor.concat dim(0) %0, %a : (tensor<12xf32>, tensor<4xf32>) -> tensor<16xf32>
  %2 = tensor.concat dim(0) %b, %a : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
  %3 = tensor.concat dim(0) %1, %2 : (tensor<16xf32>, tensor<12xf32>) -> tensor<28xf32>
  return %3, %2 : tensor<28xf32>, tensor<12xf32>
}

// Joins and slices with hints stay.
// CHECK-LABEL: func @hinted
// CHECK: %[[J:.*]] = tensor.concat dim(0) {{.*}} {shard.sharding
// CHECK: tensor.extract_slice %[[J]][0] [2] [1]
func.func @hinted(%a: tensor<4xf32>, %b: tensor<8xf32>) -> tensor<2xf32> {
  %0 = tensor.concat dim(0) %a, %b {shard.sharding = #shard.sharding<@grid, [[0]]>}
      : (tensor<4xf32>, tensor<8xf32>) -> tensor<12xf32>
  %1 = tensor.extract_slice %0[0] [2] [1] : tensor<12xf32> to tensor<2xf32>
  return %1 : tensor<2xf32>
}
