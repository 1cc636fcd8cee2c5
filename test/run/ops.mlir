// Programs of many kinds, each on grids of 2, 3 and 2x2. On 3 most extents do not
// divide.
//
// RUN: split-file %s %t
// DEFINE: %{name} =
// DEFINE: %{hint} =
// DEFINE: %{run} = shard-run %t/%{name}.mlir --verify %{hint} --grid
//
// REDEFINE: %{name} = softmax
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = i8mm
// REDEFINE: %{hint} = --hint 'arg0=[[],[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = f16mm
// REDEFINE: %{hint} = --hint 'arg0=[[],[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = conv
// REDEFINE: %{hint} = --hint 'arg0=[[0],[],[],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = pool
// REDEFINE: %{hint} = --hint 'arg0=[[0],[],[],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = loop
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = call
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = intdiv
// REDEFINE: %{hint} = --hint 'arg0=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = scalars
// REDEFINE: %{hint} = --hint 'arg0=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = ident
// REDEFINE: %{hint} = --hint 'arg0=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = const
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = slice
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = transpose
// REDEFINE: %{hint} = --hint 'arg0=[[0],[],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = concat
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = argmax
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = extract
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = bf16ew
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = maths
// REDEFINE: %{hint} = --hint 'arg0=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = if
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = while
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = gather
// REDEFINE: %{hint} = 
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = pack
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = generate
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = bitcast
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = empty
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = rank0
// REDEFINE: %{hint} = --hint 'arg1=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = reshape
// REDEFINE: %{hint} = --hint 'arg0=[[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = tosa
// REDEFINE: %{hint} = --hint 'arg0=[[],[0],[]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = cf
// REDEFINE: %{hint} = --hint 'arg0=[[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = forall
// REDEFINE: %{hint} = 
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s
//
// REDEFINE: %{name} = depthwise
// REDEFINE: %{hint} = --hint 'arg0=[[],[],[],[0]]'
// RUN: %{run} 2 | FileCheck %s
// RUN: %{run} 3 | FileCheck %s
// RUN: %{run} 2x2 | FileCheck %s

// CHECK: PASS


//--- softmax.mlir
func.func @main(%arg0: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %0 = tensor.empty() : tensor<6x16xf32>
  %1 = linalg.softmax dimension(1) ins(%arg0 : tensor<6x16xf32>) outs(%0 : tensor<6x16xf32>) -> tensor<6x16xf32>
  return %1 : tensor<6x16xf32>
}

//--- i8mm.mlir
func.func @main(%arg0: tensor<6x16xi8>, %arg1: tensor<16x9xi8>) -> tensor<6x9xi32> {
  %c0_i32 = arith.constant 0 : i32
  %0 = tensor.empty() : tensor<6x9xi32>
  %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<6x9xi32>) -> tensor<6x9xi32>
  %2 = linalg.matmul ins(%arg0, %arg1 : tensor<6x16xi8>, tensor<16x9xi8>) outs(%1 : tensor<6x9xi32>) -> tensor<6x9xi32>
  return %2 : tensor<6x9xi32>
}

//--- f16mm.mlir
func.func @main(%arg0: tensor<6x16xf16>, %arg1: tensor<16x9xf16>) -> (tensor<6x9xf16>, tensor<6xf16>) {
  %cst = arith.constant 0.000000e+00 : f16
  %0 = tensor.empty() : tensor<6x9xf16>
  %1 = linalg.fill ins(%cst : f16) outs(%0 : tensor<6x9xf16>) -> tensor<6x9xf16>
  %2 = linalg.matmul ins(%arg0, %arg1 : tensor<6x16xf16>, tensor<16x9xf16>) outs(%1 : tensor<6x9xf16>) -> tensor<6x9xf16>
  %3 = tensor.empty() : tensor<6xf16>
  %4 = linalg.fill ins(%cst : f16) outs(%3 : tensor<6xf16>) -> tensor<6xf16>
  %reduced = linalg.reduce { arith.addf } ins(%2 : tensor<6x9xf16>) outs(%4 : tensor<6xf16>) dimensions = [1] 
  %5 = math.tanh %reduced : tensor<6xf16>
  return %2, %5 : tensor<6x9xf16>, tensor<6xf16>
}

//--- conv.mlir
func.func @main(%arg0: tensor<2x10x10x3xf32>, %arg1: tensor<3x3x3x8xf32>) -> tensor<2x4x4x8xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<2x4x4x8xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  %2 = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<2x10x10x3xf32>, tensor<3x3x3x8xf32>) outs(%1 : tensor<2x4x4x8xf32>) -> tensor<2x4x4x8xf32>
  return %2 : tensor<2x4x4x8xf32>
}

