// Loops that slide over split dimensions, on grids that divide them and that do not:
// short and empty blocks, halos wider than blocks, windows that drift against the
// blocks, strides, dilations, padding on one side only.

// RUN: shard-run %s --verify --entry chain --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry chain --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry chain --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry chain --grid 8 | FileCheck %s
// RUN: shard-run %s --verify --entry strided --grid 2 | FileCheck %s
// RUN: shard-run %s --verify --entry strided --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry strided --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry strided --grid 5 | FileCheck %s
// RUN: shard-run %s --verify --entry gradient --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry gradient --grid 4 | FileCheck %s
// RUN: shard-run %s --verify --entry value --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry outside --grid 3 | FileCheck %s
// RUN: shard-run %s --verify --entry forall --grid 3 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @g(shape = 4)

// Views of views: a window of the first value, unless what lies between is wanted.
func.func @chain(%a: tensor<13x5xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}) -> (tensor<9x4xf32>, tensor<15x7xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %a low[2, 1] high[0, 1] {
  ^bb0(%x: index, %y: index):
    tensor.yield %zero : f32
  } : tensor<13x5xf32> to tensor<15x7xf32>
  %s = tensor.extract_slice %p[1, 0] [12, 6] [1, 1] : tensor<15x7xf32> to tensor<12x6xf32>
  %q = tensor.pad %s low[0, 0] high[3, 0] {
  ^bb0(%x: index, %y: index):
    tensor.yield %one : f32
  } : tensor<12x6xf32> to tensor<15x6xf32>
  %t = tensor.extract_slice %q[6, 1] [9, 4] [1, 1] : tensor<15x6xf32> to tensor<9x4xf32>
  return %t, %p : tensor<9x4xf32>, tensor<15x7xf32>
}

func.func @strided(%x: tensor<2x17x3xf32> {shard.sharding = #shard.sharding<@g, [[], [0], []]>},
                   %f: tensor<3x3x2xf32>) -> (tensor<2x7x2xf32>, tensor<2x6x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e+6 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x17x3xf32> to tensor<2x18x3xf32>
  %e = tensor.empty() : tensor<2x7x2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x7x2xf32>) -> tensor<2x7x2xf32>
  %conv = linalg.conv_1d_nwc_wcf {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
      ins(%p, %f : tensor<2x18x3xf32>, tensor<3x3x2xf32>) outs(%i : tensor<2x7x2xf32>) -> tensor<2x7x2xf32>
  %w = tensor.empty() : tensor<2xf32>
  %e2 = tensor.empty() : tensor<2x6x3xf32>
  %i2 = linalg.fill ins(%low : f32) outs(%e2 : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  %pool = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<3> : tensor<1xi64>}
      ins(%x, %w : tensor<2x17x3xf32>, tensor<2xf32>) outs(%i2 : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  return %conv, %pool : tensor<2x7x2xf32>, tensor<2x6x3xf32>
}

// The kernel's loop is parallel, that of the places reduces.
func.func @gradient(%x: tensor<15xf32> {shard.sharding = #shard.sharding<@g, [[0]]>},
                    %dy: tensor<13xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(k, n) -> (n + k)>, affine_map<(k, n) -> (n)>, affine_map<(k, n) -> (k)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%x, %dy : tensor<15xf32>, tensor<13xf32>) outs(%i : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The padding is a value of the program.
func.func @value(%a: tensor<8xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %v: i32) -> tensor<12xi32> {
  %w = arith.addi %v, %v : i32
  %p = tensor.pad %a low[1] high[3] {
  ^bb0(%x: index):
    tensor.yield %w : i32
  } : tensor<8xi32> to tensor<12xi32>
  return %p : tensor<12xi32>
}

// Nothing of the tensor is left.
func.func @outside(%a: tensor<4xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<6xf32> {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %a low[8] high[1] {
  ^bb0(%x: index):
    tensor.yield %one : f32
  } : tensor<4xf32> to tensor<13xf32>
  %0 = tensor.extract_slice %p[1] [6] [1] : tensor<13xf32> to tensor<6xf32>
  return %0 : tensor<6xf32>
}

// The exchange comes in front of the loop.
func.func @forall(%a: tensor<6x6xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) -> (tensor<6x6xf32> {shard.sharding = #shard.sharding<@g, [[], [0]]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x6xf32>
  %p = tensor.pad %a low[0, 1] high[0, 0] {
  ^bb0(%x: index, %y: index):
    tensor.yield %zero : f32
  } : tensor<6x6xf32> to tensor<6x7xf32>
  %0 = scf.forall (%i) in (6) shared_outs(%o = %e) -> tensor<6x6xf32> {
    %left = tensor.extract_slice %p[0, 0] [6, 6] [1, 1] : tensor<6x7xf32> to tensor<6x6xf32>
    %row = tensor.extract_slice %left[%i, 0] [1, 6] [1, 1] : tensor<6x6xf32> to tensor<1x6xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 6] [1, 1] : tensor<1x6xf32> into tensor<6x6xf32>
    }
  }
  return %0 : tensor<6x6xf32>
}
