// What an scf.forall has in another sharding than its result is split by is resharded behind it:
// that counts where regions around try other shardings.
// RUN: shard-opt %s --shard-spmd | FileCheck %s
// RUN: shard-run %s --verify | FileCheck %s --check-prefix=SAME
// SAME: PASS

// The sum of each row would be complete if rows were split, but then the result of the loop
// would have to be exchanged: an all_reduce of 16 numbers sends less.
shard.grid @grid(shape = 2)
// CHECK-LABEL: func.func @main(
// CHECK-NOT: shard.all_to_all
// CHECK: shard.all_reduce {{.*}} : tensor<16xf32>
// CHECK-NOT: shard.all_
func.func @main(%x: tensor<16x8xf32>, %w: tensor<8x12xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>})
    -> (tensor<16x12xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x12xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x12xf32>) -> tensor<16x12xf32>
  %t = scf.forall (%i) in (4) shared_outs(%o = %z) -> (tensor<16x12xf32>) {
    %at = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
    %xs = tensor.extract_slice %x[%at, 0] [4, 8] [1, 1] : tensor<16x8xf32> to tensor<4x8xf32>
    %os = tensor.extract_slice %o[%at, 0] [4, 12] [1, 1] : tensor<16x12xf32> to tensor<4x12xf32>
    %m = linalg.matmul ins(%xs, %w : tensor<4x8xf32>, tensor<8x12xf32>) outs(%os : tensor<4x12xf32>) -> tensor<4x12xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %m into %o[%at, 0] [4, 12] [1, 1] : tensor<4x12xf32> into tensor<16x12xf32>
    }
  }
  %s = math.tanh %t : tensor<16x12xf32>
  %none = arith.constant dense<0.0> : tensor<16xf32>
  %sums = linalg.reduce { arith.addf } ins(%s : tensor<16x12xf32>) outs(%none : tensor<16xf32>) dimensions = [1]
  return %s, %sums : tensor<16x12xf32>, tensor<16xf32>
}
