// Values that follow from the places of their elements are made for each user. Rows and columns
// of a causal mask come from one count: each device counts its rows and all columns, and its
// block of what is used in two layouts. Nothing is sent.
//
// RUN: shard-run %s --verify --grid 4 --hint 'arg0=[[0],[]]' | FileCheck %s
// RUN: shard-run %s --verify --grid 2x3 --hint 'arg0=[[0],[1]]' | FileCheck %s
// RUN: shard-run %s --entry generated --verify --grid 4 --hint 'arg0=[[0]]' | FileCheck %s
// CHECK-NOT: {{^ *}}all_
// CHECK-NOT: permute
// CHECK: PASS

#at = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#one = affine_map<(d0) -> (d0)>

func.func @main(%scores: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %low = arith.constant -1.0e+9 : f32
  %line = tensor.empty() : tensor<16xi32>
  %count = linalg.generic {indexing_maps = [#one], iterator_types = ["parallel"]}
      outs(%line : tensor<16xi32>) {
  ^bb0(%o: i32):
    %place = linalg.index 0 : index
    %number = arith.index_cast %place : index to i32
    linalg.yield %number : i32
  } -> tensor<16xi32>
  %plane = tensor.empty() : tensor<16x16xf32>
  %plane2 = tensor.empty() : tensor<16x16xi32>
  %masked = linalg.generic {indexing_maps = [#at, #row, #column, #at],
                            iterator_types = ["parallel", "parallel"]}
      ins(%scores, %count, %count : tensor<16x16xf32>, tensor<16xi32>, tensor<16xi32>)
      outs(%plane : tensor<16x16xf32>) {
  ^bb0(%x: f32, %i: i32, %j: i32, %o: f32):
    %isPast = arith.cmpi sge, %i, %j : i32
    %y = arith.select %isPast, %x, %low : f32
    linalg.yield %y : f32
  } -> tensor<16x16xf32>
  // Rows and columns by users of their own.
  %rows = linalg.broadcast ins(%count : tensor<16xi32>)
      outs(%plane2 : tensor<16x16xi32>) dimensions = [1]
  %columns = linalg.broadcast ins(%count : tensor<16xi32>)
      outs(%plane2 : tensor<16x16xi32>) dimensions = [0]
  %distance = arith.subi %rows, %columns : tensor<16x16xi32>
  %floats = arith.sitofp %distance : tensor<16x16xi32> to tensor<16x16xf32>
  %sum = arith.addf %masked, %floats : tensor<16x16xf32>
  return %sum : tensor<16x16xf32>
}

func.func @generated(%x: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %slopes = tensor.generate {
  ^bb0(%i: index):
    %number = arith.index_cast %i : index to i32
    %slope = arith.sitofp %number : i32 to f32
    tensor.yield %slope : f32
  } : tensor<12xf32>
  %s = arith.mulf %x, %slopes : tensor<12xf32>
  return %s, %slopes : tensor<12xf32>, tensor<12xf32>
}
