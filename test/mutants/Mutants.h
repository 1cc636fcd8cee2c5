//===- Mutants.h - Which mutant of a build is alive ----*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by the copies of the sources that mutate.py writes. The environment variable
// SHARD_MUTANT is the number of the one mutation that a process makes. SHARD_MUTANT_TRACE
// is a file with one byte for each mutation: a process sets the byte of each one that it
// comes to. The file is mapped, so that processes that are killed have written theirs.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_TEST_MUTANTS_MUTANTS_H
#define SHARD_TEST_MUTANTS_MUTANTS_H

#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace shard_mutants {

inline unsigned numberFromEnvironment() {
  const char *text = std::getenv("SHARD_MUTANT");
  return text ? unsigned(std::strtoul(text, nullptr, 10)) : 0;
}

inline volatile char *mapTrace() {
  const char *path = std::getenv("SHARD_MUTANT_TRACE");
  if (!path)
    return nullptr;
  int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat state;
  if (file < 0 || fstat(file, &state) != 0)
    return nullptr;
  void *bytes = mmap(nullptr, size_t(state.st_size), PROT_READ | PROT_WRITE,
                     MAP_SHARED, file, 0);
  close(file);
  return bytes == MAP_FAILED ? nullptr : static_cast<volatile char *>(bytes);
}

/// Whether the process makes the mutation `number`, which counts from 1.
inline bool isAlive(unsigned number) {
  static const unsigned alive = numberFromEnvironment();
  static volatile char *const trace = mapTrace();
  if (__builtin_expect(trace != nullptr, 0))
    trace[number] = 1;
  return __builtin_expect(number == alive, 0);
}

} // namespace shard_mutants

#define SHARD_MUTANT(number) ::shard_mutants::isAlive(number)

#endif // SHARD_TEST_MUTANTS_MUTANTS_H
