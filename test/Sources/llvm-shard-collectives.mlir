// LLVM's page of the dialect shard, section "Collective communication operations": what
// each collective gives on a grid of 2x2 devices, which have the blocks 1 2 / 3 4,
// 5 6 / 7 8, 9 10 / 11 12 and 13 14 / 15 16. Each program returns what the collective
// gives on all devices, one below the other, and what it must give.

// RUN: shard-run %s --entry all_gather --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry all_slice --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry all_to_all --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry all_reduce --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry reduce_scatter --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry broadcast --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry scatter --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry shift --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry gather_and_broadcast --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry reduce_and_broadcast --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy
// RUN: shard-run %s --entry coordinates --verify --output %t.got.npy --output %t.want.npy && cmp %t.got.npy %t.want.npy

shard.grid @grid0(shape = 2x2)

// all_gather along axis 1: both devices of a row have the blocks side by side.
func.func @all_gather() -> (tensor<8x4xi8>, tensor<8x4xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<8x4xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.all_gather %x on @grid0 grid_axes = [1] gather_axis = 1 : tensor<2x2xi8> -> tensor<2x4xi8>
    shard.return %r : tensor<2x4xi8>
  } : (tensor<4x4xi8>) -> tensor<8x4xi8>
  return %got, %want : tensor<8x4xi8>, tensor<8x4xi8>
}

// all_slice is its inverse: each device keeps its own column.
func.func @all_slice() -> (tensor<8x1xi8>, tensor<8x1xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[1], [3], [6], [8], [9], [11], [14], [16]]> : tensor<8x1xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.all_slice %x on @grid0 grid_axes = [1] slice_axis = 1 : tensor<2x2xi8> -> tensor<2x1xi8>
    shard.return %r : tensor<2x1xi8>
  } : (tensor<4x4xi8>) -> tensor<8x1xi8>
  return %got, %want : tensor<8x1xi8>, tensor<8x1xi8>
}

// all_to_all along axis 0: row i goes to the device with coordinate i, where rows are joined in the order of the senders.
func.func @all_to_all() -> (tensor<8x2xi8>, tensor<8x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[1, 2], [9, 10], [5, 6], [13, 14], [3, 4], [11, 12], [7, 8], [15, 16]]> : tensor<8x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.all_to_all %x on @grid0 grid_axes = [0] split_axis = 0 concat_axis = 0 : tensor<2x2xi8> -> tensor<2x2xi8>
    shard.return %r : tensor<2x2xi8>
  } : (tensor<4x4xi8>) -> tensor<8x2xi8>
  return %got, %want : tensor<8x2xi8>, tensor<8x2xi8>
}

// all_reduce with max over both axes.
func.func @all_reduce() -> (tensor<8x2xi8>, tensor<8x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[13, 14], [15, 16], [13, 14], [15, 16], [13, 14], [15, 16], [13, 14], [15, 16]]> : tensor<8x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.all_reduce %x on @grid0 grid_axes = [0, 1] reduction = max : tensor<2x2xi8> -> tensor<2x2xi8>
    shard.return %r : tensor<2x2xi8>
  } : (tensor<4x4xi8>) -> tensor<8x2xi8>
  return %got, %want : tensor<8x2xi8>, tensor<8x2xi8>
}

// reduce_scatter along axis 1: the sum of a row of devices, one row of it for each.
func.func @reduce_scatter() -> (tensor<4x2xi8>, tensor<4x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[6, 8], [10, 12], [22, 24], [26, 28]]> : tensor<4x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.reduce_scatter %x on @grid0 grid_axes = [1] scatter_axis = 0 : tensor<2x2xi8> -> tensor<1x2xi8>
    shard.return %r : tensor<1x2xi8>
  } : (tensor<4x4xi8>) -> tensor<4x2xi8>
  return %got, %want : tensor<4x2xi8>, tensor<4x2xi8>
}

// broadcast along axis 0: all devices of a column have the block of the root.
func.func @broadcast() -> (tensor<8x2xi8>, tensor<8x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8], [1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<8x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.broadcast %x on @grid0 grid_axes = [0] root = [0] : (tensor<2x2xi8>) -> tensor<2x2xi8>
    shard.return %r : tensor<2x2xi8>
  } : (tensor<4x4xi8>) -> tensor<8x2xi8>
  return %got, %want : tensor<8x2xi8>, tensor<8x2xi8>
}

