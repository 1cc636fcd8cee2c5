//===- Environment.h - What users say by variables --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_LIB_RUNTIME_COMMON_ENVIRONMENT_H
#define SHARD_LIB_RUNTIME_COMMON_ENVIRONMENT_H

#include <optional>
#include <string>
#include <utility>

namespace shard {
namespace runtime {

/// The seconds that `variable` says, above 0 and below 1e9; nothing if it is not set,
/// empty or malformed.
std::optional<double> secondsOfVariable(const char *variable);

/// The bytes per second and seconds that SHARD_RT_LINK says; nothing as above.
std::optional<std::pair<double, double>> linkOfVariable();

/// What the first of the variables SHARD_RT_... that is malformed should be; empty if
/// none is.
std::string problemOfEnvironment();

} // namespace runtime
} // namespace shard

#endif // SHARD_LIB_RUNTIME_COMMON_ENVIRONMENT_H
