//===- HtmlReport.cpp - A report as one page of HTML ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HtmlReport.html draws the page from a JSON object in the browser. What is written
// here is that object, with those lines of the user's files that it speaks of.
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/HtmlReport.h"

#include "HtmlReport.inc"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

using namespace shard;

/// A file of at most so many lines is shown whole. Of a longer one, those lines are
/// shown that are at most `kAround` lines from a place of the report.
constexpr unsigned kWhole = 400, kAround = 3;
/// Files above this size are not read.
constexpr uint64_t kLargest = 64 << 20;

using Places = std::map<std::string, std::set<unsigned>>;

/// Adds the place that `text` ends with, `file:line:column`, behind " at " if other
/// words come first.
static void addPlace(llvm::StringRef text, Places &places) {
  if (size_t at = text.rfind(" at "); at != llvm::StringRef::npos)
    text = text.substr(at + 4);
  auto [head, column] = text.rsplit(':');
  auto [file, lineText] = head.rsplit(':');
  unsigned line = 0, ignored = 0;
  if (!file.empty() && !column.getAsInteger(10, ignored) &&
      !lineText.getAsInteger(10, line) && line > 0)
    places[file.str()].insert(line);
}

static void addPlaces(const llvm::json::Value &value, Places &places) {
  if (std::optional<llvm::StringRef> text = value.getAsString())
    addPlace(*text, places);
  if (const llvm::json::Array *array = value.getAsArray())
    for (const llvm::json::Value &element : *array)
      addPlaces(element, places);
  if (const llvm::json::Object *object = value.getAsObject())
    for (const auto &member : *object)
      addPlaces(member.second, places);
}

/// [[line, text], ...] of the lines of `text` that are shown.
static llvm::json::Array shownLines(llvm::StringRef text,
                                    const std::set<unsigned> &marks) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  llvm::json::Array shown;
  for (unsigned line = 1; line <= lines.size(); ++line) {
    auto mark = marks.lower_bound(line > kAround ? line - kAround : 1);
    if (lines.size() > kWhole &&
        (mark == marks.end() || *mark > line + kAround))
      continue;
    llvm::StringRef content = lines[line - 1].rtrim('\r');
    shown.push_back(llvm::json::Array{
        line, llvm::json::isUTF8(content) ? content.str()
                                          : llvm::json::fixUTF8(content)});
  }
  return shown;
}

/// The lines of all files that the collectives and reshards of `data` name. Files
/// that cannot be read are left out.
static llvm::json::Object
findSources(const llvm::json::Object &data,
            const std::map<std::string, std::string> &texts) {
  Places places;
  auto addMember = [&](llvm::StringRef outer, llvm::StringRef inner) {
    if (const llvm::json::Object *object = data.getObject(outer))
      if (const llvm::json::Value *value = object->get(inner))
        addPlaces(*value, places);
  };
  addMember("report", "collectives");
  addMember("explanation", "reshards");
  llvm::json::Object sources;
  for (const auto &[file, marks] : places) {
    if (auto known = texts.find(file); known != texts.end()) {
      sources[file] = shownLines(known->second, marks);
      continue;
    }
    uint64_t size = 0;
    if (!llvm::sys::fs::is_regular_file(file) ||
        llvm::sys::fs::file_size(file, size) || size > kLargest)
      continue;
    if (auto buffer = llvm::MemoryBuffer::getFile(file))
      sources[file] = shownLines((*buffer)->getBuffer(), marks);
  }
  return sources;
}

void shard::printHtml(llvm::json::Object data, llvm::raw_ostream &os,
                      const std::map<std::string, std::string> &texts) {
  data["sources"] = findSources(data, texts);
  std::string json;
  llvm::raw_string_ostream(json) << llvm::json::Value(std::move(data));
  auto [head, tail] = llvm::StringRef(kPage).split("@DATA@");
  os << head;
  // No text of a user can end the element of the page that it stands in.
  for (char c : json)
    if (c == '<')
      os << "\\u003c";
    else
      os << c;
  os << tail;
}
