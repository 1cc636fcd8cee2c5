// The advice on loops that read one element of a split tensor in each iteration looks for
// what a value is computed from, through ops without a sharding model too.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 4)
func.func @main(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c7 step %c1 iter_args(%s = %zero) -> f32 {
    %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
    %v = tensor.extract %x[%next] : tensor<8xf32>
    %t = arith.addf %v, %s : f32
    scf.yield %t : f32
  }
  return %r : f32
}
