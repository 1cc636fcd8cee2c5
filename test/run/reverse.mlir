// Dimensions that are reversed, maps that begin behind the first element: on grids that
// divide them and that do not.
// RUN: shard-run %s --verify --entry main --grid 4 --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry main --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry main --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry odd --grid 4 --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry odd --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry odd --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry generic --grid 4 --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry generic --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry generic --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry traps --grid 4 --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry traps --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry traps --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry slice --grid 4 --partition-tosa | FileCheck %s
// RUN: shard-run %s --verify --entry slice --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry slice --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry offsets --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry offsets --grid 3 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 4)
func.func @main(%a: tensor<12x3xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (tensor<12x3xi32>) {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<12x3xi32>) -> tensor<12x3xi32>
  return %r : tensor<12x3xi32>
}
func.func @odd(%a: tensor<10x3xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> (tensor<10x3xi32>) {
  %r = tosa.reverse %a {axis = 0 : i32} : (tensor<10x3xi32>) -> tensor<10x3xi32>
  return %r : tensor<10x3xi32>
}
func.func @generic(%a: tensor<19xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %k: tensor<3xi32>) -> (tensor<8xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %e = tensor.empty() : tensor<8xi32>
  %c0 = arith.constant 5 : i32
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (17 - i * 2 - k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a, %k : tensor<19xi32>, tensor<3xi32>) outs(%f : tensor<8xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %d = arith.muli %x, %y : i32
    %s = arith.addi %z, %d : i32
    linalg.yield %s : i32
  } -> tensor<8xi32>
  return %r : tensor<8xi32>
}
func.func @traps(%a: tensor<12xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> (tensor<10xi32>, tensor<8xi32>) {
  %e = tensor.empty() : tensor<10xi32>
  %e8 = tensor.empty() : tensor<8xi32>
  %one = arith.constant 1 : i32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 11)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<12xi32>) outs(%e : tensor<10xi32>) {
  ^bb0(%x: i32, %z: i32):
    %xx = arith.muli %x, %x : i32
    %x1 = arith.addi %xx, %one : i32
    %d = arith.divsi %x, %x1 : i32
    linalg.yield %d : i32
  } -> tensor<10xi32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i) -> (-i + 11)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<12xi32>) outs(%e8 : tensor<8xi32>) {
  ^bb0(%x: i32, %z: i32):
    %xx = arith.muli %x, %x : i32
    %x1 = arith.addi %xx, %one : i32
    %d = arith.divsi %x, %x1 : i32
    linalg.yield %d : i32
  } -> tensor<8xi32>
  return %r, %r2 : tensor<10xi32>, tensor<8xi32>
}
func.func @slice(%a: tensor<19xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<6xi32> {
  %s = tensor.extract_slice %a[17] [6] [-2] : tensor<19xi32> to tensor<6xi32>
  return %s : tensor<6xi32>
}
func.func @offsets(%a: tensor<12xi32>, %k: tensor<3xi32>) -> (tensor<10xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}, tensor<11xi32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %e = tensor.empty() : tensor<10xi32>
  %c0 = arith.constant 5 : i32
  %f = linalg.fill ins(%c0 : i32) outs(%e : tensor<10xi32>) -> tensor<10xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%a, %k : tensor<12xi32>, tensor<3xi32>) outs(%f : tensor<10xi32>) {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %one = arith.constant 1 : i32
    %yy = arith.muli %y, %y : i32
    %y1 = arith.addi %yy, %one : i32
    %d = arith.divsi %x, %y1 : i32
    %s = arith.addi %z, %d : i32
    linalg.yield %s : i32
  } -> tensor<10xi32>
  %e2 = tensor.empty() : tensor<11xi32>
  %r2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i + 1)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<12xi32>) outs(%e2 : tensor<11xi32>) {
  ^bb0(%x: i32, %z: i32):
    linalg.yield %x : i32
  } -> tensor<11xi32>
  return %r, %r2 : tensor<10xi32>, tensor<11xi32>
}
