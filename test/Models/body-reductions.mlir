// Bodies that combine otherwise than by one commutative op: differences from the carried value,
// maxima by comparisons of integers, complex numbers, several ops of one kind. They are split.
// Maxima by comparisons of floats and differences `x - carried` are gathered.
//
// RUN: shard-opt %s --shard-print-loops 2>&1 >/dev/null | FileCheck %s --check-prefix=LOOPS
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>/dev/null | FileCheck %s --check-prefix=UNEVEN
//
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<sum>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<max>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<umin>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<sum>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<sum>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: reduction<sum>(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: invalid(18) parallel(8)
// LOOPS: linalg.generic
// LOOPS-NEXT: loops: invalid(18) parallel(8)
//
// CHECK-COUNT-6: all_reduce
// CHECK-COUNT-2: all_to_all
// CHECK-NOT: all_gather
// CHECK: PASS
// UNEVEN: PASS

shard.grid @grid(shape = 4)
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<18x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %n: tensor<18x8xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %c: tensor<18x8xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %ci: tensor<8xcomplex<f32>>, %fi: tensor<8xf32>,
    %y: tensor<18x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %k: tensor<18x8xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
  -> (tensor<8xf32>, tensor<8xi32>, tensor<8xi32>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>) {
  %z = arith.constant dense<0.0> : tensor<8xf32>
  %low = arith.constant dense<-2147483648> : tensor<8xi32>
  %ones = arith.constant dense<100> : tensor<8xi32>
  %cz = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %ce = tensor.empty() : tensor<8xcomplex<f32>>
  %cf = linalg.fill ins(%cz : complex<f32>) outs(%ce : tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<18x8xf32>) outs(%fi : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.subf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%n : tensor<18x8xi32>) outs(%low : tensor<8xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %g = arith.cmpi sgt, %acc, %a : i32
    %s = arith.select %g, %acc, %a : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%n : tensor<18x8xi32>) outs(%ones : tensor<8xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %g = arith.cmpi uge, %a, %acc : i32
    %s = arith.select %g, %acc, %a : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  %3 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%c : tensor<18x8xcomplex<f32>>) outs(%cf : tensor<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %acc: complex<f32>):
    %s = complex.add %acc, %a : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<8xcomplex<f32>>
  %4 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%c : tensor<18x8xcomplex<f32>>) outs(%ci : tensor<8xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %acc: complex<f32>):
    %m = complex.mul %a, %a : complex<f32>
    %s = complex.sub %acc, %m : complex<f32>
    linalg.yield %s : complex<f32>
  } -> tensor<8xcomplex<f32>>
  %5 = linalg.generic {indexing_maps = [#id, #id, #row], iterator_types = ["reduction", "parallel"]} ins(%x, %x : tensor<18x8xf32>, tensor<18x8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    %t = arith.subf %s, %b : f32
    %u = arith.addf %b, %t : f32
    linalg.yield %u : f32
  } -> tensor<8xf32>
  %6 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%y : tensor<18x8xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %g = arith.cmpf ogt, %acc, %a : f32
    %s = arith.select %g, %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %7 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]} ins(%k : tensor<18x8xi32>) outs(%low : tensor<8xi32>) {
  ^bb0(%a: i32, %acc: i32):
    %s = arith.subi %a, %acc : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<8xf32>, tensor<8xi32>, tensor<8xi32>, tensor<8xcomplex<f32>>, tensor<8xcomplex<f32>>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>
}
