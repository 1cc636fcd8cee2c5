// What a grid with uneven_dynamic does not take.

// RUN: shard-opt %s --shard-spmd --split-input-file --verify-diagnostics
// RUN: not shard-opt --uneven-dynamic %S/Inputs/no-grid.mlir 2>&1 | FileCheck %s

// CHECK: --uneven-dynamic{{.*}}: error: is about the grids of a program, which has none; add --grid

// Code for one device does not know of blocks of unequal extents.

shard.grid @g(shape = 2) {uneven_dynamic}
func.func @manual(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{splits dynamic dimension 0 of operand 0 by a manual axis on a grid with uneven_dynamic, where blocks have unequal extents; leave it whole, or give the extent in the type}}
  %0 = shard.manual_computation(%a) on @g in = [<@g, [[0]]>] out = [<@g, [[0]]>] axes = [0] (%b: tensor<?xf32>) {
    %1 = math.exp %b : tensor<?xf32>
    shard.return %1 : tensor<?xf32>
  } : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A whole dimension is fine.

shard.grid @g(shape = 2) {uneven_dynamic}
func.func @manual(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = shard.manual_computation(%a) on @g in = [<@g, [[], [0]]>] out = [<@g, [[], [0]]>] axes = [0] (%b: tensor<?x2xf32>) {
    %1 = math.exp %b : tensor<?x2xf32>
    shard.return %1 : tensor<?x2xf32>
  } : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// Other axes may split it.

shard.grid @g(shape = 2x2) {uneven_dynamic}
func.func @manual(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = shard.manual_computation(%a) on @g in = [<@g, [[1], [0]]>] out = [<@g, [[1], [0]]>] axes = [0] (%b: tensor<?x2xf32>) {
    %1 = math.exp %b : tensor<?x2xf32>
    shard.return %1 : tensor<?x2xf32>
  } : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

shard.grid @g(shape = 2) {uneven_dynamic}
func.func @result(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{splits dynamic dimension 0 of result 0 by a manual axis on a grid with uneven_dynamic}}
  %0 = shard.manual_computation(%a) on @g in = [<@g, [[]], replicated = [0]>] out = [<@g, [[0]]>] axes = [0] (%b: tensor<?xf32>) {
    shard.return %b : tensor<?xf32>
  } : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
