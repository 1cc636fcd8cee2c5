// RUN: shard-opt %s --one-shot-bufferize="bufferize-function-boundaries" --convert-shard-to-mpi --split-input-file --verify-diagnostics

// expected-note @+1 {{the grid is here}}
shard.grid @g(shape = 2x?)

func.func @unknown_size(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{a collective or process op on @g, which has axes of unknown size: messages need the number of devices when they are compiled; give every axis of the grid a size}}
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @any_source(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.recv' op names no source, and the mpi dialect cannot receive from any: give it a source}}
  %0 = shard.recv %a on @g grid_axes = [0] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)

func.func @nobody_receives(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shard.send' op is run by all devices, and no shard.recv over the same axes follows it before other communication: mpi.send may wait for the receiver forever; put the shard.recv behind it, or use shard.shift or shard.permute}}
  %0 = shard.send %a on @g grid_axes = [0] destination = [1] : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)

// expected-error @+1 {{has an attribute "shard_collective" that does not fit it; only bufferization makes such functions}}
func.func private @no_such_dimension(%a: memref<4xf32>, %b: memref<4xf32>)
    attributes {shard_collective = {name = "all_gather", grid = @g, axes = array<i64: 0>, arguments = [array<i64: 7>]}} {
  return
}

// -----

shard.grid @g(shape = 4)

func.func private @asked() -> index

func.func @asks() {
  // expected-error @+1 {{has an attribute "shard_collective" that does not fit it; only bufferization makes such calls}}
  %0 = func.call @asked() {shard_collective = {name = "group_size", grid = @g, axes = array<i64: 0>, arguments = []}} : () -> index
  return
}
