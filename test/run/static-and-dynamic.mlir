// Dimensions that are static in one tensor and dynamic in another are split in equal
// parts: by casts, and by ops of linalg between the two. A static extent that the
// axis does not divide takes the part of the axis that does.

// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --entry=casts --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry=parts --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry=hinted_blocks --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry=digits --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry=more_parts_than_elements --verify | FileCheck %s --check-prefix=PASS

// PASS: {{^}}PASS

shard.grid @grid(shape = 2x2)

// CHECK-LABEL: func.func @casts
// CHECK-NOT: all_gather
// CHECK: tensor.cast %{{.*}} : tensor<4x8xf32> to tensor<?x8xf32>
// CHECK: math.absf %{{.*}} : tensor<?x8xf32>
// CHECK: tensor.cast %{{.*}} : tensor<?x8xf32> to tensor<4x8xf32>
// CHECK-NOT: all_gather
func.func @casts(%a: tensor<8x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}) -> tensor<8x16xf32> {
  %c = tensor.cast %a : tensor<8x16xf32> to tensor<?x16xf32>
  %e = math.absf %c : tensor<?x16xf32>
  %d = tensor.cast %e : tensor<?x16xf32> to tensor<8x16xf32>
  return %d : tensor<8x16xf32>
}

// CHECK-LABEL: func.func @mixed
// CHECK-NOT: all_gather
// CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<{{4|\?}}x8xf32>, tensor<4x8xf32>) outs(%{{.*}} : tensor<4x8xf32>)
// CHECK-NOT: all_gather
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @mixed(%a: tensor<?x16xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>}, %b: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %sum = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<?x16xf32>, tensor<8x16xf32>) outs(%b : tensor<8x16xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x16xf32>
  return %sum : tensor<8x16xf32>
}

shard.grid @six(shape = 6)

// Three of the six parts of @six fit 9 rows evenly.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: tensor<3x4xf32>
// CHECK: tensor.cast %{{.*}} : tensor<3x2x4xf32> to tensor<?x2x4xf32>
func.func @parts(%a: tensor<18x4xf32> {shard.sharding = #shard.sharding<@six, [[0], []]>}) -> tensor<9x2x4xf32> {
  %r = tensor.expand_shape %a [[0, 1], [2]] output_shape [9, 2, 4] : tensor<18x4xf32> into tensor<9x2x4xf32>
  %c = tensor.cast %r : tensor<9x2x4xf32> to tensor<?x2x4xf32>
  %e = math.absf %c : tensor<?x2x4xf32>
  %d = tensor.cast %e : tensor<?x2x4xf32> to tensor<9x2x4xf32>
  return %d : tensor<9x2x4xf32>
}

// A hint that splits 9 rows into 2 2 2 2 1 0 keeps them, so the cast gets all rows.
// CHECK-LABEL: func.func @hinted_blocks
// CHECK-SAME: tensor<2x4xf32>
// CHECK-NEXT: shard.all_gather
// CHECK-NEXT: tensor.cast %{{.*}} : tensor<9x4xf32> to tensor<?x4xf32>
func.func @hinted_blocks(%a: tensor<9x4xf32> {shard.sharding = #shard.sharding<@six, [[0], []]>}) -> tensor<9x4xf32> {
  %c = tensor.cast %a : tensor<9x4xf32> to tensor<?x4xf32>
  %e = math.absf %c : tensor<?x4xf32>
  %d = tensor.cast %e : tensor<?x4xf32> to tensor<9x4xf32>
  return %d : tensor<9x4xf32>
}

// The factor 2 of the axis goes to the major digit.
// CHECK-LABEL: func.func @digits
// CHECK: shard.all_gather %{{.*}} on @[[GRID:.*]] grid_axes = [1] gather_axis = 0 : tensor<2x8xf32> -> tensor<6x8xf32>
// CHECK: tensor.expand_shape %{{.*}} output_shape [2, 3, 8]
func.func @digits(%a: tensor<12x8xf32> {shard.sharding = #shard.sharding<@six, [[0], []]>}) -> tensor<4x3x8xf32> {
  %r = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 3, 8] : tensor<12x8xf32> into tensor<4x3x8xf32>
  %e = math.absf %r : tensor<4x3x8xf32>
  return %e : tensor<4x3x8xf32>
}

shard.grid @wide(shape = 4x4)

// CHECK-LABEL: func.func @more_parts_than_elements
// CHECK: math.absf %{{.*}} : tensor<1x8xf32>
func.func @more_parts_than_elements(%a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@wide, [[0, 1], []]>}) -> tensor<8x8xf32> {
  %e = math.absf %a : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}
