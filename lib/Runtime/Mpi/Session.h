//===- Session.h - This process as a rank of an MPI program --- -*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rank runs one device. A session lasts from the first use of the runtime
// until the process ends; a run, within it, from shard_rt_run to its return.
// Nothing here is guarded: one thread at a time talks to MPI. The watch (Watch.h) has a thread of its own and knows no MPI.
//
// A failure ends the processes of all ranks with exit code 1: what MPI has
// begun cannot be taken back. So functions may end the process wherever they
// find one, whatever objects are alive.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_MPI_SESSION_H
#define SHARD_LIB_RUNTIME_MPI_SESSION_H

// The C++ bindings of MPI are deprecated and would be linked.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "../Common/Collective.h"
#include "Watch.h"
#include "shard/Runtime/Report.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace shard {
namespace runtime {

/// When the calls of a group are compared before they move data.
enum class Checks { First, Always, Never };

/// A device group as MPI knows it.
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
  /// By position; the number of its rank in `comm` is the position.
  std::vector<int64_t> devices;
  /// The same for all its devices.
  uint64_t id = 0;
  /// Rendezvous of this device.
  uint64_t entered = 0;
  /// The watch knows it.
  bool watched = false;
  /// Its devices are on more than one host.
  bool crossesHosts = false;
  /// Places of gathers of which all inputs had the extent of a block of the
  /// result when they were compared.
  std::unordered_set<const char *> blockGathers;
};

/// A message that MPI may still read.
struct PendingSend {
  std::vector<char> header;
  std::vector<char> data;
  MPI_Request requests[2];
};

/// A call that was started and has not ended.
struct StartedCall {
  Collective c;
  int64_t bytes;
  Communicator *group = nullptr;
  /// Which rendezvous of the group it is.
  uint64_t sequence = 0;
  std::vector<MPI_Request> requests;
  /// What is left to do when the requests are done; uses no memory of the device.
  std::function<void(Collective &)> finish;
  /// Memory that MPI may use until then: packed inputs, and what arrives.
  std::vector<char> scratch, received;

  StartedCall(const Collective &c, int64_t bytes) : c(c), bytes(bytes) {}
  MPI_Request *request() {
    requests.push_back(MPI_REQUEST_NULL);
    return &requests.back();
  }
};

/// This rank's device.
struct RankDevice : Device {
  /// For what arrives before it has its place.
  std::vector<char> received;
  /// Of the current call.
  std::vector<MPI_Request> requests;
  /// Messages by device: sent to it, received from it, and where the last one
  /// was sent.
  std::vector<int64_t> sent, receivedFrom;
  std::vector<const char *> sentAt;
  std::deque<std::unique_ptr<PendingSend>> pending;
  /// In the order of the program.
  std::deque<std::unique_ptr<StartedCall>> started;
  /// The call that is being started; null if a call runs to its end.
  StartedCall *starting = nullptr;
};

struct Session {
  MPI_Comm world = MPI_COMM_NULL;
  /// The same ranks; for send and recv.
  MPI_Comm messages = MPI_COMM_NULL;
  /// All devices, for the beginning of a run.
  Communicator everybody;
  /// All devices, for exchanges outside of a run (kExchangeGroup).
  Communicator exchange;
  int rank = 0;
  int size = 1;
  std::string host;
  /// By rank.
  std::vector<std::string> hosts;
  /// By device; empty: device i is rank i.
  std::vector<int64_t> ranks;
  std::string program;
  Checks checks = Checks::First;
  /// The program whose first run is over.
  std::string checkedProgram;
  bool ownsMpi = false;
  /// MPI may no longer be called for it.
  bool ended = false;
  /// All ranks know that the last run did not begin.
  bool refused = false;
  Watch watch;
  /// By devices.
  std::map<std::vector<int64_t>, std::unique_ptr<Communicator>> communicators;

  // The run.
  Grid grid;
  std::unique_ptr<RankDevice> device;
  bool comparing = false;

  int64_t rankOf(int64_t device) const {
    return ranks.empty() ? device : ranks[device];
  }
};

/// The session, begun if it is not yet. Ends the process with exit code 1 if MPI
/// does not start.
Session &session();

/// Ends the session in good order; all ranks come here. Nothing if it has ended.
void endSession();

/// The grid position of this rank for a grid of the given number of devices; -1
/// if it runs none.
int64_t deviceOfRank(const Session &s, int64_t numDevices);

inline RankDevice &rankOf(Device &device) {
  return static_cast<RankDevice &>(device);
}

/// A text of each rank, by rank, at rank 0 only; of any length.
std::vector<std::string> gatherTexts(const Session &s, const std::string &text);
/// The text of rank 0.
std::string broadcastText(const Session &s, std::string text);

/// Runs `fn` on this rank's device, as runOnGrid does on all (Threads.h). The
/// records of all devices are in rank 0's report, those of this one elsewhere, if all
/// ranks keep them.
RunReport runOnRanks(const std::vector<int64_t> &shape,
                     const std::function<void(int64_t)> &fn, bool keepsRecords);

/// Ends the run if `code` is an error of MPI.
void checkMpi(Collective &c, int code);

/// Prints "error: message" once and ends all ranks with exit code 1.
[[noreturn]] void endAllRanks(const std::string &message);

/// Meets the other devices of the group: makes their communicator at the first
/// call, compares the calls if this run does so. `extents`, if not null,
/// receives by position the extent of the inputs' free dimension; it stays empty
/// if all of them are blocks of the result.
Communicator &enter(Collective &c, std::vector<int64_t> *extents = nullptr);
/// The call is over, or started.
void leave(Collective &c);

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_MPI_SESSION_H
