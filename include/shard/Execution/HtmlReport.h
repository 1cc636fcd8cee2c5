//===- HtmlReport.h - A report as one page of HTML --------------*- C++ -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_EXECUTION_HTMLREPORT_H
#define SHARD_EXECUTION_HTMLREPORT_H

#include "llvm/Support/JSON.h"

#include <map>
#include <string>

namespace shard {

/// Prints one page of HTML that needs no other file and no network. Members of `data`:
///
///   report       what printJson (Verify.h) prints
///   explanation  what PropagationExplanation::printJson prints; may be missing
///   names        an array with the names of the arguments; may be missing
///   remarks      an array of texts; may be missing
///
/// The page shows lines of the files that the report names as places of collectives.
/// `texts` has the contents of files that cannot be read under their names.
void printHtml(llvm::json::Object data, llvm::raw_ostream &os,
               const std::map<std::string, std::string> &texts = {});

} // namespace shard

#endif // SHARD_EXECUTION_HTMLREPORT_H
