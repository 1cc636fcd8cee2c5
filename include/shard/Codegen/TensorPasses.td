//===- TensorPasses.td - Passes before bufferization -------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of `shard-lower-to-llvm` on tensors, in the order in which it runs
// them. Passes.td includes this file.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_TENSORPASSES_TD
#define SHARD_CODEGEN_TENSORPASSES_TD

include "mlir/Pass/PassBase.td"

def ShardWrapScalars : Pass<"shard-wrap-scalars", "::mlir::ModuleOp"> {
  let summary = "turn scalars in the signatures of entries into tensors";
  let description = [{
    Scalar arguments and results of `entry`, or of every public function, become
    tensors of rank 0, as a caller that passes tensors only needs them. If the module
    calls such a function too, its body moves into a private function, which these calls
    name.

    ```mlir
    // Input
    func.func @f(%a: f32) -> f32 {
      %0 = arith.negf %a : f32
      return %0 : f32
    }
    // Output
    func.func @f(%arg0: tensor<f32>) -> tensor<f32> {
      %extracted = tensor.extract %arg0[] : tensor<f32>
      %0 = arith.negf %extracted : f32
      %from_elements = tensor.from_elements %0 : tensor<f32>
      return %from_elements : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", "",
           "The function that is called from outside; every public function if empty">,
  ];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def ShardReplacePoison : Pass<"shard-replace-poison"> {
  let summary = "make numbers of ub.poison zeros";
  let description = [{
    A number of `ub.poison` may be any. Folders of MLIR crash on it, as that of
    `tensor.from_elements` does, so the pass runs before all others in
    `shard-lower-to-llvm`; in `shard-spmd`, `shard-fold-numbers` does the same. Tensors of
    poison stay.

    ```mlir
    // Input
    func.func @f() -> tensor<1xi64> {
      %0 = ub.poison : i64
      %1 = tensor.splat %0 : tensor<1xi64>
      return %1 : tensor<1xi64>
    }
    // Output
    func.func @f() -> tensor<1xi64> {
      %c0_i64 = arith.constant 0 : i64
      %splat = tensor.splat %c0_i64 : tensor<1xi64>
      return %splat : tensor<1xi64>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShardExpandNegativePadding : Pass<"shard-expand-negative-padding"> {
  let summary = "write negative padding of tensor.pad as a slice";
  let description = [{
    Element i of the result of a `tensor.pad` is element i - low of its source, as far
    as there is one, and padding elsewhere: negative padding cuts elements off. Pads
    whose padding is negative, or not known, become a slice and a pad whose padding is
    not negative. MLIR's canonicalization and bufferization expect that of them, so
    the pass runs before both, in `shard-spmd` and in `shard-lower-to-llvm`.

    ```mlir
    // Input
    func.func @f(%a: tensor<6xf32>, %zero: f32) -> tensor<6xf32> {
      %0 = tensor.pad %a low[-2] high[2] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<6xf32> to tensor<6xf32>
      return %0 : tensor<6xf32>
    }
    // Output
    func.func @f(%arg0: tensor<6xf32>, %arg1: f32) -> tensor<6xf32> {
      %extracted_slice = tensor.extract_slice %arg0[2] [4] [1] : tensor<6xf32> to tensor<4xf32>
      %padded = tensor.pad %extracted_slice low[0] high[2] {
      ^bb0(%arg2: index):
        tensor.yield %arg1 : f32
      } : tensor<4xf32> to tensor<6xf32>
      return %padded : tensor<6xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardSeparateStridedPadding : Pass<"shard-separate-strided-padding"> {
  let summary = "insert padding with strides apart from what is padded";
  let description = [{
    A padded tensor that is inserted with strides becomes two insertions: one of a
    tensor that is full of the padding element, one of the tensor before padding. MLIR's
    canonicalization folds a pad into an insertion whatever the strides are, and then
    inserts at the wrong place, so the pass runs in front of it in `shard-spmd`, behind
    `shard-expand-negative-padding`.

    ```mlir
    // Input
    func.func @f(%a: tensor<2xf32>, %b: tensor<10xf32>) -> tensor<10xf32> {
      %zero = arith.constant 0.0 : f32
      %0 = tensor.pad %a low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<2xf32> to tensor<4xf32>
      %1 = tensor.insert_slice %0 into %b[0] [4] [3] : tensor<4xf32> into tensor<10xf32>
      return %1 : tensor<10xf32>
    }
    // Output
    func.func @f(%arg0: tensor<2xf32>, %arg1: tensor<10xf32>) -> tensor<10xf32> {
      %cst = arith.constant 0.000000e+00 : f32
      %splat = tensor.splat %cst : tensor<4xf32>
      %inserted_slice = tensor.insert_slice %splat into %arg1[0] [4] [3] : tensor<4xf32> into tensor<10xf32>
      %inserted_slice_0 = tensor.insert_slice %arg0 into %inserted_slice[3] [2] [3] : tensor<2xf32> into tensor<10xf32>
      return %inserted_slice_0 : tensor<10xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def ShardLiftBranches : Pass<"shard-lift-branches", "::mlir::ModuleOp"> {
  let summary = "turn blocks and branches into ops of scf";
  let description = [{
    Regions of functions with several blocks become regions with one, by MLIR's
    lifting of control flow. One-shot bufferization gives a block argument one
    buffer type only where all branches to it agree on one, and its analysis does
    not follow branches; the ops of scf say what flows where.

    ```mlir
    // Input
    func.func @f(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      cf.cond_br %c, ^end(%a : tensor<4xf32>), ^end(%b : tensor<4xf32>)
    ^end(%x: tensor<4xf32>):
      return %x : tensor<4xf32>
    }
    // Output
    func.func @f(%arg0: i1, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
      %c0_i32 = arith.constant 0 : i32
      %0 = scf.if %arg0 -> (tensor<4xf32>) {
        scf.yield %arg1 : tensor<4xf32>
      } else {
        scf.yield %arg2 : tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect",
                           "::mlir::ub::UBDialect"];
}

def ShardLowerGlobals : Pass<"shard-lower-globals", "::mlir::ModuleOp"> {
  let summary = "turn globals of ml_program into buffers of a run";
  let description = [{
    A mutable global is a variable of the program. Devices may be threads of one
    process, each with variables of its own: the entry makes a buffer for each
    variable, with the initial value, and hands it to every function that it calls. If
    the program calls the entry too, the body of the entry moves into a private function,
    so that a variable has its initial value once. Constant globals become constants.

    Errors: a global without a static shape; a program with globals and several
    public functions, unless `entry` names one of them.

    ```mlir
    // Input
    ml_program.global private mutable @counter(dense<0> : tensor<1xi64>) : tensor<1xi64>
    func.func @f() -> tensor<1xi64> {
      %0 = ml_program.global_load @counter : tensor<1xi64>
      return %0 : tensor<1xi64>
    }
    // Output
    func.func @f() -> tensor<1xi64> {
      %alloc = memref.alloc() : memref<1xi64>
      %cst = arith.constant dense<0> : tensor<1xi64>
      bufferization.materialize_in_destination %cst in restrict writable %alloc : (tensor<1xi64>, memref<1xi64>) -> ()
      %0 = bufferization.to_tensor %alloc restrict : memref<1xi64> to tensor<1xi64>
      %1 = bufferization.alloc_tensor() copy(%0) : tensor<1xi64>
      return %1 : tensor<1xi64>
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", "",
           "The function that is called from outside; every public function if empty">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ShardLowerTensorOps : Pass<"shard-lower-tensor-ops", "::mlir::ModuleOp"> {
  let summary = "replace ops on tensors that have no form on buffers";
  let description = [{
    `tensor.gather`, `tensor.scatter`, `tensor.bitcast`, `linalg.pack`,
    `linalg.unpack` and `bufferization.materialize_in_destination` become others
    that bufferize. Constants of more than 64 equal elements become fills.

    An index of a scatter that is out of range means the nearest one in range; of
    two slices for one place the later stays.

    Errors: a constant of dynamic shape, to which MLIR folds a comparison of a
    tensor with itself.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xf32>, %i: tensor<2x1xindex>) -> tensor<2xf32> {
      %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<8xf32>, tensor<2x1xindex>) -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    // Output
    #map = affine_map<(d0) -> (d0)>
    module {
      func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<2x1xindex>) -> tensor<2xf32> {
        %0 = tensor.empty() : tensor<2xf32>
        %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<2xf32>) {
        ^bb0(%out: f32):
          %2 = linalg.index 0 : index
          %c0 = arith.constant 0 : index
          %extracted = tensor.extract %arg1[%2, %c0] : tensor<2x1xindex>
          %extracted_0 = tensor.extract %arg0[%extracted] : tensor<8xf32>
          linalg.yield %extracted_0 : f32
        } -> tensor<2xf32>
        return %1 : tensor<2xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardPrepareTensors : Pass<"shard-prepare-tensors", "::mlir::ModuleOp"> {
  let summary = "bring linalg ops into one form and fuse elementwise ops";
  let description = [{
    Named ops of linalg and elementwise ops on tensors become `linalg.generic`;
    ops such as `linalg.softmax` are decomposed. An op that does not write every
    element of a result, and does not read its init, becomes a loop that inserts
    elements into the init, which fusion and bufferization would lose. Each use of a
    `linalg.fill` or a `tensor.empty` gets its own, in front of it: a fill costs less than
    a copy, and takes memory while it is used. An elementwise producer is fused into its only user, unless the user is a contraction, for which there is a
    kernel, or would compute the producer many times over.

    ```mlir
    // Input
    func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %a, %b : tensor<4xf32>
      %1 = arith.mulf %0, %b : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    // Output
    #map = affine_map<(d0) -> (d0)>
    module {
      func.func @f(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
        %0 = tensor.empty() : tensor<4xf32>
        %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%arg0, %arg1 : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) {
        ^bb0(%in: f32, %in_0: f32, %out: f32):
          %2 = arith.addf %in, %in_0 : f32
          %3 = arith.mulf %2, %in_0 : f32
          linalg.yield %3 : f32
        } -> tensor<4xf32>
        return %1 : tensor<4xf32>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardMakeTotal : Pass<"shard-make-total", "::mlir::ModuleOp"> {
  let summary = "define arithmetic on integers and access by index for every operand";
  let description = [{
    A division by zero, or one that overflows, would trap, and an index that is out
    of range would read or write elsewhere. Afterwards such a division gives 0, an
    index is moved to the nearest one in range, an element whose index is out of
    range is not inserted, and a slice whose offset is not a constant is moved into
    its tensor, if there is an offset at which it fits. A shift by the width or more, or
    by a negative number, gives 0, and the sign in each bit for `arith.shrsi`. A float that
    an integer type does not hold becomes the nearest integer that it holds, and NaN 0. A
    step of a loop that is not positive is 1.

    ```mlir
    // Input
    func.func @f(%a: i32, %b: i32) -> i32 {
      %0 = arith.divui %a, %b : i32
      return %0 : i32
    }
    // Output
    func.func @f(%arg0: i32, %arg1: i32) -> i32 {
      %c0_i32 = arith.constant 0 : i32
      %c1_i32 = arith.constant 1 : i32
      %0 = arith.cmpi eq, %arg1, %c0_i32 : i32
      %1 = arith.select %0, %c1_i32, %arg1 : i32
      %2 = arith.divui %arg0, %1 : i32
      %3 = arith.select %0, %c0_i32, %2 : i32
      return %3 : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

def ShardWidenReductions : Pass<"shard-widen-reductions", "::mlir::ModuleOp"> {
  let summary = "sum f16 and bf16 in f32";
  let description = [{
    A `linalg.generic` that adds or multiplies elements of f16 or bf16 over a
    reduction loop computes in f32 and rounds its result once: on one device and on
    each device of a grid alike. Contractions are left alone; their kernel does so
    anyway.

    ```mlir
    // Input
    func.func @f(%a: tensor<8xf16>, %init: tensor<f16>) -> tensor<f16> {
      %0 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
          iterator_types = ["reduction"]}
          ins(%a : tensor<8xf16>) outs(%init : tensor<f16>) {
      ^bb0(%x: f16, %sum: f16):
        %1 = arith.addf %x, %sum : f16
        linalg.yield %1 : f16
      } -> tensor<f16>
      return %0 : tensor<f16>
    }
    // Output
    #map = affine_map<() -> ()>
    #map1 = affine_map<(d0) -> (d0)>
    #map2 = affine_map<(d0) -> ()>
    module {
      func.func @f(%arg0: tensor<8xf16>, %arg1: tensor<f16>) -> tensor<f16> {
        %0 = tensor.empty() : tensor<f32>
        %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg1 : tensor<f16>) outs(%0 : tensor<f32>) {
        ^bb0(%in: f16, %out: f32):
          %5 = arith.extf %in : f16 to f32
          linalg.yield %5 : f32
        } -> tensor<f32>
        %2 = linalg.generic {indexing_maps = [#map1, #map2], iterator_types = ["reduction"]} ins(%arg0 : tensor<8xf16>) outs(%1 : tensor<f32>) {
        ^bb0(%in: f16, %out: f32):
          %5 = arith.extf %in : f16 to f32
          %6 = arith.addf %5, %out : f32
          linalg.yield %6 : f32
        } -> tensor<f32>
        %3 = tensor.empty() : tensor<f16>
        %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%2 : tensor<f32>) outs(%3 : tensor<f16>) {
        ^bb0(%in: f32, %out: f16):
          %5 = arith.truncf %in : f32 to f16
          linalg.yield %5 : f16
        } -> tensor<f16>
        return %4 : tensor<f16>
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // SHARD_CODEGEN_TENSORPASSES_TD
