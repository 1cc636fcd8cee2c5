// RUN: shard-opt %s --shard-verify-spmd --split-input-file --verify-diagnostics

shard.grid @grid(shape = 2x4)
func.func @process_index(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = shard.process_multi_index on @grid axes = [1] : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  %0 = scf.if %first -> tensor<4xf32> {
    // Groups along axis 0 take one way together.
    %1 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    // expected-error @+1 {{is not reached by all devices of its group: whether it runs depends on the coordinate on axis 1}}
    %2 = shard.all_reduce %1 on @grid grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %a : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A loop whose length comes from divided data.

shard.grid @grid(shape = 2)
func.func @divided(%a: tensor<1xindex> {shard.local = #shard.local<tensor<2xindex>, <@grid, [[0]]>>},
                   %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.extract %a[%c0] : tensor<1xindex>
  // expected-note @+1 {{devices part ways here}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> tensor<4xf32> {
    // expected-error @+1 {{depends on the coordinate on axis 0}}
    %1 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Gathered first, all devices agree.
func.func @gathered(%a: tensor<1xindex> {shard.local = #shard.local<tensor<2xindex>, <@grid, [[0]]>>},
                    %b: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<1xindex> -> tensor<2xindex>
  %n = tensor.extract %g[%c0] : tensor<2xindex>
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %b) -> tensor<4xf32> {
    %1 = shard.all_reduce %x on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// Through blocks, and through a call.

shard.grid @grid(shape = 2)
func.func private @reduces(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{depends on the coordinate on axis 0}}
  %0 = shard.all_reduce %a on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @blocks(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %i = shard.process_multi_index on @grid axes = [0] : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  cf.cond_br %first, ^bb1, ^bb2(%a : tensor<4xf32>)
^bb1:
  // expected-error @+1 {{depends on the coordinate on axis 0}}
  %0 = shard.all_gather %a on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  %1 = tensor.extract_slice %0[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %2 = call @reduces(%1) : (tensor<4xf32>) -> tensor<4xf32>
  cf.br ^bb2(%2 : tensor<4xf32>)
^bb2(%r: tensor<4xf32>):
  // Here all devices meet again.
  %3 = shard.all_reduce %r on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// What a branch hands on does not decide where it goes.
shard.grid @grid(shape = 2)
func.func @handed_on(%a: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %s = shard.all_slice %a on @grid grid_axes = [0] slice_axis = 0 : tensor<8xf32> -> tensor<4xf32>
  cf.cond_br %c, ^bb1, ^bb2(%s : tensor<4xf32>)
^bb1:
  %0 = shard.all_reduce %s on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  cf.br ^bb2(%0 : tensor<4xf32>)
^bb2(%r: tensor<4xf32>):
  %1 = shard.all_gather %r on @grid grid_axes = [0] gather_axis = 0 : tensor<4xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Dynamic dimensions divide evenly: blocks have one size on all devices.
shard.grid @g(shape = 2)
func.func @sizes_of_blocks(%a: tensor<?xf32>
    {shard.local = #shard.local<tensor<?xf32>, <@g, [[0]]>>}) -> tensor<?xf32> {
  %zero = arith.constant 0 : index
  %size = tensor.dim %a, %zero : tensor<?xf32>
  %sum = arith.addf %a, %a : tensor<?xf32>
  %again = tensor.dim %sum, %zero : tensor<?xf32>
  %empty = arith.cmpi ult, %size, %again : index
  %0 = scf.if %empty -> tensor<?xf32> {
    %1 = shard.all_gather %sum on @g grid_axes = [0] gather_axis = 0
        : tensor<?xf32> -> tensor<?xf32>
    scf.yield %1 : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

// A size that is computed from the place of the device.
shard.grid @g(shape = 2)
func.func @sizes_of_places(%a: tensor<8xf32>) {
  %place = shard.process_linear_index on @g : index
  %zero = arith.constant 0 : index
  %part = tensor.extract_slice %a[0] [%place] [1] : tensor<8xf32> to tensor<?xf32>
  %sum = arith.addf %part, %part : tensor<?xf32>
  %size = tensor.dim %sum, %zero : tensor<?xf32>
  %none = arith.cmpi eq, %size, %zero : index
  // expected-note@+1 {{devices part ways here}}
  scf.if %none {
    // expected-error@+1 {{is not reached by all devices of its group}}
    %1 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  }
  return
}

// -----

// Blocks with bounds of their own have sizes of their own.
shard.grid @g(shape = 2)
func.func @sizes_of_bounds(%a: tensor<?xf32>
    {shard.local = #shard.local<tensor<8xf32>, <@g, [[0]], offsets = [0, 3, 8]>>}) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %a, %zero : tensor<?xf32>
  %none = arith.cmpi eq, %size, %zero : index
  // expected-note@+1 {{devices part ways here}}
  scf.if %none {
    // expected-error@+1 {{is not reached by all devices of its group}}
    %1 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0
        : tensor<?xf32> -> tensor<?xf32>
  }
  return
}

// -----

// A choice between tensors, which have one shape, changes no extents.
shard.grid @g(shape = 2)
func.func @sizes_of_choices(%a: tensor<?xf32>, %b: tensor<?xf32>) {
  %place = shard.process_linear_index on @g : index
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %place, %zero : index
  %chosen = arith.select %first, %a, %b : tensor<?xf32>
  %size = tensor.dim %chosen, %zero : tensor<?xf32>
  %none = arith.cmpi eq, %size, %zero : index
  scf.if %none {
    %1 = shard.all_reduce %chosen on @g grid_axes = [0]
        : tensor<?xf32> -> tensor<?xf32>
  }
  return
}

// -----

// Iterations of a parallel loop have no order.

shard.grid @g(shape = 2)
func.func @in_parallel(%a: tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    // expected-error @+1 {{is in 'scf.parallel', whose iterations have no order: the devices of its group may be in different ones}}
    %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
    scf.reduce
  }
  return
}

// -----

// Extents are looked at one by one: blocks of a dynamic dimension differ on a grid with
// uneven_dynamic, a dimension that is whole is the same on all devices.

shard.grid @g(shape = 2) {uneven_dynamic}
func.func @whole_beside_blocks(%a: tensor<?x?xf32> {shard.local = #shard.local<tensor<?x?xf32>, <@g, [[0], []]>>}, %s: tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  %b = math.exp %a : tensor<?x?xf32>
  %size = tensor.dim %b, %c1 : tensor<?x?xf32>
  %one = arith.cmpi eq, %size, %c1 : index
  scf.if %one {
    %1 = shard.all_reduce %s on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}
func.func @blocks(%a: tensor<?x?xf32> {shard.local = #shard.local<tensor<?x?xf32>, <@g, [[0], []]>>}, %s: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%c1, %n) : tensor<?x?xf32>
  %size = tensor.dim %e, %c1 : tensor<?x?xf32>
  %one = arith.cmpi eq, %size, %c1 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %one {
    // expected-error @+1 {{is not reached by all devices of its group: whether it runs depends on the coordinate on axis 0}}
    %1 = shard.all_reduce %s on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// A value that is waited for does not vary as what it was made of does.

shard.grid @g(shape = 2)
func.func @waited(%s: tensor<4xf32>) {
  %place = shard.process_multi_index on @g axes = [0] : index
  %own = tensor.from_elements %place : tensor<index>
  %sum = shard.all_reduce %own on @g grid_axes = [0] : tensor<index> -> tensor<index>
  %done = shard.wait %sum of %own : tensor<index>, tensor<index>
  %number = tensor.extract %done[] : tensor<index>
  %c1 = arith.constant 1 : index
  %one = arith.cmpi eq, %number, %c1 : index
  scf.if %one {
    %1 = shard.all_reduce %s on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// Behind an exchange, blocks differ along the axes that split them then, and along no
// others: devices that differ in an axis that split them before have one block.

shard.grid @g(shape = 2x2x4)
func.func @redistributed(
    %a: tensor<1xi1> {shard.local = #shard.local<tensor<2xi1>, <@g, [[1, 0]]>>}, %s: tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %b = shard.redistribute %a on @g grid_axes = [0, 1] from = [[1, 0]] to = [[0]] extents = [2] : tensor<1xi1> -> tensor<1xi1>
  %c = tensor.extract %b[%zero] : tensor<1xi1>
  // expected-note @+1 {{devices part ways here}}
  scf.if %c {
    %1 = shard.all_reduce %s on @g grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    // expected-error @+1 {{depends on the coordinate on axis 0}}
    %2 = shard.all_reduce %1 on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}
func.func @permuted(
    %a: tensor<1xi1> {shard.local = #shard.local<tensor<4xi1>, <@g, [[0, 1]]>>}, %s: tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %b = shard.permute %a on @g from_axes = [0, 1] to_axes = [2] : tensor<1xi1>
  %c = tensor.extract %b[%zero] : tensor<1xi1>
  // expected-note @+1 {{devices part ways here}}
  scf.if %c {
    %1 = shard.all_reduce %s on @g grid_axes = [0, 1] : tensor<4xf32> -> tensor<4xf32>
    // expected-error @+1 {{depends on the coordinate on axis 2}}
    %2 = shard.all_reduce %1 on @g grid_axes = [2] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}
// What differs along the new axes already is no block of one tensor: nothing is known then.
func.func @permuted_differing(
    %a: tensor<1xi1> {shard.local = #shard.local<tensor<4xi1>, <@g, [[2]]>>}, %s: tensor<4xf32>) {
  %zero = arith.constant 0 : index
  %b = shard.permute %a on @g from_axes = [0, 1] to_axes = [2] : tensor<1xi1>
  %c = tensor.extract %b[%zero] : tensor<1xi1>
  // expected-note @+1 {{devices part ways here}}
  scf.if %c {
    // expected-error @+1 {{depends on the coordinate on axes 0, 1}}
    %1 = shard.all_reduce %s on @g grid_axes = [0, 1] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// A message has a sender and a receiver: neither is reached by both.

shard.grid @g(shape = 2)
func.func @messages(%a: tensor<2xf32>) -> tensor<2xf32> {
  %i = shard.process_linear_index on @g : index
  %c0 = arith.constant 0 : index
  %c = arith.cmpi eq, %i, %c0 : index
  %r = scf.if %c -> tensor<2xf32> {
    %1 = shard.send %a on @g grid_axes = [0] destination = [1] : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } else {
    %1 = shard.recv %a on @g grid_axes = [0] source = [0] : (tensor<2xf32>) -> tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

// All devices of a group name one root. Groups of their own may have roots of their own.

shard.grid @g(shape = 2x2)
func.func @roots(%a: tensor<2xf32>) -> tensor<2xf32> {
  %i = shard.process_multi_index on @g axes = [0] : index
  // expected-error @+1 {{has a root that depends on the coordinate on axis 0: devices of its group name different ones}}
  %0 = shard.broadcast %a on @g grid_axes = [0] root = [%i] : (tensor<2xf32>, index) -> tensor<2xf32>
  %1 = shard.broadcast %0 on @g grid_axes = [1] root = [%i] : (tensor<2xf32>, index) -> tensor<2xf32>
  // expected-error @+1 {{has a root that depends on the coordinate on axis 0}}
  %2 = shard.gather %1 on @g grid_axes = [0] gather_axis = 0 root = [%i] : (tensor<2xf32>, index) -> tensor<4xf32>
  // expected-error @+1 {{has a root that depends on the coordinate on axis 0}}
  %3 = shard.scatter %2 on @g grid_axes = [0] scatter_axis = 0 root = [%i] : (tensor<4xf32>, index) -> tensor<2xf32>
  // expected-error @+1 {{has a root that depends on the coordinate on axis 0}}
  %4 = shard.reduce %3 on @g grid_axes = [0] root = [%i] : (tensor<2xf32>, index) -> tensor<2xf32>
  // A message may go from each device to another one.
  %5 = shard.send %4 on @g grid_axes = [0] destination = [%i] : (tensor<2xf32>, index) -> tensor<2xf32>
  return %5 : tensor<2xf32>
}

// -----

// Memory and globals hold what was stored there, through views too and in any function.

shard.grid @g(shape = 2)
ml_program.global private mutable @place(dense<0> : tensor<1xindex>) : tensor<1xindex>
ml_program.global private mutable @same(dense<0> : tensor<1xindex>) : tensor<1xindex>
func.func @global(%a: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %u = ml_program.global_load @place : tensor<1xindex>
  %j = tensor.extract %u[%c0] : tensor<1xindex>
  %c = arith.cmpi eq, %j, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %c {
    // expected-error @+1 {{depends on the coordinate on axis 0}}
    %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  %v = ml_program.global_load @same : tensor<1xindex>
  %k = tensor.extract %v[%c0] : tensor<1xindex>
  %d = arith.cmpi eq, %k, %c0 : index
  scf.if %d {
    %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}
func.func @stores_global(%n: tensor<1xindex>) {
  %i = shard.process_multi_index on @g axes = [0] : index
  %t = tensor.from_elements %i : tensor<1xindex>
  ml_program.global_store @place = %t : tensor<1xindex>
  ml_program.global_store @same = %n : tensor<1xindex>
  return
}
func.func @memory(%a: tensor<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = shard.process_multi_index on @g axes = [0] : index
  %m = memref.alloc() : memref<2xindex>
  %same = memref.alloc() : memref<2xindex>
  %view = memref.subview %m[1] [1] [1] : memref<2xindex> to memref<1xindex, strided<[1], offset: 1>>
  memref.store %i, %view[%c0] : memref<1xindex, strided<[1], offset: 1>>
  memref.store %n, %same[%c0] : memref<2xindex>
  %j = memref.load %m[%c1] : memref<2xindex>
  %c = arith.cmpi eq, %j, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %c {
    // expected-error @+1 {{depends on the coordinate on axis 0}}
    %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  %k = memref.load %same[%c0] : memref<2xindex>
  %d = arith.cmpi eq, %k, %c0 : index
  scf.if %d {
    %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// The number of a device varies along the axes of its grid and along no others: a sum over
// all of them is the same on all devices.

shard.grid @g(shape = 2x2)
func.func @sum_of_numbers(%s: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %i = shard.process_linear_index on @g : index
  %j, %k = shard.process_multi_index on @g : index, index
  %sum = arith.addi %i, %k : index
  %own = tensor.from_elements %sum : tensor<index>
  %rows = shard.all_reduce %own on @g grid_axes = [0] : tensor<index> -> tensor<index>
  %all = shard.all_reduce %rows on @g grid_axes = [1] : tensor<index> -> tensor<index>
  %number = tensor.extract %all[] : tensor<index>
  %0 = shard.broadcast %s on @g grid_axes = [0] root = [%number] : (tensor<4xf32>, index) -> tensor<4xf32>
  %part = tensor.extract %rows[] : tensor<index>
  // expected-error @+1 {{has a root that depends on the coordinate on axis 1}}
  %1 = shard.broadcast %0 on @g grid_axes = [1] root = [%part] : (tensor<4xf32>, index) -> tensor<4xf32>
  return
}

// -----

// Nothing depends on the coordinate on an axis of one device.

shard.grid @one(shape = 2x1)
func.func @one_device(%a: tensor<4xi32> {shard.local = #shard.local<tensor<4xi32>, <@one, [[1]]>>}) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %first = tensor.extract %a[%c0] : tensor<4xi32>
  %isZero = arith.cmpi eq, %first, %zero : i32
  %0 = scf.if %isZero -> tensor<4xi32> {
    %1 = shard.all_reduce %a on @one grid_axes = [0, 1] : tensor<4xi32> -> tensor<4xi32>
    scf.yield %1 : tensor<4xi32>
  } else {
    scf.yield %a : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// -----

// A function on a grid is called where devices part ways along an axis of a refinement of it.
shard.grid @whole(shape = 4)
shard.grid @parts(shape = 2x2) {refines = @whole}
func.func private @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{is not reached by all devices of its group: whether it runs depends on the coordinate on axis 0}}
  %0 = shard.all_reduce %a on @whole grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller_on_refinement(%a: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %i = shard.process_multi_index on @parts axes = [1] : index
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    %0 = func.call @sum(%a) : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

// -----

// Two grids of which neither refines the other one have the coordinate on axis 1 of @columns in
// common with no group of axis 0 of @rows.
shard.grid @rows(shape = 2x4)
shard.grid @columns(shape = 4x2)
shard.grid @parts(shape = 4x2x1) {refines = @columns}
func.func @unrelated_grids(%a: tensor<4xf32>, %b: tensor<4xf32> {shard.local = #shard.local<tensor<4xf32>, <@parts, [[]]>>}) {
  %c0 = arith.constant 0 : index
  %i = shard.process_multi_index on @columns axes = [1] : index
  %first = arith.cmpi eq, %i, %c0 : index
  // expected-note @+1 {{devices part ways here}}
  scf.if %first {
    %0 = shard.all_reduce %a on @rows grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    // expected-error@+1 {{is not reached by all devices of its group: whether it runs depends on the coordinate on axis 1}}
    %1 = shard.all_reduce %a on @rows grid_axes = [1] : tensor<4xf32> -> tensor<4xf32>
    %2 = shard.all_reduce %a on @parts grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
  }
  return
}

// -----

// A sum over rows of 2x3 devices differs between the columns of 3x2 devices: each row of the one
// has devices of both columns of the other one.
shard.grid @two(shape = 2x3)
shard.grid @three(shape = 3x2)
func.func @strides_that_do_not_divide(%a: tensor<4xf32>, %own: tensor<index> {shard.local = #shard.local<tensor<index>, <@two, [], partial = sum[0, 1]>>}) {
  %rows = shard.all_reduce %own on @two grid_axes = [1] : tensor<index> -> tensor<index>
  %row = tensor.extract %rows[] : tensor<index>
  // expected-error @+1 {{has a root that depends on the coordinate on axis 1}}
  %0 = shard.broadcast %a on @three grid_axes = [1] root = [%row] : (tensor<4xf32>, index) -> tensor<4xf32>
  %all = shard.all_reduce %rows on @two grid_axes = [0] : tensor<index> -> tensor<index>
  %sum = tensor.extract %all[] : tensor<index>
  %1 = shard.all_reduce %own on @two grid_axes = [0, 1] : tensor<index> -> tensor<index>
  %one = tensor.extract %1[] : tensor<index>
  %2 = shard.broadcast %a on @three grid_axes = [1] root = [%one] : (tensor<4xf32>, index) -> tensor<4xf32>
  return
}

// -----

// Two grids number the same devices differently. What is the same on all devices of one is so on
// the other one, but nothing is known of what differs along an axis.
shard.grid @g(shape = 2x2)
shard.grid @p(shape = 2x2) device_ids = [0, 2, 1, 3]
func.func @renumbered(%s: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %i:2 = shard.process_multi_index on @g : index, index
  %own = tensor.from_elements %i#0 : tensor<1xindex>
  %all = shard.all_reduce %own on @g grid_axes = [0, 1] : tensor<1xindex> -> tensor<1xindex>
  %n = tensor.extract %all[%c0] : tensor<1xindex>
  %a = shard.broadcast %s on @p grid_axes = [1] root = [%n] : (tensor<4xf32>, index) -> tensor<4xf32>
  // expected-error @below {{has a root that depends on the coordinate on axis 1}}
  %b = shard.broadcast %s on @p grid_axes = [1] root = [%i#0] : (tensor<4xf32>, index) -> tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
