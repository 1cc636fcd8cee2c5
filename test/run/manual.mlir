// Programs with manual computations. The reference copies each body once per
// manual coordinate; the grid runs it on each device.
//
// RUN: split-file %s %t
// DEFINE: %{name} =
// DEFINE: %{run} = shard-run %t/%{name}.mlir --verify
//
// REDEFINE: %{name} = all-reduce
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = all-gather
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = uneven-free
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = matmul
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = moves
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = kinds
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = indices
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = partial-result
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = nested
// RUN: %{run} | FileCheck %s
// REDEFINE: %{name} = in-loop
// RUN: %{run} | FileCheck %s
// CHECK: PASS
//
// A body that is wrong: the result is said to be replicated, but nobody has
// summed it.
// REDEFINE: %{name} = no-reduction
// RUN: not %{run} | FileCheck %s --check-prefix=REPLICAS
// REPLICAS: result 0: {{.*}}differ
// REPLICAS: FAIL
// REDEFINE: %{name} = no-reduction-sliced
// RUN: not %{run} | FileCheck %s --check-prefix=FAIL
// REDEFINE: %{name} = no-source
// RUN: not %{run} | FileCheck %s --check-prefix=FAIL
// FAIL: FAIL
//
// What the reference does not support.
// REDEFINE: %{name} = too-many
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: too-many.mlir:3:{{[0-9]+}}: error: {{.*}}has 128 manual coordinates
// REDEFINE: %{name} = partial-operand
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=PARTIAL
// PARTIAL: partial-operand.mlir:3:{{[0-9]+}}: error: {{.*}}has operand 0 partial on manual axis data
// REDEFINE: %{name} = free-coordinate
// RUN: not %{run} 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: free-coordinate.mlir:6:{{[0-9]+}}: error: {{.*}}uses axis model, which is not manual
//
// A grid from the command line that the body does not fit.
// REDEFINE: %{name} = all-reduce
// RUN: not %{run} --grid 3x2 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: error: {{.*}}does not divide dimension 0

