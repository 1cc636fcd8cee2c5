// Operands that are read along another dimension than the result is written along go through
// blocks in a buffer.

// RUN: rm -rf %t && split-file %s %t
// RUN: shard-opt %t/lower.mlir --shard-lower-linalg | FileCheck %t/lower.mlir
// RUN: shard-run %t/run.mlir --verify | FileCheck %t/run.mlir

//--- lower.mlir
// CHECK-LABEL: func.func @transpose(
// CHECK: %[[BUFFER:.+]] = memref.alloca() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK: scf.for %[[I0:.+]] = %c0{{.*}} to %c128{{.*}} step %c64
// CHECK: scf.for %[[J0:.+]] = %c0{{.*}} to %c100{{.*}} step %c64
// CHECK: %[[REST:.+]] = arith.subi %c100{{.*}}, %[[J0]]
// CHECK: %[[COUNT:.+]] = arith.minsi %c64{{.*}}, %[[REST]]
// CHECK: scf.for %[[I:.+]] = %c0{{.*}} to %c64{{.*}} step %c1
// CHECK: scf.for %[[J:.+]] = %c0{{.*}} to %[[COUNT]] step %c1
// CHECK: memref.store %{{.*}}, %[[BUFFER]][%[[J]], %[[I]]]
// CHECK: scf.for %[[J1:.+]] = %c0{{.*}} to %[[COUNT]] step %c1
// CHECK: scf.for %[[I1:.+]] = %c0{{.*}} to %c64{{.*}} step %c1
// CHECK: memref.load %[[BUFFER]][%[[J1]], %[[I1]]]
// CHECK: memref.store %{{.*}}, %arg1
func.func @transpose(%a: memref<128x100xf32>, %b: memref<100x128xf32>) {
  linalg.transpose ins(%a : memref<128x100xf32>) outs(%b : memref<100x128xf32>)
      permutation = [1, 0]
  return
}
// Blocks of wide elements are smaller.
// CHECK-LABEL: func.func @wide(
// CHECK: memref.alloca() {{.*}} : memref<32x32xf64>
func.func @wide(%a: memref<128x100xf64>, %b: memref<100x128xf64>) {
  linalg.transpose ins(%a : memref<128x100xf64>) outs(%b : memref<100x128xf64>)
      permutation = [1, 0]
  return
}
// Nobody knows that a dynamic extent is a multiple of a block: both dimensions end early.
// CHECK-LABEL: func.func @dynamic(
// CHECK: memref.alloca() {{.*}} : memref<64x64xf32>
// CHECK: scf.for %[[DI:.+]] = %c0{{.*}} to %[[M:.+]] step %c64
// CHECK: scf.for %[[DJ:.+]] = %c0{{.*}} to %[[N:.+]] step %c64
// CHECK-DAG: %[[RESTI:.+]] = arith.subi %[[M]], %[[DI]]
// CHECK-DAG: %[[COUNTI:.+]] = arith.minsi %c64{{.*}}, %[[RESTI]]
// CHECK-DAG: %[[RESTJ:.+]] = arith.subi %[[N]], %[[DJ]]
// CHECK-DAG: %[[COUNTJ:.+]] = arith.minsi %c64{{.*}}, %[[RESTJ]]
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %[[COUNTI]] step %c1
// CHECK: scf.for %{{.+}} = %c0{{.*}} to %[[COUNTJ]] step %c1
func.func @dynamic(%a: memref<?x?xf32>, %b: memref<?x?xf32>) {
  linalg.transpose ins(%a : memref<?x?xf32>) outs(%b : memref<?x?xf32>) permutation = [1, 0]
  return
}
// The last dimension stays the last: rows are copied.
// CHECK-LABEL: func.func @rows(
// CHECK-NOT: alloca
// CHECK: return
func.func @rows(%a: memref<64x80x100xf32>, %b: memref<80x64x100xf32>) {
  linalg.transpose ins(%a : memref<64x80x100xf32>) outs(%b : memref<80x64x100xf32>)
      permutation = [1, 0, 2]
  return
}
// CHECK-LABEL: func.func @small(
// CHECK-NOT: alloca
// CHECK: return
func.func @small(%a: memref<8x100xf32>, %b: memref<100x8xf32>) {
  linalg.transpose ins(%a : memref<8x100xf32>) outs(%b : memref<100x8xf32>) permutation = [1, 0]
  return
}

//--- run.mlir
// One transposed operand of three beside a row, two of one op with its own index, a permute of
// four dimensions, wide and narrow elements, and extents that are not known.
// CHECK: PASS
shard.grid @grid(shape = 2)
func.func @main(
    %a: tensor<150x130xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %b: tensor<130x150xf32>, %c: tensor<150xf32>, %d: tensor<3x70x5x66xf64>,
    %e: tensor<70x140xi8>, %f: tensor<90x70xi1>)
    -> (tensor<130x150xf32>, tensor<130x150xf32>, tensor<66x70x5x3xf64>, tensor<140x70xi8>,
        tensor<70x90xi1>, tensor<130x150xf32>) {
  %z = tensor.empty() : tensor<130x150xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : tensor<150x130xf32>, tensor<130x150xf32>, tensor<150xf32>)
      outs(%z : tensor<130x150xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    %p = arith.mulf %s, %w : f32
    linalg.yield %p : f32
  } -> tensor<130x150xf32>
  %1 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j, i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : tensor<150x130xf32>, tensor<150x130xf32>) outs(%b : tensor<130x150xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %s = arith.addf %x, %k : f32
    %p = arith.mulf %s, %y : f32
    %q = arith.addf %p, %out : f32
    linalg.yield %q : f32
  } -> tensor<130x150xf32>
  %ed = tensor.empty() : tensor<66x70x5x3xf64>
  %2 = linalg.transpose ins(%d : tensor<3x70x5x66xf64>) outs(%ed : tensor<66x70x5x3xf64>)
      permutation = [3, 1, 2, 0]
  %ee = tensor.empty() : tensor<140x70xi8>
  %3 = linalg.transpose ins(%e : tensor<70x140xi8>) outs(%ee : tensor<140x70xi8>)
      permutation = [1, 0]
  %ef = tensor.empty() : tensor<70x90xi1>
  %4 = linalg.transpose ins(%f : tensor<90x70xi1>) outs(%ef : tensor<70x90xi1>)
      permutation = [1, 0]
  %cast = tensor.cast %a : tensor<150x130xf32> to tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %cast, %c0 : tensor<?x?xf32>
  %n = tensor.dim %cast, %c1 : tensor<?x?xf32>
  %ec = tensor.empty(%n, %m) : tensor<?x?xf32>
  %t = linalg.transpose ins(%cast : tensor<?x?xf32>) outs(%ec : tensor<?x?xf32>)
      permutation = [1, 0]
  %5 = tensor.cast %t : tensor<?x?xf32> to tensor<130x150xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<130x150xf32>, tensor<130x150xf32>,
      tensor<66x70x5x3xf64>, tensor<140x70xi8>, tensor<70x90xi1>, tensor<130x150xf32>
}
