// A result of scf.index_switch that is a constant in one case, passed to a function
// that overwrites its argument: the constant must not be written.
//
// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  shard.grid @grid(shape = 3x2x2) axes ["x0", "x1", "x2"]
  func.func private @two(%arg0: tensor<4x8xindex>, %arg1: tensor<4xi32>) -> (tensor<4x8xindex>, tensor<4x8xindex>, tensor<4x8xindex>) {
    %0 = tensor.empty() : tensor<4x8xindex>
    %1:2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x8xindex>) outs(%arg0, %0 : tensor<4x8xindex>, tensor<4x8xindex>) {
    ^bb0(%in: index, %out: index, %out_0: index):
      %2 = linalg.index 1 : index
      %3 = arith.minsi %out, %2 : index
      %4 = arith.addi %3, %in : index
      %5 = linalg.index 1 : index
      %6 = arith.divsi %in, %5 : index
      linalg.yield %4, %6 : index, index
    } -> (tensor<4x8xindex>, tensor<4x8xindex>)
    return %1#1, %1#1, %1#1 : tensor<4x8xindex>, tensor<4x8xindex>, tensor<4x8xindex>
  }
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<7x2x4xindex>, %arg2: tensor<2x4x4x3xf32>, %arg3: tensor<1x2x3x2xf32>, %arg4: tensor<4x8xindex>, %arg5: tensor<4xi32>, %arg6: i32, %arg7: tensor<3x8x12xi32>, %arg8: i32, %arg9: tensor<4x8xindex>, %arg10: tensor<4x8xindex>) -> (tensor<4x8xindex>) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %6 = arith.remui %c0, %c3 : index
    %7:2 = scf.index_switch %6 -> tensor<4x8xindex>, tensor<4x8xindex> 
    case 0 {
      %cst_2 = arith.constant dense<[[3, 0, 0, -1, 0, -1, 0, 1], [2, -3, -3, 2, 3, -1, -3, 2], [3, -2, -1, 1, -3, 1, -2, -1], [1, -1, -2, -1, 3, -2, -3, -3]]> : tensor<4x8xindex>
      scf.yield %cst_2, %arg4 : tensor<4x8xindex>, tensor<4x8xindex>
    }
    case 1 {
      scf.yield %arg4, %arg4 : tensor<4x8xindex>, tensor<4x8xindex>
    }
    default {
      scf.yield %arg10, %arg9 : tensor<4x8xindex>, tensor<4x8xindex>
    }
    %8:3 = call @two(%7#0, %arg5) : (tensor<4x8xindex>, tensor<4xi32>) -> (tensor<4x8xindex>, tensor<4x8xindex>, tensor<4x8xindex>)
    return %8#0 : tensor<4x8xindex>
  }
}

