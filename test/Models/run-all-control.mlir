// Regions, branches, calls, buffers, globals.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @for(%a0: tensor<7x5xf32>, %a1: tensor<5x4xf32>) -> (tensor<7x5xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r0, %r1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a0, %n = %c0) -> (tensor<7x5xf32>, index) {
    %y = math.tanh %x : tensor<7x5xf32>
    %m = arith.addi %n, %i : index
    scf.yield %y, %m : tensor<7x5xf32>, index
  }
  return %r0, %r1 : tensor<7x5xf32>, index
}

func.func private @for_insert(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<7x5xf32>
  %r0 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %e) -> (tensor<7x5xf32>) {
    %s = tensor.extract_slice %a0[%i, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<1x5xf32>
    %y = math.exp %s : tensor<1x5xf32>
    %n = tensor.insert_slice %y into %x[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
    scf.yield %n : tensor<7x5xf32>
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @while(%a0: tensor<7x5xf32>, %a1: i32) -> (tensor<7x5xf32>, i32) {
  %n = arith.constant 5 : i32
  %c1 = arith.constant 1 : i32
  %r1, %r0 = scf.while (%x = %a0, %k = %a1) : (tensor<7x5xf32>, i32) -> (i32, tensor<7x5xf32>) {
    %c = arith.cmpi slt, %k, %n : i32
    scf.condition(%c) %k, %x : i32, tensor<7x5xf32>
  } do {
  ^bb0(%k: i32, %x: tensor<7x5xf32>):
    %k1 = arith.addi %k, %c1 : i32
    %y = math.sin %x : tensor<7x5xf32>
    scf.yield %y, %k1 : tensor<7x5xf32>, i32
  }
  return %r0, %r1 : tensor<7x5xf32>, i32
}

func.func private @if(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>, %a2: i1) -> (tensor<7x5xf32>) {
  %r0 = scf.if %a2 -> (tensor<7x5xf32>) {
    %y = arith.addf %a0, %a1 : tensor<7x5xf32>
    scf.yield %y : tensor<7x5xf32>
  } else {
    scf.yield %a1 : tensor<7x5xf32>
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @index_switch(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>, %a2: index) -> (tensor<7x5xf32>) {
  %r0 = scf.index_switch %a2 -> tensor<7x5xf32>
  case 2 {
    %y = arith.addf %a0, %a1 : tensor<7x5xf32>
    scf.yield %y : tensor<7x5xf32>
  }
  case 5 {
    %y = math.exp %a0 : tensor<7x5xf32>
    scf.yield %y : tensor<7x5xf32>
  }
  default {
    scf.yield %a1 : tensor<7x5xf32>
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @execute_region(%a0: tensor<7x5xf32>, %a1: i1) -> (tensor<7x5xf32>) {
  %r0 = scf.execute_region -> tensor<7x5xf32> {
    cf.cond_br %a1, ^b1, ^b2
  ^b1:
    %y = math.exp %a0 : tensor<7x5xf32>
    scf.yield %y : tensor<7x5xf32>
  ^b2:
    %z = math.tanh %a0 : tensor<7x5xf32>
    scf.yield %z : tensor<7x5xf32>
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @forall(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %r0 = scf.forall (%i) in (7) shared_outs(%o = %e) -> (tensor<7x5xf32>) {
    %s = tensor.extract_slice %a0[%i, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<1x5xf32>
    %y = math.exp %s : tensor<1x5xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<7x5xf32>
    }
  }
  return %r0 : tensor<7x5xf32>
}

func.func private @forall_tiled(%a0: tensor<8x12xf32>, %a1: tensor<12x6xf32>, %a2: tensor<8x6xf32>) -> (tensor<8x6xf32>) {
  %r0 = scf.forall (%i, %j) = (0, 0) to (8, 6) step (4, 3) shared_outs(%o = %a2) -> (tensor<8x6xf32>) {
    %a = tensor.extract_slice %a0[%i, 0] [4, 12] [1, 1] : tensor<8x12xf32> to tensor<4x12xf32>
    %b = tensor.extract_slice %a1[0, %j] [12, 3] [1, 1] : tensor<12x6xf32> to tensor<12x3xf32>
    %c = tensor.extract_slice %o[%i, %j] [4, 3] [1, 1] : tensor<8x6xf32> to tensor<4x3xf32>
    %m = linalg.matmul ins(%a, %b : tensor<4x12xf32>, tensor<12x3xf32>) outs(%c : tensor<4x3xf32>) -> tensor<4x3xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%i, %j] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<8x6xf32>
    }
  }
  return %r0 : tensor<8x6xf32>
}

func.func private @forall_two(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %e = tensor.empty() : tensor<7x5xf32>
  %r0, %r1 = scf.forall (%i, %j) in (7, 5) shared_outs(%o = %e, %p = %a1) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
    %s = tensor.extract %a0[%i, %j] : tensor<7x5xf32>
    %y = math.exp %s : f32
    %t = tensor.from_elements %y : tensor<1x1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<7x5xf32>
      tensor.parallel_insert_slice %t into %p[%i, %j] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<7x5xf32>
    }
  }
  return %r0, %r1 : tensor<7x5xf32>, tensor<7x5xf32>
}

func.func private @parallel_reduce(%a0: tensor<7x5xf32>) -> (f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %z = arith.constant 0.0 : f32
  %r0 = scf.parallel (%i) = (%c0) to (%c7) step (%c1) init (%z) -> f32 {
    %s = tensor.extract %a0[%i, %c1] : tensor<7x5xf32>
    scf.reduce(%s : f32) {
    ^bb0(%x: f32, %y: f32):
      %w = arith.addf %x, %y : f32
      scf.reduce.return %w : f32
    }
  }
  return %r0 : f32
}

func.func private @cf_cond_br(%a0: tensor<7x5xf32>, %a1: i1) -> (tensor<7x5xf32>) {
  cf.cond_br %a1, ^b1(%a0 : tensor<7x5xf32>), ^b2(%a0 : tensor<7x5xf32>)
  ^b1(%x: tensor<7x5xf32>):
    %y = math.exp %x : tensor<7x5xf32>
    cf.br ^b2(%y : tensor<7x5xf32>)
  ^b2(%r0: tensor<7x5xf32>):
  return %r0 : tensor<7x5xf32>
}

func.func private @cf_loop(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  cf.br ^b1(%a0, %c0 : tensor<7x5xf32>, i32)
  ^b1(%r0: tensor<7x5xf32>, %k: i32):
    %c = arith.cmpi slt, %k, %c3 : i32
    cf.cond_br %c, ^b2, ^b3
  ^b2:
    %y = math.tanh %r0 : tensor<7x5xf32>
    %n = arith.addi %k, %c1 : i32
    cf.br ^b1(%y, %n : tensor<7x5xf32>, i32)
  ^b3:
  return %r0 : tensor<7x5xf32>
}

func.func private @cf_switch(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>, %a2: i32) -> (tensor<7x5xf32>) {
  cf.switch %a2 : i32, [
    default: ^b1(%a0 : tensor<7x5xf32>),
    2: ^b2(%a1 : tensor<7x5xf32>),
    3: ^b3(%a1 : tensor<7x5xf32>)
  ]
  ^b1(%x: tensor<7x5xf32>):
    %y = math.exp %x : tensor<7x5xf32>
    cf.br ^b3(%y : tensor<7x5xf32>)
  ^b2(%z: tensor<7x5xf32>):
    %w = arith.addf %z, %a0 : tensor<7x5xf32>
    cf.br ^b3(%w : tensor<7x5xf32>)
  ^b3(%r0: tensor<7x5xf32>):
  return %r0 : tensor<7x5xf32>
}

func.func private @cf_assert(%a0: tensor<7x5xf32>, %a1: i32) -> (tensor<7x5xf32>) {
  %t = arith.cmpi slt, %a1, %a1 : i32
  %u = arith.constant true
  %v = arith.ori %t, %u : i1
  cf.assert %v, "never"
  %r0 = math.exp %a0 : tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

func.func private @call_f(%a: tensor<7x5xf32>) -> tensor<7x5xf32> {
%0 = math.tanh %a : tensor<7x5xf32>
return %0 : tensor<7x5xf32>
}
func.func private @call(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>) {
  %x = call @call_f(%a0) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %r0 = call @call_f(%x) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %r1 = call @call_f(%a1) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r0, %r1 : tensor<7x5xf32>, tensor<7x5xf32>
}

func.func private @alloc_tensor(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>) {
  %e = bufferization.alloc_tensor() : tensor<7x5xf32>
  %r0 = linalg.copy ins(%a0 : tensor<7x5xf32>) outs(%e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %c = bufferization.alloc_tensor() copy(%a0) : tensor<7x5xf32>
  %r1 = linalg.exp ins(%a0 : tensor<7x5xf32>) outs(%c : tensor<7x5xf32>) -> tensor<7x5xf32>
  %c7 = arith.constant 7 : index
  %d = bufferization.alloc_tensor(%c7) : tensor<?x5xf32>
  %dd = tensor.cast %d : tensor<?x5xf32> to tensor<7x5xf32>
  %r2 = linalg.copy ins(%a0 : tensor<7x5xf32>) outs(%dd : tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r0, %r1, %r2 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>
}

func.func private @materialize(%a0: tensor<7x5xf32>, %a1: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %x = math.exp %a0 : tensor<7x5xf32>
  %r0 = bufferization.materialize_in_destination %x in %a1 : (tensor<7x5xf32>, tensor<7x5xf32>) -> tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

func.func private @dealloc_tensor(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %e = bufferization.alloc_tensor() copy(%a0) : tensor<7x5xf32>
  %r0 = math.exp %e : tensor<7x5xf32>
  bufferization.dealloc_tensor %e : tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

ml_program.global private @global_load_const_w(dense<[[1.0,2.0,3.0,4.0,5.0],[6.0,7.0,8.0,9.0,1.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[3.0,2.0,3.0,4.0,5.0],[1.0,2.0,7.0,4.0,5.0]]> : tensor<7x5xf32>) : tensor<7x5xf32>
func.func private @global_load_const(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %w = ml_program.global_load_const @global_load_const_w : tensor<7x5xf32>
  %r0 = arith.addf %a0, %w : tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

ml_program.global private mutable @global_load_w(dense<[[1.0,2.0,3.0,4.0,5.0],[6.0,7.0,8.0,9.0,1.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[3.0,2.0,3.0,4.0,5.0],[1.0,2.0,7.0,4.0,5.0]]> : tensor<7x5xf32>) : tensor<7x5xf32>
func.func private @global_load(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %w = ml_program.global_load @global_load_w : tensor<7x5xf32>
  %r0 = arith.addf %a0, %w : tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

ml_program.global private mutable @global_store_w(dense<[[1.0,2.0,3.0,4.0,5.0],[6.0,7.0,8.0,9.0,1.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[1.0,2.0,3.0,4.0,5.0],[3.0,2.0,3.0,4.0,5.0],[1.0,2.0,7.0,4.0,5.0]]> : tensor<7x5xf32>) : tensor<7x5xf32>
func.func private @global_store(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>) {
  %w = ml_program.global_load @global_store_w : tensor<7x5xf32>
  %x = arith.addf %a0, %w : tensor<7x5xf32>
  ml_program.global_store @global_store_w = %x : tensor<7x5xf32>
  %v = ml_program.global_load @global_store_w : tensor<7x5xf32>
  %r0 = math.exp %v : tensor<7x5xf32>
  return %r0 : tensor<7x5xf32>
}

ml_program.global private mutable @global_counter_n(3 : i64) : i64
func.func private @global_counter(%a0: tensor<7x5xf32>) -> (tensor<7x5xf32>, i64) {
  %w = ml_program.global_load @global_counter_n : i64
  %c1 = arith.constant 1 : i64
  %x = arith.addi %w, %c1 : i64
  ml_program.global_store @global_counter_n = %x : i64
  %r1 = ml_program.global_load @global_counter_n : i64
  %r0 = math.exp %a0 : tensor<7x5xf32>
  return %r0, %r1 : tensor<7x5xf32>, i64
}

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5x4xf32: tensor<5x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %i32: i32,
    %t7x5xf32_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %i1: i1,
    %index: index,
    %t8x12xf32: tensor<8x12xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t12x6xf32: tensor<12x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t8x6xf32: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<7x5xf32>, index, tensor<7x5xf32>, tensor<7x5xf32>, i32, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<8x6xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, f32, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, i64) {
  %for:2 = call @for(%t7x5xf32, %t5x4xf32) : (tensor<7x5xf32>, tensor<5x4xf32>) -> (tensor<7x5xf32>, index)
  %for_insert = call @for_insert(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %while:2 = call @while(%t7x5xf32, %i32) : (tensor<7x5xf32>, i32) -> (tensor<7x5xf32>, i32)
  %if = call @if(%t7x5xf32, %t7x5xf32_b, %i1) : (tensor<7x5xf32>, tensor<7x5xf32>, i1) -> (tensor<7x5xf32>)
  %index_switch = call @index_switch(%t7x5xf32, %t7x5xf32_b, %index) : (tensor<7x5xf32>, tensor<7x5xf32>, index) -> (tensor<7x5xf32>)
  %execute_region = call @execute_region(%t7x5xf32, %i1) : (tensor<7x5xf32>, i1) -> (tensor<7x5xf32>)
  %forall = call @forall(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %forall_tiled = call @forall_tiled(%t8x12xf32, %t12x6xf32, %t8x6xf32) : (tensor<8x12xf32>, tensor<12x6xf32>, tensor<8x6xf32>) -> (tensor<8x6xf32>)
  %forall_two:2 = call @forall_two(%t7x5xf32, %t7x5xf32_b) : (tensor<7x5xf32>, tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>)
  %parallel_reduce = call @parallel_reduce(%t7x5xf32) : (tensor<7x5xf32>) -> (f32)
  %cf_cond_br = call @cf_cond_br(%t7x5xf32, %i1) : (tensor<7x5xf32>, i1) -> (tensor<7x5xf32>)
  %cf_loop = call @cf_loop(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %cf_switch = call @cf_switch(%t7x5xf32, %t7x5xf32_b, %i32) : (tensor<7x5xf32>, tensor<7x5xf32>, i32) -> (tensor<7x5xf32>)
  %cf_assert = call @cf_assert(%t7x5xf32, %i32) : (tensor<7x5xf32>, i32) -> (tensor<7x5xf32>)
  %call:2 = call @call(%t7x5xf32, %t7x5xf32_b) : (tensor<7x5xf32>, tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>)
  %alloc_tensor:3 = call @alloc_tensor(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>)
  %materialize = call @materialize(%t7x5xf32, %t7x5xf32_b) : (tensor<7x5xf32>, tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %dealloc_tensor = call @dealloc_tensor(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %global_load_const = call @global_load_const(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %global_load = call @global_load(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %global_store = call @global_store(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>)
  %global_counter:2 = call @global_counter(%t7x5xf32) : (tensor<7x5xf32>) -> (tensor<7x5xf32>, i64)
  return %for#0, %for#1, %for_insert, %while#0, %while#1, %if, %index_switch,
      %execute_region, %forall, %forall_tiled, %forall_two#0, %forall_two#1,
      %parallel_reduce, %cf_cond_br, %cf_loop, %cf_switch, %cf_assert, %call#0,
      %call#1, %alloc_tensor#0, %alloc_tensor#1, %alloc_tensor#2, %materialize,
      %dealloc_tensor, %global_load_const, %global_load, %global_store,
      %global_counter#0, %global_counter#1 :
      tensor<7x5xf32>, index, tensor<7x5xf32>, tensor<7x5xf32>, i32, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<8x6xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, f32, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, i64
}
