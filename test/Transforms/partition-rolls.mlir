// Tensors that are rolled, joined and inserted at other places: shifts and halos
// between devices, and no gather.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s --implicit-check-not=all_gather --implicit-check-not=all_to_all

shard.grid @g(shape = 4)
shard.grid @plane(shape = 2x4)

// A pipeline: one stage on each device hands its element to the next one, all of them
// at once, in each step.
// CHECK-LABEL: func.func @pipeline
// CHECK: scf.for
// CHECK: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<1x8xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @pipeline(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %r = scf.for %i = %c0 to %c6 step %c1 iter_args(%u = %x) -> tensor<4x8xf32> {
    %a = tensor.extract_slice %u[3, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<1x8xf32>
    %b = tensor.extract_slice %u[0, 0] [3, 8] [1, 1] : tensor<4x8xf32> to tensor<3x8xf32>
    %c = tensor.concat dim(0) %a, %b : (tensor<1x8xf32>, tensor<3x8xf32>) -> tensor<4x8xf32>
    %y = math.tanh %c : tensor<4x8xf32>
    scf.yield %y : tensor<4x8xf32>
  }
  return %r : tensor<4x8xf32>
}

// By two stages: the blocks go two devices further, not through those between.
// CHECK-LABEL: func.func @by_two
// CHECK: shard.shift %arg0 on @g grid_axes = [0] shift_axis = 0 offset = {{-?}}2 rotate : tensor<1x8xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @by_two(%x: tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<4x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %a = tensor.extract_slice %x[2, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %b = tensor.extract_slice %x[0, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %c : tensor<4x8xf32>
}

// Less than a block: three rows of each block move, and both slices read them from the
// one shift.
// CHECK-LABEL: func.func @by_rows
// CHECK: shard.shift %{{.*}} on @plane grid_axes = [1] shift_axis = 1 offset = 1 rotate : tensor<3x4xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @by_rows(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@plane, [[1], [0]]>}) -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@plane, [[1], [0]]>}) {
  %a = tensor.extract_slice %x[13, 0] [3, 8] [1, 1] : tensor<16x8xf32> to tensor<3x8xf32>
  %b = tensor.extract_slice %x[0, 0] [13, 8] [1, 1] : tensor<16x8xf32> to tensor<13x8xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<3x8xf32>, tensor<13x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// A row in front: the others move by one.
// CHECK-LABEL: func.func @prepend
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [1, 0] : tensor<5x8xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @prepend(%row: tensor<1x8xf32>, %x: tensor<15x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %c = tensor.concat dim(0) %row, %x : (tensor<1x8xf32>, tensor<15x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// A slice that is moved by one row within a tensor.
// CHECK-LABEL: func.func @insert
// CHECK: shard.update_halo %{{.*}} on @g split_axes = {{\[\[}}0]] halo_sizes = [1, 0] : tensor<5x8xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @insert(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                  %y: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s = tensor.extract_slice %x[3, 0] [9, 8] [1, 1] : tensor<16x8xf32> to tensor<9x8xf32>
  %c = tensor.insert_slice %s into %y[4, 0] [9, 8] [1, 1] : tensor<9x8xf32> into tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}

// CHECK-LABEL: func.func @tosa
// CHECK: shard.shift %{{.*}} rotate : tensor<2x8xf32>
// CHECK-NOT: {{shard.shift|update_halo}}
// CHECK: return
func.func @tosa(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<16x8xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %s0 = tosa.const_shape {values = dense<[2, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n0 = tosa.const_shape {values = dense<[14, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s1 = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n1 = tosa.const_shape {values = dense<[2, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.slice %x, %s0, %n0 : (tensor<16x8xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<14x8xf32>
  %b = tosa.slice %x, %s1, %n1 : (tensor<16x8xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x8xf32>
  %c = tosa.concat %a, %b {axis = 0 : i32} : (tensor<14x8xf32>, tensor<2x8xf32>) -> tensor<16x8xf32>
  return %c : tensor<16x8xf32>
}
