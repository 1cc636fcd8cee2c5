// Reductions of every kind, several results, indices, captures, bodies that may
// trap, and maps that are no permutations.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @reduce_max(%a: tensor<7x5xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce {arith.maximumf} ins(%a: tensor<7x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
  return %0 : tensor<5xf32>
}

func.func private @reduce_mul(%a: tensor<7x5xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %0 = linalg.reduce {arith.muli} ins(%a: tensor<7x5xi32>) outs(%c : tensor<5xi32>) dimensions = [0]
  return %0 : tensor<5xi32>
}

func.func private @reduce_xor(%a: tensor<7x5xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %0 = linalg.reduce {arith.xori} ins(%a: tensor<7x5xi32>) outs(%c : tensor<5xi32>) dimensions = [0]
  return %0 : tensor<5xi32>
}

func.func private @reduce_umin(%a: tensor<7x5xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %0 = linalg.reduce {arith.minui} ins(%a: tensor<7x5xi32>) outs(%c : tensor<5xi32>) dimensions = [0]
  return %0 : tensor<5xi32>
}

func.func private @reduce_sub(%a: tensor<7x5xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce ins(%a: tensor<7x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0] (%in: f32, %acc: f32) {
    %s = arith.subf %acc, %in : f32
    linalg.yield %s : f32 }
  return %0 : tensor<5xf32>
}

func.func private @reduce_maxnum(%a: tensor<7x5xf32>, %c: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.reduce {arith.maxnumf} ins(%a: tensor<7x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
  return %0 : tensor<5xf32>
}

func.func private @several(%a: tensor<7x5xf32>, %s: tensor<5xf32>, %m: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(j)>], iterator_types = ["reduction","parallel"]} ins(%a : tensor<7x5xf32>) outs(%s, %m : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%x: f32, %acc: f32, %mx: f32):
    %2 = arith.mulf %x, %x : f32
    %3 = arith.addf %acc, %2 : f32
    %4 = arith.maximumf %mx, %x : f32
    linalg.yield %3, %4 : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xf32>
}

func.func private @argmax(%a: tensor<7x5xf32>, %s: tensor<5xf32>, %m: tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(j)>], iterator_types = ["reduction","parallel"]} ins(%a : tensor<7x5xf32>) outs(%s, %m : tensor<5xf32>, tensor<5xi32>) {
  ^bb0(%x: f32, %acc: f32, %mx: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %2 = arith.cmpf ogt, %x, %acc : f32
    %3 = arith.select %2, %x, %acc : f32
    %4 = arith.select %2, %k, %mx : i32
    linalg.yield %3, %4 : f32, i32
  } -> (tensor<5xf32>, tensor<5xi32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<5xi32>
}

func.func private @index_gather(%t: tensor<40xf32>, %c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %c5 = arith.constant 5 : index
  %0 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} outs(%c : tensor<7x5xf32>) {
  ^bb0(%x: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = arith.muli %i, %c5 : index
    %k = arith.addi %l, %j : index
    %e = tensor.extract %t[%k] : tensor<40xf32>
    %r = arith.addf %e, %x : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @index_reduce(%a: tensor<7x5xi32>, %c: tensor<5xi32>) -> tensor<5xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>], iterator_types = ["reduction","parallel"]} ins(%a : tensor<7x5xi32>) outs(%c : tensor<5xi32>) {
  ^bb0(%x: i32, %acc: i32):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %2 = arith.muli %x, %k : i32
    %3 = arith.addi %2, %acc : i32
    linalg.yield %3 : i32
  } -> tensor<5xi32>
  return %0 : tensor<5xi32>
}

func.func private @scalar_capture(%a: tensor<7x5xf32>, %s: f32, %c: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %0 = linalg.map ins(%a : tensor<7x5xf32>) outs(%c : tensor<7x5xf32>) (%x: f32, %o: f32) {
     %r = arith.addf %x, %s : f32
     linalg.yield %r : f32 }
  return %0 : tensor<7x5xf32>
}

func.func private @scalar_operand_partial(%a: tensor<7x5xf32>, %c: tensor<5xf32>, %s: f32) -> tensor<5xf32> {
  %0 = linalg.reduce {arith.addf} ins(%a: tensor<7x5xf32>) outs(%c : tensor<5xf32>) dimensions = [0]
  %1 = linalg.generic {indexing_maps = [affine_map<(j)->(j)>, affine_map<(j)->()>, affine_map<(j)->(j)>], iterator_types = ["parallel"]} ins(%0, %s : tensor<5xf32>, f32) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %3 = arith.addf %x, %y : f32
    linalg.yield %3 : f32
  } -> tensor<5xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(j)->(j)>, affine_map<(j)->()>, affine_map<(j)->(j)>], iterator_types = ["parallel"]} ins(%1, %s : tensor<5xf32>, f32) outs(%c : tensor<5xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    linalg.yield %y : f32
  } -> tensor<5xf32>
  %4 = arith.addf %1, %2 : tensor<5xf32>
  return %4 : tensor<5xf32>
}

func.func private @div(%a: tensor<7x5xi32>, %c: tensor<7x5xi32>) -> tensor<7x5xi32> {
  %one = arith.constant 1 : i32
  %0 = linalg.map ins(%a, %c : tensor<7x5xi32>, tensor<7x5xi32>) outs(%c : tensor<7x5xi32>) (%x: i32, %y: i32, %o: i32) {
     %d = arith.ori %y, %one : i32
     %r = arith.divsi %x, %d : i32
     linalg.yield %r : i32 }
  return %0 : tensor<7x5xi32>
}

