// What a loop carries stays a partial sum if fewer bytes are reduced like that.
//
// RUN: shard-opt %s -split-input-file --sharding-propagation | FileCheck %s
// RUN: shard-opt %s -split-input-file --sharding-propagation -o %t.mlir
// RUN: shard-opt %t.mlir -split-input-file --sharding-propagation | diff %t.mlir -
// RUN: shard-opt %s -split-input-file --shard-spmd | FileCheck %s --check-prefix=LOCAL
// RUN: shard-opt %s -split-input-file --shard-explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=WHY

shard.grid @grid(shape = 4) axes ["x"]

// The sum comes complete, is partial in the loop and is complete again behind it.
// CHECK-LABEL: func @added
// CHECK: %[[SUM:.*]] = shard.sharding @grid split_axes = {{\[\[}}]] partial = sum [0] :
// CHECK: %[[WHOLE:.*]] = shard.sharding @grid split_axes = {{\[\[}}]] :
// CHECK: %[[INIT:.*]] = shard.shard %arg2 to %[[SUM]] annotate_for_users
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[ARG:.*]] = %[[INIT]])
// CHECK-NEXT: %[[CARRIED:.*]] = shard.shard %[[ARG]] to %[[SUM]] :
// CHECK: %[[P:.*]] = linalg.matmul
// CHECK-NEXT: %[[PRODUCT:.*]] = shard.shard %[[P]] to %[[SUM]] :
// CHECK-NEXT: %[[N:.*]] = arith.addf %[[CARRIED]], %[[PRODUCT]]
// CHECK-NEXT: %[[NEXT:.*]] = shard.shard %[[N]] to %[[SUM]] :
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[R:.*]] = shard.shard %[[LOOP]] to %[[SUM]] :
// CHECK-NEXT: %[[RESULT:.*]] = shard.shard %[[R]] to %[[WHOLE]] annotate_for_users
// CHECK-NEXT: return %[[RESULT]]
//
// LOCAL-LABEL: func @added
// LOCAL: %[[INIT:.*]] = arith.select
// LOCAL-NEXT: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[INIT]])
// LOCAL-NOT: shard.all_reduce
// LOCAL: scf.yield
// LOCAL: shard.all_reduce %[[LOOP]]
//
// WHY: reshard of %arg2 for scf.for operand 3 at {{.*}}: {{\[\[}}], []] -> {{\[\[}}], []] partial = sum [x]
// WHY-NEXT: decided: what is added up there is reduced later
// WHY-NEXT: so: make_partial over x
// WHY: reshard of %{{.*}} for func.return operand 0 at {{.*}}: {{\[\[}}], []] partial = sum [x] -> {{\[\[}}], []]
// WHY-NEXT: decided: only complete values are handed on there
// WHY-NEXT: so: all_reduce over x
func.func @added(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %1 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = arith.addf %sum, %1 : tensor<4x4xf32>
    scf.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// The product is added by the op itself.
// LOCAL-LABEL: func @added_into
// LOCAL: scf.for {{.*}} iter_args(%[[SUM:.*]] = %
// LOCAL-NEXT: linalg.matmul {{.*}} outs(%[[SUM]] :
// LOCAL-NEXT: scf.yield
// LOCAL-NEXT: }
// LOCAL-NEXT: shard.all_reduce
func.func @added_into(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %1 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// One reduction behind both loops; a branch does not keep the sum from being partial.
// LOCAL-LABEL: func @nested
// LOCAL: scf.for
// LOCAL-NOT: shard.all_reduce
// LOCAL: scf.if
// LOCAL-NOT: shard.all_reduce
// LOCAL: scf.for
// LOCAL-NOT: shard.all_reduce
// LOCAL: {{^    %}}all_reduce = shard.all_reduce
// LOCAL-NOT: shard.all_reduce
func.func @nested(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %n: index, %c: i1) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> tensor<4x4xf32> {
    %1 = scf.if %c -> tensor<4x4xf32> {
      %2 = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %outer) -> tensor<4x4xf32> {
        %3 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
        scf.yield %3 : tensor<4x4xf32>
      }
      scf.yield %2 : tensor<4x4xf32>
    } else {
      scf.yield %outer : tensor<4x4xf32>
    }
    scf.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// The outer loop needs its sum complete: one reduction per inner loop.
// LOCAL-LABEL: func @read_outside
// LOCAL: scf.for
// LOCAL-NEXT: math.absf
// LOCAL: scf.for
// LOCAL-NOT: shard.all_reduce
// LOCAL: }
// LOCAL-NEXT: %[[SUM:.*]] = shard.all_reduce
// LOCAL-NEXT: scf.yield %[[SUM]]
// LOCAL-NOT: shard.all_reduce
func.func @read_outside(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%outer = %init) -> tensor<4x4xf32> {
    %1 = math.absf %outer : tensor<4x4xf32>
    %2 = scf.for %j = %c0 to %n step %c1 iter_args(%sum = %1) -> tensor<4x4xf32> {
      %3 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%sum : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %3 : tensor<4x4xf32>
    }
    scf.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// A loop that hands its values on crosswise, and a while loop.
// LOCAL-LABEL: func @swapped
// LOCAL: scf.while
// LOCAL-NOT: shard.all_reduce
// LOCAL: scf.yield
// LOCAL-NEXT: }
// LOCAL-NEXT: shard.all_reduce
// LOCAL-NOT: shard.all_reduce
func.func @swapped(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:3 = scf.while (%i = %c0, %a = %init, %b = %init) : (index, tensor<4x4xf32>, tensor<4x4xf32>) -> (index, tensor<4x4xf32>, tensor<4x4xf32>) {
    %1 = arith.cmpi ult, %i, %n : index
    scf.condition(%1) %i, %a, %b : index, tensor<4x4xf32>, tensor<4x4xf32>
  } do {
  ^bb0(%i: index, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>):
    %1 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = arith.addi %i, %c1 : index
    scf.yield %2, %b, %1 : index, tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %0#1 : tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// The body reads the sum by an op that is not linear, a loop has one iteration, the
// summands are smaller than the sum, and a hint wants the sum complete: all of these
// reduce the product.
// CHECK-LABEL: func @complete
// CHECK-NOT: partial
//
// LOCAL-LABEL: func @complete
func.func @complete(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>, %large: tensor<8x4x4xf32>, %n: index) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4x4xf32>, tensor<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<4x4xf32>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %1 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = math.absf %sum : tensor<4x4xf32>
    %3 = arith.addf %2, %1 : tensor<4x4xf32>
    scf.yield %3 : tensor<4x4xf32>
  }
  %4 = scf.for %i = %c0 to %c1 step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    %5 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %6 = arith.addf %sum, %5 : tensor<4x4xf32>
    scf.yield %6 : tensor<4x4xf32>
  }
  %7 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %large) -> tensor<8x4x4xf32> {
    %8 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %9 = tensor.empty() : tensor<8x4x4xf32>
    %10 = linalg.broadcast ins(%8 : tensor<4x4xf32>) outs(%9 : tensor<8x4x4xf32>) dimensions = [0]
    %11 = arith.addf %sum, %10 : tensor<8x4x4xf32>
    scf.yield %11 : tensor<8x4x4xf32>
  }
  %12 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %init) -> tensor<4x4xf32> {
    shard.constraint %sum to <@grid, [[], []]> : tensor<4x4xf32>
    %13 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%zero : tensor<4x4xf32>) -> tensor<4x4xf32>
    %14 = arith.addf %sum, %13 : tensor<4x4xf32>
    scf.yield %14 : tensor<4x4xf32>
  }
  return %0, %4, %7, %12 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4x4xf32>, tensor<4x4xf32>
}

