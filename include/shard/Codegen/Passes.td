//===- Passes.td - Passes of code generation ---------------*- tablegen -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of `shard-lower-to-llvm`, in the order in which it runs them. Those
// before bufferization are in TensorPasses.td; between bufferization and
// shard-lower-linalg come deallocation and convert-shard-to-runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_CODEGEN_PASSES_TD
#define SHARD_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"
include "shard/Codegen/TensorPasses.td"

def ShardBufferize : Pass<"shard-bufferize", "::mlir::ModuleOp"> {
  let summary = "turn tensors into buffers";
  let description = [{
    One-shot bufferization of the module. Tensors in signatures become contiguous
    memrefs. Arguments of `entry`, or of every public function, are not written.
    Functions that are called return buffers of their own. Unless `hosted`, entries
    do so too: the caller may release each result.

    Collectives on tensors become calls of the runtime, by their bufferization
    models.

    Errors: an op on tensors that has no form on buffers; a constant of dynamic
    shape.

    ```mlir
    // Input
    func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]} outs(%a : tensor<4xf32>) {
      ^bb0(%x: f32):
        %1 = arith.negf %x : f32
        linalg.yield %1 : f32
      } -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    // Output
    #map = affine_map<(d0) -> (d0)>
    module {
      func.func @f(%arg0: memref<4xf32>) -> memref<4xf32> {
        %alloc = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
        memref.copy %arg0, %alloc : memref<4xf32> to memref<4xf32>
        linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%alloc : memref<4xf32>) {
        ^bb0(%out: f32):
          %0 = arith.negf %out : f32
          linalg.yield %0 : f32
        }
        return %alloc : memref<4xf32>
      }
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", "",
           "The function that is called from outside; every public function if empty">,
    Option<"hosted", "hosted", "bool", "false",
           "The code runs inside a host that owns its memory, as under shard-run">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShardGuardRecursion : Pass<"shard-guard-recursion", "::mlir::ModuleOp"> {
  let summary = "end recursion without end by a message";
  let description = [{
    A function that may call itself, directly or through others, asserts on entry
    that the stack of its thread has room. The host provides the function that
    tells. LLVM makes no jumps of its tail calls: a loop without end would give no
    message. If the module has indirect calls, all functions are guarded.

    ```mlir
    // Input
    func.func @f(%a: f32) -> f32 {
      %0 = call @f(%a) : (f32) -> f32
      return %0 : f32
    }
    // Output
    func.func private @shard_kernel_stack_has_room() -> i1
    func.func @f(%arg0: f32) -> f32 attributes {passthrough = [["disable-tail-calls", "true"]]} {
      %0 = call @shard_kernel_stack_has_room() : () -> i1
      cf.assert %0, "the stack is used up: 'f' is called by itself, directly or through others, too many times"
      %1 = call @f(%arg0) : (f32) -> f32
      return %1 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def ShardCheckExtents : Pass<"shard-check-extents", "::mlir::ModuleOp"> {
  let summary = "check dynamic extents when the program runs";
  let description = [{
    Operands of one op that do not fit each other would read or write memory that is not
    theirs: tensors of other extents than an op on them expects, slices outside of their
    tensor, reshapes to another number of elements. MLIR's verifiers find that where extents
    are static. Where they are not, this pass places `cf.assert` in front of the op, by MLIR's
    `RuntimeVerifiableOpInterface`. Of ops whose operands and results have static extents
    only slices are checked, and of these the ones with a stride that is a value and the
    ones that lie in their tensor at no offset. Extents of slices and allocations that are
    values must not be negative, and an allocation must take less than 2^62 bytes, so that
    its size does not overflow.

    ```mlir
    // Input
    func.func @f(%a: memref<?xf32>, %b: memref<?xf32>) {
      memref.copy %a, %b : memref<?xf32> to memref<?xf32>
      return
    }
    // Output
    func.func @f(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %dim = memref.dim %arg0, %c0 : memref<?xf32>
      %c0_0 = arith.constant 0 : index
      %dim_1 = memref.dim %arg1, %c0_0 : memref<?xf32>
      %0 = arith.cmpi eq, %dim, %dim_1 : index
      cf.assert %0, "the extents of this run do not fit: 'memref.copy': size of 0-th source/target dim does not match"
      memref.copy %arg0, %arg1 : memref<?xf32> to memref<?xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::index::IndexDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShardInsertDeallocations : Pass<"shard-insert-deallocations", "::mlir::ModuleOp"> {
  let summary = "free buffers behind their last use where that is easy to prove";
  let description = [{
    A buffer whose uses, through any alias, stay in the block of its allocation is
    freed behind the last of them. Other buffers go through branches, loops and calls:
    at the end of each iteration of a loop the host frees those that were made since the
    loop began and are not yielded. What is left lives until the host ends the run.
    Programs without a host are given MLIR's ownership-based deallocation instead,
    which frees everything, for more code.

    ```mlir
    // Input
    func.func @f(%a: memref<4xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %0 = memref.alloc() : memref<4xf32>
      memref.copy %a, %0 : memref<4xf32> to memref<4xf32>
      %1 = memref.load %0[%c0] : memref<4xf32>
      return %1 : f32
    }
    // Output
    func.func @f(%arg0: memref<4xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %alloc = memref.alloc() : memref<4xf32>
      memref.copy %arg0, %alloc : memref<4xf32> to memref<4xf32>
      %0 = memref.load %alloc[%c0] : memref<4xf32>
      memref.dealloc %alloc : memref<4xf32>
      return %0 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ShardSimplifyDeallocations : Pass<"shard-simplify-deallocations", "::mlir::ModuleOp"> {
  let summary = "find out which buffers cannot be one, where there are few";
  let description = [{
    MLIR's ownership-based deallocation, which programs without a host are given, frees
    buffers by `bufferization.dealloc`: those of a list that are no buffer of a second
    list. Its `buffer-deallocation-simplification` finds out what need not be compared when
    the program runs. Between a call and the end of a function that returns the results, its
    time grows with the fourth power of their number: 120 results took 20 seconds. This pass
    runs it on functions whose lists have at most 64 buffers together. Of others all is
    compared when they run.

    ```mlir
    // Input
    func.func @f(%a: memref<4xf32>, %x: f32, %i: index) {
      %true = arith.constant true
      %0 = memref.alloc() : memref<4xf32>
      memref.store %x, %0[%i] : memref<4xf32>
      bufferization.dealloc (%0 : memref<4xf32>) if (%true) retain (%a : memref<4xf32>)
      return
    }
    // Output
    func.func @f(%arg0: memref<4xf32>, %arg1: f32, %arg2: index) {
      %true = arith.constant true
      %alloc = memref.alloc() : memref<4xf32>
      memref.store %arg1, %alloc[%arg2] : memref<4xf32>
      bufferization.dealloc (%alloc : memref<4xf32>) if (%true)
      return
    }
    ```
  }];
}

def ShardOutlineNests : Pass<"shard-outline-nests", "::mlir::ModuleOp"> {
  let summary = "move linalg ops on buffers into functions";
  let description = [{
    Each linalg op on buffers that becomes a loop nest moves into a private function.
    Ops that are equal but for their operands share one, so that a program of many equal
    layers is compiled in the time of one. Constants move along. `unaliased` lists the pointers,
    by their positions among the arguments of the function in the LLVM dialect, to outputs
    that the op reaches through one argument alone; there they are `llvm.noalias`. With `kernel-calls`, sums
    of products stay where they are: they become calls.

    Copies between buffers with gaps become linalg ops first.

    ```mlir
    // Input
    func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
      linalg.exp ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
      linalg.exp ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
      return
    }
    // Output
    func.func @f(%arg0: memref<4xf32>, %arg1: memref<4xf32>, %arg2: memref<4xf32>) {
      call @f.nest1(%arg0, %arg1) : (memref<4xf32>, memref<4xf32>) -> ()
      call @f.nest1(%arg1, %arg2) : (memref<4xf32>, memref<4xf32>) -> ()
      return
    }
    func.func private @f.nest1(%arg0: memref<4xf32>, %arg1: memref<4xf32>)
        attributes {llvm.linkage = #llvm.linkage<internal>} {
      linalg.exp ins(%arg0 : memref<4xf32>) outs(%arg1 : memref<4xf32>)
      return
    }
    ```
  }];
  let options = [
    Option<"kernelCalls", "kernel-calls", "bool", "true",
           "Sums of products stay: they become kernel calls">,
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def ShardLowerLinalg : Pass<"shard-lower-linalg", "::mlir::ModuleOp"> {
  let summary = "turn linalg ops on buffers into kernel calls and loops";
  let description = [{
    A sum of products of two buffers with linear indexing (a matrix product, a
    convolution) becomes one call of `shard_kernel_contract`
    (shard/Runtime/Kernels/Contraction.h) if `kernel-calls`. Every other op becomes a loop nest
    whose innermost loop walks through memory in order; sums are kept in registers,
    in eight partial sums on every processor. `scf.forall` becomes `scf.for`: a device is one
    thread.

    ```mlir
    // Input
    func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {
      linalg.generic {
          indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
          iterator_types = ["parallel"]}
          ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.negf %x : f32
        linalg.yield %0 : f32
      }
      return
    }
    // Output
    func.func @f(%arg0: memref<4xf32>, %arg1: memref<4xf32>) {
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %arg2 = %c0 to %c4 step %c1 {
        %0 = memref.load %arg0[%arg2] : memref<4xf32>
        %1 = arith.negf %0 : f32
        memref.store %1, %arg1[%arg2] : memref<4xf32>
      }
      return
    }
    ```
  }];
  let options = [
    Option<"kernelCalls", "kernel-calls", "bool", "true",
           "Sums of products call the kernel of libshard_kernels instead of becoming loops">,
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShardExpandMath : Pass<"shard-expand-math", "::mlir::ModuleOp"> {
  let summary = "replace scalar math ops that MLIR does not lower";
  let description = [{
    `math.isinf` and `math.isnormal` become comparisons of the magnitude. `math.ipowi`
    becomes a loop over the bits of the exponent; unlike that of MLIR's
    convert-math-to-funcs it never divides by zero: a negative power of 0 is 0.

    ```mlir
    // Input
    func.func @f(%a: f32) -> i1 {
      %0 = math.isinf %a : f32
      return %0 : i1
    }
    // Output
    func.func @f(%arg0: f32) -> i1 {
      %0 = math.absf %arg0 : f32
      %cst = arith.constant 0x7F800000 : f32
      %1 = arith.cmpf oeq, %0, %cst : f32
      return %1 : i1
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def ShardExpandNarrowFloats : Pass<"shard-expand-narrow-floats", "::mlir::ModuleOp"> {
  let summary = "compute scalar ops on floats of 8 and 16 bits in f32";
  let description = [{
    Each op of arith and math on f16, bf16 or a float of 8 bits computes in f32 and is
    rounded once, to nearest, ties to even. Conversions of bf16 and of floats of 8 bits
    become integer arithmetic, which is the same on every machine; LLVM has no floats
    of 8 bits. What is too large for one of them becomes infinity, or NaN where the
    type has no infinity.

    ```mlir
    // Input
    func.func @f(%a: f16, %b: f16) -> f16 {
      %0 = arith.addf %a, %b : f16
      return %0 : f16
    }
    // Output
    func.func @f(%arg0: f16, %arg1: f16) -> f16 {
      %0 = arith.extf %arg0 : f16 to f32
      %1 = arith.extf %arg1 : f16 to f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.truncf %2 : f32 to f16
      return %3 : f16
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShardExpandElementary : Pass<"shard-expand-elementary", "::mlir::ModuleOp"> {
  let summary = "compute exp, log, tanh and erf of f32 by arithmetic";
  let description = [{
    `math.exp`, `math.log`, `math.tanh` and `math.erf` of scalars of f32 become additions,
    multiplications and selections, which LLVM vectorises. A result depends on the operand
    alone: not on the place in a block or vector, nor on the processor. The largest errors
    over all numbers, in units in the last place, are 1.09 (exp), 0.85 (log), 1.34 (tanh) and
    1.24 (erf). Infinities, NaN, signs of zeros, overflow and numbers below the least normal
    one are as IEEE 754 and the C standard say. Other functions, and all of f64, stay calls of
    libm.

    ```mlir
    // Input
    func.func @f(%a: f32) -> f32 {
      %0 = math.exp %a : f32
      return %0 : f32
    }
    // Output
    func.func @f(%arg0: f32) -> f32 {
      %cst = arith.constant -1.040000e+02 : f32
      %cst_0 = arith.constant 8.900000e+01 : f32
      %0 = arith.cmpf olt, %arg0, %cst : f32
      %1 = arith.select %0, %cst, %arg0 : f32
      %2 = arith.cmpf olt, %cst_0, %1 : f32
      %3 = arith.select %2, %cst_0, %1 : f32
      %cst_1 = arith.constant 0x4B400000 : f32
      %cst_2 = arith.constant 1.44269502 : f32
      %4 = arith.mulf %3, %cst_2 : f32
      %5 = arith.addf %4, %cst_1 : f32
      %6 = arith.subf %5, %cst_1 : f32
      %cst_3 = arith.constant 0.693359375 : f32
      %7 = arith.mulf %6, %cst_3 : f32
      %8 = arith.subf %3, %7 : f32
      %cst_4 = arith.constant -2.12194442E-4 : f32
      %9 = arith.mulf %6, %cst_4 : f32
      %10 = arith.subf %8, %9 : f32
      %cst_5 = arith.constant 0.00138142216 : f32
      %11 = arith.mulf %cst_5, %10 : f32
      %cst_6 = arith.constant 0.00836889911 : f32
      %12 = arith.addf %11, %cst_6 : f32
      %13 = arith.mulf %12, %10 : f32
      %cst_7 = arith.constant 0.0416684039 : f32
      %14 = arith.addf %13, %cst_7 : f32
      %15 = arith.mulf %14, %10 : f32
      %cst_8 = arith.constant 0.166665196 : f32
      %16 = arith.addf %15, %cst_8 : f32
      %17 = arith.mulf %16, %10 : f32
      %cst_9 = arith.constant 5.000000e-01 : f32
      %18 = arith.addf %17, %cst_9 : f32
      %19 = arith.mulf %10, %10 : f32
      %20 = arith.mulf %19, %18 : f32
      %21 = arith.addf %10, %20 : f32
      %cst_10 = arith.constant 1.000000e+00 : f32
      %22 = arith.addf %21, %cst_10 : f32
      %23 = arith.bitcast %5 : f32 to i32
      %24 = arith.bitcast %cst_1 : f32 to i32
      %25 = arith.subi %23, %24 : i32
      %c1_i32 = arith.constant 1 : i32
      %26 = arith.shrsi %25, %c1_i32 : i32
      %c127_i32 = arith.constant 127 : i32
      %27 = arith.addi %26, %c127_i32 : i32
      %c23_i32 = arith.constant 23 : i32
      %28 = arith.shli %27, %c23_i32 : i32
      %29 = arith.bitcast %28 : i32 to f32
      %30 = arith.mulf %22, %29 : f32
      %31 = arith.subi %25, %26 : i32
      %c127_i32_11 = arith.constant 127 : i32
      %32 = arith.addi %31, %c127_i32_11 : i32
      %c23_i32_12 = arith.constant 23 : i32
      %33 = arith.shli %32, %c23_i32_12 : i32
      %34 = arith.bitcast %33 : i32 to f32
      %35 = arith.mulf %30, %34 : f32
      return %35 : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ShardConvertToLLVM : Pass<"shard-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "turn everything on buffers into the LLVM dialect";
  let description = [{
    Full conversion of arith, cf, complex, func, index, math, memref, mpi, scf, ub and
    vector. Math that LLVM has no instruction for calls libm. If `hosted`, functions
    are renamed to `shard.fn.NAME`, and buffers come from
    `_mlir_memref_to_llvm_aligned_alloc`, else from `aligned_alloc`.

    Errors: an op that does not become LLVM; a name of an MPI that is none.

    ```mlir
    // Input
    func.func @f(%a: memref<4xf32>, %i: index) -> f32 {
      %0 = memref.load %a[%i] : memref<4xf32>
      return %0 : f32
    }
    // Output
    llvm.func @f(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64, %arg3: i64, %arg4: i64, %arg5: i64) -> f32 {
      %0 = llvm.mlir.poison : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
      %1 = llvm.insertvalue %arg0, %0[0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %2 = llvm.insertvalue %arg1, %1[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %3 = llvm.insertvalue %arg2, %2[2] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %4 = llvm.insertvalue %arg3, %3[3, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %5 = llvm.insertvalue %arg4, %4[4, 0] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %6 = llvm.extractvalue %5[1] : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> 
      %7 = llvm.getelementptr inbounds|nuw %6[%arg5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %8 = llvm.load %7 : !llvm.ptr -> f32
      llvm.return %8 : f32
    }
    ```
  }];
  let options = [
    Option<"hosted", "hosted", "bool", "false",
           "The code runs inside a host that owns its memory, as under shard-run">,
    Option<"mpi", "mpi", "std::string", "",
           "The MPI that ops of mpi are lowered for: openmpi or mpich; if empty, what "
           "the attribute dlti.map of the module says under \"MPI:Implementation\"">,
  ];
  let dependentDialects = ["::mlir::DLTIDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // SHARD_CODEGEN_PASSES_TD