//--- pool.mlir
func.func @main(%arg0: tensor<2x10x10x3xf32>) -> tensor<2x5x5x3xf32> {
  %cst = arith.constant 0xFF800000 : f32
  %0 = tensor.empty() : tensor<2x2xf32>
  %1 = tensor.empty() : tensor<2x5x5x3xf32>
  %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<2x5x5x3xf32>) -> tensor<2x5x5x3xf32>
  %3 = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} ins(%arg0, %0 : tensor<2x10x10x3xf32>, tensor<2x2xf32>) outs(%2 : tensor<2x5x5x3xf32>) -> tensor<2x5x5x3xf32>
  return %3 : tensor<2x5x5x3xf32>
}

//--- loop.mlir
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %0 = scf.for %arg1 = %c0 to %c5 step %c1 iter_args(%arg2 = %arg0) -> (tensor<8x8xf32>) {
    %1 = math.sin %arg2 : tensor<8x8xf32>
    %2 = arith.addf %1, %arg0 : tensor<8x8xf32>
    scf.yield %2 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

//--- call.mlir
func.func private @h(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = math.exp %arg0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = call @h(%arg0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = call @h(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

//--- intdiv.mlir
func.func @main(%arg0: tensor<7xi32>, %arg1: tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>) {
  %0 = arith.divsi %arg0, %arg1 : tensor<7xi32>
  %1 = arith.remsi %arg0, %arg1 : tensor<7xi32>
  return %0, %1 : tensor<7xi32>, tensor<7xi32>
}

//--- scalars.mlir
func.func @main(%arg0: tensor<8xf32>, %arg1: f32, %arg2: index) -> (tensor<8xf32>, f32, index) {
  %splat = tensor.splat %arg1 : tensor<8xf32>
  %0 = arith.mulf %arg0, %splat : tensor<8xf32>
  %c1 = arith.constant 1 : index
  %1 = arith.addi %arg2, %c1 : index
  return %0, %arg1, %1 : tensor<8xf32>, f32, index
}

//--- ident.mlir
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}

//--- const.mlir
func.func @main(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %cst = arith.constant dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00], [1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]]> : tensor<4x4xf32>
  %0 = arith.addf %arg0, %cst : tensor<4x4xf32>
  return %0, %cst : tensor<4x4xf32>, tensor<4x4xf32>
}

//--- slice.mlir
func.func @main(%arg0: tensor<10x12xf32>, %arg1: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<10x12xf32>, tensor<12x16xf32>) {
  %extracted_slice = tensor.extract_slice %arg0[1, 2] [3, 4] [2, 2] : tensor<10x12xf32> to tensor<3x4xf32>
  %inserted_slice = tensor.insert_slice %arg1 into %arg0[1, 2] [3, 4] [2, 2] : tensor<3x4xf32> into tensor<10x12xf32>
  %cst = arith.constant 5.000000e-01 : f32
  %padded = tensor.pad %arg0 low[1, 2] high[1, 2] {
  ^bb0(%arg2: index, %arg3: index):
    tensor.yield %cst : f32
  } : tensor<10x12xf32> to tensor<12x16xf32>
  return %extracted_slice, %inserted_slice, %padded : tensor<3x4xf32>, tensor<10x12xf32>, tensor<12x16xf32>
}

//--- transpose.mlir
func.func @main(%arg0: tensor<6x8x5xi16>) -> tensor<5x6x8xi16> {
  %0 = tensor.empty() : tensor<5x6x8xi16>
  %transposed = linalg.transpose ins(%arg0 : tensor<6x8x5xi16>) outs(%0 : tensor<5x6x8xi16>) permutation = [2, 0, 1] 
  return %transposed : tensor<5x6x8xi16>
}

//--- concat.mlir
func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<4x8xf32>) -> tensor<10x8xf32> {
  %concat = tensor.concat dim(0) %arg0, %arg1 : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<10x8xf32>
  return %concat : tensor<10x8xf32>
}

