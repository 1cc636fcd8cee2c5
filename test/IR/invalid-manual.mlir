// RUN: shard-opt %s --split-input-file --verify-diagnostics

// Manual computations that are errors.

// the grid exists
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // grid_use_c1
  // expected-error@+1 {{Undefined required grid symbol "h".}}
  %0 = shard.manual_computation(%t) on @h in = [<@h, [[0], []]>] out = [<@h, [[0], []]>] axes = [0] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// all shardings are on one grid
shard.grid @h(shape = 2)
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c6
  // expected-error@+1 {{expects shardings on one grid, @g, got #shard.sharding<@h}}
  %0 = shard.manual_computation(%t) on @g in = [<@h, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// one in sharding per operand
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c1
  // expected-error@+1 {{expects one in sharding per operand: 1, got 2}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>, <@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// one out sharding per result
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c2
  // expected-error@+1 {{expects one out sharding per result: 1, got 0}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// manual axes exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c1
  // expected-error@+1 {{axes: replicated names axis "z", which grid @g does not have}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["z"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// manual axes are distinct
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // sharding_attr_c2
  // expected-error@+1 {{axes: axis "x" stands twice}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x", "x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// every manual axis is used in every in sharding
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c10
  // expected-error@+1 {{in sharding 0: manual axis y is neither used nor listed in replicated}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x", "y"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// every manual axis is used in every out sharding
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c10
  // expected-error@+1 {{out sharding 0: manual axis x is neither used nor listed in replicated}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [[], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// free axes are minor to manual ones
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c8
  // expected-error@+1 {{in sharding 0: dimension 0 has manual axis x behind an axis that is not manual}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["y", "x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// manual axes divide
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<7xf32>) {
  // manual_computation_c9
  // expected-error@+1 {{in sharding 0: manual axis x of size 2 does not divide dimension 0 of extent 7}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"]]>] out = [<@g, [["x"]]>] axes = ["x"] (%a: tensor<4xf32>) {
    shard.return %a : tensor<4xf32>
  } : (tensor<7xf32>) -> tensor<7xf32>
  return
}

// -----

// arguments of the body are local
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c11
  // expected-error@+1 {{in sharding 0: expects the type 'tensor<4x8xf32>' in the body, got 'tensor<8x8xf32>'}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<8x8xf32>) {
    shard.return %a : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// results of the body are local
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c11
  // expected-error@+1 {{out sharding 0: expects the type 'tensor<8x4xf32>' in the body, got 'tensor<4x8xf32>'}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [[], ["x"]]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// shardings have the rank of the values
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c12
  // expected-error@+1 {{in sharding 0: sharding has 1 dimensions, but 'tensor<8x8xf32>' has rank 2}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"]]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// axes of shardings exist
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // resolve_c1
  // expected-error@+1 {{in sharding 0: dimension 1 names axis "q", which grid @g does not have}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], ["q"]]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// the body returns one value per result
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c5
    // expected-error@+1 {{expects one operand per result: 1, got 0}}
    shard.return
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// the body ends with shard.return
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // manual_computation_c4
  // expected-error@+1 {{expects a body that ends with shard.return}}
  "shard.manual_computation"() <{grid = @g, in_shardings = [], out_shardings = [], manual_axes = []}> ({
    "func.return"() : () -> ()
  }) : () -> ()
  return
}

// -----

// one argument of the body per operand
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  // manual_computation_c3
  // expected-error@+1 {{expects one argument of the body per operand: 1, got 0}}
  "shard.manual_computation"(%t) <{grid = @g, in_shardings = [#shard.sharding<@g, [[], []]>], out_shardings = [], manual_axes = []}> ({
    "shard.return"() : () -> ()
  }) : (tensor<8x8xf32>) -> ()
  return
}

// -----

// shard.return stands in bodies of the dialect
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f() {
  // expected-error@+1 {{expects parent op to be one of}}
  shard.return
}

// -----

// collectives of the body use manual axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c13
    // expected-error@+1 {{in the body of a manual_computation uses axis y, which is not manual}}
    %b = shard.all_reduce %a on @g grid_axes = [1] : tensor<4x8xf32> -> tensor<4x8xf32>
    shard.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// permutes of the body use manual axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c13
    // expected-error@+1 {{in the body of a manual_computation uses axis y, which is not manual}}
    %b = shard.permute %a on @g from_axes = [1, 0] to_axes = [0, 1] : tensor<4x8xf32>
    shard.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// constraints of the body use the other axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c14
    // expected-error@+1 {{in the body of a manual_computation uses its manual axis x}}
    %b = shard.constraint %a to <@g, [["x"], []]> : tensor<4x8xf32>
    shard.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// shardings of the body use the other axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c14
    // expected-error@+1 {{in the body of a manual_computation uses its manual axis x}}
    %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// a part of an axis is manual, and the annotation uses another part that overlaps it
