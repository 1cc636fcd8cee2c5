// The function that runs may call itself: what it does for the host, scalars as tensors and
// variables with their initial values, is done once.
//
// RUN: shard-run %s --grid 2 --hint 'arg0=[[0]]' --verify --output %t.x.npy --output %t.count.npy | FileCheck %s
// CHECK: PASS
// RUN: od -An -t d4 -j 128 %t.count.npy | FileCheck %s --check-prefix=COUNT
// COUNT: {{^ *}}4{{$}}
//
// RUN: shard-opt %s --shard-wrap-scalars | FileCheck %s --check-prefix=WRAP
// WRAP: func.func private @main_called(%{{.*}}: tensor<8xf32>, %{{.*}}: f32) -> (tensor<8xf32>, i32)
// WRAP: call @main_called
// WRAP: func.func @main(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<f32>) -> (tensor<8xf32>, tensor<i32>)
// WRAP: call @main_called

ml_program.global private mutable @calls(dense<0> : tensor<i32>) : tensor<i32>

func.func @main(%x: tensor<8xf32>, %a: f32) -> (tensor<8xf32>, i32) {
  %one = arith.constant dense<1> : tensor<i32>
  %four = arith.constant 4 : i32
  %old = ml_program.global_load @calls : tensor<i32>
  %new = arith.addi %old, %one : tensor<i32>
  ml_program.global_store @calls = %new : tensor<i32>
  %calls = tensor.extract %new[] : tensor<i32>
  %ends = arith.cmpi sge, %calls, %four : i32
  %r:2 = scf.if %ends -> (tensor<8xf32>, i32) {
    scf.yield %x, %calls : tensor<8xf32>, i32
  } else {
    %s = tensor.splat %a : tensor<8xf32>
    %y = arith.addf %x, %s : tensor<8xf32>
    %b = arith.addf %a, %a : f32
    %q:2 = func.call @main(%y, %b) : (tensor<8xf32>, f32) -> (tensor<8xf32>, i32)
    scf.yield %q#0, %q#1 : tensor<8xf32>, i32
  }
  return %r#0, %r#1 : tensor<8xf32>, i32
}