//--- argmax.mlir
func.func @main(%arg0: tensor<6x8xf32>) -> (tensor<6xf32>, tensor<6xindex>) {
  %cst = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %0 = tensor.empty() : tensor<6xf32>
  %1 = tensor.empty() : tensor<6xindex>
  %2 = linalg.fill ins(%cst : f32) outs(%0 : tensor<6xf32>) -> tensor<6xf32>
  %3 = linalg.fill ins(%c0 : index) outs(%1 : tensor<6xindex>) -> tensor<6xindex>
  %4:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<6x8xf32>) outs(%2, %3 : tensor<6xf32>, tensor<6xindex>) {
  ^bb0(%in: f32, %out: f32, %out_0: index):
    %5 = linalg.index 1 : index
    %6 = arith.cmpf ogt, %in, %out : f32
    %7 = arith.select %6, %in, %out : f32
    %8 = arith.select %6, %5, %out_0 : index
    linalg.yield %7, %8 : f32, index
  } -> (tensor<6xf32>, tensor<6xindex>)
  return %4#0, %4#1 : tensor<6xf32>, tensor<6xindex>
}

//--- extract.mlir
func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<5xi64>) -> tensor<5x8xf32> {
  %0 = tensor.empty() : tensor<5x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<5xi64>) outs(%0 : tensor<5x8xf32>) {
  ^bb0(%in: i64, %out: f32):
    %2 = linalg.index 1 : index
    %3 = arith.index_cast %in : i64 to index
    %extracted = tensor.extract %arg0[%3, %2] : tensor<6x8xf32>
    linalg.yield %extracted : f32
  } -> tensor<5x8xf32>
  return %1 : tensor<5x8xf32>
}

//--- bf16ew.mlir
func.func @main(%arg0: tensor<9x8xbf16>, %arg1: tensor<9x8xi32>) -> (tensor<9x8xbf16>, tensor<9x8xi32>, tensor<9x8xf64>, tensor<9x8xbf16>, tensor<9x8xi1>) {
  %0 = math.exp %arg0 : tensor<9x8xbf16>
  %1 = arith.sitofp %arg1 : tensor<9x8xi32> to tensor<9x8xbf16>
  %2 = arith.addf %0, %1 : tensor<9x8xbf16>
  %3 = arith.fptosi %2 : tensor<9x8xbf16> to tensor<9x8xi32>
  %4 = arith.extf %2 : tensor<9x8xbf16> to tensor<9x8xf64>
  %5 = math.powf %4, %4 : tensor<9x8xf64>
  %6 = arith.truncf %5 : tensor<9x8xf64> to tensor<9x8xbf16>
  %7 = arith.cmpf olt, %2, %arg0 : tensor<9x8xbf16>
  %8 = arith.maximumf %2, %arg0 : tensor<9x8xbf16>
  return %8, %3, %5, %6, %7 : tensor<9x8xbf16>, tensor<9x8xi32>, tensor<9x8xf64>, tensor<9x8xbf16>, tensor<9x8xi1>
}

//--- maths.mlir
func.func @main(%arg0: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.erf %arg0 : tensor<64xf32>
  %1 = math.tanh %0 : tensor<64xf32>
  %2 = math.rsqrt %1 : tensor<64xf32>
  %3 = math.atan2 %1, %arg0 : tensor<64xf32>
  %4 = math.log1p %3 : tensor<64xf32>
  %5 = math.sinh %4 : tensor<64xf32>
  %6 = math.cbrt %5 : tensor<64xf32>
  %7 = math.floor %arg0 : tensor<64xf32>
  %8 = math.roundeven %7 : tensor<64xf32>
  %9 = math.fma %6, %8, %2 : tensor<64xf32>
  %10 = math.expm1 %9 : tensor<64xf32>
  return %6 : tensor<64xf32>
}

//--- if.mlir
func.func @main(%arg0: tensor<8x8xf32>, %arg1: i1) -> tensor<8x8xf32> {
  %0 = scf.if %arg1 -> (tensor<8x8xf32>) {
    %1 = math.sin %arg0 : tensor<8x8xf32>
    scf.yield %1 : tensor<8x8xf32>
  } else {
    scf.yield %arg0 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

//--- while.mlir
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c5_i32 = arith.constant 5 : i32
  %0:2 = scf.while (%arg1 = %arg0, %arg2 = %c0_i32) : (tensor<8x8xf32>, i32) -> (tensor<8x8xf32>, i32) {
    %1 = arith.cmpi slt, %arg2, %c5_i32 : i32
    scf.condition(%1) %arg1, %arg2 : tensor<8x8xf32>, i32
  } do {
  ^bb0(%arg1: tensor<8x8xf32>, %arg2: i32):
    %1 = math.sin %arg1 : tensor<8x8xf32>
    %2 = arith.addi %arg2, %c1_i32 : i32
    scf.yield %1, %2 : tensor<8x8xf32>, i32
  }
  return %0#0 : tensor<8x8xf32>
}

//--- gather.mlir
func.func @main(%arg0: tensor<6x8xf32>, %arg1: tensor<5x1xindex>) -> tensor<5x1x8xf32> {
  %gather = tensor.gather %arg0[%arg1] gather_dims([0]) : (tensor<6x8xf32>, tensor<5x1xindex>) -> tensor<5x1x8xf32>
  return %gather : tensor<5x1x8xf32>
}

//--- pack.mlir
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = tensor.empty() : tensor<2x4x4x4xf32>
  %pack = linalg.pack %arg0 inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %0 : tensor<8x16xf32> -> tensor<2x4x4x4xf32>
  %1 = tensor.empty() : tensor<8x16xf32>
  %unpack = linalg.unpack %pack inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %1 : tensor<2x4x4x4xf32> -> tensor<8x16xf32>
  return %unpack : tensor<8x16xf32>
}