shard.grid @g(shape = 8x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x":(1)4], []]>] out = [<@g, [["x":(1)4], []]>] axes = ["x":(1)4] (%a: tensor<2x8xf32>) {
    // manual_computation_c14
    // expected-error@+1 {{in the body of a manual_computation uses its manual axis x}}
    %b = shard.constraint %a to <@g, [["x":(2)2], []]> : tensor<2x8xf32>
    shard.return %b : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// nested manual axes are disjoint
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c16
    // expected-error@+1 {{axis x is manual in the manual_computation around it already}}
    %b = shard.manual_computation(%a) on @g in = [<@g, [[], ["x"]]>] out = [<@g, [[], ["x"]]>] axes = ["x"] (%c: tensor<4x4xf32>) {
      shard.return %c : tensor<4x4xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    shard.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// a group stays on its side of the boundary
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // group_c2
    // expected-error@+1 {{joins value 1 across the boundary of a manual_computation}}
    shard.group %a, %t id = 0 : tensor<4x8xf32>, tensor<8x8xf32>
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// coordinates in the body are those of manual axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c13
    // expected-error@+1 {{in the body of a manual_computation uses axis y, which is not manual}}
    %i:2 = shard.process_multi_index on @g : index, index
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// the linear index has the coordinates of all axes
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"], []]>] out = [<@g, [["x"], []]>] axes = ["x"] (%a: tensor<4x8xf32>) {
    // manual_computation_c13
    // expected-error@+1 {{in the body of a manual_computation uses axis y, which is not manual}}
    %i = shard.process_linear_index on @g : index
    shard.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// a collective on the grid that is refined uses manual axes
shard.grid @g(shape = 4x2)
shard.grid @fine(shape = 2x2x2) {refines = @g}
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @fine in = [<@fine, [[0], []]>] out = [<@fine, [[0], []]>] axes = [0] (%a: tensor<4x8xf32>) {
    // manual_computation_c13
    // expected-error@+1 {{in the body of a manual_computation uses axis 0, which is not manual}}
    %b = shard.all_reduce %a on @g grid_axes = [0] : tensor<4x8xf32> -> tensor<4x8xf32>
    shard.return %b : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// a collective of the body is on the grid of the op or on one that this refines
shard.grid @g(shape = 4x2)
shard.grid @other(shape = 4x2)
func.func @f(%t: tensor<8x8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [[0], []]>] out = [<@g, [[0], []]>] axes = [0] (%a: tensor<2x8xf32>) {
    // manual_computation_c12
    // expected-error@+1 {{in the body of a manual_computation on @g is on grid @other; it must be on the same grid, or on one that this refines}}
    %b = shard.all_reduce %a on @other grid_axes = [0] : tensor<2x8xf32> -> tensor<2x8xf32>
    shard.return %b : tensor<2x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

// the body sees blocks without halos
shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // manual_computation_c7
  // expected-error@+1 {{in sharding 0: expects neither halos nor offsets, which the body does not see; shard.shard states those of a value}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"]], halo = [1, 1]>] out = [<@g, [["x"]]>] axes = ["x"] (%a: tensor<4xf32>) {
    shard.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

shard.grid @g(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  // manual_computation_c7
  // expected-error@+1 {{out sharding 0: expects neither halos nor offsets, which the body does not see; shard.shard states those of a value}}
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"]]>] out = [<@g, [["x"]], offsets = [0, 3, 8]>] axes = ["x"] (%a: tensor<4xf32>) {
    shard.return %a : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// Nested manual computations are on one grid.
shard.grid @g(shape = 2x4) axes ["x", "y"]
shard.grid @h(shape = 2x4) axes ["x", "y"]
func.func @f(%t: tensor<8xf32>) {
  %0 = shard.manual_computation(%t) on @g in = [<@g, [["x"]]>] out = [<@g, [["x"]]>] axes = ["x"] (%a: tensor<4xf32>) {
    // manual_computation_c15
    // expected-error@+1 {{is on grid @h, but the manual_computation around it on @g}}
    %1 = shard.manual_computation(%a) on @h in = [<@h, [["y"]]>] out = [<@h, [["y"]]>] axes = ["y"] (%b: tensor<1xf32>) {
      shard.return %b : tensor<1xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    shard.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}
