// Branches on which devices part ways, in blocks: they part them until all of them meet
// again.
//
// RUN: shard-opt %s --shard-verify-spmd --split-input-file --verify-diagnostics

// A branch that all take alike, behind the place where devices have met.
shard.grid @grid(shape = 2)
func.func @behind(%a: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = shard.process_linear_index on @grid : index
  %first = arith.cmpi eq, %i, %c0 : index
  cf.cond_br %first, ^one, ^two
^one:
  cf.br ^meet
^two:
  cf.br ^meet
^meet:
  cf.cond_br %c, ^three, ^four
^three:
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  cf.br ^four
^four:
  return %a : tensor<4xf32>
}

// -----

// Branches that leave one after another: all that follow are parted, up to the end,
// where an argument tells the way.
shard.grid @grid(shape = 2)
func.func @early_exits(%a: tensor<4xf32>, %d: i1) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %i = shard.process_linear_index on @grid : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  cf.cond_br %first, ^end(%d : i1), ^next
^next:
  cf.cond_br %d, ^end(%d : i1), ^more
^more:
  // expected-error @+1 {{is not reached by all devices of its group: whether it runs depends on the coordinate on axis 0}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  cf.br ^end(%true : i1)
^end(%way: i1):
  %1 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  // expected-note @+1 {{devices part ways here}}
  %2 = scf.if %way -> tensor<4xf32> {
    // expected-error @+1 {{is not reached by all devices of its group}}
    %3 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// -----

// Devices go round a loop unequally often; they meet behind it, with numbers that differ.
shard.grid @grid(shape = 2)
func.func @loop(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = shard.process_linear_index on @grid : index
  cf.br ^header(%c0 : index)
^header(%i: index):
  // expected-error @+1 {{is not reached by all devices of its group}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %more = arith.cmpi ult, %i, %n : index
  // expected-note @+1 {{devices part ways here}}
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %c1 : index
  cf.br ^header(%next : index)
^exit:
  %1 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  %none = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  %2 = scf.if %none -> tensor<4xf32> {
    // expected-error @+1 {{is not reached by all devices of its group}}
    %3 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// -----

// What a function returns reaches its caller, and what it is given its callee, whichever
// stands first.
shard.grid @grid(shape = 2)
func.func @caller(%a: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %i = call @middle() : () -> index
  %none = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %none {
    // expected-error @+1 {{is not reached by all devices of its group}}
    %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  call @taker(%a, %i) : (tensor<4xf32>, index) -> ()
  return
}
func.func private @middle() -> index {
  %i = call @place() : () -> index
  return %i : index
}
func.func private @place() -> index {
  %i = shard.process_linear_index on @grid : index
  return %i : index
}
func.func private @taker(%a: tensor<4xf32>, %i: index) {
  %c0 = arith.constant 0 : index
  %none = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %none {
    // expected-error @+1 {{is not reached by all devices of its group}}
    %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}
