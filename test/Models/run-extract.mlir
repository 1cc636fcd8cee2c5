// Elements of split tensors arrive bit by bit: NaN, infinities, -0.0, every type;
// uneven blocks, empty ones, dynamic indices, axes in any order, loops.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5x1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x4 | FileCheck %s
// CHECK: all_reduce
// CHECK-NOT: all_gather
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3x2)

func.func private @special() -> (i32, i32, i32, i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  // A quiet NaN with a payload, both infinities, -0.0, the smallest number.
  %t = arith.constant dense<[0x7FC12345, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001]> : tensor<5xf32>
  %e = tensor.empty() : tensor<5xf32>
  %y = linalg.copy ins(%t : tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
  %x = shard.shard %y to %s : tensor<5xf32>
  %e0 = tensor.extract %x[%c0] : tensor<5xf32>
  %e1 = tensor.extract %x[%c1] : tensor<5xf32>
  %e2 = tensor.extract %x[%c2] : tensor<5xf32>
  %e3 = tensor.extract %x[%c3] : tensor<5xf32>
  %e4 = tensor.extract %x[%c4] : tensor<5xf32>
  %b0 = arith.bitcast %e0 : f32 to i32
  %b1 = arith.bitcast %e1 : f32 to i32
  %b2 = arith.bitcast %e2 : f32 to i32
  %b3 = arith.bitcast %e3 : f32 to i32
  %b4 = arith.bitcast %e4 : f32 to i32
  return %b0, %b1, %b2, %b3, %b4 : i32, i32, i32, i32, i32
}

// The number of a loop is the index; what is read decides how often it runs.
func.func private @loop(%n: tensor<6xindex>, %a: tensor<7x5xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %read = tensor.extract %n[%c5] : tensor<6xindex>
  %times = arith.remui %read, %c7 : index
  %r = scf.for %i = %c0 to %times step %c1 iter_args(%sum = %zero) -> f64 {
    %e = tensor.extract %a[%i, %c1] : tensor<7x5xf64>
    %s = arith.addf %sum, %e : f64
    scf.yield %s : f64
  }
  return %r : f64
}

func.func @main(
    %f32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [1]]>},
    %f64: tensor<7x5xf64> {shard.sharding = #shard.sharding<@grid, [[1], [0]]>},
    %bf16: tensor<6xbf16> {shard.sharding = #shard.sharding<@grid, [[1, 0]]>},
    %f16: tensor<6xf16> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>},
    %i1: tensor<8xi1> {shard.sharding = #shard.sharding<@grid, [[0, 1]]>},
    %i8: tensor<3x4xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %i64: tensor<3xi64> {shard.sharding = #shard.sharding<@grid, [[1]]>},
    %index: tensor<6xindex> {shard.sharding = #shard.sharding<@grid, [[1]]>},
    %i: index, %j: index)
    -> (f32, f32, f64, bf16, f16, i1, i8, i64, index, f64, i32, i32, i32, i32, i32) {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %f32[%i, %j] : tensor<7x5xf32>
  %1 = tensor.extract %f32[%c2, %j] : tensor<7x5xf32>
  %2 = tensor.extract %f64[%c2, %c2] : tensor<7x5xf64>
  %3 = tensor.extract %bf16[%i] : tensor<6xbf16>
  %4 = tensor.extract %f16[%c2] : tensor<6xf16>
  %5 = tensor.extract %i1[%j] : tensor<8xi1>
  %6 = tensor.extract %i8[%c2, %j] : tensor<3x4xi8>
  %7 = tensor.extract %i64[%c2] : tensor<3xi64>
  %8 = tensor.extract %index[%i] : tensor<6xindex>
  %9 = call @loop(%index, %f64) : (tensor<6xindex>, tensor<7x5xf64>) -> f64
  %10:5 = call @special() : () -> (i32, i32, i32, i32, i32)
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10#0, %10#1, %10#2, %10#3, %10#4
      : f32, f32, f64, bf16, f16, i1, i8, i64, index, f64, i32, i32, i32, i32, i32
}
