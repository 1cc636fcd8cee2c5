// Device d = 2 i + j of a grid 2x2 starts with [d, 10 d].
module attributes {dlti.map = #dlti.map<"MPI:Implementation" = "@MPI@">} {
  shard.grid @g(shape = 2x2)
  func.func @program(%x: tensor<2xf32>) -> tensor<8xf32> attributes {llvm.emit_c_interface} {
    // Three elements over two devices: [2 i, 20 i, 2 i + 1].
    %gathered = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<2xf32> -> tensor<3xf32>
    // [2, 20, 4].
    %sum = shard.all_reduce %gathered on @g grid_axes = [0] : tensor<3xf32> -> tensor<3xf32>
    // Of the maxima [2, 20, 3] over four devices, one element each; the last has none.
    %most = shard.reduce_scatter %gathered on @g grid_axes = [0, 1] reduction = max scatter_axis = 0 : tensor<3xf32> -> tensor<1xf32>
    // From the other device of the row.
    %other = shard.shift %x on @g grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<2xf32> -> tensor<2xf32>
    // From the first device of the column.
    %first = shard.broadcast %x on @g grid_axes = [0] root = [0] : (tensor<2xf32>) -> tensor<2xf32>
    %all = tensor.concat dim(0) %sum, %most, %other, %first : (tensor<3xf32>, tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
    return %all : tensor<8xf32>
  }
}
