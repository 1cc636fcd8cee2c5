//===- RunGrid.h - Running a compiled program on all devices -- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_EXECUTION_RUNGRID_H
#define SHARD_LIB_EXECUTION_RUNGRID_H

#include "GridProgram.h"

namespace shard::execution {

/// Marks the run as failed for the reason `what`.
void fail(RunReport &report, const llvm::Twine &what);

/// Runs all devices as threads of this process and puts the results together. A device
/// waits at most `timeoutSeconds` at one rendezvous; 0: the default. Returns
/// false, with the reason in `report`, if that went wrong.
bool runGrid(const GridProgram &program, const std::vector<HostTensor> &inputs,
             double timeoutSeconds, const Monitor &monitor, RunReport &report,
             std::vector<HostTensor> &outputs);

/// Dynamic dimensions divide evenly by contract: what of the inputs does not, in
/// words; empty if all do.
std::string brokenContract(const GridProgram &program,
                           const std::vector<HostTensor> &inputs);

/// Puts a result together from the blocks of all devices; what is wrong, or nothing.
std::string assembleResult(const GridValue &value,
                           const std::vector<const HostTensor *> &blocks,
                           HostTensor &output);

/// The results of a process.
struct ProcessResults {
  std::vector<HostTensor> locals;
  /// '1' for each result that the first process has as a whole, else '0'.
  std::string gathered;
};

/// Runs the device of this process. The first process puts those results together that
/// `options` want as a whole; all others stay empty in `outputs`, and only digests tell
/// whether replicas agree. Returns, on all processes alike, whether the program ran.
bool runOnProcesses(const GridProgram &program,
                    const std::vector<HostTensor> &inputs,
                    const RunOptions &options, RunReport &report,
                    ProcessResults &results, std::vector<HostTensor> &outputs);

/// Writes RunOptions::outputFiles, if the first process has passed so far: every process
/// its blocks. Failures are in the report of the first process.
void writeOnProcesses(const GridProgram &program, const RunOptions &options,
                      const ProcessResults &results,
                      const std::vector<HostTensor> &outputs,
                      RunReport &report);

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_RUNGRID_H
