// Ops on tensors in the body of a module take each other's results here. Nothing runs them,
// and MLIR's patterns do not end on them.
//
// RUN: not shard-opt %s --shard-spmd --shard-lower-to-llvm 2>&1 | FileCheck %s
// CHECK: error: 'math.exp' op is an op on tensors outside of a function, where nothing runs it; move it into one

"builtin.module"() ({
  "shard.grid"() <{shape = array<i64: 2>, sym_name = "grid"}> : () -> ()
  %1 = "shard.constraint"(%3) <{sharding = #shard.sharding<@grid, [[]]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "math.exp"(%1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "shard.constraint"(%2) <{sharding = #shard.sharding<@grid, [[]]>}> : (tensor<8xf32>) -> tensor<8xf32>
  "func.func"() <{arg_attrs = [{}], function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "outside"}> ({
  ^bb0(%arg0: tensor<8xf32>):
    "func.return"(%arg0) : (tensor<8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
