// A softmax over ten zeros and 200, with code for each level of x86-64 that the machine
// has: [0, ..., 0, 1], not NaN. The result is compared with that in the program.

// RUN: %if cpu-x86-64 %{ shard-run %s --cpu=x86-64 --output %t.npy %}
// RUN: %if cpu-x86-64 %{ %python %S/Inputs/all_zero.py %t.npy %}
// RUN: %if cpu-x86-64-v3 %{ shard-run %s --cpu=x86-64-v3 --output %t.npy %}
// RUN: %if cpu-x86-64-v3 %{ %python %S/Inputs/all_zero.py %t.npy %}
// RUN: %if cpu-x86-64-v4 %{ shard-run %s --cpu=x86-64-v4 --output %t.npy %}
// RUN: %if cpu-x86-64-v4 %{ %python %S/Inputs/all_zero.py %t.npy %}
// RUN: shard-run %s --grid 3 --output %t.npy --verify | FileCheck %s
// RUN: %python %S/Inputs/all_zero.py %t.npy
// CHECK: PASS

func.func @main() -> tensor<11xi32> {
  %logits = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 200.0]]>
      : tensor<1x11xf32>
  %e = tensor.empty() : tensor<1x11xf32>
  %s = linalg.softmax dimension(1) ins(%logits : tensor<1x11xf32>)
      outs(%e : tensor<1x11xf32>) -> tensor<1x11xf32>
  %expected = arith.constant dense<[[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]]>
      : tensor<1x11xf32>
  %wrong = arith.cmpf une, %s, %expected : tensor<1x11xf32>
  %flat = tensor.collapse_shape %wrong [[0, 1]] : tensor<1x11xi1> into tensor<11xi1>
  %number = arith.extui %flat : tensor<11xi1> to tensor<11xi32>
  return %number : tensor<11xi32>
}
