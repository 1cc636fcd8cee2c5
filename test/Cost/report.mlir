// RUN: shard-opt %s --shard-report -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-opt %s --shard-report=json -o /dev/null 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: shard-opt %s --shard-report=machine=h100 -o /dev/null 2>&1 | FileCheck %s --check-prefix=H100
// RUN: not shard-opt %s --shard-report=machine=abacus -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// Before and after propagation, and after partition, the report is the same but for
// the order of equal rows.
// RUN: shard-opt %s --sharding-propagation | shard-opt --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: shard-opt %s --shard-spmd | shard-opt --shard-report -o /dev/null 2>&1 | FileCheck %s --check-prefix=SAME

// UNKNOWN: error: shard-report: no machine is called 'abacus'; known ones are generic, a100, h100, tpu-v4

// H100: machine h100

shard.grid @g(shape = 4) axes ["model"] {shard.machine = {name = "a100", link_bandwidth = 1.0e9, link_latency = 0.0}}

// CHECK-LABEL: program product, predicted for one device
// CHECK-NEXT: grid @g 4
// CHECK-NEXT: machine a100
// A sum of 64x32 elements of 4 bytes over 4 devices: 2 * 3/4 * 8192 bytes, at 1 GB/s.
// CHECK: collective axes calls steps bytes sent per device time location needed by
// CHECK-NEXT: all_reduce model 1 6 {{12.0 KiB|12288 B}} 0.012 ms {{.*}} result 0 of linalg.matmul
// A quarter of 2 * 64 * 128 * 32 operations.
// CHECK: kind of op ops operations bytes touched bytes sent computing sending
// CHECK: linalg.matmul 1 1.311e+05
// CHECK: memory per device arguments 12.0 KiB, constants 0 B, temporaries and results at most 16.0 KiB: 28.0 KiB of 81920.0 MiB

// SAME-LABEL: program product, predicted for one device
// SAME: all_reduce model 1 6 {{12.0 KiB|12288 B}} 0.012 ms
// SAME: linalg.matmul 1 1.311e+05

// JSON: "collectives": [
// JSON: "bytes_sent_per_call": 12288,
// JSON-NEXT: "bytes_sent_per_device": 12288,
// JSON-NEXT: "calls": 1,
// JSON-NEXT: "exact": true,
// JSON: "machine": {
// JSON: "name": "a100"
// JSON: "memory": {
// JSON-NEXT: "arguments": 12288,
// JSON: "steps": [
// JSON: "bytes": 8192,
// JSON-NEXT: "location": "{{.*}}report.mlir:{{.*}}",
// JSON-NEXT: "op": "linalg.matmul"
// JSON: "bytes": 16384,
// JSON-NEXT: "location": "{{.*}}report.mlir:{{.*}}",
// JSON-NEXT: "op": "shard.all_reduce"
// JSON: "total": {
// JSON: "bytes_sent_per_device": 12288,
// JSON: "complete": true,
// JSON-NEXT: "flops": 131072,
func.func @product(%x: tensor<64x128xf32> {shard.sharding = #shard.sharding<@g, [[], ["model"]]>},
                   %w: tensor<128x32xf32>) -> tensor<64x32xf32> {
  %empty = tensor.empty() : tensor<64x32xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x32xf32>) -> tensor<64x32xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<64x128xf32>, tensor<128x32xf32>)
      outs(%init : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
