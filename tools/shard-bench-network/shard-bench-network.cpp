//===- shard-bench-network.cpp - What the links of a cluster do -----------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   mpirun -n 4 shard-bench-network --grid 2x2
//
// Times collectives along each axis of the grid, finds the latency and bandwidth of the
// axis that come nearest to the times, and prints a grid with these figures, as programs
// declare it. Comments before it compare the times with what the cost model
// (Resharding/CostModel.h) makes of the figures, so that the output is a valid program.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"

#include "shard/Resharding/CostModel.h"
#include "shard/Runtime/Processes.h"
#include "shard/Runtime/Runtime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace shard;
using shard::runtime::Processes;

static cl::opt<std::string> gridText(
    "grid",
    cl::desc("Extents of the grid; by default one axis of all processes"),
    cl::value_desc("2x4"));
static cl::opt<int64_t> maxBytes("max-bytes",
                                 cl::desc("The largest input of a collective"),
                                 cl::init(int64_t(4) << 20));
static cl::opt<int> rounds("rounds",
                           cl::desc("Repetitions; the fastest one counts"),
                           cl::init(10));

namespace {

/// The functions of Runtime.h of the MPI library that was loaded.
struct Functions {
  decltype(&shard_rt_all_gather) allGather = nullptr;
  decltype(&shard_rt_all_reduce) allReduce = nullptr;
  decltype(&shard_rt_reduce_scatter) reduceScatter = nullptr;
  decltype(&shard_rt_all_to_all) allToAll = nullptr;
  decltype(&shard_rt_shift) shift = nullptr;
  decltype(&shard_rt_barrier) barrier = nullptr;

  explicit Functions(const Processes &processes) {
    for (auto [name, address] : processes.symbols()) {
      take(name, "shard_rt_all_gather", address, allGather);
      take(name, "shard_rt_all_reduce", address, allReduce);
      take(name, "shard_rt_reduce_scatter", address, reduceScatter);
      take(name, "shard_rt_all_to_all", address, allToAll);
      take(name, "shard_rt_shift", address, shift);
      take(name, "shard_rt_barrier", address, barrier);
    }
  }

private:
  template <typename Function>
  static void take(StringRef name, StringRef wanted, void *address,
                   Function &function) {
    if (name == wanted)
      function = reinterpret_cast<Function>(address);
  }
};

/// Rows of f32 as a buffer of Runtime.h.
struct Rows {
  std::vector<float> values;
  int64_t words[7];

  Rows(int64_t rows, int64_t columns)
      : values(rows * columns, 1),
        words{int64_t(reinterpret_cast<intptr_t>(values.data())),
              0,
              2,
              rows,
              columns,
              columns,
              1} {}
};

/// One collective along one axis with one size.
struct Sample {
  Collective collective;
  const char *name;
  int64_t axis;
  /// What the busiest device sends.
  double bytes;
  double seconds;
};

struct Kind {
  Collective collective;
  const char *name;
};
constexpr Kind kKinds[] = {{Collective::AllGather, "all_gather"},
                           {Collective::ReduceScatter, "reduce_scatter"},
                           {Collective::AllToAll, "all_to_all"},
                           {Collective::AllReduce, "all_reduce"},
                           {Collective::Shift, "shift"}};

} // namespace

static std::vector<Sample> plannedSamples(ArrayRef<int64_t> shape) {
  std::vector<Sample> samples;
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis)
    for (const Kind &kind : kKinds)
      for (int64_t bytes = 1024; shape[axis] > 1 && bytes <= maxBytes;
           bytes *= 8)
        samples.push_back(
            {kind.collective, kind.name, axis,
             bytesSent(kind.collective, shape[axis], double(bytes)),
             double(bytes)});
  return samples;
}

/// Runtime.h's words of the group that `axes` of the grid make.
static std::vector<int64_t> groupWords(ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> axes) {
  std::vector<int64_t> words = {int64_t(shape.size())};
  llvm::append_range(words, shape);
  words.push_back(axes.size());
  llvm::append_range(words, axes);
  return words;
}

