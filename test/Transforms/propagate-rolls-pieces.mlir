// A roll in more pieces than two, as code that counts its stages by hand writes it, is one
// shift, too; so is a roll by ops of tosa.

// RUN: shard-opt %s --shard-spmd 2>/dev/null | FileCheck %s
// RUN: shard-opt %s --sharding-propagation 2>/dev/null | FileCheck %s --check-prefix=LAYOUT
// RUN: shard-run %s --verify --entry three | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry stages | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry tosa | FileCheck %s --check-prefix=VERIFY
// RUN: shard-run %s --verify --entry not_rotated | FileCheck %s --check-prefix=VERIFY
// VERIFY: PASS

shard.grid @g(shape = 4)

// LAYOUT-LABEL: func.func @three
// LAYOUT: -> (tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, {{\[\[}}0], []]>})
// CHECK-LABEL: func.func @three
// CHECK: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<2x4xf32>
// CHECK-NOT: {{shard.shift|all_|update_halo|permute|redistribute}}
// CHECK: return
func.func @three(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x4xf32> {
  %a = tensor.extract_slice %x[6, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %b = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %c = tensor.extract_slice %x[3, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %d = tensor.concat dim(0) %a, %b, %c : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// One slice for each stage, after an op that only knows the argument's layout.
// CHECK-LABEL: func.func @stages
// CHECK: math.exp
// CHECK: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<1x4xf32>
// CHECK-NOT: {{shard.shift|all_|update_halo|permute|redistribute}}
// CHECK: return
func.func @stages(%x: tensor<4x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<4x4xf32> {
  %e = math.exp %x : tensor<4x4xf32>
  %a = tensor.extract_slice %e[3, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %e[0, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %c = tensor.extract_slice %e[1, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %d = tensor.extract_slice %e[2, 0] [1, 4] [1, 1] : tensor<4x4xf32> to tensor<1x4xf32>
  %r = tensor.concat dim(0) %a, %b, %c, %d : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @tosa
// CHECK: shard.shift %{{.*}} on @g grid_axes = [0] shift_axis = 0 offset = {{.*}} rotate : tensor<2x4xf32>
// CHECK-NOT: {{shard.shift|all_|update_halo|permute|redistribute}}
// CHECK: return
func.func @tosa(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x4xf32> {
  %s0 = tosa.const_shape {values = dense<[2, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n0 = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s1 = tosa.const_shape {values = dense<[5, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n1 = tosa.const_shape {values = dense<[3, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %s2 = tosa.const_shape {values = dense<[0, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %n2 = tosa.const_shape {values = dense<[2, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %a = tosa.slice %x, %s0, %n0 : (tensor<8x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x4xf32>
  %b = tosa.slice %x, %s1, %n1 : (tensor<8x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<3x4xf32>
  %c = tosa.slice %x, %s2, %n2 : (tensor<8x4xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xf32>
  %d = tosa.concat %a, %b, %c {axis = 0 : i32} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}

// The same pieces in another order are no rotation: the result has no layout of its own.
// LAYOUT-LABEL: func.func @not_rotated
// LAYOUT: -> tensor<8x4xf32>
func.func @not_rotated(%x: tensor<8x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x4xf32> {
  %a = tensor.extract_slice %x[6, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
  %b = tensor.extract_slice %x[3, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %c = tensor.extract_slice %x[0, 0] [3, 4] [1, 1] : tensor<8x4xf32> to tensor<3x4xf32>
  %d = tensor.concat dim(0) %a, %b, %c : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  return %d : tensor<8x4xf32>
}
