// RUN: shard-opt %s --shard-sink-collectives --split-input-file | FileCheck %s
// RUN: shard-opt %s --shard-sink-collectives --shard-verify-spmd --split-input-file -o /dev/null
// RUN: shard-opt %s --shard-optimize-collectives --shard-verify-spmd --split-input-file -o /dev/null

shard.grid @grid(shape = 2x2)

// A collective moves as far in as only one branch needs it, with what is computed from it;
// what it is computed from stays.
// CHECK-LABEL: func.func @nested
// CHECK: math.tanh
// CHECK-NEXT: scf.if
// CHECK-NEXT: math.exp
// CHECK-NEXT: scf.if
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: math.sqrt
// CHECK-NOT: shard
func.func @nested(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: i1, %d: i1) -> tensor<8xf32> {
  %t = math.tanh %a : tensor<4xf32>
  %g = shard.all_gather %t on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  %h = math.sqrt %g : tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %e = math.exp %b : tensor<8xf32>
    %s = scf.if %d -> tensor<8xf32> {
      %u = arith.addf %g, %h : tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    } else {
      scf.yield %e : tensor<8xf32>
    }
    scf.yield %s : tensor<8xf32>
  } else {
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// What both branches take is done in front of them, and so is what is taken behind.
// CHECK-LABEL: func.func @needed
// CHECK: shard.all_gather
// CHECK: shard.all_reduce
// CHECK: scf.if
// CHECK-NOT: shard
func.func @needed(%a: tensor<4xf32>, %b: tensor<8xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %g = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  %h = shard.all_reduce %b on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %e = arith.addf %g, %h : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } else {
    %e = math.exp %g : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %r, %h : tensor<8xf32>, tensor<8xf32>
}

// Nothing moves into a loop, nor into what always runs.
// CHECK-LABEL: func.func @loop
// CHECK: shard.all_reduce
// CHECK-NEXT: shard.all_reduce
// CHECK-NEXT: scf.for
// CHECK: scf.execute_region
// CHECK-NOT: shard
func.func @loop(%a: tensor<8xf32>, %n: index) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %i = shard.all_reduce %a on @grid grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %e = arith.addf %x, %h : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  %s = scf.execute_region -> tensor<8xf32> no_inline {
    %e = math.exp %i : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// The condition is the same along axis 1 alone.
// CHECK-LABEL: func.func @index
// CHECK: shard.process_multi_index
// CHECK: shard.all_reduce {{.*}} grid_axes = [0]
// CHECK: scf.if
// CHECK-NEXT: shard.all_reduce {{.*}} grid_axes = [1]
// CHECK-NOT: shard
func.func @index(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %p = shard.process_multi_index on @grid axes = [0] : index
  %c = arith.cmpi eq, %p, %c0 : index
  %g = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %h = shard.all_reduce %a on @grid grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    %e = arith.addf %g, %h : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Of the first iteration alone; a sum that all devices have.
// CHECK-LABEL: func.func @computed
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: shard.all_reduce {{.*}} tensor<8xf32>
// CHECK: scf.if
// CHECK-NEXT: shard.all_reduce {{.*}} tensor<8xf32>
func.func @computed(%a: tensor<8xf32> {shard.local = #shard.local<tensor<16xf32>, <@grid, [[0]]>>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %first = arith.cmpi eq, %k, %c0 : index
    %g = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %s = scf.if %first -> tensor<8xf32> {
      %e = math.exp %g : tensor<8xf32>
      scf.yield %e : tensor<8xf32>
    } else {
      scf.yield %x : tensor<8xf32>
    }
    %top = tensor.extract_slice %s[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %all = shard.all_reduce %top on @grid grid_axes = [0] : tensor<1xf32> -> tensor<1xf32>
    %element = tensor.extract %all[%c0] : tensor<1xf32>
    %positive = arith.cmpf ogt, %element, %zero : f32
    %h = shard.all_reduce %s on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    %t = scf.if %positive -> tensor<8xf32> {
      scf.yield %h : tensor<8xf32>
    } else {
      scf.yield %s : tensor<8xf32>
    }
    scf.yield %t : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// Nobody knows about elements of a tensor without shard.local, nor what an external
// function or memory gives.
// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-3: shard.all_reduce
// CHECK: scf.if
// CHECK-NOT: shard
func.func private @external() -> i1
func.func @unknown(%a: tensor<8xf32>, %t: tensor<i1>, %m: memref<i1>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c = tensor.extract %t[] : tensor<i1>
  %d = func.call @external() : () -> i1
  %e = memref.load %m[] : memref<i1>
  %f = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %g = shard.all_reduce %a on @grid grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  %h = shard.all_reduce %a on @grid grid_axes = [0, 1] : tensor<8xf32> -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    scf.yield %f : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %s = scf.if %d -> tensor<8xf32> {
    scf.yield %g : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %u = scf.if %e -> tensor<8xf32> {
    scf.yield %h : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %r, %s, %u : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A callee knows what its callers hand on; each branch of a switch may be the one.
// CHECK-LABEL: func.func @caller
// CHECK-LABEL: func.func private @callee
// CHECK: shard.all_reduce
// CHECK: scf.if
// CHECK: scf.index_switch
// CHECK: case 1
// CHECK-NEXT: shard.all_reduce
func.func @caller(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %p = shard.process_multi_index on @grid axes = [0] : index
  %c = arith.cmpi eq, %p, %c0 : index
  %r = func.call @callee(%a, %c, %n) : (tensor<8xf32>, i1, index) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
func.func private @callee(%a: tensor<8xf32>, %c: i1, %n: index) -> tensor<8xf32> {
  %g = shard.all_reduce %a on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %h = shard.all_reduce %a on @grid grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %r = scf.if %c -> tensor<8xf32> {
    scf.yield %g : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  %s = scf.index_switch %n -> tensor<8xf32>
  case 0 {
    scf.yield %a : tensor<8xf32>
  }
  case 1 {
    scf.yield %h : tensor<8xf32>
  }
  default {
    scf.yield %r : tensor<8xf32>
  }
  return %s : tensor<8xf32>
}

// A loop that takes a result does not move where a collective in it must not.
// CHECK-LABEL: func.func @inside
// CHECK: shard.all_reduce {{.*}} grid_axes = [1]
// CHECK: scf.for
// CHECK-NEXT: shard.all_reduce {{.*}} grid_axes = [0]
// CHECK: scf.if
// CHECK-NOT: shard
func.func @inside(%a: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = shard.process_multi_index on @grid axes = [0] : index
  %c = arith.cmpi eq, %p, %c0 : index
  %h = shard.all_reduce %a on @grid grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  %l = scf.for %k = %c0 to %n step %c1 iter_args(%x = %h) -> tensor<8xf32> {
    %y = shard.all_reduce %x on @grid grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }
  %r = scf.if %c -> tensor<8xf32> {
    scf.yield %l : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
