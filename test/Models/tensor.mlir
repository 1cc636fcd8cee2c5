// RUN: shard-opt %s --shard-spmd --split-input-file 2>/dev/null | FileCheck %s

// The body of tensor.generate sees global indices, in padding the last valid one.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @generate(
// CHECK-DAG: %[[LAST:[a-z0-9_]+]] = arith.constant 6 : index
// CHECK-DAG: %[[WIDTH:[a-z0-9_]+]] = arith.constant 4 : index
// CHECK: %[[C:[a-z0-9_]+]] = shard.process_multi_index on @grid axes = [0]
// CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.muli %[[C]], %[[WIDTH]]
// CHECK-NOT: arith
// CHECK: tensor.generate
// CHECK-NEXT: ^bb0(%[[I:[a-z0-9_]+]]: index, %[[J:[a-z0-9_]+]]: index):
// CHECK-NEXT: %[[GLOBAL:[a-z0-9_]+]] = arith.addi %[[I]], %[[OFFSET]]
// CHECK-NEXT: %[[VALID:[a-z0-9_]+]] = arith.minsi %[[GLOBAL]], %[[LAST]]
// CHECK-NEXT: %[[PRODUCT:[a-z0-9_]+]] = arith.muli %[[VALID]], %[[J]]
// CHECK-NEXT: tensor.extract %{{.*}}[%[[PRODUCT]]]
// CHECK: } : tensor<4x5xf32>
func.func @generate(%t: tensor<25xf32>) -> (tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %s = arith.muli %i, %j : index
    %e = tensor.extract %t[%s] : tensor<25xf32>
    tensor.yield %e : f32
  } : tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

// -----

// One device has the place to write; no element travels.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @insert(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4xf32> {{.*}}, %[[X:[a-z0-9_]+]]: f32, %[[I:[a-z0-9_]+]]: index
// CHECK: %[[LOCAL:[a-z0-9_]+]] = arith.subi %[[I]], %{{.*}} : index
// CHECK: %[[MINE:[a-z0-9_]+]] = arith.cmpi ult, %[[LOCAL]], %{{.*}} : index
// CHECK: %[[OLD:[a-z0-9_]+]] = tensor.extract %[[A]][%[[AT:[a-z0-9_]+]]]
// CHECK: %[[NEW:[a-z0-9_]+]] = arith.select %[[MINE]], %[[X]], %[[OLD]] : f32
// CHECK: tensor.insert %[[NEW]] into %[[A]][%[[AT]]] : tensor<4xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @insert(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %x: f32, %i: index)
    -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0 = tensor.insert %x into %a[%i] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// One device has the place to read; its bits travel, 0 from everywhere else.

shard.grid @grid(shape = 2x3)
// CHECK-LABEL: func.func @extract(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x5xf32> {{.*}}, %[[I:[a-z0-9_]+]]: index
// CHECK: %[[INSIDE:[a-z0-9_]+]] = arith.minsi %[[I]], %{{.*}} : index
// CHECK: %[[MINE:[a-z0-9_]+]] = arith.cmpi ult, %[[LOCAL:[a-z0-9_]+]], %{{.*}} : index
// CHECK: %[[E:[a-z0-9_]+]] = tensor.extract %[[A]][%{{.*}}, %{{.*}}] : tensor<4x5xf32>
// CHECK: %[[BITS:[a-z0-9_]+]] = arith.bitcast %[[E]] : f32 to i32
// CHECK: %[[OWN:[a-z0-9_]+]] = arith.select %[[MINE]], %[[BITS]], %{{.*}} : i32
// CHECK: %[[ONE:[a-z0-9_]+]] = tensor.from_elements %[[OWN]] : tensor<i32>
// CHECK: %[[ALL:[a-z0-9_]+]] = shard.all_reduce %[[ONE]] on @grid grid_axes = [0] reduction = bitwise_or : tensor<i32> -> tensor<i32>
// CHECK: %[[R:[a-z0-9_]+]] = tensor.extract %[[ALL]][] : tensor<i32>
// CHECK: arith.bitcast %[[R]] : i32 to f32
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @extract(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %0 = tensor.extract %a[%i, %c1] : tensor<8x5xf32>
  return %0 : f32
}

// -----

// No collective combines the bits of this type: the tensor is gathered.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @extract_complex(
// CHECK: shard.all_gather
// CHECK-NOT: shard.all_reduce
// CHECK: return
func.func @extract_complex(%a: tensor<8xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %i: index) -> complex<f32> {
  %0 = tensor.extract %a[%i] : tensor<8xcomplex<f32>>
  return %0 : complex<f32>
}

// -----

// A reshape keeps the major digit split, and the local op gets a local shape.

