// What partition makes of ops of tensor and bufferization computes what the ops
// compute: dimensions split unevenly, in blocks that may be empty.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @expand(%a: tensor<6x8xf32>) -> tensor<2x3x8xf32> {
  %0 = tensor.expand_shape %a [[0,1],[2]] output_shape [2,3,8] : tensor<6x8xf32> into tensor<2x3x8xf32>
  return %0 : tensor<2x3x8xf32>
}

func.func private @expand3(%a: tensor<6x8xf32>) -> tensor<3x2x8xf32> {
  %0 = tensor.expand_shape %a [[0,1],[2]] output_shape [3,2,8] : tensor<6x8xf32> into tensor<3x2x8xf32>
  return %0 : tensor<3x2x8xf32>
}

func.func private @collapse(%a: tensor<3x2x4xf32>) -> tensor<6x4xf32> {
  %0 = tensor.collapse_shape %a [[0,1],[2]] : tensor<3x2x4xf32> into tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

func.func private @collapse_unit(%a: tensor<7x1x4xf32>) -> tensor<7x4xf32> {
  %0 = tensor.collapse_shape %a [[0,1],[2]] : tensor<7x1x4xf32> into tensor<7x4xf32>
  return %0 : tensor<7x4xf32>
}

func.func private @reshape(%a: tensor<12x5xf32>) -> tensor<3x4x5xf32> {
  %s = arith.constant dense<[3,4,5]> : tensor<3xi64>
  %0 = tensor.reshape %a(%s) : (tensor<12x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return %0 : tensor<3x4x5xf32>
}

func.func private @reshape2(%a: tensor<6x10xf32>) -> tensor<12x5xf32> {
  %s = arith.constant dense<[12,5]> : tensor<2xindex>
  %0 = tensor.reshape %a(%s) : (tensor<6x10xf32>, tensor<2xindex>) -> tensor<12x5xf32>
  return %0 : tensor<12x5xf32>
}

func.func private @cast(%a: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = tensor.cast %a : tensor<7x4xf32> to tensor<7x?xf32>
  %1 = tensor.cast %0 : tensor<7x?xf32> to tensor<7x4xf32>
  return %1 : tensor<7x4xf32>
}

func.func private @slice(%a: tensor<7x8x5xf32>) -> tensor<7x3xf32> {
  %0 = tensor.extract_slice %a[0,1,2][7,3,1][1,2,1] : tensor<7x8x5xf32> to tensor<7x3xf32>
  return %0 : tensor<7x3xf32>
}

func.func private @slice_unit(%a: tensor<7x1x5xf32>) -> tensor<7x5xf32> {
  %0 = tensor.extract_slice %a[0,0,0][7,1,5][1,1,1] : tensor<7x1x5xf32> to tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @insert_slice(%a: tensor<7x3xf32>, %b: tensor<7x8x5xf32>) -> tensor<7x8x5xf32> {
  %0 = tensor.insert_slice %a into %b[0,1,2][7,3,1][1,2,1] : tensor<7x3xf32> into tensor<7x8x5xf32>
  return %0 : tensor<7x8x5xf32>
}

func.func private @pad(%a: tensor<7x4xf32>) -> tensor<7x7xf32> {
  %c = arith.constant 1.5 : f32
  %0 = tensor.pad %a low[0,1] high[0,2] { ^bb0(%i: index, %j: index): tensor.yield %c : f32 } : tensor<7x4xf32> to tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

func.func private @pad_index(%a: tensor<7x4xf32>) -> tensor<7x7xf32> {
  %0 = tensor.pad %a low[0,1] high[0,2] { ^bb0(%i: index, %j: index): 
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32 } : tensor<7x4xf32> to tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

func.func private @concat(%a: tensor<7x4xf32>, %b: tensor<7x3xf32>) -> tensor<7x7xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<7x4xf32>, tensor<7x3xf32>) -> tensor<7x7xf32>
  return %0 : tensor<7x7xf32>
}

func.func private @generate(%t: tensor<11xf32>) -> tensor<7x5xf32> {
  %0 = tensor.generate { ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %e = tensor.extract %t[%s] : tensor<11xf32>
    tensor.yield %e : f32 } : tensor<7x5xf32>
  return %0 : tensor<7x5xf32>
}

func.func private @generate_dyn() -> tensor<6x5xf32> {
  %n = arith.constant 6 : index
  %0 = tensor.generate %n { ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    %k = arith.index_cast %s : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32 } : tensor<?x5xf32>
  %1 = tensor.cast %0 : tensor<?x5xf32> to tensor<6x5xf32>
  return %1 : tensor<6x5xf32>
}

func.func private @insert(%b: tensor<7x5xf32>) -> tensor<7x5xf32> {
  %x = arith.constant 2.5 : f32
  %i = arith.constant 6 : index
  %j = arith.constant 2 : index
  %0 = tensor.insert %x into %b[%i, %j] : tensor<7x5xf32>
  %1 = tensor.insert %x into %0[%j, %j] : tensor<7x5xf32>
  return %1 : tensor<7x5xf32>
}

func.func private @extract(%b: tensor<7x5xf32>) -> f32 {
  %i = arith.constant 6 : index
  %j = arith.constant 2 : index
  %0 = tensor.extract %b[%i, %j] : tensor<7x5xf32>
  return %0 : f32
}

func.func private @from_elements(%a: tensor<4xf32>) -> tensor<5xf32> {
  %x = arith.constant 2.5 : f32
  %i = arith.constant 2 : index
  %y = tensor.extract %a[%i] : tensor<4xf32>
  %0 = tensor.from_elements %x, %y, %x, %y, %y : tensor<5xf32>
  return %0 : tensor<5xf32>
}

func.func private @splat(%a: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %x = arith.constant 2.5 : f32
  %0 = tensor.splat %x : tensor<7x4xf32>
  %1 = arith.addf %0, %a : tensor<7x4xf32>
  return %1 : tensor<7x4xf32>
}

func.func private @dim(%a: tensor<7x4xf32>) -> tensor<2xindex> {
  %c = arith.constant 0 : index
  %r = tensor.rank %a : tensor<7x4xf32>
  %d = tensor.dim %a, %c : tensor<7x4xf32>
  %1 = tensor.from_elements %d, %r : tensor<2xindex>
  return %1 : tensor<2xindex>
}

func.func private @alloc(%a: tensor<7x4xf32>) -> tensor<7x4xf32> {
  %0 = bufferization.alloc_tensor() copy(%a) : tensor<7x4xf32>
  %1 = math.absf %0 : tensor<7x4xf32>
  %2 = bufferization.alloc_tensor() : tensor<7x4xf32>
  %3 = bufferization.materialize_in_destination %1 in %2 : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  return %3 : tensor<7x4xf32>
}

func.func @main(
    %expand_a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %expand3_a: tensor<6x8xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %collapse_a: tensor<3x2x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0], []]>},
    %collapse_unit_a: tensor<7x1x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %reshape_a: tensor<12x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %reshape2_a: tensor<6x10xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %cast_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %slice_a: tensor<7x8x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %slice_unit_a: tensor<7x1x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %insert_slice_a: tensor<7x3xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %insert_slice_b: tensor<7x8x5xf32>,
    %pad_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %pad_index_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %concat_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %concat_b: tensor<7x3xf32>,
    %generate_t: tensor<11xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %insert_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %extract_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %from_elements_a: tensor<4xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>},
    %splat_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %dim_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %alloc_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<2x3x8xf32>, tensor<3x2x8xf32>, tensor<6x4xf32>, tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<12x5xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<7x5xf32>, tensor<7x8x5xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x5xf32>, tensor<6x5xf32>, tensor<7x5xf32>, f32, tensor<5xf32>, tensor<7x4xf32>, tensor<2xindex>, tensor<7x4xf32>) {
  %expand_r = call @expand(%expand_a) : (tensor<6x8xf32>) -> tensor<2x3x8xf32>
  %expand3_r = call @expand3(%expand3_a) : (tensor<6x8xf32>) -> tensor<3x2x8xf32>
  %collapse_r = call @collapse(%collapse_a) : (tensor<3x2x4xf32>) -> tensor<6x4xf32>
  %collapse_unit_r = call @collapse_unit(%collapse_unit_a) : (tensor<7x1x4xf32>) -> tensor<7x4xf32>
  %reshape_r = call @reshape(%reshape_a) : (tensor<12x5xf32>) -> tensor<3x4x5xf32>
  %reshape2_r = call @reshape2(%reshape2_a) : (tensor<6x10xf32>) -> tensor<12x5xf32>
  %cast_r = call @cast(%cast_a) : (tensor<7x4xf32>) -> tensor<7x4xf32>
  %slice_r = call @slice(%slice_a) : (tensor<7x8x5xf32>) -> tensor<7x3xf32>
  %slice_unit_r = call @slice_unit(%slice_unit_a) : (tensor<7x1x5xf32>) -> tensor<7x5xf32>
  %insert_slice_r = call @insert_slice(%insert_slice_a, %insert_slice_b) : (tensor<7x3xf32>, tensor<7x8x5xf32>) -> tensor<7x8x5xf32>
  %pad_r = call @pad(%pad_a) : (tensor<7x4xf32>) -> tensor<7x7xf32>
  %pad_index_r = call @pad_index(%pad_index_a) : (tensor<7x4xf32>) -> tensor<7x7xf32>
  %concat_r = call @concat(%concat_a, %concat_b) : (tensor<7x4xf32>, tensor<7x3xf32>) -> tensor<7x7xf32>
  %generate_r = call @generate(%generate_t) : (tensor<11xf32>) -> tensor<7x5xf32>
  %generate_dyn_r = call @generate_dyn() : () -> tensor<6x5xf32>
  %insert_r = call @insert(%insert_b) : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %extract_r = call @extract(%extract_b) : (tensor<7x5xf32>) -> f32
  %from_elements_r = call @from_elements(%from_elements_a) : (tensor<4xf32>) -> tensor<5xf32>
  %splat_r = call @splat(%splat_a) : (tensor<7x4xf32>) -> tensor<7x4xf32>
  %dim_r = call @dim(%dim_a) : (tensor<7x4xf32>) -> tensor<2xindex>
  %alloc_r = call @alloc(%alloc_a) : (tensor<7x4xf32>) -> tensor<7x4xf32>
  return %expand_r, %expand3_r, %collapse_r, %collapse_unit_r, %reshape_r, %reshape2_r, %cast_r, %slice_r, %slice_unit_r, %insert_slice_r, %pad_r, %pad_index_r, %concat_r, %generate_r, %generate_dyn_r, %insert_r, %extract_r, %from_elements_r, %splat_r, %dim_r, %alloc_r
      : tensor<2x3x8xf32>, tensor<3x2x8xf32>, tensor<6x4xf32>, tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<12x5xf32>, tensor<7x4xf32>, tensor<7x3xf32>, tensor<7x5xf32>, tensor<7x8x5xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x5xf32>, tensor<6x5xf32>, tensor<7x5xf32>, f32, tensor<5xf32>, tensor<7x4xf32>, tensor<2xindex>, tensor<7x4xf32>
}
