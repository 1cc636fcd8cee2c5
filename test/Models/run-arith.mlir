// The same for elementwise ops, and those that may trap on padding.
//
// RUN: shard-run %s --verify | FileCheck %s
// RUN: shard-run %s --verify --grid=5 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func private @constant(%a: tensor<7x2xf32>) -> tensor<7x2xf32> {
  %0 = arith.constant dense<[[1.0,2.0],[3.0,4.0],[5.0,6.0],[7.0,8.0],[9.0,10.0],[11.0,12.0],[13.0,14.0]]> : tensor<7x2xf32>
  %1 = arith.addf %0, %a : tensor<7x2xf32>
  return %1 : tensor<7x2xf32>
}

func.func private @zero(%a: tensor<0x4xf32>, %b: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = arith.addf %a, %b : tensor<0x4xf32>
  return %0 : tensor<0x4xf32>
}

func.func private @traps(%a: tensor<7x4xi32>, %b: tensor<7x4xi32>) -> tensor<7x4xi32> {
  %c1 = arith.constant dense<1> : tensor<7x4xi32>
  %d = arith.ori %b, %c1 : tensor<7x4xi32>
  %0 = arith.divsi %a, %d : tensor<7x4xi32>
  %1 = arith.remui %0, %d : tensor<7x4xi32>
  %2 = arith.floordivsi %1, %d : tensor<7x4xi32>
  %3 = arith.ceildivui %2, %d : tensor<7x4xi32>
  return %3 : tensor<7x4xi32>
}

func.func private @two_results(%a: tensor<7x4xf32>, %x: tensor<7x4xi32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<7x4xi1>, tensor<7x4xi32>, tensor<7x4xi32>) {
  %s, %c = math.sincos %a : tensor<7x4xf32>
  %sum, %ov = arith.addui_extended %x, %x : tensor<7x4xi32>, tensor<7x4xi1>
  %lo, %hi = arith.mulsi_extended %x, %x : tensor<7x4xi32>
  return %s, %c, %sum, %ov, %lo, %hi : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<7x4xi1>, tensor<7x4xi32>, tensor<7x4xi32>
}

func.func private @select(%a: tensor<7x4xf32>, %b: tensor<7x4xf32>, %c: tensor<7x4xi1>) -> (tensor<7x4xf32>, tensor<7x4xf32>) {
  %t = arith.constant true
  %0 = arith.select %t, %a, %b : tensor<7x4xf32>
  %1 = arith.select %c, %a, %b : tensor<7x4xi1>, tensor<7x4xf32>
  return %0, %1 : tensor<7x4xf32>, tensor<7x4xf32>
}

func.func @main(
    %constant_a: tensor<7x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %zero_a: tensor<0x4xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %zero_b: tensor<0x4xf32>,
    %traps_a: tensor<7x4xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %traps_b: tensor<7x4xi32>,
    %two_results_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %two_results_x: tensor<7x4xi32>,
    %select_a: tensor<7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %select_b: tensor<7x4xf32>,
    %select_c: tensor<7x4xi1>)
    -> (tensor<7x2xf32>, tensor<0x4xf32>, tensor<7x4xi32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<7x4xi1>, tensor<7x4xi32>, tensor<7x4xi32>, tensor<7x4xf32>, tensor<7x4xf32>) {
  %constant_r = call @constant(%constant_a) : (tensor<7x2xf32>) -> tensor<7x2xf32>
  %zero_r = call @zero(%zero_a, %zero_b) : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  %traps_r = call @traps(%traps_a, %traps_b) : (tensor<7x4xi32>, tensor<7x4xi32>) -> tensor<7x4xi32>
  %two_results_r:6 = call @two_results(%two_results_a, %two_results_x) : (tensor<7x4xf32>, tensor<7x4xi32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<7x4xi1>, tensor<7x4xi32>, tensor<7x4xi32>)
  %select_r:2 = call @select(%select_a, %select_b, %select_c) : (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi1>) -> (tensor<7x4xf32>, tensor<7x4xf32>)
  return %constant_r, %zero_r, %traps_r, %two_results_r#0, %two_results_r#1, %two_results_r#2, %two_results_r#3, %two_results_r#4, %two_results_r#5, %select_r#0, %select_r#1
      : tensor<7x2xf32>, tensor<0x4xf32>, tensor<7x4xi32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xi32>, tensor<7x4xi1>, tensor<7x4xi32>, tensor<7x4xi32>, tensor<7x4xf32>, tensor<7x4xf32>
}
