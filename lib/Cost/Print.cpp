//===- Print.cpp - A prediction as text and as JSON -------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Cost/Predict.h"
#include "shard/Cost/Table.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace shard;
using llvm::formatv;

/// "12", "at most 12", "?".
static std::string formatTimes(std::optional<int64_t> count, bool exact) {
  if (!count)
    return "?";
  return (exact ? "" : "at most ") + std::to_string(*count);
}

static std::string formatCount(int64_t count) {
  if (count < 100000)
    return std::to_string(count);
  return formatv("{0:e3}", double(count)).str();
}

static void printCollectives(const ProgramCost &cost, llvm::raw_ostream &os) {
  if (cost.collectives.empty()) {
    os << "no collectives\n";
    return;
  }
  std::vector<std::vector<std::string>> rows{{"collective", "axes", "calls",
                                              "steps", "bytes sent per device",
                                              "time", "location", "needed by"}};
  for (const PredictedCollective &row : cost.collectives) {
    std::string bytes = "?", time = "?";
    if (row.bytesOnce) {
      bytes = row.bytes() ? formatBytes(*row.bytes())
                          : formatBytes(*row.bytesOnce) + " each";
      time =
          formatSeconds(row.secondsOnce * double(row.times.most.value_or(1)));
    }
    rows.push_back({row.cost.kind, llvm::join(row.axisNames, ", "),
                    formatTimes(row.calls(), row.times.exact),
                    std::to_string(row.cost.steps), bytes, time,
                    row.cost.location, row.neededBy});
  }
  printTable(rows, {false, false, true, true, true, true, false, false}, os);
}

static void printSums(llvm::StringRef heading, llvm::ArrayRef<CostSum> sums,
                      llvm::raw_ostream &os) {
  std::vector<std::vector<std::string>> rows{
      {heading.str(), "ops", "operations", "bytes touched", "bytes sent",
       "computing", "sending", ""}};
  for (const CostSum &sum : sums)
    rows.push_back({sum.name, std::to_string(sum.ops), formatCount(sum.flops),
                    formatBytes(sum.bytesTouched), formatBytes(sum.bytesSent),
                    formatSeconds(sum.secondsComputing),
                    formatSeconds(sum.secondsSending),
                    sum.complete ? "" : "at least"});
  printTable(rows, {false, true, true, true, true, true, true, false}, os);
}

void shard::printText(const ProgramCost &cost, llvm::raw_ostream &os) {
  os << formatv("program {0}, predicted for one device\n", cost.entry);
  if (!cost.gridName.empty()) {
    os << "grid    @" << cost.gridName << " ";
    llvm::interleave(
        cost.gridShape, os,
        [&](int64_t extent) {
          extent < 0 ? (void)(os << "?") : (void)(os << extent);
        },
        "x");
    os << '\n';
  }
  os << "machine " << cost.machine.name << "\n\n";
  printCollectives(cost, os);
  os << '\n';
  printSums("kind of op", cost.kinds, os);
  os << '\n';
  printSums("place", cost.places, os);
  os << '\n';
  printSums("in all", cost.total, os);
  if (cost.overlaps)
    os << formatv(
        "\ntime                computing beside sending {0}, of {1} one "
        "after the other\n",
        formatSeconds(cost.seconds),
        formatSeconds(cost.total.secondsComputing + cost.total.secondsSending));
  const MemoryUse &memory = cost.memory;
  os << formatv(
      "\nmemory per device   arguments {0}, constants {1}, temporaries "
      "and results at most {2}: {3}{4} of {5}{6}\n",
      formatBytes(memory.arguments), formatBytes(memory.constants),
      formatBytes(memory.temporaries), memory.complete ? "" : "at least ",
      formatBytes(memory.peak()),
      formatBytes(static_cast<int64_t>(cost.machine.memoryBytes)),
      double(memory.peak()) > cost.machine.memoryBytes ? ", which is too little"
                                                       : "");
}

/// `text` as a string of JSON, which is UTF-8.
static std::string utf8(llvm::StringRef text) {
  return llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
}

static llvm::json::Value orNull(std::optional<int64_t> number) {
  return number ? llvm::json::Value(*number) : llvm::json::Value(nullptr);
}

static llvm::json::Object toJson(const CostSum &sum) {
  return llvm::json::Object{{"name", utf8(sum.name)},
                            {"ops", sum.ops},
                            {"flops", sum.flops},
                            {"bytes_touched", sum.bytesTouched},
                            {"bytes_sent_per_device", sum.bytesSent},
                            {"seconds_computing", sum.secondsComputing},
                            {"seconds_sending", sum.secondsSending},
                            {"complete", sum.complete}};
}

static llvm::json::Array toJson(llvm::ArrayRef<CostSum> sums) {
  llvm::json::Array array;
  for (const CostSum &sum : sums)
    array.push_back(toJson(sum));
  return array;
}

static llvm::json::Object toJson(const Machine &machine) {
  return llvm::json::Object{{"name", machine.name},
                            {"flops8", machine.flops8},
                            {"flops16", machine.flops16},
                            {"flops32", machine.flops32},
                            {"flops64", machine.flops64},
                            {"memory_bandwidth", machine.memoryBandwidth},
                            {"memory", machine.memoryBytes},
                            {"link_bandwidth", machine.linkBandwidth},
                            {"link_latency", machine.linkLatency}};
}

llvm::json::Object shard::toJson(const ProgramCost &cost) {
  llvm::json::Array collectives;
  for (const PredictedCollective &row : cost.collectives) {
    llvm::json::Array axes;
    for (const std::string &name : row.axisNames)
      axes.push_back(utf8(name));
    collectives.push_back(
        llvm::json::Object{{"kind", row.cost.kind},
                           {"axes", std::move(axes)},
                           {"calls", orNull(row.calls())},
                           {"exact", row.times.exact},
                           {"steps", row.cost.steps},
                           {"bytes_sent_per_device", orNull(row.bytes())},
                           {"bytes_sent_per_call", orNull(row.bytesOnce)},
                           {"seconds_per_call", row.secondsOnce},
                           {"location", utf8(row.cost.location)},
                           {"needed_by", utf8(row.neededBy)}});
  }
  const MemoryUse &memory = cost.memory;
  llvm::json::Array steps;
  for (const MemoryStep &step : memory.steps)
    steps.push_back(llvm::json::Object{{"op", utf8(step.op)},
                                       {"location", utf8(step.location)},
                                       {"bytes", step.bytes}});
  return llvm::json::Object{
      {"program", utf8(cost.entry)},
      {"grid",
       llvm::json::Object{{"name", utf8(cost.gridName)},
                          {"shape", llvm::json::Array(cost.gridShape)}}},
      {"machine", ::toJson(cost.machine)},
      {"collectives", std::move(collectives)},
      {"kinds", ::toJson(cost.kinds)},
      {"places", ::toJson(cost.places)},
      {"total", ::toJson(cost.total)},
      {"seconds", cost.seconds},
      {"memory", llvm::json::Object{{"arguments", memory.arguments},
                                    {"results", memory.results},
                                    {"constants", memory.constants},
                                    {"temporaries", memory.temporaries},
                                    {"peak", memory.peak()},
                                    {"complete", memory.complete},
                                    {"steps", std::move(steps)}}}};
}
