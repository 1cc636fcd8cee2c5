//===- NpyOutput.h - A .npy file that many write together -------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices write their blocks of a tensor into one file, each at its place, so that
// nobody needs the whole tensor. The file gets its name when all are done: what has
// that name is complete.
//
//   NpyOutput output(path, token, type, shape);
//   one process:   output.create(error)
//   then all:      output.write(block, offsets, error), for each block
//   then the one:  output.commit(error), or output.discard()
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_HOST_NPYOUTPUT_H
#define SHARD_HOST_NPYOUTPUT_H

#include "shard/Host/HostTensor.h"

namespace shard {

class NpyOutput {
public:
  /// A tensor of `shape` for the file `path`. `token` is the same in all processes
  /// that write it, and in no other run.
  NpyOutput(const std::string &path, const std::string &token, ElementType type,
            std::vector<int64_t> shape);

  /// Makes a file of the full length beside `path`. A link is followed.
  bool create(std::string &error);
  /// Writes a block to its place. Callable by several threads and processes, after
  /// create() has returned.
  bool write(const HostTensor &block, const std::vector<int64_t> &offsets,
             std::string &error);
  /// Gives the file its name, after all have written.
  bool commit(std::string &error);
  /// Deletes what create() has made.
  void discard();

private:
  std::string target, beside;
  ElementType type;
  std::vector<int64_t> shape;
  std::string header;
};

/// Writes a whole tensor to `path`: beside it first, if it is a file.
bool replaceNpy(const std::string &path, const HostTensor &tensor,
                std::string &error);

/// Why `path` cannot be written by an NpyOutput, or nothing: it is tried out, and nothing
/// stays behind. `isSpecial` says that it is something else than a file, such as a pipe.
std::string problemOfOutput(const std::string &path, bool &isSpecial);

} // namespace shard

#endif // SHARD_HOST_NPYOUTPUT_H