/// Replaces the size of the input, which `seconds` holds, by the time of this
/// device.
static void measure(const Functions &rt, Sample &sample,
                    ArrayRef<int64_t> shape) {
  const char *at = "shard-bench-network";
  int64_t extent = shape[sample.axis], along[] = {1, sample.axis};
  std::vector<int64_t> words = groupWords(shape, sample.axis);
  std::vector<int64_t> everybody =
      groupWords(shape, llvm::to_vector(llvm::seq<int64_t>(0, shape.size())));
  const int64_t *group = words.data();
  // A row for each device of the group.
  int64_t columns = std::max<int64_t>(1, int64_t(sample.seconds) / 4 / extent);
  Rows whole(extent, columns), other(extent, columns), part(1, columns);
  bool gathers = sample.collective == Collective::AllGather;
  Rows large(gathers ? extent * extent : 1, columns);
  auto call = [&] {
    switch (sample.collective) {
    case Collective::AllGather:
      return rt.allGather(at, group, SHARD_RT_F32, whole.words, large.words, 0);
    case Collective::ReduceScatter:
      return rt.reduceScatter(at, group, SHARD_RT_F32, whole.words, part.words,
                              SHARD_RT_SUM, 0);
    case Collective::AllToAll:
      return rt.allToAll(at, group, SHARD_RT_F32, whole.words, other.words, 0,
                         0);
    case Collective::AllReduce:
      return rt.allReduce(at, group, SHARD_RT_F32, whole.words, other.words,
                          SHARD_RT_SUM);
    default:
      return rt.shift(at, group, SHARD_RT_F32, whole.words, other.words, along,
                      1, 1, 0);
    }
  };
  // Devices leave a barrier up to a latency apart, which the first call behind it makes
  // up for: as long as a small message. So several calls in a row are timed.
  int calls = int(std::clamp(4e6 / sample.seconds, 1., 16.));
  double fastest = 1e30;
  for (int i = 0; i <= rounds; ++i) {
    rt.barrier(at, everybody.data());
    auto begin = std::chrono::steady_clock::now();
    for (int j = 0; j < calls; ++j)
      call();
    std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - begin;
    // The first call connects.
    if (i > 0)
      fastest = std::min(fastest, time.count() / calls);
  }
  sample.seconds = fastest;
}

namespace {
/// What comes nearest to the samples of an axis.
struct Link {
  double latency = 0, bandwidth = 1e9;
};
} // namespace

/// The least sum of squares of relative errors of latency + bytes / bandwidth.
static Link fit(ArrayRef<Sample> samples, int64_t axis) {
  double s = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (const Sample &sample : samples) {
    if (sample.axis != axis)
      continue;
    double weight = 1 / (sample.seconds * sample.seconds);
    s += weight;
    x += weight * sample.bytes;
    xx += weight * sample.bytes * sample.bytes;
    y += weight * sample.seconds;
    xy += weight * sample.bytes * sample.seconds;
  }
  Link link;
  double determinant = s * xx - x * x;
  if (determinant <= 0)
    return link;
  double slope = (s * xy - x * y) / determinant;
  double latency = (y - slope * x) / s;
  // Without a latency, or without a bandwidth, the other one alone.
  if (latency < 0) {
    latency = 0;
    slope = xy / xx;
  } else if (slope <= 0) {
    slope = 1e-15;
    latency = y / s;
  }
  return {latency, 1 / slope};
}

static std::string listOf(ArrayRef<Link> links, double Link::*figure) {
  std::string text = "array<f64: ";
  raw_string_ostream os(text);
  interleaveComma(
      links, os, [&](const Link &link) { os << format("%.3e", link.*figure); });
  os << ">";
  return text;
}

