// The centroids are split, and the nearest one of each point is found: the centroids are gathered, and
// points split, also where the devices divide neither 8 centroids nor 64 points. Completing
// maxima and places of 64 points sent 682 B.

// RUN: shard-run %s --grid 2 --hint 'arg1=[[0],[]]' --verify | FileCheck %s --check-prefixes=TWO,CHECK
// RUN: shard-run %s --grid 3 --hint 'arg1=[[0],[]]' --verify | FileCheck %s --check-prefixes=THREE,CHECK
// TWO: all_gather 0 1 64 B
// THREE: all_gather 0 1 96 B
// CHECK-NOT: all_
// CHECK: {{^}}PASS

func.func @main(%x: tensor<64x4xf32>, %c: tensor<8x4xf32>) -> tensor<64xi32> {
  %z64 = arith.constant dense<0.0> : tensor<64x8xf32>
  %d = linalg.generic {indexing_maps=[affine_map<(n,k,d)->(n,d)>, affine_map<(n,k,d)->(k,d)>, affine_map<(n,k,d)->(n,k)>], iterator_types=["parallel","parallel","reduction"]} ins(%x, %c : tensor<64x4xf32>, tensor<8x4xf32>) outs(%z64 : tensor<64x8xf32>) {
   ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    %q = arith.mulf %s, %s : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32 } -> tensor<64x8xf32>
  %bi = arith.constant dense<1.0e9> : tensor<64xf32>
  %zi = arith.constant dense<0> : tensor<64xi32>
  %mn:2 = linalg.generic {indexing_maps=[affine_map<(n,k)->(n,k)>, affine_map<(n,k)->(n)>, affine_map<(n,k)->(n)>], iterator_types=["parallel","reduction"]} ins(%d : tensor<64x8xf32>) outs(%bi, %zi : tensor<64xf32>, tensor<64xi32>) {
   ^bb0(%a: f32, %m: f32, %ix: i32):
    %k = linalg.index 1 : index
    %ki = arith.index_cast %k : index to i32
    %lt = arith.cmpf olt, %a, %m : f32
    %nm = arith.select %lt, %a, %m : f32
    %ni = arith.select %lt, %ki, %ix : i32
    linalg.yield %nm, %ni : f32, i32 } -> (tensor<64xf32>, tensor<64xi32>)
  return %mn#1 : tensor<64xi32>
}
