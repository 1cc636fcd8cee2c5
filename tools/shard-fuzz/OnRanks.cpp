//===- OnRanks.cpp - shard-fuzz --mpi -------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OnRanks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace shard::fuzz;
using shard::runtime::Processes;

static int bad(const llvm::Twine &what) {
  llvm::errs() << "shard-fuzz: " << what << "\n";
  return 2;
}

int proveUnderMpi(const std::vector<std::string> &arguments,
                  GenerateOptions options, bool hasFiles,
                  RankPrograms programs) {
  std::string mpi = Processes::launcher(), error;
  if (mpi.empty())
    return bad("--mpi: no launcher of MPI has started several of these "
               "processes; start mpirun -n 4 shard-fuzz --mpi ...");
  std::string self = llvm::sys::fs::getMainExecutable(
      arguments[0].c_str(), reinterpret_cast<void *>(&proveUnderMpi));
  Processes *processes =
      Processes::load(mpi, llvm::sys::path::parent_path(self).str(), error);
  if (!processes)
    return bad("--mpi: " + error);
  // Ranks with other options would generate other programs.
  std::string text;
  for (const std::string &argument : llvm::drop_begin(arguments))
    text += argument + '\0';
  std::string problem;
  int64_t devices = 1;
  for (int64_t size : options.grid)
    devices *= size;
  if (hasFiles)
    problem = "--mpi: takes random programs, no files";
  else if (!options.grid.empty() && devices != processes->count())
    problem = "--grid: expected as many devices as there are ranks, " +
              std::to_string(processes->count());
  else if (processes->broadcast(text) != text)
    problem = "--mpi: the ranks have different options";
  if (!processes->startTogether(problem)) {
    if (processes->number() == 0)
      bad(problem);
    processes->endTogether();
    return 2;
  }
  bool isFixed = !options.grid.empty();
  programs.program = [=](uint64_t seed) {
    GenerateOptions own = options;
    if (!isFixed)
      own.grid = gridOfDevices(seed, processes->count());
    return generate(seed, own);
  };
  return proveOnRanks(*processes, programs);
}
