//===- Descriptors.h - Descriptors of memory in LLVM IR ---------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_CODEGEN_DESCRIPTORS_H
#define SHARD_LIB_CODEGEN_DESCRIPTORS_H

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace shard::codegen {

/// Passes the arguments and the results of functions in memory where they are very many.
/// A tensor is several numbers, each of which is an argument: a training step with 300
/// weights has some 2,000, and the time that LLVM generates code for one call of it in
/// grows with their square. Functions whose address is taken and loop nests stay.
void passWideSignaturesInMemory(llvm::Module &module);

/// Makes a phi for each number of the phis of structs. LLVM's fast code generator leaves a
/// whole block to the slow one where a branch leads to a phi of a struct.
void splitDescriptors(llvm::Function &function);

} // namespace shard::codegen

#endif // SHARD_LIB_CODEGEN_DESCRIPTORS_H
