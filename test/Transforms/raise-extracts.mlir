// Elements that generic ops extract at known places become operands. What is no sum of loops
// and constants nor a quotient or remainder of a loop, or may lie outside of the tensor, stays.

// RUN: shard-opt %s --shard-raise-extracts --split-input-file | FileCheck %s

// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1) -> (-d0 + 7, d1 * 2 + 1)>
// CHECK-LABEL: func.func @turned
// CHECK-SAME: %[[A:.*]]: tensor<8x9xf32>
// CHECK: linalg.generic {indexing_maps = [#[[BACK]], {{.*}}], {{.*}}} ins(%[[A]] : tensor<8x9xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: linalg.yield %[[X]]
func.func @turned(%a: tensor<8x9xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %extent = tensor.dim %a, %c0 : tensor<8x9xf32>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  %last = arith.subi %extent, %c1 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.subi %last, %i : index
    %double = arith.muli %two, %j : index
    %wide = arith.index_cast %double : index to i64
    %next = arith.addi %wide, %one : i64
    %v = arith.index_cast %next : i64 to index
    %x = tensor.extract %a[%u, %v] : tensor<8x9xf32>
    linalg.yield %x : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// Outside of the tensor, by a number that is not known, through i2, of a tensor of
// unknown extent, and of one that the body makes.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: ins(
// CHECK-COUNT-5: tensor.extract
func.func @stay(%a: tensor<8xf32>, %n: index, %d: tensor<?xf32>) -> tensor<8xf32> {
  %one = arith.constant 1 : index
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %next = arith.addi %i, %one : index
    %x = tensor.extract %a[%next] : tensor<8xf32>
    %far = arith.muli %i, %n : index
    %y = tensor.extract %a[%far] : tensor<8xf32>
    %narrow = arith.index_cast %i : index to i2
    %again = arith.index_cast %narrow : i2 to index
    %z = tensor.extract %a[%again] : tensor<8xf32>
    %u = tensor.extract %d[%i] : tensor<?xf32>
    %own = tensor.splat %y : tensor<8xf32>
    %v = tensor.extract %own[%i] : tensor<8xf32>
    %s0 = arith.addf %x, %y : f32
    %s1 = arith.addf %s0, %z : f32
    %s2 = arith.addf %s1, %u : f32
    %s3 = arith.addf %s2, %v : f32
    linalg.yield %s3 : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Each row twice, columns by turns: quotients and remainders that reach all elements.
// CHECK-DAG: #[[TWICE:.*]] = affine_map<(d0, d1) -> (d0 floordiv 2, d1 mod 3)>
// CHECK-LABEL: func.func @divided
// CHECK-SAME: %[[A:.*]]: tensor<4x3xf32>
// CHECK: linalg.generic {indexing_maps = [#[[TWICE]], {{.*}}], {{.*}}} ins(%[[A]] : tensor<4x3xf32>)
func.func @divided(%a: tensor<4x3xf32>) -> tensor<8x6xf32> {
  %two = arith.constant 2 : index
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<8x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %two : index
    %n = arith.index_cast %j : index to i32
    %turn = arith.remsi %n, %three : i32
    %v = arith.index_cast %turn : i32 to index
    %x = tensor.extract %a[%u, %v] : tensor<4x3xf32>
    linalg.yield %x : f32
  } -> tensor<8x6xf32>
  return %r : tensor<8x6xf32>
}

// -----

// No loop of such a map would be split: the number does not divide the extent, the quotient
// reaches a part of the rows, or it is moved.
// CHECK-LABEL: func.func @not_divided
// CHECK-COUNT-3: tensor.gather
func.func @not_divided(%a: tensor<4x3xf32>) -> (tensor<7x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %e = tensor.empty() : tensor<7x3xf32>
  %f = tensor.empty() : tensor<6x3xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<7x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %two : index
    %x = tensor.extract %a[%u, %j] : tensor<4x3xf32>
    linalg.yield %x : f32
  } -> tensor<7x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<6x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %two : index
    %x = tensor.extract %a[%u, %j] : tensor<4x3xf32>
    linalg.yield %x : f32
  } -> tensor<6x3xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<6x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %u = arith.divui %i, %two : index
    %w = arith.addi %u, %one : index
    %x = tensor.extract %a[%w, %j] : tensor<4x3xf32>
    linalg.yield %x : f32
  } -> tensor<6x3xf32>
  return %r, %s, %t : tensor<7x3xf32>, tensor<6x3xf32>, tensor<6x3xf32>
}

