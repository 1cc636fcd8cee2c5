// Offsets, sizes and widths that are computed of constants count as constants: devices send
// halos, and nothing is gathered.
//
// RUN: shard-run %s --verify 2>/dev/null | FileCheck %s
// RUN: shard-run %s --verify --grid=2 2>/dev/null | FileCheck %s
// RUN: shard-run %s --verify --explain 2>&1 | FileCheck %s --check-prefix=WHY
// CHECK-NOT: all_gather
// CHECK: update_halo
// CHECK-NOT: all_gather
// CHECK: PASS
// WHY-NOT: cannot be split

shard.grid @grid(shape = 4)
func.func @main(%x: tensor<16x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>, tensor<12x8xf32>, tensor<16x8xf32>, tensor<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %z = arith.constant 0.0 : f32
  %sum = arith.addi %c1, %c1 : index
  %cast = arith.index_cast %one : i32 to index
  %product = arith.muli %sum, %sum : index
  %applied = affine.apply affine_map<(d0) -> (d0 * 2 + 1)>(%cast)
  %extent = tensor.dim %x, %c0 : tensor<16x8xf32>
  %half = arith.divsi %extent, %sum : index
  %a = tensor.extract_slice %x[%sum, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  %a2 = arith.addf %a, %a : tensor<8x8xf32>
  %b = tensor.extract_slice %x[%product, 0] [8, 8] [1, 1] : tensor<16x8xf32> to tensor<8x8xf32>
  %b2 = arith.addf %b, %b : tensor<8x8xf32>
  %c = tensor.extract_slice %x[%applied, 0] [%half, 8] [1, 1] : tensor<16x8xf32> to tensor<?x8xf32>
  %c2 = arith.addf %c, %c : tensor<?x8xf32>
  %d = tensor.extract_slice %x[%cast, 0] [12, 8] [1, 1] : tensor<16x8xf32> to tensor<12x8xf32>
  %d2 = arith.addf %d, %d : tensor<12x8xf32>
  %e = tensor.insert_slice %d into %x[%applied, 0] [12, 8] [1, 1] : tensor<12x8xf32> into tensor<16x8xf32>
  %f = tensor.pad %x low[%sum, 0] high[%sum, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<16x8xf32> to tensor<?x8xf32>
  %f2 = arith.addf %f, %f : tensor<?x8xf32>
  return %a2, %b2, %c2, %d2, %e, %f2 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<?x8xf32>, tensor<12x8xf32>, tensor<16x8xf32>, tensor<?x8xf32>
}
