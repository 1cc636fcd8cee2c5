// Ops of dialects that are not registered stop no pass that need not know them, and one that
// has to tells so.
// RUN: shard-opt %s --allow-unregistered-dialect --shard-expand-narrow-floats | FileCheck %s
// RUN: shard-opt %s --allow-unregistered-dialect --shard-verify-spmd | FileCheck %s
// RUN: not shard-opt %s --allow-unregistered-dialect --shard-convert-to-llvm 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LLVM

// CHECK: "my.op"
// CHECK: "my.region"
// LLVM: error: 'shard.grid' has no lowering to LLVM here
shard.grid @g(shape = 2x2)
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "my.op"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "my.region"(%0) ({
  ^bb0(%q: tensor<8xf32>):
    %k = math.exp %q : tensor<8xf32>
    "my.yield"(%k) : (tensor<8xf32>) -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