//--- generate.mlir
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %generated = tensor.generate  {
  ^bb0(%arg1: index, %arg2: index):
    %extracted = tensor.extract %arg0[%arg1, %arg2] : tensor<8x16xf32>
    %0 = arith.addf %extracted, %extracted : f32
    tensor.yield %0 : f32
  } : tensor<8x16xf32>
  return %generated : tensor<8x16xf32>
}

//--- bitcast.mlir
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xi32> {
  %0 = tensor.bitcast %arg0 : tensor<8x16xf32> to tensor<8x16xi32>
  %1 = arith.bitcast %arg0 : tensor<8x16xf32> to tensor<8x16xi32>
  %2 = arith.addi %0, %1 : tensor<8x16xi32>
  return %2 : tensor<8x16xi32>
}

//--- empty.mlir
func.func @main(%arg0: tensor<0x16xf32>) -> tensor<0x16xf32> {
  %0 = math.sin %arg0 : tensor<0x16xf32>
  return %0 : tensor<0x16xf32>
}

//--- rank0.mlir
func.func @main(%arg0: tensor<f32>, %arg1: tensor<16xf32>) -> tensor<f32> {
  %reduced = linalg.reduce { arith.addf } ins(%arg1 : tensor<16xf32>) outs(%arg0 : tensor<f32>) dimensions = [0] 
  return %reduced : tensor<f32>
}

//--- reshape.mlir
func.func @main(%arg0: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<32xf32>) {
  %cst = arith.constant dense<[2, 16]> : tensor<2xindex>
  %reshape = tensor.reshape %arg0(%cst) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<2x16xf32>
  %collapsed = tensor.collapse_shape %arg0 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %reshape, %collapsed : tensor<2x16xf32>, tensor<32xf32>
}

//--- tosa.mlir
func.func @main(%arg0: tensor<1x8x16xf32>, %arg1: tensor<1x16x4xf32>) -> tensor<1x8x4xf32> {
  %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
  %1 = tosa.matmul %arg0, %arg1, %0, %0 : (tensor<1x8x16xf32>, tensor<1x16x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x4xf32>
  %2 = tosa.sigmoid %1 : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  %3 = tosa.tanh %2 : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return %3 : tensor<1x8x4xf32>
}

//--- cf.mlir
func.func @main(%arg0: tensor<8xf64>, %arg1: i1) -> tensor<8xf64> {
  cf.cond_br %arg1, ^bb1, ^bb2(%arg0 : tensor<8xf64>)
^bb1:  // pred: ^bb0
  %0 = math.exp %arg0 : tensor<8xf64>
  cf.br ^bb2(%0 : tensor<8xf64>)
^bb2(%1: tensor<8xf64>):  // 2 preds: ^bb0, ^bb1
  return %1 : tensor<8xf64>
}

//--- forall.mlir
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tensor.empty() : tensor<8xf32>
  %1 = scf.forall (%arg1) in (8) shared_outs(%arg2 = %0) -> (tensor<8xf32>) {
    %extracted_slice = tensor.extract_slice %arg0[%arg1] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %2 = math.exp %extracted_slice : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %2 into %arg2[%arg1] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %1 : tensor<8xf32>
}

//--- depthwise.mlir
func.func @main(%arg0: tensor<1x8x8x4xf32>, %arg1: tensor<3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %cst = arith.constant 0.000000e+00 : f32
  %0 = tensor.empty() : tensor<1x6x6x4xf32>
  %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %2 = linalg.depthwise_conv_2d_nhwc_hwc {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%arg0, %arg1 : tensor<1x8x8x4xf32>, tensor<3x3x4xf32>) outs(%1 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %2 : tensor<1x6x6x4xf32>
}
