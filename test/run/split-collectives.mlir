// A program that does not fit into the memory of a device runs its large collectives in
// parts: the temporaries of the run are fewer, as predicted, and the results are the same.
// As many bytes are sent.

// RUN: sed s/MEMORY/1.0e9/ %s > %t.large.mlir
// RUN: sed s/MEMORY/1.75e6/ %s > %t.small.mlir
// RUN: shard-run %t.large.mlir --verify | FileCheck %s --check-prefix=LARGE
// RUN: shard-run %t.large.mlir --verify --report json | FileCheck %s --check-prefix=LARGE-PEAK
// RUN: shard-run %t.small.mlir --verify | FileCheck %s --check-prefix=SMALL
// RUN: shard-run %t.small.mlir --verify --report json | FileCheck %s --check-prefix=SMALL-PEAK

// LARGE: all_gather 0 1 384.0 KiB 384.0 KiB
// LARGE: PASS
// LARGE-PEAK: "peak_temporary_bytes_per_device": 1310720,
// LARGE-PEAK: "temporaries": 1310720
// SMALL: all_gather 0 2 384.0 KiB 384.0 KiB
// SMALL: PASS
// SMALL-PEAK: "peak_temporary_bytes_per_device": 1048576,
// SMALL-PEAK: "temporaries": 1048576

shard.grid @g(shape = 4) {shard.machine = {memory = MEMORY}}

func.func @main(%x: tensor<512x256xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                %w: tensor<256x1024xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>},
                %v: tensor<1024x256xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>})
    -> (tensor<512x256xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x1024xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %1 = linalg.matmul ins(%x, %w : tensor<512x256xf32>, tensor<256x1024xf32>) outs(%f : tensor<512x1024xf32>) -> tensor<512x1024xf32>
  %t = math.tanh %1 : tensor<512x1024xf32>
  %e2 = tensor.empty() : tensor<512x256xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<512x256xf32>) -> tensor<512x256xf32>
  %2 = linalg.matmul ins(%t, %v : tensor<512x1024xf32>, tensor<1024x256xf32>) outs(%f2 : tensor<512x256xf32>) -> tensor<512x256xf32>
  return %2 : tensor<512x256xf32>
}