// scatter along axis 0: the root of each column deals its rows.
func.func @scatter() -> (tensor<4x2xi8>, tensor<4x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[9, 10], [13, 14], [11, 12], [15, 16]]> : tensor<4x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.scatter %x on @grid0 grid_axes = [0] scatter_axis = 0 root = [1] : (tensor<2x2xi8>) -> tensor<1x2xi8>
    shard.return %r : tensor<1x2xi8>
  } : (tensor<4x4xi8>) -> tensor<4x2xi8>
  return %got, %want : tensor<4x2xi8>, tensor<4x2xi8>
}

// shift by 1 along axis 1, around the end: each device has the block of its left neighbour.
func.func @shift() -> (tensor<8x2xi8>, tensor<8x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[5, 6], [7, 8], [1, 2], [3, 4], [13, 14], [15, 16], [9, 10], [11, 12]]> : tensor<8x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %r = shard.shift %x on @grid0 grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<2x2xi8> -> tensor<2x2xi8>
    shard.return %r : tensor<2x2xi8>
  } : (tensor<4x4xi8>) -> tensor<8x2xi8>
  return %got, %want : tensor<8x2xi8>, tensor<8x2xi8>
}

// gather leaves its result at the root, whose block a broadcast deals.
func.func @gather_and_broadcast() -> (tensor<16x2xi8>, tensor<16x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[1, 2], [3, 4], [9, 10], [11, 12], [5, 6], [7, 8], [13, 14], [15, 16], [1, 2], [3, 4], [9, 10], [11, 12], [5, 6], [7, 8], [13, 14], [15, 16]]> : tensor<16x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %g = shard.gather %x on @grid0 grid_axes = [0] gather_axis = 0 root = [1] : (tensor<2x2xi8>) -> tensor<4x2xi8>
    %r = shard.broadcast %g on @grid0 grid_axes = [0] root = [1] : (tensor<4x2xi8>) -> tensor<4x2xi8>
    shard.return %r : tensor<4x2xi8>
  } : (tensor<4x4xi8>) -> tensor<16x2xi8>
  return %got, %want : tensor<16x2xi8>, tensor<16x2xi8>
}

// reduce leaves the sum at the root.
func.func @reduce_and_broadcast() -> (tensor<8x2xi8>, tensor<8x2xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[6, 8], [10, 12], [6, 8], [10, 12], [22, 24], [26, 28], [22, 24], [26, 28]]> : tensor<8x2xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %g = shard.reduce %x on @grid0 grid_axes = [1] root = [0] : (tensor<2x2xi8>) -> tensor<2x2xi8>
    %r = shard.broadcast %g on @grid0 grid_axes = [1] root = [0] : (tensor<2x2xi8>) -> tensor<2x2xi8>
    shard.return %r : tensor<2x2xi8>
  } : (tensor<4x4xi8>) -> tensor<8x2xi8>
  return %got, %want : tensor<8x2xi8>, tensor<8x2xi8>
}

// process_multi_index, grid_shape, process_linear_index: number of the device from its coordinates.
func.func @coordinates() -> (tensor<4x1xi8>, tensor<4x1xi8>) {
  %in = arith.constant dense<[[1, 2, 5, 6], [3, 4, 7, 8], [9, 10, 13, 14], [11, 12, 15, 16]]> : tensor<4x4xi8>
  %want = arith.constant dense<[[0], [2], [4], [6]]> : tensor<4x1xi8>
  %got = shard.manual_computation(%in) on @grid0
      in = [<@grid0, [[0], [1]]>] out = [<@grid0, [[0, 1], []]>] axes = [0, 1] (%x: tensor<2x2xi8>) {
    %i:2 = shard.process_multi_index on @grid0 : index, index
    %n = shard.grid_shape @grid0 axes = [1] : index
    %p = arith.muli %i#0, %n : index
    %q = arith.addi %p, %i#1 : index
    %l = shard.process_linear_index on @grid0 : index
    %s = arith.addi %q, %l : index
    %v = arith.index_cast %s : index to i8
    %r = tensor.splat %v : tensor<1x1xi8>
    shard.return %r : tensor<1x1xi8>
  } : (tensor<4x4xi8>) -> tensor<4x1xi8>
  return %got, %want : tensor<4x1xi8>, tensor<4x1xi8>
}
