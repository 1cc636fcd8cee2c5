// Every op of tensor. Indices are random, in range or not: what is out of range is
// read at the nearest place and not written.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t6x2x5xf32: tensor<6x2x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t12x5xf32: tensor<12x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x3xf32: tensor<7x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t2x5xf32: tensor<2x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %index: index,
    %index_b: index,
    %f32: f32,
    %t3x5xf32: tensor<3x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t5xf32: tensor<5xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %f32_b: f32,
    %t3x4x1xindex: tensor<3x4x1xindex> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t6x1xi32: tensor<6x1xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t6x2xi32: tensor<6x2xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x4x1x5xf32: tensor<3x4x1x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], [], []]>},
    %t3x4x5xf32: tensor<3x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t6x7x1xf32: tensor<6x7x1xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t6xf32: tensor<6xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %t6x4xf32: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t2xindex: tensor<2xindex> {shard.sharding = #shard.sharding<@grid, [[0]]>})
    -> (tensor<7x5xi32>, tensor<7x5xf32>, tensor<12x5xf32>, tensor<6x2x5xf32>,
        tensor<7x8xf32>, tensor<9x5xf32>, index, index, index, index, tensor<7x5xf32>,
        f32, tensor<7x5xf32>, tensor<3x5xf32>, tensor<5xf32>, tensor<3x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<3x4x1x5xf32>, tensor<3x4x5xf32>, tensor<6x7x1xf32>,
        tensor<6xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>, tensor<10x5xf32>,
        tensor<7x8xf32>, tensor<2x3x4xf32>, tensor<8x3xf32>) {
  %bitcast = tensor.bitcast %t7x5xf32 : tensor<7x5xf32> to tensor<7x5xi32>
  %cast_c = tensor.cast %t7x5xf32 : tensor<7x5xf32> to tensor<?x5xf32>
  %cast_d = math.exp %cast_c : tensor<?x5xf32>
  %cast = tensor.cast %cast_d : tensor<?x5xf32> to tensor<7x5xf32>
  %collapse = tensor.collapse_shape %t6x2x5xf32 [[0,1],[2]] : tensor<6x2x5xf32> into tensor<12x5xf32>
  %expand = tensor.expand_shape %t12x5xf32 [[0,1],[2]] output_shape [6,2,5] : tensor<12x5xf32> into tensor<6x2x5xf32>
  %concat = tensor.concat dim(1) %t7x5xf32, %t7x3xf32 : (tensor<7x5xf32>, tensor<7x3xf32>) -> tensor<7x8xf32>
  %concat0 = tensor.concat dim(0) %t7x5xf32, %t2x5xf32 : (tensor<7x5xf32>, tensor<2x5xf32>) -> tensor<9x5xf32>
  %dim_c0 = arith.constant 0 : index
  %dim_c1 = arith.constant 1 : index
  %dim_r0 = tensor.dim %t7x5xf32, %dim_c0 : tensor<7x5xf32>
  %dim_r1 = tensor.dim %t7x5xf32, %dim_c1 : tensor<7x5xf32>
  %dim_dynamic_index = tensor.dim %t7x5xf32, %index : tensor<7x5xf32>
  %rank = tensor.rank %t7x5xf32 : tensor<7x5xf32>
  %empty_e = tensor.empty() : tensor<7x5xf32>
  %empty = linalg.copy ins(%t7x5xf32 : tensor<7x5xf32>) outs(%empty_e : tensor<7x5xf32>) -> tensor<7x5xf32>
  %extract = tensor.extract %t7x5xf32[%index, %index_b] : tensor<7x5xf32>
  %insert = tensor.insert %f32 into %t7x5xf32[%index, %index_b] : tensor<7x5xf32>
  %extract_slice = tensor.extract_slice %t7x5xf32[1, 0] [3, 5] [2, 1] : tensor<7x5xf32> to tensor<3x5xf32>
  %extract_slice_rr = tensor.extract_slice %t7x5xf32[2, 0] [1, 5] [1, 1] : tensor<7x5xf32> to tensor<5xf32>
  %extract_slice_dyn_c3 = arith.constant 3 : index
  %extract_slice_dyn_o = arith.remui %index, %extract_slice_dyn_c3 : index
  %extract_slice_dyn = tensor.extract_slice %t7x5xf32[%extract_slice_dyn_o, 0] [3, 5] [2, 1] : tensor<7x5xf32> to tensor<3x5xf32>
  %insert_slice = tensor.insert_slice %t3x5xf32 into %t7x5xf32[1, 0] [3, 5] [2, 1] : tensor<3x5xf32> into tensor<7x5xf32>
  %insert_slice_rr = tensor.insert_slice %t5xf32 into %t7x5xf32[1, 0] [1, 5] [1, 1] : tensor<5xf32> into tensor<7x5xf32>
  %insert_slice_dyn_c3 = arith.constant 3 : index
  %insert_slice_dyn_o = arith.remui %index, %insert_slice_dyn_c3 : index
  %insert_slice_dyn = tensor.insert_slice %t3x5xf32 into %t7x5xf32[%insert_slice_dyn_o, 0] [3, 5] [2, 1] : tensor<3x5xf32> into tensor<7x5xf32>
  %from_elements_e = tensor.from_elements %f32, %f32_b, %f32, %f32_b, %f32_b : tensor<5xf32>
  %from_elements = linalg.broadcast ins(%from_elements_e : tensor<5xf32>) outs(%t7x5xf32 : tensor<7x5xf32>) dimensions = [0]
  %splat_e = tensor.splat %f32 : tensor<7x5xf32>
  %splat = arith.addf %t7x5xf32, %splat_e : tensor<7x5xf32>
  %gather0 = tensor.gather %t7x5xf32[%t3x4x1xindex] gather_dims([0]) : (tensor<7x5xf32>, tensor<3x4x1xindex>) -> tensor<3x4x1x5xf32>
  %gather0r = tensor.gather %t7x5xf32[%t3x4x1xindex] gather_dims([0]) : (tensor<7x5xf32>, tensor<3x4x1xindex>) -> tensor<3x4x5xf32>
  %gather1 = tensor.gather %t7x5xf32[%t6x1xi32] gather_dims([1]) : (tensor<7x5xf32>, tensor<6x1xi32>) -> tensor<6x7x1xf32>
  %gather01 = tensor.gather %t7x5xf32[%t6x2xi32] gather_dims([0,1]) : (tensor<7x5xf32>, tensor<6x2xi32>) -> tensor<6xf32>
  %scatter0 = tensor.scatter %t3x4x1x5xf32 into %t7x5xf32[%t3x4x1xindex] scatter_dims([0]) unique : (tensor<3x4x1x5xf32>, tensor<7x5xf32>, tensor<3x4x1xindex>) -> tensor<7x5xf32>
  %scatter0r = tensor.scatter %t3x4x5xf32 into %t7x5xf32[%t3x4x1xindex] scatter_dims([0]) unique : (tensor<3x4x5xf32>, tensor<7x5xf32>, tensor<3x4x1xindex>) -> tensor<7x5xf32>
  %scatter1 = tensor.scatter %t6x7x1xf32 into %t7x5xf32[%t6x1xi32] scatter_dims([1]) unique : (tensor<6x7x1xf32>, tensor<7x5xf32>, tensor<6x1xi32>) -> tensor<7x5xf32>
  %scatter01 = tensor.scatter %t6xf32 into %t7x5xf32[%t6x2xi32] scatter_dims([0,1]) unique : (tensor<6xf32>, tensor<7x5xf32>, tensor<6x2xi32>) -> tensor<7x5xf32>
  %generate = tensor.generate {
  ^bb0(%generate_i: index, %generate_j: index):
    %generate_e = tensor.extract %t7x5xf32[%generate_i, %generate_j] : tensor<7x5xf32>
    %generate_s = arith.muli %generate_i, %generate_j : index
    %generate_k = arith.index_cast %generate_s : index to i32
    %generate_f = arith.sitofp %generate_k : i32 to f32
    %generate_x = arith.addf %generate_e, %generate_f : f32
    tensor.yield %generate_x : f32 } : tensor<7x5xf32>
  %pad = tensor.pad %t7x5xf32 low[0, 1] high[0, 2] {
  ^bb0(%pad_i: index, %pad_j: index):
    tensor.yield %f32 : f32 } : tensor<7x5xf32> to tensor<7x8xf32>
  %pad0 = tensor.pad %t7x5xf32 low[2, 0] high[1, 0] {
  ^bb0(%pad0_i: index, %pad0_j: index):
    tensor.yield %f32 : f32 } : tensor<7x5xf32> to tensor<10x5xf32>
  %pad_index = tensor.pad %t7x5xf32 low[0, 1] high[0, 2] {
  ^bb0(%pad_index_i: index, %pad_index_j: index):
    %pad_index_s = arith.addi %pad_index_i, %pad_index_j : index
    %pad_index_k = arith.index_cast %pad_index_s : index to i32
    %pad_index_f = arith.sitofp %pad_index_k : i32 to f32
    tensor.yield %pad_index_f : f32 } : tensor<7x5xf32> to tensor<7x8xf32>
  %reshape_s = arith.constant dense<[2,3,4]> : tensor<3xindex>
  %reshape = tensor.reshape %t6x4xf32(%reshape_s) : (tensor<6x4xf32>, tensor<3xindex>) -> tensor<2x3x4xf32>
  %reshape_dyn_s = arith.constant dense<[8,3]> : tensor<2xindex>
  %reshape_dyn_d = tensor.reshape %t6x4xf32(%reshape_dyn_s) : (tensor<6x4xf32>, tensor<2xindex>) -> tensor<?x3xf32>
  %reshape_dyn_e = math.exp %reshape_dyn_d : tensor<?x3xf32>
  %reshape_dyn = tensor.cast %reshape_dyn_e : tensor<?x3xf32> to tensor<8x3xf32>
  return %bitcast, %cast, %collapse, %expand, %concat, %concat0, %dim_r0, %dim_r1,
      %dim_dynamic_index, %rank, %empty, %extract, %insert, %extract_slice,
      %extract_slice_rr, %extract_slice_dyn, %insert_slice, %insert_slice_rr,
      %insert_slice_dyn, %from_elements, %splat, %gather0, %gather0r, %gather1,
      %gather01, %scatter0, %scatter0r, %scatter1, %scatter01, %generate, %pad, %pad0,
      %pad_index, %reshape, %reshape_dyn :
      tensor<7x5xi32>, tensor<7x5xf32>, tensor<12x5xf32>, tensor<6x2x5xf32>,
      tensor<7x8xf32>, tensor<9x5xf32>, index, index, index, index, tensor<7x5xf32>,
      f32, tensor<7x5xf32>, tensor<3x5xf32>, tensor<5xf32>, tensor<3x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<3x4x1x5xf32>, tensor<3x4x5xf32>, tensor<6x7x1xf32>,
      tensor<6xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x8xf32>, tensor<10x5xf32>,
      tensor<7x8xf32>, tensor<2x3x4xf32>, tensor<8x3xf32>
}