//--- all-reduce.mlir
// Replicated input beside a split one; the other axis is free.
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8x6xf32> {shard.sharding = #shard.sharding<@grid, [["data"], ["model"]]>},
                %b: tensor<6xf32>) -> tensor<6xf32> {
  %m = shard.manual_computation(%a, %b) on @grid
      in = [<@grid, [["data", ?], [?]]>, <@grid, [[?]], replicated = ["data"]>]
      out = [<@grid, [[?]], replicated = ["data"]>] axes = ["data"]
      (%x: tensor<4x6xf32>, %y: tensor<6xf32>) {
    %sum = linalg.reduce ins(%x : tensor<4x6xf32>) outs(%y : tensor<6xf32>) dimensions = [0]
      (%e: f32, %s: f32) { %t = arith.addf %e, %s : f32 linalg.yield %t : f32 }
    %all = shard.all_reduce %sum on @grid grid_axes = [0] : tensor<6xf32> -> tensor<6xf32>
    shard.return %all : tensor<6xf32>
  } : (tensor<8x6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %m : tensor<6xf32>
}

//--- all-gather.mlir
shard.grid @grid(shape = 2x3) axes ["data", "model"]
func.func @main(%a: tensor<6x5xf32> {shard.sharding = #shard.sharding<@grid, [["model"], []]>}) -> tensor<6x5xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["model"], []]>] out = [<@grid, [["model"], []]>] axes = ["model"]
      (%x: tensor<2x5xf32>) {
    %e = math.exp %x : tensor<2x5xf32>
    %all = shard.all_gather %e on @grid grid_axes = [1] gather_axis = 0 : tensor<2x5xf32> -> tensor<6x5xf32>
    %s = math.sin %all : tensor<6x5xf32>
    %own = shard.all_slice %s on @grid grid_axes = [1] slice_axis = 0 : tensor<6x5xf32> -> tensor<2x5xf32>
    %r = arith.addf %own, %x : tensor<2x5xf32>
    shard.return %r : tensor<2x5xf32>
  } : (tensor<6x5xf32>) -> tensor<6x5xf32>
  return %m : tensor<6x5xf32>
}

//--- uneven-free.mlir
// The free axis of size 3 does not divide 7; an annotation in the body says so.
shard.grid @grid(shape = 2x3) axes ["data", "model"]
func.func @main(%a: tensor<8x7xf32>) -> tensor<8x7xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data", ?], [?]]>] out = [<@grid, [["data", ?], [?]]>] axes = ["data"]
      (%x: tensor<4x7xf32>) {
    %s = shard.sharding @grid split_axes = [[], [1]] : !shard.sharding
    %y = shard.shard %x to %s : tensor<4x7xf32>
    %e = math.exp %y : tensor<4x7xf32>
    %sum = shard.all_reduce %e on @grid grid_axes = [0] reduction = average : tensor<4x7xf32> -> tensor<4x7xf32>
    %r = arith.subf %x, %sum : tensor<4x7xf32>
    shard.return %r : tensor<4x7xf32>
  } : (tensor<8x7xf32>) -> tensor<8x7xf32>
  return %m : tensor<8x7xf32>
}

//--- matmul.mlir
// The sum over the manual axis in the body, that over the free one by partition.
shard.grid @grid(shape = 2x3) axes ["data", "model"]
func.func @main(%a: tensor<5x12xf32> {shard.sharding = #shard.sharding<@grid, [[], ["data", "model"]]>},
                %b: tensor<12x4xf32> {shard.sharding = #shard.sharding<@grid, [["data", "model"], []]>},
                %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %m = shard.manual_computation(%a, %b) on @grid
      in = [<@grid, [[?], ["data", ?]]>, <@grid, [["data", ?], [?]]>]
      out = [<@grid, [[?], [?]], replicated = ["data"]>] axes = ["data"]
      (%x: tensor<5x6xf32>, %y: tensor<6x4xf32>) {
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<5x4xf32>
    %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x4xf32>) -> tensor<5x4xf32>
    %p = linalg.matmul ins(%x, %y : tensor<5x6xf32>, tensor<6x4xf32>) outs(%init : tensor<5x4xf32>) -> tensor<5x4xf32>
    %all = shard.all_reduce %p on @grid grid_axes = [0] : tensor<5x4xf32> -> tensor<5x4xf32>
    shard.return %all : tensor<5x4xf32>
  } : (tensor<5x12xf32>, tensor<12x4xf32>) -> tensor<5x4xf32>
  %r = arith.addf %m, %c : tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

//--- moves.mlir
// Both axes are manual, and one dimension is split by both.
shard.grid @grid(shape = 2x3) axes ["x", "y"]
func.func @main(%a: tensor<12x6xi32>, %b: tensor<7xi32>) -> (tensor<12x6xi32>, tensor<4x12xi32>, tensor<12x6xi32>, tensor<7xi32>, tensor<18xi32>) {
  %m:5 = shard.manual_computation(%a, %b) on @grid
      in = [<@grid, [["y", "x"], []]>, <@grid, [[]], replicated = ["x", "y"]>]
      out = [<@grid, [["x", "y"], []]>, <@grid, [["x"], ["y"]], replicated = []>, <@grid, [["x", "y"], []]>,
             <@grid, [[]], replicated = ["x", "y"]>, <@grid, [["x", "y"]]>] axes = ["x", "y"]
      (%p: tensor<2x6xi32>, %q: tensor<7xi32>) {
    %permuted = shard.permute %p on @grid from_axes = [1, 0] to_axes = [0, 1] : tensor<2x6xi32>
    %a2a = shard.all_to_all %p on @grid grid_axes = [1] split_axis = 1 concat_axis = 0 : tensor<2x6xi32> -> tensor<6x2xi32>
    %slice = tensor.extract_slice %a2a[2, 0] [2, 2] [1, 1] : tensor<6x2xi32> to tensor<2x2xi32>
    %twice = tensor.concat dim(1) %slice, %slice : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x4xi32>
    %shifted = shard.shift %p on @grid grid_axes = [0, 1] shift_axis = 1 offset = 2 rotate : tensor<2x6xi32> -> tensor<2x6xi32>
    // Blocks of 7 elements over 2 x 3 devices: 2 2 0, 2 1 0.
    %part = shard.all_slice %q on @grid grid_axes = [0, 1] slice_axis = 0 : tensor<7xi32> -> tensor<2xi32>
    %whole = shard.all_gather %part on @grid grid_axes = [0, 1] gather_axis = 0 : tensor<2xi32> -> tensor<7xi32>
    %row = tensor.extract_slice %p[0, 0] [1, 6] [1, 1] : tensor<2x6xi32> to tensor<6xi32>
    %from = shard.broadcast %row on @grid grid_axes = [1, 0] root = [2, 1] : (tensor<6xi32>) -> tensor<6xi32>
    %spread = shard.scatter %row on @grid grid_axes = [0] scatter_axis = 0 root = [1] : (tensor<6xi32>) -> tensor<3xi32>
    %head = tensor.extract_slice %from[3] [3] [1] : tensor<6xi32> to tensor<3xi32>
    %both = arith.muli %spread, %head : tensor<3xi32>
    shard.return %permuted, %twice, %shifted, %whole, %both : tensor<2x6xi32>, tensor<2x4xi32>, tensor<2x6xi32>, tensor<7xi32>, tensor<3xi32>
  } : (tensor<12x6xi32>, tensor<7xi32>) -> (tensor<12x6xi32>, tensor<4x12xi32>, tensor<12x6xi32>, tensor<7xi32>, tensor<18xi32>)
  return %m#0, %m#1, %m#2, %m#3, %m#4 : tensor<12x6xi32>, tensor<4x12xi32>, tensor<12x6xi32>, tensor<7xi32>, tensor<18xi32>
}

//--- kinds.mlir
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @main(%a: tensor<8xi8>, %b: tensor<8xf16>, %c: tensor<8x4xf32>, %d: tensor<8xindex>, %e: tensor<8xi1>)
    -> (tensor<2xi32>, tensor<8xi8>, tensor<2xf16>, tensor<8xf64>, tensor<8x4xf32>, tensor<2xindex>, tensor<8xi1>) {
  %m:7 = shard.manual_computation(%a, %b, %c, %d, %e) on @grid
      in = [<@grid, [["x", "y"]]>, <@grid, [["x", "y"]]>, <@grid, [["x"], []], replicated = ["y"]>, <@grid, [["x", "y"]]>, <@grid, [["x", "y"]]>]
      out = [<@grid, [[]], replicated = ["x", "y"]>, <@grid, [["x", "y"]]>, <@grid, [[]], replicated = ["x", "y"]>, <@grid, [["y", "x"]]>, <@grid, [["x"], ["y"]]>,
             <@grid, [[]], replicated = ["x", "y"]>, <@grid, [["y", "x"]]>] axes = ["x", "y"]
      (%i: tensor<2xi8>, %h: tensor<2xf16>, %f: tensor<4x4xf32>, %n: tensor<2xindex>, %t: tensor<2xi1>) {
    %sum = shard.all_reduce %i on @grid grid_axes = [1, 0] : tensor<2xi8> -> tensor<2xi32>
    %umax = shard.all_reduce %i on @grid grid_axes = [1] reduction = umax : tensor<2xi8> -> tensor<2xi8>
    %mean = shard.all_reduce %i on @grid grid_axes = [0] reduction = average : tensor<2xi8> -> tensor<2xi8>
    %xor = arith.xori %umax, %mean : tensor<2xi8>
    %half = shard.all_reduce %h on @grid grid_axes = [0, 1] : tensor<2xf16> -> tensor<2xf16>
    %wide = shard.all_reduce %h on @grid grid_axes = [0] reduction = product : tensor<2xf16> -> tensor<2xf64>
    %block = shard.reduce_scatter %f on @grid grid_axes = [0] reduction = max scatter_axis = 1 : tensor<4x4xf32> -> tensor<4x2xf32>
    %means = shard.all_reduce %n on @grid grid_axes = [0, 1] reduction = average : tensor<2xindex> -> tensor<2xindex>
    %least = shard.all_reduce %t on @grid grid_axes = [0] reduction = min : tensor<2xi1> -> tensor<2xi1>
    shard.return %sum, %xor, %half, %wide, %block, %means, %least : tensor<2xi32>, tensor<2xi8>, tensor<2xf16>, tensor<2xf64>, tensor<4x2xf32>, tensor<2xindex>, tensor<2xi1>
  } : (tensor<8xi8>, tensor<8xf16>, tensor<8x4xf32>, tensor<8xindex>, tensor<8xi1>) -> (tensor<2xi32>, tensor<8xi8>, tensor<2xf16>, tensor<8xf64>, tensor<8x4xf32>, tensor<2xindex>, tensor<8xi1>)
  return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5, %m#6 : tensor<2xi32>, tensor<8xi8>, tensor<2xf16>, tensor<8xf64>, tensor<8x4xf32>, tensor<2xindex>, tensor<8xi1>
}

//--- indices.mlir
shard.grid @grid(shape = 2x3) axes ["x", "y"]
func.func @main(%a: tensor<12xi64>) -> tensor<12xi64> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x", "y"]]>] out = [<@grid, [["x", "y"]]>] axes = ["x", "y"]
      (%p: tensor<2xi64>) {
    %x, %y = shard.process_multi_index on @grid : index, index
    %k = shard.process_linear_index on @grid : index
    %n = shard.grid_shape @grid axes = [1] : index
    %s = arith.muli %x, %n : index
    %t = arith.addi %s, %y : index
    %u = arith.muli %t, %k : index
    %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        outs(%p : tensor<2xi64>) {
      ^bb0(%e: i64):
        %c = shard.process_multi_index on @grid axes = [1] : index
        %v = arith.addi %u, %c : index
        %i = arith.index_cast %v : index to i64
        %w = arith.addi %e, %i : i64
        linalg.yield %w : i64
    } -> tensor<2xi64>
    shard.return %r : tensor<2xi64>
  } : (tensor<12xi64>) -> tensor<12xi64>
  return %m : tensor<12xi64>
}

//--- partial-result.mlir
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data", ?], [?]]>] out = [<@grid, [[?], [?]], partial = sum ["data"]>] axes = ["data"]
      (%x: tensor<4x4xf32>) {
    %e = math.exp %x : tensor<4x4xf32>
    shard.return %e : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

//--- nested.mlir
shard.grid @grid(shape = 2x3) axes ["x", "y"]
func.func @main(%a: tensor<4x9xf32>) -> tensor<4x9xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["x"], [?]]>] out = [<@grid, [["x"], [?]]>] axes = ["x"]
      (%p: tensor<2x9xf32>) {
    %e = math.exp %p : tensor<2x9xf32>
    %n = shard.manual_computation(%e) on @grid
        in = [<@grid, [[], ["y"]]>] out = [<@grid, [[], ["y"]]>] axes = ["y"]
        (%q: tensor<2x3xf32>) {
      %s = shard.all_reduce %q on @grid grid_axes = [1] : tensor<2x3xf32> -> tensor<2x3xf32>
      %t = arith.subf %q, %s : tensor<2x3xf32>
      shard.return %t : tensor<2x3xf32>
    } : (tensor<2x9xf32>) -> tensor<2x9xf32>
    %r = shard.all_reduce %n on @grid grid_axes = [0] reduction = min : tensor<2x9xf32> -> tensor<2x9xf32>
    shard.return %r : tensor<2x9xf32>
  } : (tensor<4x9xf32>) -> tensor<4x9xf32>
  return %m : tensor<4x9xf32>
}

