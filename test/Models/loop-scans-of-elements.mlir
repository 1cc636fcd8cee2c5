// A scan that is written as a loop over elements sends one all_reduce per iteration. The
// remark says what is split instead; loops that carry nothing of the elements have none.
//
// RUN: shard-opt %s --split-input-file --verify-diagnostics --shard-spmd -o /dev/null

shard.grid @g(shape = 4)

func.func @sum(%a: tensor<2x8xi32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%total = %zero, %out = %e) -> (i32, tensor<8xi32>) {
    // expected-remark @+1 {{'tensor.extract' reads one element of a tensor that is split along dimension 1, and sends it by an all_reduce each time: a loop takes one slice after another and carries what it computes of them}}
    %x = tensor.extract %a[%c1, %i] : tensor<2x8xi32>
    %next = arith.addi %total, %x : i32
    %o = tensor.insert %next into %out[%i] : tensor<8xi32>
    scf.yield %next, %o : i32, tensor<8xi32>
  }
  return %r#1 : tensor<8xi32>
}

// -----

shard.grid @g(shape = 4)

func.func @each(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8xi32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%out = %e) -> (tensor<8xi32>) {
    %x = tensor.extract %a[%i] : tensor<8xi32>
    %y = arith.muli %x, %x : i32
    %o = tensor.insert %y into %out[%i] : tensor<8xi32>
    scf.yield %o : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

shard.grid @g(shape = 4)

// An elimination makes all of the matrix anew in each iteration: it is no scan, and no remark advises one.
func.func @eliminate(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%m = %a) -> (tensor<8x5xf32>) {
    %pivot = tensor.extract %m[%k, %k] : tensor<8x5xf32>
    %all = tensor.splat %pivot : tensor<8x5xf32>
    %next = arith.divf %m, %all : tensor<8x5xf32>
    scf.yield %next : tensor<8x5xf32>
  }
  return %r : tensor<8x5xf32>
}
