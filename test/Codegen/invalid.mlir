// RUN: shard-opt %s --shard-lower-to-llvm --split-input-file --verify-diagnostics

shard.grid @g(shape = 4)
// expected-error@+1 {{'func.func' op has the hint 'shard.sharding' on argument 0: the program is not partitioned; run shard-spmd, or sharding-propagation and shard-partition, first}}
func.func @argument(%a: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
// expected-error@+1 {{'func.func' op has the hint 'shard.sharding' on result 0: the program is not partitioned}}
func.func @result(%a: tensor<8xf32>) -> (tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) {
  return %a : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @annotation(%a: tensor<8xf32>) -> tensor<8xf32> {
  %s = shard.sharding @g split_axes = [[0]] : !shard.sharding
  // expected-error@+1 {{'shard.shard' op is left: the program is not partitioned}}
  %0 = shard.shard %a to %s : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shard.grid @g(shape = 4)
func.func @wish(%a: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{'shard.constraint' op is left: the program is not partitioned}}
  %0 = shard.constraint %a to <@g, [[0]]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Two functions that may be called from outside: which one makes the variable?
// expected-error@+1 {{is a variable of the program, which has 2 public functions: option 'entry' of the pipeline says which one makes the variables}}
ml_program.global private mutable @count(dense<0> : tensor<1xi64>) : tensor<1xi64>
func.func @f() -> tensor<1xi64> {
  %0 = ml_program.global_load @count : tensor<1xi64>
  return %0 : tensor<1xi64>
}
func.func @g() -> tensor<1xi64> {
  %0 = call @f() : () -> tensor<1xi64>
  return %0 : tensor<1xi64>
}

// -----

// expected-error@+1 {{has the name of the kernel that the lowering calls; rename it}}
func.func @shard_kernel_contract(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @softmax_of_integers(%a: tensor<6x16xi32>) -> tensor<6x16xi32> {
  %e = tensor.empty() : tensor<6x16xi32>
  // expected-error@+1 {{has elements that are not floating-point numbers; convert them first}}
  %0 = linalg.softmax dimension(1) ins(%a : tensor<6x16xi32>) outs(%e : tensor<6x16xi32>) -> tensor<6x16xi32>
  return %0 : tensor<6x16xi32>
}
