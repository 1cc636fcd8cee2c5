// The look-up of rows, as frontends write it, is a tensor.gather, and a table that is split
// along the dimension it reaches into is not gathered.
// RUN: shard-opt %s --shard-raise-extracts | FileCheck %s
// RUN: shard-opt %s --shard-spmd | FileCheck %s --check-prefix=SPMD
// RUN: shard-run %s --entry rows --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry rows --verify --grid 3 --hint 'arg0=[[],[0]]' | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry rows --verify --grid 2x3 --hint 'arg0=[[1],[0]]' --hint 'arg1=[[0],[]]' | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry pixels --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry columns --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry narrow --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry diagonal --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry diagonal --verify --grid 3 --hint 'arg0=[[],[0]]' | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry diagonal --verify --grid 2x3 --hint 'arg0=[[0],[1]]' | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry zeros --verify | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry outer --verify | FileCheck %s --check-prefix=OUTER
// RUN: shard-run %s --entry outer --verify --grid 2x3 --hint 'arg0=[[1],[0]]' --hint 'arg2=[[1]]' | FileCheck %s --check-prefix=EXEC

// EXEC: PASS

shard.grid @grid(shape = 4)

// CHECK-LABEL: func @rows
// CHECK: %[[AT:.*]] = linalg.generic {{.*}} ins(%arg1 : tensor<5x3xi32>) outs({{.*}} : tensor<5x3x1xindex>)
// CHECK: %[[ROWS:.*]] = tensor.gather %arg0[%[[AT]]] gather_dims([0]) : (tensor<4099x8xf32>, tensor<5x3x1xindex>) -> tensor<5x3x8xf32>
// What nothing reads any more is no input.
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] : tensor<5x3x8xf32>)
// CHECK-NOT: tensor.extract
// SPMD-LABEL: func.func @rows
// SPMD: tensor.gather {{.*}} : (tensor<1025x8xf32>, tensor<5x3x1xindex>) -> tensor<5x3x8xf32>
// SPMD: %[[INSIDE:.*]] = arith.cmpi ult
// SPMD: arith.select %[[INSIDE]], %{{.*}}, %{{.*}} : f32
// SPMD: shard.all_reduce {{.*}} : tensor<5x3x8xf32> -> tensor<5x3x8xf32>
// SPMD-NOT: shard.all_gather
func.func @rows(%table: tensor<4099x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                %ids: tensor<5x3xi32>) -> tensor<5x3x8xf32> {
  %e = tensor.empty() : tensor<5x3x8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<5x3xi32>) outs(%e : tensor<5x3x8xf32>) {
  ^bb0(%id: i32, %out: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 2 : index
    %x = tensor.extract %table[%row, %column] : tensor<4099x8xf32>
    linalg.yield %x : f32
  } -> tensor<5x3x8xf32>
  return %r : tensor<5x3x8xf32>
}

// Two indices that depend on places alone, as in an image that grows and whose columns are
// exchanged; channels and images are whole.
// CHECK-LABEL: func @pixels
// CHECK: tensor.gather %arg0[{{.*}}] gather_dims([2, 3]) : (tensor<4x3x6x8xf32>, tensor<12x16x2xindex>) -> tensor<12x16x4x3xf32>
// SPMD-LABEL: func.func @pixels
// SPMD-NOT: shard.all_gather
// SPMD: return
func.func @pixels(%image: tensor<4x3x6x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>})
    -> tensor<4x3x12x16xf32> {
  %two = arith.constant 2 : index
  %ten = arith.constant 10 : index
  %e = tensor.empty() : tensor<4x3x12x16xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(n, c, y, x) -> (n, c, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<4x3x12x16xf32>) {
  ^bb0(%out: f32):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %y = linalg.index 2 : index
    %x = linalg.index 3 : index
    %row = arith.divui %y, %two : index
    %turned = arith.xori %x, %ten : index
    %column = arith.divui %turned, %two : index
    %p = tensor.extract %image[%n, %c, %row, %column] : tensor<4x3x6x8xf32>
    linalg.yield %p : f32
  } -> tensor<4x3x12x16xf32>
  return %r : tensor<4x3x12x16xf32>
}

// The index depends on the loop that reads the columns, which are a batch: they are split
// together with the indices.
// CHECK-LABEL: func @diagonal
// CHECK: tensor.gather %arg0[%{{.*}}] gather_dims([0, 1]) : (tensor<8x8xf32>, tensor<8x2xindex>) -> tensor<8xf32>
// SPMD-LABEL: func.func @diagonal
// SPMD-SAME: %arg1: tensor<2xi32>
// SPMD-NOT: shard.all_
// SPMD: tensor.gather {{.*}} : (tensor<8x2xf32>, tensor<2x2xindex>) -> tensor<2xf32>
// SPMD-NOT: shard.all_
// SPMD: return
func.func @diagonal(%table: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, %ids: tensor<8xi32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%ids : tensor<8xi32>) outs(%e : tensor<8xf32>) {
  ^bb0(%id: i32, %out: f32):
    %row = arith.index_cast %id : i32 to index
    %column = linalg.index 0 : index
    %x = tensor.extract %table[%row, %column] : tensor<8x8xf32>
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// More is looked up than the table has elements: the op stays.
// CHECK-LABEL: func @permuted
// CHECK-NOT: tensor.gather
// CHECK: tensor.extract
func.func @permuted(%table: tensor<8x4xf32>, %ids: tensor<8x5xi32>) -> tensor<8x5xf32> {
  %e = tensor.empty() : tensor<8x5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<8x5xi32>) outs(%e : tensor<8x5xf32>) {
  ^bb0(%id: i32, %out: f32):
    %row = linalg.index 0 : index
    %column = arith.index_cast %id : i32 to index
    %x = tensor.extract %table[%row, %column] : tensor<8x4xf32>
    linalg.yield %x : f32
  } -> tensor<8x5xf32>
  return %r : tensor<8x5xf32>
}