// -----

shard.grid @grid(shape = 4) axes ["x"]

// The second loop reads the sum by an op that enlarges it: to carry it there, too, would
// reduce more than the first loop does. The first loop alone carries it.
// CHECK-LABEL: func @read_later
//
// LOCAL-LABEL: func @read_later
// LOCAL: scf.for
// LOCAL-NOT: shard.all_reduce
// LOCAL: scf.yield
// LOCAL-NEXT: }
// LOCAL-NEXT: shard.all_reduce
// LOCAL-NOT: shard.all_reduce
// LOCAL: return
func.func @read_later(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}, %w: tensor<8x4xf32>, %init: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<16x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %wide = tensor.empty() : tensor<16x4xf32>
  %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %init) -> tensor<4x4xf32> {
    %p = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  }
  %r:3 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %sum, %b = %sum, %c = %wide) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<16x4xf32>) {
    %padded = tensor.pad %b low[6, 0] high[6, 0] {
    ^bb0(%d0: index, %d1: index):
      tensor.yield %zero : f32
    } : tensor<4x4xf32> to tensor<16x4xf32>
    %abs = math.absf %padded : tensor<16x4xf32>
    %twice = arith.addf %a, %a : tensor<4x4xf32>
    scf.yield %twice, %b, %abs : tensor<4x4xf32>, tensor<4x4xf32>, tensor<16x4xf32>
  }
  return %r#0, %r#2 : tensor<4x4xf32>, tensor<16x4xf32>
}
