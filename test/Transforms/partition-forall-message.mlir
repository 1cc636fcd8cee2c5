// A loop in the body of a manual computation takes a window of what another device sent:
// the body is being rebuilt then.

// RUN: shard-run %s --verify | FileCheck %s
// CHECK: PASS

shard.grid @grid(shape = 3)
func.func @main(%a: tensor<3x5x2xf32>) -> tensor<3x5x2xf32> {
  %r = shard.manual_computation(%a) on @grid in = [<@grid, [[0], [], []]>] out = [<@grid, [[0], [], []]>] axes = [0] (%v: tensor<1x5x2xf32>) {
    %i = shard.process_multi_index on @grid axes = [0] : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %n = arith.addi %i, %c1 : index
    %to = arith.remui %n, %c3 : index
    %m = arith.addi %i, %c2 : index
    %from = arith.remui %m, %c3 : index
    %s = shard.send %v on @grid grid_axes = [0] destination = [%to] : (tensor<1x5x2xf32>, index) -> tensor<1x5x2xf32>
    %g = shard.recv %v on @grid grid_axes = [0] source = [%from] : (tensor<1x5x2xf32>, index) -> tensor<1x5x2xf32>
    %e = tensor.empty() : tensor<1x5x2xf32>
    %f = scf.forall (%k) = (0) to (2) step (1) shared_outs(%o = %e) -> (tensor<1x5x2xf32>) {
      %w = tensor.extract_slice %g[0, 0, %k] [1, 5, 1] [1, 1, 1] : tensor<1x5x2xf32> to tensor<1x5x1xf32>
      %x = math.exp %w : tensor<1x5x1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %x into %o[0, 0, %k] [1, 5, 1] [1, 1, 1] : tensor<1x5x1xf32> into tensor<1x5x2xf32>
      }
    }
    shard.return %f : tensor<1x5x2xf32>
  } : (tensor<3x5x2xf32>) -> tensor<3x5x2xf32>
  return %r : tensor<3x5x2xf32>
}
