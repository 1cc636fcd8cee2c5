//===- Npy.h - Tensors in NumPy's file format -------------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files, versions 1 to 3, little-endian, C or Fortran
// order. bf16, which NumPy has no type for, is stored as uint16: the bits.
//
// Source of the format: NumPy Enhancement Proposal 1.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_NPY_H
#define SHARD_HOST_NPY_H

#include "shard/Host/HostTensor.h"

#include <optional>

namespace shard {

/// The tensor in file `path`. An element type that NumPy has under the same name
/// is taken as it is; `expected` tells bf16 from ui16, and index from i64.
/// Otherwise nothing, and `error` says what is wrong with which file.
std::optional<HostTensor> readNpy(const std::string &path, ElementType expected,
                                  std::string &error);

/// The same, with the elements mapped into memory, so that only those that somebody
/// looks at are read from the disk. What is not in the order and form that programs
/// take (i1, Fortran order) is read as a whole. The file has to stay as it is as long
/// as the tensor lives.
std::optional<HostTensor> mapNpy(const std::string &path, ElementType expected,
                                 std::string &error);

/// What stands in a file in front of the elements of a tensor of `shape`.
std::string npyHeader(ElementType type, const std::vector<int64_t> &shape);

/// Writes `tensor`; false, and `error`, if the file cannot be written.
bool writeNpy(const std::string &path, const HostTensor &tensor,
              std::string &error);

} // namespace shard

#endif // SHARD_HOST_NPY_H