func.func private @strided_self(%a: tensor<12xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i*3+j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%a : tensor<12xf32>) outs(%c : tensor<4x3xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func private @diag(%a: tensor<7x7xf32>, %c: tensor<7xf32>) -> tensor<7xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i)->(i,i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%a : tensor<7x7xf32>) outs(%c : tensor<7xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

func.func private @i1sum(%a: tensor<7x5xi1>, %c: tensor<5xi1>) -> tensor<5xi1> {
  %0 = linalg.reduce {arith.addi} ins(%a: tensor<7x5xi1>) outs(%c : tensor<5xi1>) dimensions = [0]
  return %0 : tensor<5xi1>
}

func.func @main(
    %reduce_max_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_max_c: tensor<5xf32>,
    %reduce_mul_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_mul_c: tensor<5xi32>,
    %reduce_xor_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_xor_c: tensor<5xi32>,
    %reduce_umin_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_umin_c: tensor<5xi32>,
    %reduce_sub_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_sub_c: tensor<5xf32>,
    %reduce_maxnum_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %reduce_maxnum_c: tensor<5xf32>,
    %several_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %several_s: tensor<5xf32>,
    %several_m: tensor<5xf32>,
    %argmax_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %argmax_s: tensor<5xf32>,
    %argmax_m: tensor<5xi32>,
    %index_gather_t: tensor<40xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %index_gather_c: tensor<7x5xf32>,
    %index_reduce_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %index_reduce_c: tensor<5xi32>,
    %scalar_capture_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %scalar_capture_s: f32,
    %scalar_capture_c: tensor<7x5xf32>,
    %scalar_operand_partial_a: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %scalar_operand_partial_c: tensor<5xf32>,
    %scalar_operand_partial_s: f32,
    %div_a: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %div_c: tensor<7x5xi32>,
    %strided_self_a: tensor<12xf32>,
    %strided_self_c: tensor<4x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %diag_a: tensor<7x7xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %diag_c: tensor<7xf32>,
    %i1sum_a: tensor<7x5xi1> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %i1sum_c: tensor<5xi1>)
    -> (tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<7x5xf32>, tensor<5xi32>, tensor<7x5xf32>, tensor<5xf32>, tensor<7x5xi32>, tensor<4x3xf32>, tensor<7xf32>, tensor<5xi1>) {
  %reduce_max_r = call @reduce_max(%reduce_max_a, %reduce_max_c) : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %reduce_mul_r = call @reduce_mul(%reduce_mul_a, %reduce_mul_c) : (tensor<7x5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %reduce_xor_r = call @reduce_xor(%reduce_xor_a, %reduce_xor_c) : (tensor<7x5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %reduce_umin_r = call @reduce_umin(%reduce_umin_a, %reduce_umin_c) : (tensor<7x5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %reduce_sub_r = call @reduce_sub(%reduce_sub_a, %reduce_sub_c) : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %reduce_maxnum_r = call @reduce_maxnum(%reduce_maxnum_a, %reduce_maxnum_c) : (tensor<7x5xf32>, tensor<5xf32>) -> tensor<5xf32>
  %several_r:2 = call @several(%several_a, %several_s, %several_m) : (tensor<7x5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  %argmax_r:2 = call @argmax(%argmax_a, %argmax_s, %argmax_m) : (tensor<7x5xf32>, tensor<5xf32>, tensor<5xi32>) -> (tensor<5xf32>, tensor<5xi32>)
  %index_gather_r = call @index_gather(%index_gather_t, %index_gather_c) : (tensor<40xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  %index_reduce_r = call @index_reduce(%index_reduce_a, %index_reduce_c) : (tensor<7x5xi32>, tensor<5xi32>) -> tensor<5xi32>
  %scalar_capture_r = call @scalar_capture(%scalar_capture_a, %scalar_capture_s, %scalar_capture_c) : (tensor<7x5xf32>, f32, tensor<7x5xf32>) -> tensor<7x5xf32>
  %scalar_operand_partial_r = call @scalar_operand_partial(%scalar_operand_partial_a, %scalar_operand_partial_c, %scalar_operand_partial_s) : (tensor<7x5xf32>, tensor<5xf32>, f32) -> tensor<5xf32>
  %div_r = call @div(%div_a, %div_c) : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %strided_self_r = call @strided_self(%strided_self_a, %strided_self_c) : (tensor<12xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %diag_r = call @diag(%diag_a, %diag_c) : (tensor<7x7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %i1sum_r = call @i1sum(%i1sum_a, %i1sum_c) : (tensor<7x5xi1>, tensor<5xi1>) -> tensor<5xi1>
  return %reduce_max_r, %reduce_mul_r, %reduce_xor_r, %reduce_umin_r, %reduce_sub_r, %reduce_maxnum_r, %several_r#0, %several_r#1, %argmax_r#0, %argmax_r#1, %index_gather_r, %index_reduce_r, %scalar_capture_r, %scalar_operand_partial_r, %div_r, %strided_self_r, %diag_r, %i1sum_r
      : tensor<5xf32>, tensor<5xi32>, tensor<5xi32>, tensor<5xi32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xi32>, tensor<7x5xf32>, tensor<5xi32>, tensor<7x5xf32>, tensor<5xf32>, tensor<7x5xi32>, tensor<4x3xf32>, tensor<7xf32>, tensor<5xi1>
}
