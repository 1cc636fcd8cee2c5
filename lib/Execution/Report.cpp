//===- Report.cpp - What a run tells --------------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pictures.h"

#include "shard/Execution/Verify.h"

#include "shard/Cost/Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace shard;
using llvm::formatv;

static std::string formatShape(llvm::ArrayRef<int64_t> shape) {
  return llvm::join(
      llvm::map_range(shape,
                      [](int64_t extent) { return std::to_string(extent); }),
      "x");
}

static void printValues(llvm::StringRef heading, llvm::StringRef name,
                        llvm::ArrayRef<ValueReport> values, bool colors,
                        llvm::raw_ostream &os) {
  if (values.empty())
    return;
  std::vector<std::vector<std::string>> rows{
      {heading.str(), "type", "sharding", "bytes per device"}};
  for (auto [index, value] : llvm::enumerate(values))
    rows.push_back({(name + std::to_string(index)).str(), value.type,
                    value.sharding, formatBytes(value.localBytes)});
  printTable(rows, {false, false, false, true}, os);
  if (colors)
    printPictures(name, values, os);
}

/// Who was slowest, and how evenly the work was spread.
static void printProcesses(llvm::ArrayRef<ProcessReport> processes,
                           llvm::raw_ostream &os) {
  llvm::StringSet<> hosts;
  size_t slowest = 0;
  double sum = 0, most = 0;
  // Who waits for others is in a collective: what is left is work.
  auto work = [](const ProcessReport &process) {
    return std::max(process.seconds - process.secondsInCollectives, 0.0);
  };
  for (auto [index, process] : llvm::enumerate(processes)) {
    hosts.insert(process.host);
    sum += work(process);
    if (work(process) > work(processes[slowest]))
      slowest = index;
  }
  most = work(processes[slowest]);
  double mean = sum / processes.size();
  os << formatv("processes           {0} on {1} {2}; most work: process {3} on "
                "{4}, {5}, {6:F2} times the mean; {7} in collectives\n",
                processes.size(), hosts.size(),
                hosts.size() == 1 ? "host" : "hosts", slowest,
                processes[slowest].host, formatSeconds(most),
                mean > 0 ? most / mean : 1.0,
                formatSeconds(processes[slowest].secondsInCollectives));
}

static void printGrid(const RunReport &report, llvm::raw_ostream &os) {
  if (report.gridName.empty()) {
    os << "grid    none: one device\n";
    return;
  }
  int64_t devices = 1;
  for (int64_t extent : report.gridShape)
    devices *= extent;
  os << formatv("grid    @{0} {1}", report.gridName,
                formatShape(report.gridShape));
  if (!report.axisNames.empty())
    os << " (" << llvm::join(report.axisNames, ", ") << ")";
  os << formatv(", {0} devices\n", devices);
}

static void printCollectives(const RunReport &report, llvm::raw_ostream &os) {
  if (report.collectives.empty()) {
    os << "no collectives\n";
    return;
  }
  std::vector<std::vector<std::string>> rows{
      {"collective", "axes", "calls", "bytes sent per device", "predicted",
       "time", "location", "needed by"}};
  for (const CollectiveReport &row : report.collectives)
    rows.push_back({row.kind, llvm::join(row.axes, ", "),
                    std::to_string(row.calls), formatBytes(row.bytesPerDevice),
                    row.predictedBytes ? formatBytes(*row.predictedBytes) : "?",
                    formatSeconds(row.seconds), row.location, row.neededBy});
  llvm::SmallVector<bool> rightAligned = {false, false, true,  true,
                                          true,  true,  false, false};
  // Threads of one machine share its cores: times of single calls tell little.
  bool timed = !report.processes.empty();
  if (!timed) {
    constexpr int kTime = 5;
    rightAligned.erase(rightAligned.begin() + kTime);
    for (std::vector<std::string> &row : rows)
      row.erase(row.begin() + kTime);
  }
  printTable(rows, rightAligned, os);
}

static void printTimes(const RunReport &report, llvm::raw_ostream &os) {
  os << "wall time           ";
  if (report.verified)
    os << "one device " << formatSeconds(report.secondsOneDevice) << ", ";
  os << "grid " << formatSeconds(report.secondsGrid) << ", compilation "
     << formatSeconds(report.secondsCompile) << '\n';
  if (!report.processes.empty())
    printProcesses(report.processes, os);
}

/// How far the results are from those of one device, and which are too far.
static void printErrors(const RunReport &report, llvm::raw_ostream &os) {
  double allowed = 0.0;
  for (const ValueReport &value : report.results)
    if (value.comparison)
      allowed = std::max(allowed, value.comparison->tolerance);
  os << formatv("largest error       absolute {0:e3}, relative {1:e3} (allowed "
                "{2:e3})\n",
                report.maxAbsolute, report.maxRelative, allowed);
  for (auto [index, value] : llvm::enumerate(report.results)) {
    if (value.comparison && value.comparison->nans)
      os << formatv("result{0}: {1} elements are NaN in both runs, which "
                    "proves little\n",
                    index, value.comparison->nans);
    if (value.comparison && value.comparison->moved > 0)
      os << formatv("result{0}: rounding the inputs otherwise moves it by "
                    "{1:e3} (its root mean square is {2:e3}), which is allowed "
                    "for{3}\n",
                    index, value.comparison->moved, value.comparison->scale,
                    value.comparison->provesLittle()
                        ? "; that the runs agree proves little"
                        : "");
    if (!value.comparison || value.comparison->equal)
      continue;
    const Comparison &comparison = *value.comparison;
    os << formatv("result{0}: {1} elements differ by more than allowed; worst "
                  "at position {2}: {3} instead of {4}\n",
                  index, comparison.mismatches, comparison.worst,
                  comparison.actual, comparison.expected);
  }
}

