// Blocks of 6x6x6 have the same halos on 8x8x8 as on 2x2x2 (run/heat-3d.mlir): what a
// device sends does not grow with the grid. Nothing is said of the padded tensor, of
// which no blocks are made.

// RUN: shard-opt %s --shard-spmd --verify-diagnostics | FileCheck %s --implicit-check-not=all_gather --implicit-check-not=shard.shift

// What the device that sends most sends: on 2x2x2 one face, edge or corner on one side of
// each dimension; from 4x4x4 on those on both sides, 2 * 36 elements of 4 bytes for each
// dimension of 7 points and 8^3 - 6^3 for 27 points, 100 times.
// RUN: sed -e 's/8x8x8)/2x2x2)/' -e 's/50x50x50/14x14x14/g' -e 's/48/12/g' %s | shard-opt --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=CORNER
// RUN: sed -e 's/8x8x8)/4x4x4)/' -e 's/50x50x50/26x26x26/g' -e 's/48/24/g' %s | shard-opt --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=INNER
// CORNER-COUNT-3: update_halo 0, 1, 2 100 1 14.1 KiB
// CORNER: update_halo 0, 1, 2 100 1 49.6 KiB
// INNER-COUNT-3: update_halo 0, 1, 2 100 1 28.1 KiB
// INNER: update_halo 0, 1, 2 100 1 115.6 KiB

// CHECK-LABEL: func.func @seven
// CHECK: scf.for
// CHECK-DAG: shard.update_halo {{.*}} halo_sizes = [1, 1, 0, 0, 0, 0] : tensor<8x6x6xf32>
// CHECK-DAG: shard.update_halo {{.*}} halo_sizes = [0, 0, 1, 1, 0, 0] : tensor<6x8x6xf32>
// CHECK-DAG: shard.update_halo {{.*}} halo_sizes = [0, 0, 0, 0, 1, 1] : tensor<6x6x8xf32>
// CHECK-NOT: update_halo
// CHECK-LABEL: func.func @twenty_seven
// CHECK: scf.for
// CHECK: shard.update_halo {{.*}} halo_sizes = [1, 1, 1, 1, 1, 1] : tensor<8x8x8xf32>
// CHECK-NOT: update_halo
// CHECK: return

shard.grid @g(shape = 8x8x8)
func.func @seven(%a: tensor<48x48x48xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) -> (tensor<48x48x48xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) {
  %zero = arith.constant 0.0 : f32
  %c = arith.constant dense<0.0625> : tensor<48x48x48xf32>
  %six = arith.constant dense<6.0> : tensor<48x48x48xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 100 : index
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%u = %a) -> tensor<48x48x48xf32> {
    %p = tensor.pad %u low[1, 1, 1] high[1, 1, 1] {
    ^bb0(%x: index, %y: index, %z: index):
      tensor.yield %zero : f32
    } : tensor<48x48x48xf32> to tensor<50x50x50xf32>
    %n0 = tensor.extract_slice %p[0, 1, 1] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %n1 = tensor.extract_slice %p[2, 1, 1] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %n2 = tensor.extract_slice %p[1, 0, 1] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %n3 = tensor.extract_slice %p[1, 2, 1] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %n4 = tensor.extract_slice %p[1, 1, 0] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %n5 = tensor.extract_slice %p[1, 1, 2] [48, 48, 48] [1, 1, 1] : tensor<50x50x50xf32> to tensor<48x48x48xf32>
    %s1 = arith.addf %n0, %n1 : tensor<48x48x48xf32>
    %s2 = arith.addf %s1, %n2 : tensor<48x48x48xf32>
    %s3 = arith.addf %s2, %n3 : tensor<48x48x48xf32>
    %s4 = arith.addf %s3, %n4 : tensor<48x48x48xf32>
    %s5 = arith.addf %s4, %n5 : tensor<48x48x48xf32>
    %d = arith.mulf %u, %six : tensor<48x48x48xf32>
    %l = arith.subf %s5, %d : tensor<48x48x48xf32>
    %k = arith.mulf %l, %c : tensor<48x48x48xf32>
    %v = arith.addf %u, %k : tensor<48x48x48xf32>
    scf.yield %v : tensor<48x48x48xf32>
  }
  return %r : tensor<48x48x48xf32>
}
func.func @twenty_seven(%a: tensor<48x48x48xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) -> (tensor<48x48x48xf32> {shard.sharding = #shard.sharding<@g, [[0], [1], [2]]>}) {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<[[[0.0078125, 0.015625, 0.0078125], [0.015625, 0.03125, 0.015625], [0.0078125, 0.015625, 0.0078125]],
                             [[0.015625, 0.03125, 0.015625], [0.03125, 0.5, 0.03125], [0.015625, 0.03125, 0.015625]],
                             [[0.0078125, 0.015625, 0.0078125], [0.015625, 0.03125, 0.015625], [0.0078125, 0.015625, 0.0078125]]]> : tensor<3x3x3xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %steps = arith.constant 100 : index
  %e = tensor.empty() : tensor<48x48x48xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<48x48x48xf32>) -> tensor<48x48x48xf32>
  %r = scf.for %i = %c0 to %steps step %c1 iter_args(%u = %a) -> tensor<48x48x48xf32> {
    %p = tensor.pad %u low[1, 1, 1] high[1, 1, 1] {
    ^bb0(%x: index, %y: index, %z: index):
      tensor.yield %zero : f32
    } : tensor<48x48x48xf32> to tensor<50x50x50xf32>
    %v = linalg.conv_3d ins(%p, %w : tensor<50x50x50xf32>, tensor<3x3x3xf32>) outs(%zeros : tensor<48x48x48xf32>) -> tensor<48x48x48xf32>
    scf.yield %v : tensor<48x48x48xf32>
  }
  return %r : tensor<48x48x48xf32>
}