// All indices come from data, each of another loop. The table has 2560 B, what is found 60 B.
// CHECK-LABEL: func @outer
// CHECK: tensor.gather {{.*}} gather_dims([0, 1])
// CHECK-NOT: tensor.extract
// OUTER: all_reduce {{.*}} 90 B
// OUTER: PASS
func.func @outer(%table: tensor<64x10xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
                 %rows: tensor<3xi32>, %columns: tensor<5xi32>) -> tensor<3x5xf32> {
  %e = tensor.empty() : tensor<3x5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%rows, %columns : tensor<3xi32>, tensor<5xi32>) outs(%e : tensor<3x5xf32>) {
  ^bb0(%i: i32, %j: i32, %out: f32):
    %row = arith.index_cast %i : i32 to index
    %column = arith.index_cast %j : i32 to index
    %x = tensor.extract %table[%row, %column] : tensor<64x10xf32>
    linalg.yield %x : f32
  } -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// There are more indices, two for each element, than the table has elements: the op stays.
// CHECK-LABEL: func @many
// CHECK-NOT: tensor.gather
// CHECK: tensor.extract
func.func @many(%table: tensor<4x2xf32>, %rows: tensor<5xi32>, %columns: tensor<5xi32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} ins(%rows, %columns : tensor<5xi32>, tensor<5xi32>) outs(%e : tensor<5xf32>) {
  ^bb0(%i: i32, %j: i32, %out: f32):
    %row = arith.index_cast %i : i32 to index
    %column = arith.index_cast %j : i32 to index
    %x = tensor.extract %table[%row, %column] : tensor<4x2xf32>
    linalg.yield %x : f32
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// The slice is in another order than the loops, and the body goes on with the element.
// CHECK-LABEL: func @columns
// CHECK-COUNT-1: tensor.gather
func.func @columns(%table: tensor<6x9x4xi16> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
                   %ids: tensor<5xi64>) -> tensor<4x5x6xi16> {
  %e = tensor.empty() : tensor<4x5x6xi16>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (j)>, affine_map<(i, j, k) -> (i, j, k)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids : tensor<5xi64>) outs(%e : tensor<4x5x6xi16>) {
  ^bb0(%id: i64, %out: i16):
    %one = arith.constant 1 : i64
    %next = arith.addi %id, %one : i64
    %at = arith.index_cast %next : i64 to index
    %first = linalg.index 2 : index
    %last = linalg.index 0 : index
    %x = tensor.extract %table[%first, %at, %last] : tensor<6x9x4xi16>
    %y = arith.addi %x, %x : i16
    linalg.yield %y : i16
  } -> tensor<4x5x6xi16>
  return %r : tensor<4x5x6xi16>
}

// A dimension of one element has no choice: a slice of two elements is looked up though three
// dimensions are indices.
// CHECK-LABEL: func @narrow
// CHECK: tensor.gather
func.func @narrow(%image: tensor<1x2x1x2xf32> {shard.sharding = #shard.sharding<@grid, [[], [], [], [0]]>}) -> tensor<1x3x1x2xf32> {
  %e = tensor.empty() : tensor<1x3x1x2xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<1x3x1x2xf32>) {
  ^bb0(%out: f32):
    %zero = arith.constant 0 : index
    %two = arith.constant 2 : index
    %row = linalg.index 1 : index
    %half = arith.divui %row, %two : index
    %channel = linalg.index 3 : index
    %x = tensor.extract %image[%zero, %half, %zero, %channel] : tensor<1x2x1x2xf32>
    linalg.yield %x : f32
  } -> tensor<1x3x1x2xf32>
  return %r : tensor<1x3x1x2xf32>
}

// Zeros keep their sign: 1 / -0 is not 1 / 0.
func.func @zeros(%ids: tensor<5x1xindex>) -> tensor<5x2xf32> {
  %table = arith.constant dense<[[-0.0, 0.0], [-1.0, -0.0], [0.0, 2.0], [-0.0, -0.0]]> : tensor<4x2xf32>
  %split = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
  %t = shard.shard %table to %split : tensor<4x2xf32>
  %r = tensor.gather %t[%ids] gather_dims([0]) : (tensor<4x2xf32>, tensor<5x1xindex>) -> tensor<5x2xf32>
  %one = arith.constant dense<1.0> : tensor<5x2xf32>
  %q = arith.divf %one, %r : tensor<5x2xf32>
  return %q : tensor<5x2xf32>
}
