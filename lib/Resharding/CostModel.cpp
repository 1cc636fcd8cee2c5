//===- CostModel.cpp - What communication costs ---------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Resharding/CostModel.h"

#include <algorithm>
#include <cmath>

namespace shard {

CostModel::~CostModel() = default;

double CostModel::cost(Collective, const AxisList &, double bytes) const {
  return bytes;
}

double CostModel::leastCostPerByte() const { return 0; }

std::optional<double> CostModel::uniformCostPerByte() const {
  return std::nullopt;
}

LinkCostModel::LinkCostModel(std::vector<double> latency,
                             std::vector<double> bandwidth)
    : latency(std::move(latency)), bandwidth(std::move(bandwidth)) {
  for (double &value : this->latency)
    if (!std::isfinite(value) || value < 0)
      value = 0;
  for (double &value : this->bandwidth)
    if (!std::isfinite(value) || value <= 0)
      value = 1;
}

double LinkCostModel::cost(Collective, const AxisList &axes,
                           double bytes) const {
  double alpha = 0, slowest = 0;
  for (GridAxis axis : axes) {
    size_t i = static_cast<size_t>(axis);
    alpha = std::max(alpha, i < latency.size() ? latency[i] : 0.0);
    double link = i < bandwidth.size() ? bandwidth[i] : 1.0;
    slowest = slowest == 0 ? link : std::min(slowest, link);
  }
  return alpha + bytes / (slowest == 0 ? 1.0 : slowest);
}

double LinkCostModel::leastCostPerByte() const {
  // An axis beyond the list has bandwidth 1.
  double fastest = 1;
  for (double link : bandwidth)
    fastest = std::max(fastest, link);
  return 1 / fastest;
}

std::optional<double> LinkCostModel::uniformCostPerByte() const {
  auto isOne = [](double link) { return link == 1; };
  auto isZero = [](double alpha) { return alpha == 0; };
  if (std::all_of(latency.begin(), latency.end(), isZero) &&
      std::all_of(bandwidth.begin(), bandwidth.end(), isOne))
    return 1.0;
  return std::nullopt;
}

} // namespace shard
