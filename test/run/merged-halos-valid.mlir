// Two windows of a padded tensor are merged into one exchange: the one that reads all that
// its halos hold reads elements behind those that the other one may read.
// RUN: shard-run %s --halo-steps 3 --verify 2>&1 | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 4x2x2) axes ["x0", "x1", "x2"]
func.func @main(%x: tensor<22xi32>) -> (tensor<22xi32> {shard.sharding = #shard.sharding<@grid, [["x2", 1]]>}) {
    %c1_i32 = arith.constant 1 : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    cf.br ^bb1(%c0, %x : index, tensor<22xi32>)
  ^bb1(%8: index, %9: tensor<22xi32>):
    %10 = arith.cmpi ult, %8, %c2 : index
    cf.cond_br %10, ^bb2, ^bb3(%9 : tensor<22xi32>)
  ^bb2:
    %14 = scf.for %arg3 = %c0 to %c4 step %c1 iter_args(%arg4 = %9) -> (tensor<22xi32>) {
      %p = tensor.pad %arg4 low[0] high[2] {
      ^bb0(%arg5: index):
        tensor.yield %c1_i32 : i32
      } : tensor<22xi32> to tensor<24xi32>
      %a = tensor.extract_slice %p[0] [22] [1] : tensor<24xi32> to tensor<22xi32>
      %b = tensor.extract_slice %p[2] [22] [1] : tensor<24xi32> to tensor<22xi32>
      %17 = arith.addi %a, %b : tensor<22xi32>
      %e = tensor.extract_slice %p[0] [22] [1] : tensor<24xi32> to tensor<22xi32>
      %18 = arith.addi %17, %e {shard.loops = #shard.sharding<@grid, [[0]]>} : tensor<22xi32>
      %f = tensor.extract_slice %p[2] [22] [1] : tensor<24xi32> to tensor<22xi32>
      %19 = arith.addi %18, %f : tensor<22xi32>
      scf.yield %19 : tensor<22xi32>
    }
    %15 = arith.addi %8, %c1 : index
    cf.br ^bb1(%15, %14 : index, tensor<22xi32>)
  ^bb3(%16: tensor<22xi32>):
    return %16 : tensor<22xi32>
}