// -----

// PyTorch's upsampling and every second column, by floats: the numbers of all iterations are
// those of a quotient and of a multiple. A row that is clamped is neither, but one of slices that
// are joined.
// CHECK-DAG: #[[FLOATS:.*]] = affine_map<(d0, d1) -> (d0 floordiv 2, d1 * 2)>
// CHECK-LABEL: func.func @floats
// CHECK-SAME: %[[A:.*]]: tensor<4x6xf32>
// CHECK: linalg.generic {indexing_maps = [#[[FLOATS]], {{.*}}], {{.*}}} ins(%[[A]] : tensor<4x6xf32>)
// CHECK: tensor.concat dim(0) %[[A]], {{.*}} : (tensor<4x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>)
func.func @floats(%a: tensor<4x6xf32>) -> (tensor<8x3xf32>, tensor<8x6xf32>) {
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %last = arith.constant 3 : i64
  %e = tensor.empty() : tensor<8x3xf32>
  %f = tensor.empty() : tensor<8x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %x = arith.sitofp %n : i64 to f32
    %y = arith.mulf %x, %half : f32
    %z = math.floor %y : f32
    %m = arith.fptosi %z : f32 to i64
    %row = arith.index_cast %m : i64 to index
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %u = arith.sitofp %k : i64 to f32
    %v = arith.mulf %u, %two : f32
    %w = arith.fptosi %v : f32 to i64
    %column = arith.index_cast %w : i64 to index
    %g = tensor.extract %a[%row, %column] : tensor<4x6xf32>
    linalg.yield %g : f32
  } -> tensor<8x3xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<8x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.minsi %n, %last : i64
    %row = arith.index_cast %m : i64 to index
    %g = tensor.extract %a[%row, %j] : tensor<4x6xf32>
    linalg.yield %g : f32
  } -> tensor<8x6xf32>
  return %r, %s : tensor<8x3xf32>, tensor<8x6xf32>
}

// -----

// With flags of fast math a run may compute other numbers.
// CHECK-LABEL: func.func @fast
// CHECK-NOT: ins(
// CHECK: return
func.func @fast(%a: tensor<4xf32>) -> tensor<8xf32> {
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    %x = arith.sitofp %n : i64 to f32
    %y = arith.mulf %x, %half fastmath<fast> : f32
    %m = arith.fptosi %y : f32 to i64
    %row = arith.index_cast %m : i64 to index
    %g = tensor.extract %a[%row] : tensor<4xf32>
    linalg.yield %g : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A tensor.generate becomes an op with operands, and keeps its hints; one that would have
// none stays.
// CHECK-DAG: #[[BACK:.*]] = affine_map<(d0, d1) -> (-d0 + 3, d1)>
// CHECK-LABEL: func.func @generated
// CHECK-SAME: %[[A:.*]]: tensor<4x6xf32>, %[[F:.*]]: f32
// CHECK: linalg.generic {indexing_maps = [#[[BACK]], {{.*}}], {{.*}}} ins(%[[A]] : tensor<4x6xf32>) {{.*}} attrs = {shard.loops = #shard.sharding<@grid, {{\[}}[0], []]>}
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[F]] : f32
// CHECK-NEXT: linalg.yield %[[Y]]
// CHECK: tensor.generate
shard.grid @grid(shape = 2)
func.func @generated(%a: tensor<4x6xf32>, %f: f32) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %c3 = arith.constant 3 : index
  %0 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.subi %c3, %i : index
    %x = tensor.extract %a[%k, %j] : tensor<4x6xf32>
    %y = arith.mulf %x, %f : f32
    tensor.yield %y : f32
  } {shard.loops = #shard.sharding<@grid, [[0], []]>} : tensor<4x6xf32>
  %1 = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.muli %i, %i : index
    %x = tensor.extract %a[%k, %j] : tensor<4x6xf32>
    tensor.yield %x : f32
  } : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}
