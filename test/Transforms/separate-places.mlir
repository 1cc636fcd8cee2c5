// The place of an extreme element along a split dimension: two reductions, and nothing gathered.

// RUN: shard-opt %s --shard-separate-places | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry argmax --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry argmax --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry nan_wins --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry integers --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry not_numbers --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry all_below --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry zeros --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry pytorch --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry pytorch --grid 3 --verify | FileCheck %s --check-prefix=EXEC
// EXEC: PASS

#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#kept = affine_map<(i, j) -> (i, 0)>
shard.grid @grid(shape = 4)

// CHECK-LABEL: func.func @argmax
// CHECK: linalg.generic {{.*}} ins(%{{.*}} : tensor<4x22xf32>)
// CHECK: arith.cmpf uno
// CHECK: arith.maximumf
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x22xf32>, tensor<4xf32>)
// CHECK: arith.cmpf oeq
// CHECK: arith.minsi
// CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]
// CHECK: arith.cmpf ogt
// SPMD-LABEL: func.func @argmax
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} max : tensor<4xf32>
// SPMD: shard.all_reduce {{.*}} min : tensor<4xi32>
// SPMD-NOT: shard.all_
// SPMD: return
func.func @argmax(%a: tensor<4x22xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<4xi32> {
  %low = arith.constant dense<-3.40282347E+38> : tensor<4xf32>
  %zeros = arith.constant dense<0> : tensor<4xi32>
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x22xf32>) outs(%zeros, %low : tensor<4xi32>, tensor<4xf32>) {
  ^bb0(%x: f32, %place: i32, %best: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %more = arith.cmpf ogt, %x, %best : f32
    %next = arith.select %more, %x, %best : f32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %at, %next : i32, f32
  } -> (tensor<4xi32>, tensor<4xf32>)
  return %0#0 : tensor<4xi32>
}

// The same where a NaN is larger than all else: rows 0 and 2 have NaNs on two devices each.

// CHECK-LABEL: func.func @nan_wins
// CHECK: arith.maximumf
// CHECK: arith.cmpf oeq
// CHECK: arith.cmpf uno
// CHECK: arith.ori
// CHECK: arith.cmpf ugt
// CHECK: arith.cmpf ord
func.func @nan_wins(%b: tensor<3x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<3xi32> {
  %low = arith.constant dense<-3.40282347E+38> : tensor<3xf32>
  %zeros = arith.constant dense<0> : tensor<3xi32>
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 0x7FC00000, 5.0, 0x7FC00000, 9.0, 8.0],
                             [1.0, 9.0, 3.0, 4.0, 5.0, 9.0, 9.0, 8.0],
                             [0x7FC00000, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 0x7FC00000]]> : tensor<3x8xf32>
  %a = arith.addf %b, %c : tensor<3x8xf32>
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x8xf32>) outs(%zeros, %low : tensor<3xi32>, tensor<3xf32>) {
  ^bb0(%x: f32, %place: i32, %best: f32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %larger = arith.cmpf ugt, %x, %best : f32
    %ordered = arith.cmpf ord, %best, %best : f32
    %more = arith.andi %larger, %ordered : i1
    %next = arith.select %more, %x, %best : f32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %at, %next : i32, f32
  } -> (tensor<3xi32>, tensor<3xf32>)
  return %0#0 : tensor<3xi32>
}

// And where it never is: a row of NaNs alone has the place of the init.

// SPMD-LABEL: func.func @not_numbers
// SPMD-NOT: shard.all_gather
// SPMD: return
func.func @not_numbers(%b: tensor<3x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<3xindex> {
  %low = arith.constant dense<[0xFF800000, 0xFF800000, 0x7FC00000]> : tensor<3xf32>
  %places = arith.constant dense<[-5, -6, -7]> : tensor<3xindex>
  %nan = arith.constant 0x7FC00000 : f32
  %c = arith.constant dense<[[1.0, 2.0, 3.0, 0x7FC00000, 5.0, 0x7FC00000, 9.0, 8.0],
                             [0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000,
                              0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000],
                             [0x7FC00000, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0, 0x7FC00000]]> : tensor<3x8xf32>
  %a = arith.addf %b, %c : tensor<3x8xf32>
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x8xf32>) outs(%low, %places : tensor<3xf32>, tensor<3xindex>) {
  ^bb0(%x: f32, %best: f32, %place: index):
    %j = linalg.index 1 : index
    %more = arith.cmpf olt, %best, %x : f32
    %next = arith.select %more, %x, %best : f32
    %at = arith.select %more, %j, %place : index
    linalg.yield %next, %at : f32, index
  } -> (tensor<3xf32>, tensor<3xindex>)
  return %0#1 : tensor<3xindex>
}

// Both results of integers, of what the body computes of two inputs; a minimum.

// CHECK-LABEL: func.func @integers
// CHECK: %[[M:.*]] = linalg.generic
// CHECK: arith.muli
// CHECK: arith.minsi
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %[[M]]
// CHECK: return %[[M]]
// SPMD-LABEL: func.func @integers
// SPMD-NOT: shard.all_gather
// SPMD: return
func.func @integers(%a: tensor<16x6xi16> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %b: tensor<16xi16>)
    -> (tensor<6xi16>, tensor<6xi8>) {
  %high = arith.constant dense<100> : tensor<6xi16>
  %places = arith.constant dense<-1> : tensor<6xi8>
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>, #row, #row],
                         iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<16x6xi16>, tensor<16xi16>) outs(%high, %places : tensor<6xi16>, tensor<6xi8>) {
  ^bb0(%x: i16, %y: i16, %best: i16, %place: i8):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i8
    %xy = arith.muli %x, %y : i16
    %less = arith.cmpi slt, %xy, %best : i16
    %next = arith.minsi %best, %xy : i16
    %at = arith.select %less, %n, %place : i8
    linalg.yield %next, %at : i16, i8
  } -> (tensor<6xi16>, tensor<6xi8>)
  return %0#0, %0#1 : tensor<6xi16>, tensor<6xi8>
}

