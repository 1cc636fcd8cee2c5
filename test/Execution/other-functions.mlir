// A run is about the entry and what it calls: other functions need not fit the grid of --grid, and
// grids that they alone name count for nothing.
//
// RUN: shard-run %s --entry=f --grid=2 --verify | FileCheck %s
// CHECK: grid    @a 2, 2 devices
// CHECK: all_reduce 0 1
// CHECK: {{^}}PASS
// RUN: shard-run %s --entry=f --grid=2 --print-partitioned | FileCheck %s --check-prefix=PRINTED
// PRINTED: func.func @f(
// PRINTED: func.func private @called(
// PRINTED-NOT: func.func
// RUN: shard-compile %s --entry=f --grid=2 --emit=obj -o %t.o
// RUN: not shard-run %s --entry=manual --grid=2 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error: {{.*}}expects the type 'tensor<4xf32>' in the body, got 'tensor<2xf32>'
// RUN: not shard-run %s --entry=both --grid=2 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: gives one grid a shape, and the program uses @a and @b

shard.grid @a(shape = 4)
shard.grid @b(shape = 2x2)

func.func @f(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@a, [[0]]>}) -> tensor<f32> {
  %0 = call @called(%x) : (tensor<8xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func private @called(%x: tensor<8xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}

func.func @manual(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.manual_computation(%x) on @a in = [<@a, [[0]]>] out = [<@a, [[0]]>] axes = [0] (%y: tensor<2xf32>) {
    %1 = arith.addf %y, %y : tensor<2xf32>
    shard.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @both(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@a, [[0]]>},
                %y: tensor<8xf32> {shard.sharding = #shard.sharding<@b, [[0]]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  return %x, %y : tensor<8xf32>, tensor<8xf32>
}
