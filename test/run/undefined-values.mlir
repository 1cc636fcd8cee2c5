// What would be undefined has a value, which is the same on one device and on a grid.
//
// RUN: shard-run %s --entry main --verify --output %t.0.npy --output %t.1.npy --output %t.2.npy --output %t.3.npy --output %t.4.npy --output %t.5.npy --output %t.6.npy | FileCheck %s
// RUN: %python -c "import numpy; [print(numpy.load(f'%t.{i}.npy').tolist()) for i in range(7)]" | FileCheck %s --check-prefix=VALUES
// CHECK: PASS

// Shifts to the left, to the right, and to the right with signs.
// VALUES: [-7, 0, 0, 0, -128, 0]
// VALUES: [-7, 0, 0, 0, 1, 0]
// VALUES: [-7, -1, -1, 0, -1, 0]
// Floats of which integers of 8 bits hold the first three, as signed ones; -1 is 255 as an unsigned one.
// VALUES: [1, -1, -128, 127, -128, 0, 127, -128]
// VALUES: [1, 0, 0, 127, 0, 0, -1, 0]
// The sign of a bf16: 1, -2, 3, -4 with the signs of -1, 1, 1, -1.
// VALUES: [-16512, 16384, 16448, -16256]
// Floats that i64 does not hold.
// VALUES: [9223372036854775807, -9223372036854775808, 9223371487098961920, 0]

shard.grid @g(shape = 2)
func.func @main(%unused: tensor<2xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> (tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<8xi8>, tensor<8xi8>, tensor<4xi16>, tensor<4xi64>) {
  %a = arith.constant dense<[-7, -7, -7, 7, -1, 7]> : tensor<6xi8>
  %by = arith.constant dense<[0, 8, -1, 100, 7, -128]> : tensor<6xi8>
  %f = arith.constant dense<[1.5, -1.5, -128.5, 127.5, -1.0e9, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<8xf32>
  %b = arith.constant dense<[1.0, -2.0, 3.0, -4.0]> : tensor<4xbf16>
  %s = arith.constant dense<[-1.0, 1.0, 1.0, -1.0]> : tensor<4xbf16>
  %w = arith.constant dense<[9.2233720368547758e18, -1.0e19, 9.2233715e18, 0x7FC00000]> : tensor<4xf32>
  %as = shard.constraint %a to <@g, [[0]]> : tensor<6xi8>
  %bys = shard.constraint %by to <@g, [[0]]> : tensor<6xi8>
  %fs = shard.constraint %f to <@g, [[0]]> : tensor<8xf32>
  %bs = shard.constraint %b to <@g, [[0]]> : tensor<4xbf16>
  %ss = shard.constraint %s to <@g, [[0]]> : tensor<4xbf16>
  %ws = shard.constraint %w to <@g, [[0]]> : tensor<4xf32>
  %0 = arith.shli %as, %bys : tensor<6xi8>
  %1 = arith.shrui %as, %bys : tensor<6xi8>
  %2 = arith.shrsi %as, %bys : tensor<6xi8>
  %3 = arith.fptosi %fs : tensor<8xf32> to tensor<8xi8>
  %4 = arith.fptoui %fs : tensor<8xf32> to tensor<8xi8>
  %5 = math.copysign %bs, %ss : tensor<4xbf16>
  %6 = arith.bitcast %5 : tensor<4xbf16> to tensor<4xi16>
  %7 = arith.fptosi %ws : tensor<4xf32> to tensor<4xi64>
  return %0, %1, %2, %3, %4, %6, %7 : tensor<6xi8>, tensor<6xi8>, tensor<6xi8>, tensor<8xi8>, tensor<8xi8>, tensor<4xi16>, tensor<4xi64>
}

// A loop whose step is not positive ends: its step is 1.
// RUN: shard-run %s --entry steps --verify --seed 1 | FileCheck %s
// RUN: shard-run %s --entry steps --verify --seed 2 | FileCheck %s
func.func @steps(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %none = arith.minsi %n, %c0 : index
  %r = scf.for %i = %c0 to %c8 step %n iter_args(%y = %x) -> tensor<8xf32> {
    %e = math.tanh %y : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  %s = scf.for %i = %c0 to %c8 step %none iter_args(%y = %r) -> tensor<8xf32> {
    %e = math.tanh %y : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  }
  return %s : tensor<8xf32>
}
