// Shifts in both directions, by as many places as there are too. What is unspecified, on a device
// without a source, becomes zero.
shard.grid @grid(shape = 2x3)
func.func @main(%a: tensor<12x2xi32> {shard.sharding = #shard.sharding<@grid, [[0, 1], []]>})
    -> (tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>) {
  %m:10 = shard.manual_computation(%a) on @grid
      in = [<@grid, [[0, 1], []]>]
      out = [<@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>,
             <@grid, [[0, 1], []]>] axes = [0, 1]
      (%x: tensor<2x2xi32>) {
    %zero = arith.constant dense<0> : tensor<2x2xi32>
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %i, %j = shard.process_multi_index on @grid axes = [0, 1] : index, index
    %row = arith.muli %i, %c3 : index
    %both = arith.addi %row, %j : index
    %s0 = shard.shift %x on @grid grid_axes = [1] shift_axis = 1 offset = 1 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o0 = arith.constant 1 : index
    %n0 = arith.constant 3 : index
    %at0 = arith.subi %j, %o0 : index
    %least0 = arith.cmpi sge, %at0, %c0 : index
    %most0 = arith.cmpi slt, %at0, %n0 : index
    %has0 = arith.andi %least0, %most0 : i1
    %r0 = arith.select %has0, %s0, %zero : tensor<2x2xi32>
    %s1 = shard.shift %x on @grid grid_axes = [1] shift_axis = 1 offset = -1 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o1 = arith.constant -1 : index
    %n1 = arith.constant 3 : index
    %at1 = arith.subi %j, %o1 : index
    %least1 = arith.cmpi sge, %at1, %c0 : index
    %most1 = arith.cmpi slt, %at1, %n1 : index
    %has1 = arith.andi %least1, %most1 : i1
    %r1 = arith.select %has1, %s1, %zero : tensor<2x2xi32>
    %s2 = shard.shift %x on @grid grid_axes = [1] shift_axis = 1 offset = -2 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o2 = arith.constant -2 : index
    %n2 = arith.constant 3 : index
    %at2 = arith.subi %j, %o2 : index
    %least2 = arith.cmpi sge, %at2, %c0 : index
    %most2 = arith.cmpi slt, %at2, %n2 : index
    %has2 = arith.andi %least2, %most2 : i1
    %r2 = arith.select %has2, %s2, %zero : tensor<2x2xi32>
    %s3 = shard.shift %x on @grid grid_axes = [1] shift_axis = 1 offset = 3 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o3 = arith.constant 3 : index
    %n3 = arith.constant 3 : index
    %at3 = arith.subi %j, %o3 : index
    %least3 = arith.cmpi sge, %at3, %c0 : index
    %most3 = arith.cmpi slt, %at3, %n3 : index
    %has3 = arith.andi %least3, %most3 : i1
    %r3 = arith.select %has3, %s3, %zero : tensor<2x2xi32>
    %s4 = shard.shift %x on @grid grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = -4 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o4 = arith.constant -4 : index
    %n4 = arith.constant 6 : index
    %at4 = arith.subi %both, %o4 : index
    %least4 = arith.cmpi sge, %at4, %c0 : index
    %most4 = arith.cmpi slt, %at4, %n4 : index
    %has4 = arith.andi %least4, %most4 : i1
    %r4 = arith.select %has4, %s4, %zero : tensor<2x2xi32>
    %s5 = shard.shift %x on @grid grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 2 : tensor<2x2xi32> -> tensor<2x2xi32>
    %o5 = arith.constant 2 : index
    %n5 = arith.constant 6 : index
    %at5 = arith.subi %both, %o5 : index
    %least5 = arith.cmpi sge, %at5, %c0 : index
    %most5 = arith.cmpi slt, %at5, %n5 : index
    %has5 = arith.andi %least5, %most5 : i1
    %r5 = arith.select %has5, %s5, %zero : tensor<2x2xi32>
    %r6 = shard.shift %x on @grid grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = -1 rotate : tensor<2x2xi32> -> tensor<2x2xi32>
    %s7 = shard.shift %x on @grid grid_axes = [1] shift_axis = 1 offset = 3 mirror : tensor<2x2xi32> -> tensor<2x2xi32>
    %o7 = arith.constant 3 : index
    %n7 = arith.constant 3 : index
    %at7 = arith.subi %o7, %j : index
    %least7 = arith.cmpi sge, %at7, %c0 : index
    %most7 = arith.cmpi slt, %at7, %n7 : index
    %has7 = arith.andi %least7, %most7 : i1
    %r7 = arith.select %has7, %s7, %zero : tensor<2x2xi32>
    %s8 = shard.shift %x on @grid grid_axes = [0, 1] shift_axis = 0 minor_axes = [1] offset = 4 mirror : tensor<2x2xi32> -> tensor<2x2xi32>
    %o8 = arith.constant 4 : index
    %n8 = arith.constant 6 : index
    %at8 = arith.subi %o8, %both : index
    %least8 = arith.cmpi sge, %at8, %c0 : index
    %most8 = arith.cmpi slt, %at8, %n8 : index
    %has8 = arith.andi %least8, %most8 : i1
    %r8 = arith.select %has8, %s8, %zero : tensor<2x2xi32>
    %r9 = shard.shift %x on @grid grid_axes = [0] shift_axis = 0 offset = -3 rotate mirror : tensor<2x2xi32> -> tensor<2x2xi32>
    shard.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9
        : tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
  } : (tensor<12x2xi32>) -> (tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>)
  return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5, %m#6, %m#7, %m#8, %m#9
      : tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>, tensor<12x2xi32>
}
