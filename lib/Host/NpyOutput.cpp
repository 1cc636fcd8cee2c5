//===- NpyOutput.cpp - A .npy file that many write together ---------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Host/NpyOutput.h"

#include "shard/Geometry/Grid.h"
#include "shard/Host/Npy.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace shard;

/// What `path` leads to, if it exists.
static std::string followLinks(const std::string &path) {
  char *resolved = realpath(path.c_str(), nullptr);
  if (!resolved)
    return path;
  std::string result(resolved);
  std::free(resolved);
  return result;
}

static std::string because(const std::string &path, int code) {
  return "cannot write '" + path + "': " + std::strerror(code);
}

NpyOutput::NpyOutput(const std::string &path, const std::string &token,
                     ElementType type, std::vector<int64_t> shape)
    : target(followLinks(path)), beside(target + "." + token + ".part"),
      type(type), shape(std::move(shape)),
      header(npyHeader(type, this->shape)) {}

/// The permissions of the file that is there; those of a new file if there is none.
static mode_t permissionsOf(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0)
    return status.st_mode & 07777;
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

/// Writes all of `data`; 0, or what went wrong.
static int writeAll(int file, const void *data, size_t size, int64_t offset) {
  const char *next = static_cast<const char *>(data);
  while (size) {
    ssize_t count = pwrite(file, next, size, offset);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return count ? errno : ENOSPC;
    next += count;
    offset += count;
    size -= count;
  }
  return 0;
}

bool NpyOutput::create(std::string &error) {
  mode_t mode = permissionsOf(target);
  int file = open(beside.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) {
    error = because(beside, errno);
    return false;
  }
  int64_t length =
      static_cast<int64_t>(header.size()) + *numBytesOf(type, shape);
  // Takes the room now: a full disk shows before anything is written. Where that cannot
  // be done, writing finds out.
  int code = posix_fallocate(file, 0, length);
  if (code == EOPNOTSUPP || code == EINVAL)
    code = ftruncate(file, length) ? errno : 0;
  if (!code && fchmod(file, mode))
    code = errno;
  if (!code)
    code = writeAll(file, header.data(), header.size(), 0);
  if (close(file) && !code)
    code = errno;
  if (!code)
    return true;
  error = because(beside, code);
  discard();
  return false;
}

bool NpyOutput::write(const HostTensor &block,
                      const std::vector<int64_t> &offsets, std::string &error) {
  if (block.numElements() == 0)
    return true;
  int file = open(beside.c_str(), O_WRONLY | O_CLOEXEC);
  int code = file < 0 ? errno : 0;
  // Behind the last dimension of which a part is taken, elements lie in one piece.
  size_t rank = shape.size(), cut = rank;
  while (cut > 0 && block.shape()[cut - 1] == shape[cut - 1])
    --cut;
  int64_t width = byteWidth(type), run = 1;
  for (size_t dim = cut ? cut - 1 : 0; dim < rank; ++dim)
    run *= block.shape()[dim];
  std::vector<int64_t> strides = rowMajorStrides(shape);
  std::vector<int64_t> outer(block.shape().begin(),
                             block.shape().begin() + (cut ? cut - 1 : 0));
  for (int64_t i = 0, e = block.numElements() / run; i < e && !code; ++i) {
    std::vector<int64_t> index = delinearize(i, outer);
    index.resize(rank, 0);
    int64_t position = 0;
    for (size_t dim = 0; dim < rank; ++dim)
      position += (index[dim] + offsets[dim]) * strides[dim];
    code = writeAll(file, block.data() + i * run * width, run * width,
                    static_cast<int64_t>(header.size()) + position * width);
  }
  if (file >= 0 && close(file) && !code)
    code = errno;
  if (code)
    error = because(beside, code);
  return !code;
}

bool NpyOutput::commit(std::string &error) {
  int file = open(beside.c_str(), O_WRONLY | O_CLOEXEC);
  bool well = file >= 0 && fsync(file) == 0;
  int code = errno;
  if (file >= 0)
    close(file);
  if (well) {
    well = rename(beside.c_str(), target.c_str()) == 0;
    code = errno;
  }
  if (well)
    return true;
  error = because(target, code);
  discard();
  return false;
}

void NpyOutput::discard() { unlink(beside.c_str()); }

std::string shard::problemOfOutput(const std::string &path, bool &isSpecial) {
  struct stat status;
  bool exists = stat(path.c_str(), &status) == 0;
  isSpecial = exists && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
  if (isSpecial)
    return {};
  if (exists && (S_ISDIR(status.st_mode) || access(path.c_str(), W_OK) != 0))
    return because(path, S_ISDIR(status.st_mode) ? EISDIR : errno);
  std::string beside =
      followLinks(path) + "." + std::to_string(getpid()) + ".part";
  int file = open(beside.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0)
    return because(exists ? beside : path, errno);
  close(file);
  unlink(beside.c_str());
  return {};
}

bool shard::replaceNpy(const std::string &path, const HostTensor &tensor,
                       std::string &error) {
  bool isSpecial = false;
  error = problemOfOutput(path, isSpecial);
  if (!error.empty())
    return false;
  if (isSpecial)
    return writeNpy(path, tensor, error);
  NpyOutput output(path, std::to_string(getpid()), tensor.type(),
                   tensor.shape());
  if (!output.create(error))
    return false;
  if (output.write(tensor, std::vector<int64_t>(tensor.shape().size(), 0),
                   error))
    return output.commit(error);
  output.discard();
  return false;
}