shard.grid @grid(shape = 3)
// CHECK-LABEL: func.func @reshape(
// CHECK: %[[SHAPE:[a-z0-9_]+]] = arith.constant dense<[1, 4, 5]> : tensor<3xi64>
// CHECK: tensor.reshape %{{.*}}(%[[SHAPE]]) : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<1x4x5xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @reshape(%a: tensor<12x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<3x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>}) {
  %s = arith.constant dense<[3, 4, 5]> : tensor<3xi64>
  %0 = tensor.reshape %a(%s) : (tensor<12x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

// -----

// Where the digits of the two shapes do not refine each other nothing is split.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @no_common_digits(
// CHECK: %[[WHOLE:[a-z0-9_]+]] = shard.all_gather
// CHECK: tensor.reshape %[[WHOLE]](%{{.*}}) : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<4x6xf32>
func.func @no_common_digits(%a: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<4x6xf32> {
  %s = arith.constant dense<[4, 6]> : tensor<2xi64>
  %0 = tensor.reshape %a(%s) : (tensor<6x4xf32>, tensor<2xi64>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Dimensions taken whole stay split, dynamic ones too; dropped and cut ones do
// not take part.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @slice(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<4x8x5xf32>
// CHECK: tensor.extract_slice %[[A]][0, 1, 2] [4, 3, 1] [1, 2, 1] : tensor<4x8x5xf32> to tensor<4x3xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @slice(%a: tensor<7x8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>})
    -> (tensor<7x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %0 = tensor.extract_slice %a[0, 1, 2] [7, 3, 1] [1, 2, 1] : tensor<7x8x5xf32> to tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

// CHECK-LABEL: func.func @dynamic_slice(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?x8xf32>
// CHECK: %[[N:[a-z0-9_]+]] = tensor.dim %[[A]], %{{.*}} : tensor<?x8xf32>
// CHECK: tensor.extract_slice %[[A]][0, 2] [%[[N]], 4] [1, 1]
// CHECK-NOT: shard.all_
// CHECK: return
func.func @dynamic_slice(%a: tensor<?x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<?x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x8xf32>
  %0 = tensor.extract_slice %a[0, 2] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// What an op makes of a dynamic extent is checked to divide evenly.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @dynamic_empty(
// CHECK-SAME: %[[N:[a-z0-9_]+]]: index
// CHECK: %[[REST:[a-z0-9_]+]] = arith.remui %[[N]], %{{.*}} : index
// CHECK: %[[OK:[a-z0-9_]+]] = arith.cmpi eq, %[[REST]]
// CHECK: cf.assert %[[OK]], "dynamic dimension 0 does not divide evenly among 2 devices; state uneven_dynamic on the grid (--uneven-dynamic), or another sharding"
// CHECK: %[[HALF:[a-z0-9_]+]] = arith.divui %[[N]]
// CHECK: tensor.splat %{{.*}}[%[[HALF]]] : tensor<?xf32>
func.func @dynamic_empty(%n: index, %x: f32) -> (tensor<?xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0 = tensor.splat %x[%n] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A tensor that does not move between devices: all local.

shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @local(
// CHECK-NOT: shard.all_
// CHECK: tensor.pad
// CHECK: : tensor<4x4xf32> to tensor<4x7xf32>
// CHECK: tensor.concat dim(1) %{{.*}}, %{{.*}} : (tensor<4x7xf32>, tensor<4x4xf32>) -> tensor<4x11xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 1] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<4x11xf32>
// CHECK: tensor.bitcast %{{.*}} : tensor<4x11xf32> to tensor<4x11xi32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @local(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x11xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %z = arith.constant 1.5 : f32
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<8x4xf32> to tensor<8x7xf32>
  %1 = tensor.concat dim(1) %0, %a : (tensor<8x7xf32>, tensor<8x4xf32>) -> tensor<8x11xf32>
  %2 = tensor.insert_slice %a into %1[0, 1] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x11xf32>
  %3 = tensor.bitcast %2 : tensor<8x11xf32> to tensor<8x11xi32>
  return %3 : tensor<8x11xi32>
}

// -----

// Gathers split by the batch of indices or by whole dimensions of the source.

shard.grid @grid(shape = 2x2)
// CHECK-LABEL: func.func @gather(
// CHECK-NOT: shard.all_
// CHECK: tensor.gather %{{.*}}[%{{.*}}] gather_dims([0]) : (tensor<6x2xf32>, tensor<4x1xindex>) -> tensor<4x1x2xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @gather(%a: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
                  %i: tensor<8x1xindex> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x1x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [1]]>}) {
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<6x4xf32>, tensor<8x1xindex>) -> tensor<8x1x4xf32>
  return %0 : tensor<8x1x4xf32>
}
// CHECK-LABEL: func.func @scatter(
// CHECK-NOT: shard.all_
// CHECK: tensor.scatter %{{.*}} into %{{.*}}[%{{.*}}] scatter_dims([0]) unique : (tensor<8x1x2xf32>, tensor<6x2xf32>, tensor<8x1xindex>) -> tensor<6x2xf32>
// CHECK-NOT: shard.all_
// CHECK: return
func.func @scatter(%a: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>},
                   %s: tensor<8x1x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [1]]>},
                   %i: tensor<8x1xindex>)
    -> (tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [1]]>}) {
  %0 = tensor.scatter %s into %a[%i] scatter_dims([0]) unique : (tensor<8x1x4xf32>, tensor<6x4xf32>, tensor<8x1xindex>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
