//===- Files.cpp - Damaged .npy files and reports --------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The first byte of an input says what the rest is: a .npy file and the element type
// that is expected of it, or the JSON that Python gives to the HTML report.
//
//===----------------------------------------------------------------------===//

#include "shard-c/Program.h"
#include "shard/Host/HostTensor.h"
#include "shard/Host/Npy.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace shard;

static void demand(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "failure: %s\n", what);
  std::abort();
}

/// Reading and mapping give the same elements, or both give an error.
static void readArray(ElementType expected, const uint8_t *data, size_t size) {
  int file = memfd_create("input", 0);
  demand(file >= 0 && write(file, data, size) == ssize_t(size),
         "the file cannot be made");
  std::string path = "/proc/self/fd/" + std::to_string(file);
  std::string readError, mapError;
  std::optional<HostTensor> read = readNpy(path, expected, readError);
  std::optional<HostTensor> mapped = mapNpy(path, expected, mapError);
  demand(read.has_value() == mapped.has_value(), "one of two reads fails");
  demand(read.has_value() == readError.empty(), "no error, or one too many");
  demand(readError == mapError, "two errors of one file");
  if (read) {
    demand(read->type() == mapped->type() && read->shape() == mapped->shape(),
           "two types");
    demand(read->numBytes() == 0 ||
               std::memcmp(read->data(), mapped->data(), read->numBytes()) == 0,
           "two contents");
  }
  mapped.reset();
  close(file);
}

static void printReport(const uint8_t *data, size_t size) {
  MlirStringRef text = {reinterpret_cast<const char *>(data), size};
  size_t printed = 0;
  MlirStringCallback count = [](MlirStringRef part, void *sum) {
    *static_cast<size_t *>(sum) += part.length;
  };
  bool done = shardPrintHtml(text, mlirStringRefCreateFromCString("p.mlir"),
                             mlirStringRefCreateFromCString("func.func"), count,
                             &printed);
  demand(done == (printed > 0), "a page without success, or the reverse");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  constexpr ElementType types[] = {ElementType::F32,  ElementType::I1,
                                   ElementType::BF16, ElementType::I64,
                                   ElementType::C64,  ElementType::F8E4M3FN};
  unsigned kind = data[0] % (std::size(types) + 1);
  if (kind < std::size(types))
    readArray(types[kind], data + 1, size - 1);
  else
    printReport(data + 1, size - 1);
  return 0;
}
