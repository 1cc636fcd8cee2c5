// What the devices hold adds up to the tensor: 16 over 5 devices is 4, 4, 4, 4, 0.
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @g(shape = 5)
func.func @main(%t: tensor<16xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<16xf32>, index) {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %sum = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %c0) -> index {
    %n = shard.shard_shape dims = [16] sharding = %s device = [%i] : index
    %m = shard.shard_shape dims = [%c16] sharding = %s device = [%i] : index
    %same = arith.cmpi eq, %n, %m : index
    cf.assert %same, "static and dynamic extents differ"
    %isLast = arith.cmpi eq, %i, %c4 : index
    %wanted = arith.select %isLast, %c0, %c4 : index
    %right = arith.cmpi eq, %n, %wanted : index
    cf.assert %right, "not 4, 4, 4, 4, 0"
    %next = arith.addi %acc, %n : index
    scf.yield %next : index
  }
  %whole = arith.cmpi eq, %sum, %c16 : index
  cf.assert %whole, "blocks do not add up"
  %e = math.exp %t : tensor<16xf32>
  return %e, %sum : tensor<16xf32>, index
}
