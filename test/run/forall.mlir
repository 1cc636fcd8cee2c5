// scf.forall: split along the dimensions that all iterations take whole.

// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=3x1 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=4x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2x2)

// Rows one by one; columns stay split, unevenly.
func.func private @rows(%a: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %e = tensor.empty() : tensor<7x5xf32>
  %0 = scf.forall (%i) in (7) shared_outs(%o = %e) -> (tensor<7x5xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<5xf32>
    %y = math.absf %s : tensor<5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<7x5xf32>
    }
  }
  return %0 : tensor<7x5xf32>
}

// Tiles in two dimensions, a third one whole; the output is read as well.
func.func private @tiles(%a: tensor<4x6x5xi32>, %b: tensor<4x6x5xi32>) -> tensor<4x6x5xi32> {
  %0 = scf.forall (%i, %j) = (0, 0) to (4, 6) step (2, 3) shared_outs(%o = %b) -> (tensor<4x6x5xi32>) {
    %s = tensor.extract_slice %a[%i, %j, 0] [2, 3, 5] [1, 1, 1] : tensor<4x6x5xi32> to tensor<2x3x5xi32>
    %t = tensor.extract_slice %o[%i, %j, 0] [2, 3, 5] [1, 1, 1] : tensor<4x6x5xi32> to tensor<2x3x5xi32>
    %y = arith.addi %s, %t : tensor<2x3x5xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, %j, 0] [2, 3, 5] [1, 1, 1] : tensor<2x3x5xi32> into tensor<4x6x5xi32>
    }
  }
  return %0 : tensor<4x6x5xi32>
}

// Two outputs: one written by rows, one by columns; elements of a split tensor.
func.func private @two(%a: tensor<6x6xi32>, %b: tensor<6x6xi32>) -> (tensor<6x6xi32>, tensor<6x6xi32>) {
  %c1 = arith.constant 1 : index
  %0:2 = scf.forall (%i) in (6) shared_outs(%o = %a, %p = %b) -> (tensor<6x6xi32>, tensor<6x6xi32>) {
    %e = tensor.extract %a[%i, %c1] : tensor<6x6xi32>
    %row = tensor.extract_slice %o[%i, 0] [1, 6] [1, 1] : tensor<6x6xi32> to tensor<1x6xi32>
    %column = tensor.extract_slice %p[0, %i] [6, 1] [1, 1] : tensor<6x6xi32> to tensor<6x1xi32>
    %rows = tensor.splat %e : tensor<1x6xi32>
    %columns = tensor.splat %e : tensor<6x1xi32>
    %r = arith.addi %row, %rows : tensor<1x6xi32>
    %c = arith.subi %column, %columns : tensor<6x1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i, 0] [1, 6] [1, 1] : tensor<1x6xi32> into tensor<6x6xi32>
      tensor.parallel_insert_slice %c into %p[0, %i] [6, 1] [1, 1] : tensor<6x1xi32> into tensor<6x6xi32>
    }
  }
  return %0#0, %0#1 : tensor<6x6xi32>, tensor<6x6xi32>
}

// A sum over a split dimension: the iterations communicate, one after the other.
func.func private @sums(%a: tensor<7x4xi32>) -> tensor<7xi32> {
  %e = tensor.empty() : tensor<7xi32>
  %z = arith.constant dense<0> : tensor<1xi32>
  %0 = scf.forall (%i) in (7) shared_outs(%o = %e) -> (tensor<7xi32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<7x4xi32> to tensor<1x4xi32>
    %r = linalg.reduce { arith.addi } ins(%s : tensor<1x4xi32>) outs(%z : tensor<1xi32>) dimensions = [1]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %r into %o[%i] [1] [1] : tensor<1xi32> into tensor<7xi32>
    }
  }
  return %0 : tensor<7xi32>
}

// Bounds that the program computes, and an empty one.
func.func private @bounds(%a: tensor<6x4xi32>, %n: index) -> tensor<6x4xi32> {
  %c7 = arith.constant 7 : index
  %m = arith.remui %n, %c7 : index
  %0 = scf.forall (%i) in (%m) shared_outs(%o = %a) -> (tensor<6x4xi32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<6x4xi32> to tensor<1x4xi32>
    %y = arith.muli %s, %s : tensor<1x4xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xi32> into tensor<6x4xi32>
    }
  }
  return %0 : tensor<6x4xi32>
}

func.func @main(
    %a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %b: tensor<4x6x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], [], [1]]>},
    %c: tensor<4x6x5xi32> {shard.sharding = #shard.sharding<@grid, [[], [1], [0]]>},
    %d: tensor<6x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
    %e: tensor<6x6xi32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
    %f: tensor<7x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
    %g: tensor<6x4xi32> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
    %n: index)
    -> (tensor<7x5xf32>, tensor<4x6x5xi32>, tensor<6x6xi32>,
        tensor<6x6xi32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
        tensor<7xi32>, tensor<6x4xi32>) {
  %0 = call @rows(%a) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %1 = call @tiles(%b, %c) : (tensor<4x6x5xi32>, tensor<4x6x5xi32>) -> tensor<4x6x5xi32>
  %2:2 = call @two(%d, %e) : (tensor<6x6xi32>, tensor<6x6xi32>) -> (tensor<6x6xi32>, tensor<6x6xi32>)
  %3 = call @sums(%f) : (tensor<7x4xi32>) -> tensor<7xi32>
  %4 = call @bounds(%g, %n) : (tensor<6x4xi32>, index) -> tensor<6x4xi32>
  return %0, %1, %2#0, %2#1, %3, %4
      : tensor<7x5xf32>, tensor<4x6x5xi32>, tensor<6x6xi32>, tensor<6x6xi32>, tensor<7xi32>, tensor<6x4xi32>
}