// No element is better than the init.

func.func @all_below(%a: tensor<4x8xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %p: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %high = arith.constant dense<[100, 3, 7, -100]> : tensor<4xi32>
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xi32>) outs(%high, %p : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%x: i32, %best: i32, %place: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %more = arith.cmpi sgt, %x, %best : i32
    %next = arith.select %more, %x, %best : i32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %next, %at : i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xi32>
}

// These stay: the last place, a number that does not hold all places, and a NaN that is better
// than another one.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @others(%a: tensor<4x200xf32>, %b: tensor<4x200xi32>, %f: tensor<4xf32>, %i: tensor<4xi32>, %s: tensor<4xi8>)
    -> (tensor<4xi32>, tensor<4xi8>, tensor<4xi32>) {
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<4x200xi32>) outs(%i, %i : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%x: i32, %best: i32, %place: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %more = arith.cmpi sge, %x, %best : i32
    %next = arith.select %more, %x, %best : i32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %next, %at : i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>)
  %2:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<4x200xi32>) outs(%i, %s : tensor<4xi32>, tensor<4xi8>) {
  ^bb0(%x: i32, %best: i32, %place: i8):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i8
    %more = arith.cmpi sgt, %x, %best : i32
    %next = arith.select %more, %x, %best : i32
    %at = arith.select %more, %n, %place : i8
    linalg.yield %next, %at : i32, i8
  } -> (tensor<4xi32>, tensor<4xi8>)
  %3:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x200xf32>) outs(%f, %i : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %best: f32, %place: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %more = arith.cmpf ugt, %x, %best : f32
    %next = arith.select %more, %x, %best : f32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %next, %at : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %0#1, %2#1, %3#1 : tensor<4xi32>, tensor<4xi8>, tensor<4xi32>
}

// A maximum of floats that is used is the element at its place: where zeros of both signs are
// the largest elements, the sign is that of the first one, which 1 / x shows.

// CHECK-LABEL: func.func @zeros
// CHECK-COUNT-3: "reduction"
// CHECK-NOT: "reduction"
// SPMD-LABEL: func.func @zeros
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} max : tensor<64xf32>
// SPMD: shard.all_reduce {{.*}} min : tensor<64xi32>
// SPMD: shard.all_reduce {{.*}} : tensor<64xf32>
// SPMD-NOT: shard.all_
// SPMD: return
func.func @zeros(%a: tensor<64x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> (tensor<64xf32> {shard.sharding = #shard.sharding<@grid, [[]]>},
        tensor<64xi32> {shard.sharding = #shard.sharding<@grid, [[]]>}) {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %low = arith.constant dense<-4.0> : tensor<64xf32>
  %first = arith.constant dense<-1> : tensor<64xi32>
  %signs = math.copysign %zero, %a : tensor<64x8xf32>
  %0:2 = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%signs : tensor<64x8xf32>) outs(%low, %first : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%x: f32, %best: f32, %place: i32):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i32
    %more = arith.cmpf ogt, %x, %best : f32
    %next = arith.select %more, %x, %best : f32
    %at = arith.select %more, %n, %place : i32
    linalg.yield %next, %at : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  %1 = arith.divf %one, %0#0 : tensor<64xf32>
  return %1, %0#1 : tensor<64xf32>, tensor<64xi32>
}

// PyTorch's maximum of rows, some of which have NaNs: the place is that of the maximum in front
// of the first NaN. The results keep the dimension.

// CHECK-LABEL: func.func @pytorch
// CHECK-COUNT-3: "reduction"
// CHECK-NOT: "reduction"
// SPMD-LABEL: func.func @pytorch
// SPMD-NOT: shard.all_gather
// SPMD: shard.all_reduce {{.*}} min : tensor<24x1xi64>
// SPMD: shard.all_reduce {{.*}} max : tensor<24x1xf32>
// SPMD: shard.all_reduce {{.*}} min : tensor<24x1xi64>
// SPMD-NOT: shard.all_
// SPMD: return
func.func @pytorch(%a: tensor<24x16xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> (tensor<24x1xf32> {shard.sharding = #shard.sharding<@grid, [[], []]>},
        tensor<24x1xi64> {shard.sharding = #shard.sharding<@grid, [[], []]>}) {
  %shift = arith.constant dense<0.95> : tensor<24x16xf32>
  %low = arith.constant dense<0xFF800000> : tensor<24x1xf32>
  %first = arith.constant dense<0> : tensor<24x1xi64>
  %shifted = arith.addf %a, %shift : tensor<24x16xf32>
  %logs = math.log %shifted : tensor<24x16xf32>
  %0:2 = linalg.generic {indexing_maps = [#all, #kept, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%logs : tensor<24x16xf32>) outs(%low, %first : tensor<24x1xf32>, tensor<24x1xi64>) {
  ^bb0(%x: f32, %best: f32, %place: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %next = arith.maximumf %x, %best : f32
    %more = arith.cmpf ogt, %x, %best : f32
    %at = arith.select %more, %n, %place : i64
    linalg.yield %next, %at : f32, i64
  } -> (tensor<24x1xf32>, tensor<24x1xi64>)
  return %0#0, %0#1 : tensor<24x1xf32>, tensor<24x1xi64>
}
