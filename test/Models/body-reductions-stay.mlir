// Bodies that look like reductions and are none: the value that is carried has another use, or
// the comparison has, or ops of two kinds follow one another.
//
// RUN: shard-opt %s --shard-print-loops 2>&1 >/dev/null | FileCheck %s
// CHECK-NOT: reduction<
// CHECK-COUNT-5: loops: invalid(8)
// CHECK-NOT: reduction<

#in = affine_map<(i) -> (i)>
#out = affine_map<(i) -> ()>
func.func @main(%x: tensor<8xi32>, %a: tensor<i32>, %b: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
  %0 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%x : tensor<8xi32>) outs(%a : tensor<i32>) {
  ^bb0(%e: i32, %acc: i32):
    %m = arith.muli %e, %acc : i32
    %s = arith.subi %acc, %m : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %1:2 = linalg.generic {indexing_maps = [#in, #out, #out], iterator_types = ["reduction"]} ins(%x : tensor<8xi32>) outs(%a, %b : tensor<i32>, tensor<i32>) {
  ^bb0(%e: i32, %acc: i32, %count: i32):
    %g = arith.cmpi sgt, %acc, %e : i32
    %s = arith.select %g, %acc, %e : i32
    %n = arith.extui %g : i1 to i32
    %c = arith.addi %count, %n : i32
    linalg.yield %s, %c : i32, i32
  } -> (tensor<i32>, tensor<i32>)
  %2 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%x : tensor<8xi32>) outs(%a : tensor<i32>) {
  ^bb0(%e: i32, %acc: i32):
    %m = arith.muli %e, %acc : i32
    %s = arith.addi %m, %e : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %3 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%x : tensor<8xi32>) outs(%a : tensor<i32>) {
  ^bb0(%e: i32, %acc: i32):
    %g = arith.cmpi eq, %acc, %e : i32
    %s = arith.select %g, %acc, %e : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %4 = linalg.generic {indexing_maps = [#in, #out], iterator_types = ["reduction"]} ins(%x : tensor<8xi32>) outs(%a : tensor<i32>) {
  ^bb0(%e: i32, %acc: i32):
    %g = arith.cmpi sgt, %acc, %e : i32
    %s = arith.select %g, %acc, %acc : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %0, %1#0, %1#1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
}