void shard::printText(const RunReport &report, llvm::raw_ostream &os,
                      bool colors) {
  os << formatv("program {0}\n", report.entry);
  printGrid(report, os);
  os << '\n';
  printValues("argument", "arg", report.arguments, colors, os);
  printValues("result", "result", report.results, colors, os);
  os << '\n';
  printCollectives(report, os);
  os << '\n'
     << formatv(
            "memory per device   arguments {0}, results {1}, temporaries at "
            "most {2}\n",
            formatBytes(report.argumentBytes), formatBytes(report.resultBytes),
            formatBytes(report.peakTemporaryBytes));
  if (report.cost)
    os << formatv("predicted           constants {0}, temporaries at most {1}, "
                  "computing {2}, sending {3} ({4})\n",
                  formatBytes(report.cost->memory.constants),
                  formatBytes(report.cost->memory.temporaries),
                  formatSeconds(report.cost->total.secondsComputing),
                  formatSeconds(report.cost->total.secondsSending),
                  report.cost->machine.name);
  printTimes(report, os);
  if (report.verified && report.error.empty())
    printErrors(report, os);
  if (!report.error.empty())
    os << "error: " << report.error << '\n';
  if (!report.pass)
    os << "FAIL\n";
  else
    os << (report.verified ? "PASS\n" : "done, not verified\n");
}

/// A number of JSON. JSON has no numbers that are not finite: these are the strings
/// "NaN", "Infinity" and "-Infinity".
static llvm::json::Value number(double value) {
  if (std::isfinite(value))
    return value;
  if (std::isnan(value))
    return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

/// `text` as a string of JSON, which is UTF-8. Names of files and symbols may be any
/// bytes; those that are not UTF-8 are replaced by U+FFFD.
static std::string utf8(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static llvm::json::Array utf8Array(llvm::ArrayRef<std::string> texts) {
  return llvm::json::Array(llvm::map_range(texts, utf8));
}

static llvm::json::Array valuesToJson(llvm::ArrayRef<ValueReport> values) {
  llvm::json::Array array;
  for (const ValueReport &value : values) {
    llvm::json::Object object{{"type", utf8(value.type)},
                              {"sharding", utf8(value.sharding)},
                              {"bytes_per_device", value.localBytes}};
    if (value.comparison) {
      object["equal"] = value.comparison->equal;
      object["max_absolute_error"] = number(value.comparison->maxAbsolute);
      object["max_relative_error"] = number(value.comparison->maxRelative);
      object["tolerance"] = number(value.comparison->tolerance);
      object["scale"] = number(value.comparison->scale);
      object["moved_by_rounding"] = number(value.comparison->moved);
      object["mismatches"] = value.comparison->mismatches;
      object["nan_elements"] = value.comparison->nans;
    }
    array.push_back(std::move(object));
  }
  return array;
}

void shard::printJson(const RunReport &report, llvm::raw_ostream &os) {
  llvm::json::Array collectives;
  auto orNull = [](std::optional<int64_t> number) {
    return number ? llvm::json::Value(*number) : llvm::json::Value(nullptr);
  };
  for (const CollectiveReport &row : report.collectives)
    collectives.push_back(llvm::json::Object{
        {"kind", row.kind},
        {"axes", utf8Array(row.axes)},
        {"calls", row.calls},
        {"bytes_sent_per_device", row.bytesPerDevice},
        {"predicted_calls", orNull(row.predictedCalls)},
        {"predicted_bytes_sent_per_device", orNull(row.predictedBytes)},
        {"seconds", row.seconds},
        {"location", utf8(row.location)},
        {"needed_by", utf8(row.neededBy)}});
  llvm::json::Object object{
      {"program", utf8(report.entry)},
      {"grid",
       llvm::json::Object{{"name", utf8(report.gridName)},
                          {"shape", llvm::json::Array(report.gridShape)},
                          {"axes", utf8Array(report.axisNames)}}},
      {"arguments", valuesToJson(report.arguments)},
      {"results", valuesToJson(report.results)},
      {"collectives", std::move(collectives)},
      {"argument_bytes_per_device", report.argumentBytes},
      {"result_bytes_per_device", report.resultBytes},
      {"peak_temporary_bytes_per_device", report.peakTemporaryBytes},
      {"seconds_grid", report.secondsGrid},
      {"seconds_compile", report.secondsCompile},
      {"verified", report.verified},
      {"pass", report.pass}};
  if (report.cost)
    object["predicted"] = toJson(*report.cost);
  if (report.verified) {
    object["seconds_one_device"] = report.secondsOneDevice;
    object["max_absolute_error"] = number(report.maxAbsolute);
    object["max_relative_error"] = number(report.maxRelative);
  }
  llvm::json::Array processes;
  for (const ProcessReport &process : report.processes)
    processes.push_back(llvm::json::Object{
        {"host", utf8(process.host)},
        {"seconds", process.seconds},
        {"seconds_in_collectives", process.secondsInCollectives}});
  if (!report.processes.empty())
    object["processes"] = std::move(processes);
  if (!report.error.empty())
    object["error"] = utf8(report.error);
  os << formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}