//--- in-loop.mlir
// A manual computation in a loop, and a value from outside in the body.
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8x4xf32>, %b: tensor<4x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %l = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %a) -> tensor<8x4xf32> {
    %m = shard.manual_computation(%v) on @grid
        in = [<@grid, [["data"], []]>] out = [<@grid, [["data"], []]>] axes = ["data"]
        (%x: tensor<4x4xf32>) {
      %y = arith.mulf %x, %b : tensor<4x4xf32>
      %z = shard.all_reduce %y on @grid grid_axes = [0] : tensor<4x4xf32> -> tensor<4x4xf32>
      %w = arith.addf %z, %x : tensor<4x4xf32>
      shard.return %w : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    scf.yield %m : tensor<8x4xf32>
  }
  return %l : tensor<8x4xf32>
}

//--- no-reduction.mlir
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data"], []]>] out = [<@grid, [[], []], replicated = ["data"]>] axes = ["data"]
      (%x: tensor<4x4xf32>) {
    %e = math.exp %x : tensor<4x4xf32>
    shard.return %e : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

//--- no-reduction-sliced.mlir
// Each device passes on its block of what it takes for a replica.
shard.grid @grid(shape = 2x3) axes ["data", "model"]
func.func @main(%a: tensor<8x4xf32>) -> (tensor<4x4xf32> {shard.sharding = #shard.sharding<@grid, [["data"], []]>}) {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data"], []]>] out = [<@grid, [[], []], replicated = ["data"]>] axes = ["data"]
      (%x: tensor<4x4xf32>) {
    %e = math.exp %x : tensor<4x4xf32>
    shard.return %e : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %m : tensor<4x4xf32>
}

//--- no-source.mlir
// What a device without a source receives is unspecified; the program relies on it.
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data"]]>] out = [<@grid, [["data"]]>] axes = ["data"]
      (%x: tensor<4xf32>) {
    %s = shard.shift %x on @grid grid_axes = [0] shift_axis = 0 offset = 1 : tensor<4xf32> -> tensor<4xf32>
    shard.return %s : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}

//--- too-many.mlir
shard.grid @grid(shape = 128) axes ["data"]
func.func @main(%a: tensor<128xf32>) -> tensor<128xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data"]]>] out = [<@grid, [["data"]]>] axes = ["data"]
      (%x: tensor<1xf32>) {
    shard.return %x : tensor<1xf32>
  } : (tensor<128xf32>) -> tensor<128xf32>
  return %m : tensor<128xf32>
}

//--- partial-operand.mlir
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [[]], partial = sum ["data"]>] out = [<@grid, [[]], partial = sum ["data"]>] axes = ["data"]
      (%x: tensor<8xf32>) {
    shard.return %x : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}

//--- free-coordinate.mlir
shard.grid @grid(shape = 2x2) axes ["data", "model"]
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %m = shard.manual_computation(%a) on @grid
      in = [<@grid, [["data"]]>] out = [<@grid, [["data"]]>] axes = ["data"]
      (%x: tensor<4xf32>) {
    %k = shard.process_linear_index on @grid : index
    shard.return %x : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %m : tensor<8xf32>
}