static void print(const Processes &processes, ArrayRef<int64_t> shape,
                  ArrayRef<Sample> samples) {
  std::vector<Link> links;
  std::vector<double> latency, bandwidth;
  for (int64_t axis = 0; axis < int64_t(shape.size()); ++axis) {
    links.push_back(fit(samples, axis));
    latency.push_back(links.back().latency);
    bandwidth.push_back(links.back().bandwidth);
  }
  std::vector<std::string> hosts;
  for (int64_t i = 0; i < processes.count(); ++i)
    hosts.push_back(processes.host(i));
  llvm::sort(hosts);
  size_t numHosts = std::unique(hosts.begin(), hosts.end()) - hosts.begin();
  outs() << "// " << processes.count() << " processes on " << numHosts
         << (numHosts == 1 ? " host\n" : " hosts\n");
  LinkCostModel model(latency, bandwidth);
  outs() << "// axis  collective      bytes sent  measured us  predicted us  "
            "ratio\n";
  for (const Sample &sample : samples) {
    double predicted = model.cost(
        sample.collective, {AxisList::value_type(sample.axis)}, sample.bytes);
    outs() << format("// %4d  %-14s  %10.0f  %11.1f  %12.1f  %5.2f\n",
                     int(sample.axis), sample.name, sample.bytes,
                     sample.seconds * 1e6, predicted * 1e6,
                     sample.seconds / predicted);
  }
  outs() << "shard.grid @grid(shape = ";
  llvm::interleave(shape, outs(), "x");
  outs() << ") {bandwidth = " << listOf(links, &Link::bandwidth)
         << ", latency = " << listOf(links, &Link::latency) << "}\n";
}

/// The extents of --grid, or the problem.
static std::string parseShape(int64_t count, std::vector<int64_t> &shape) {
  if (gridText.empty())
    shape = {count};
  SmallVector<StringRef> parts;
  StringRef(gridText).split(parts, 'x');
  int64_t product = 1;
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (gridText.empty())
      break;
    if (part.getAsInteger(10, extent) || extent < 1 || extent > (1 << 20))
      return "--grid: expected extents such as 2x4, not '" + gridText + "'";
    shape.push_back(extent);
    product = std::min<int64_t>(product * extent, int64_t(1) << 40);
  }
  if (!gridText.empty() && product != count)
    return "the grid has " + std::to_string(product) +
           " devices, but there are " + std::to_string(count) + " processes";
  if (maxBytes < 8192 || maxBytes > (int64_t(1) << 30))
    return "--max-bytes: expected 8192 to 1073741824";
  if (rounds < 1)
    return "--rounds: expected at least 1";
  return std::string();
}

static int fail(const Twine &message) {
  errs() << "error: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  setVersionPrinter();
  cl::ParseCommandLineOptions(
      argc, argv,
      "measures the links between the processes of an MPI program\n");
  // Comparing a call takes an exchange of its own, which is as long as a small one.
  setenv("SHARD_RT_CHECK", "never", /*overwrite=*/0);
  std::string mpi = Processes::launcher(), error;
  if (mpi.empty())
    return fail(
        "no launcher of MPI has started several of these processes; start "
        "mpirun -n 2 shard-bench-network");
  std::string self = sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&plannedSamples));
  Processes *processes =
      Processes::load(mpi, sys::path::parent_path(self).str(), error);
  if (!processes)
    return fail(error);
  std::vector<int64_t> shape;
  std::string problem = parseShape(processes->count(), shape);
  if (!processes->startTogether(problem)) {
    if (processes->number() == 0)
      fail(problem);
    processes->endTogether();
    return 1;
  }

  Functions functions(*processes);
  std::vector<Sample> samples = plannedSamples(shape);
  runtime::RunReport report = processes->run(shape, [&](int64_t) {
    for (Sample &sample : samples)
      measure(functions, sample, shape);
  });
  if (!report.ok)
    return fail(report.error);

  // A collective takes as long as on its slowest device.
  std::string bytes(samples.size() * sizeof(double), '\0');
  for (size_t i = 0; i < samples.size(); ++i)
    memcpy(&bytes[i * sizeof(double)], &samples[i].seconds, sizeof(double));
  for (const std::string &theirs : processes->gather(bytes))
    for (size_t i = 0; i < samples.size(); ++i) {
      double seconds;
      memcpy(&seconds, &theirs[i * sizeof(double)], sizeof(double));
      samples[i].seconds = std::max(samples[i].seconds, seconds);
    }
  if (processes->number() == 0)
    print(*processes, shape, samples);
  return 0;
}
