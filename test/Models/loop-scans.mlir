// A scan that is written as a loop over slices gathers what it goes along. The remark says
// what is split instead; of loops that carry nothing of the slices it does not.
//
// RUN: shard-opt %s --split-input-file --verify-diagnostics --sharding-propagation -o /dev/null

shard.grid @g(shape = 4)

func.func @sum(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant dense<0> : tensor<1xi32>
  %e = tensor.empty() : tensor<8xi32>
  %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%total = %zero, %out = %e) -> (tensor<1xi32>, tensor<8xi32>) {
    // expected-remark-re @+1 {{'tensor.extract_slice' cannot be split along dimension 0 of operand 0, which is gathered over axis 0 (the hint #shard.sharding<@g, {{\[\[}}0]]> at {{[^ ]+}}): a loop takes one slice after another}}
    %x = tensor.extract_slice %a[%i] [1] [1] : tensor<8xi32> to tensor<1xi32>
    %next = arith.addi %total, %x : tensor<1xi32>
    %o = tensor.insert_slice %next into %out[%i] [1] [1] : tensor<1xi32> into tensor<8xi32>
    scf.yield %next, %o : tensor<1xi32>, tensor<8xi32>
  }
  return %r#1 : tensor<8xi32>
}

// -----

shard.grid @g(shape = 4)

// Rows backward, the place computed from the counter, the maximum by a linalg op. Nothing else
// can be split evenly.
func.func @maximum(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %low = arith.constant dense<-1.0> : tensor<5xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%most = %low) -> (tensor<5xf32>) {
    %row = arith.subi %c7, %i : index
    // expected-remark @+1 {{: a loop takes one slice after another and carries what it computes of them. As one op that is split: a reduction as linalg.reduce, a scan as linalg.generic with a window as long as the dimension, over a tensor.pad of neutral elements. Or split another dimension}}
    %x = tensor.extract_slice %a[%row, 0] [1, 5] [1, 1] : tensor<8x5xf32> to tensor<5xf32>
    %e = tensor.empty() : tensor<5xf32>
    %next = linalg.max ins(%most, %x : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
    scf.yield %next : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// -----

shard.grid @g(shape = 4)

// Each slice by itself: the results stand beside one another in what the loop carries.
func.func @each(%a: tensor<8x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> tensor<8x5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %out = tensor.empty() : tensor<8x5xf32>
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%all = %out) -> (tensor<8x5xf32>) {
    // expected-remark-re @+1 {{dimension 0 of operand 0, which is gathered over axis 0 (the hint #shard.sharding<@g, {{\[\[}}0], []]> at {{[^ ]+:[0-9]+:[0-9]+}}){{$}}}}
    %x = tensor.extract_slice %a[%i, 0] [1, 5] [1, 1] : tensor<8x5xf32> to tensor<1x5xf32>
    %e = tensor.empty() : tensor<1x5xf32>
    %y = linalg.exp ins(%x : tensor<1x5xf32>) outs(%e : tensor<1x5xf32>) -> tensor<1x5xf32>
    %o = tensor.insert_slice %y into %all[%i, 0] [1, 5] [1, 1] : tensor<1x5xf32> into tensor<8x5xf32>
    scf.yield %o : tensor<8x5xf32>
  }
  return %r : tensor<8x5xf32>
}
