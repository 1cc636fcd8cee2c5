// One shared output goes into another one that is read before it is written.

// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 1)

func.func @main(%a: tensor<2x1x1xf32>, %b: tensor<2x1x1xf32>) -> tensor<2x1x1xf32> {
  %0:2 = scf.forall (%i) in (1) shared_outs(%x = %a, %y = %a)
      -> (tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b into %x[0, 0, %i] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x1xf32>
      tensor.parallel_insert_slice %x into %y[0, 0, %i] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x1xf32>
    }
  }
  return %0#1 : tensor<2x1x1xf32>
}
