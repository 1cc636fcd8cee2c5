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

/// Runs the device of this process. The first process puts the results together
/// and returns what runGrid would. So do all others if `share`, with the results of the
/// first; else they return false.
bool runOnProcesses(const GridProgram &program,
                    const std::vector<HostTensor> &inputs,
                    runtime::Processes &processes, bool share,
                    RunReport &report, std::vector<HostTensor> &outputs);

} // namespace shard::execution

#endif // SHARD_LIB_EXECUTION_RUNGRID_H
