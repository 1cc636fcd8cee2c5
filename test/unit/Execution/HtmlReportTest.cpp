//===- HtmlReportTest.cpp - Which lines a page shows ----------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "shard/Execution/HtmlReport.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <cstdio>
#include <set>

using namespace shard;

namespace {

/// So many lines, each of which says its number.
std::string linesOf(unsigned count) {
  std::string text;
  for (unsigned line = 1; line <= count; ++line)
    text += "line " + std::to_string(line) + "\n";
  return text;
}

/// The object in the page that is drawn of `data`.
llvm::json::Value dataOf(llvm::json::Object data,
                         const std::map<std::string, std::string> &texts) {
  std::string page;
  llvm::raw_string_ostream os(page);
  printHtml(std::move(data), os, texts);
  size_t begin = page.find("{\"");
  size_t end = page.find("</script>", begin);
  EXPECT_NE(end, std::string::npos);
  std::string json = page.substr(begin, end - begin);
  json = json.substr(0, json.rfind('}') + 1);
  auto value = llvm::json::parse(json);
  EXPECT_TRUE(bool(value)) << json;
  return value ? std::move(*value) : llvm::json::Value(nullptr);
}

/// A report whose collectives stand at `places`.
llvm::json::Object reportWith(const std::vector<std::string> &places) {
  llvm::json::Array collectives;
  for (const std::string &place : places)
    collectives.push_back(llvm::json::Object{{"location", place}});
  return llvm::json::Object{
      {"report", llvm::json::Object{{"collectives", std::move(collectives)}}}};
}

/// The lines that are shown of `file`; each has its own text.
std::set<int64_t> shownOf(const llvm::json::Value &data, llvm::StringRef file) {
  std::set<int64_t> shown;
  const llvm::json::Array *lines =
      data.getAsObject()->getObject("sources")->getArray(file);
  if (!lines)
    return shown;
  for (const llvm::json::Value &line : *lines) {
    int64_t number = *(*line.getAsArray())[0].getAsInteger();
    EXPECT_EQ(*(*line.getAsArray())[1].getAsString(),
              "line " + std::to_string(number));
    EXPECT_TRUE(shown.insert(number).second);
  }
  return shown;
}

std::set<int64_t> range(int64_t first, int64_t last) {
  std::set<int64_t> numbers;
  for (int64_t i = first; i <= last; ++i)
    numbers.insert(i);
  return numbers;
}

} // namespace

// Of a long file the lines up to three away from each place, of another one all of them.
TEST(HtmlReportTest, LinesAroundPlaces) {
  for (unsigned count : {10, 400, 401, 1000})
    for (std::vector<unsigned> marks :
         {std::vector<unsigned>{1}, {3, 9}, {200, 204, 207}, {398}, {1000}}) {
      std::vector<std::string> places;
      std::set<int64_t> expected;
      for (unsigned mark : marks) {
        places.push_back("a.mlir:" + std::to_string(mark) + ":7");
        for (int64_t line = 1; line <= count; ++line)
          if (count <= 400 || std::abs(line - int64_t(mark)) <= 3)
            expected.insert(line);
      }
      auto data = dataOf(reportWith(places), {{"a.mlir", linesOf(count)}});
      EXPECT_EQ(shownOf(data, "a.mlir"), expected) << count;
    }
}

// Texts that are given come first, then files; what is neither is left out.
TEST(HtmlReportTest, TextsAndFiles) {
  std::string path = testing::TempDir() + "shard-html-report.mlir";
  std::FILE *file = std::fopen(path.c_str(), "wb");
  ASSERT_TRUE(file);
  std::string text = linesOf(4);
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
  auto data = dataOf(
      reportWith({path + ":1:1", "given:2:1", "absent:3:1", "@f at given:1:1",
                  "no place", "given:0:1", ":1:1", "given:x:1", "given:1:x"}),
      {{"given", linesOf(2)}, {"unused", linesOf(3)}});
  EXPECT_EQ(shownOf(data, path), range(1, 4));
  EXPECT_EQ(shownOf(data, "given"), range(1, 2));
  EXPECT_EQ(data.getAsObject()->getObject("sources")->size(), 2u);
  // A text in place of the file.
  data = dataOf(reportWith({path + ":1:1"}), {{path, linesOf(7)}});
  EXPECT_EQ(shownOf(data, path), range(1, 7));
  std::remove(path.c_str());
}

// Reshards of an explanation name places at any depth.
TEST(HtmlReportTest, PlacesOfExplanations) {
  llvm::json::Object reshard{
      {"uses", llvm::json::Array{llvm::json::Object{{"at", "deep:2:3"}}}}};
  llvm::json::Object data{
      {"explanation",
       llvm::json::Object{{"reshards", llvm::json::Array{std::move(reshard)}},
                          {"axes", llvm::json::Array{"other:1:1"}}}}};
  auto drawn =
      dataOf(std::move(data), {{"deep", linesOf(3)}, {"other", linesOf(3)}});
  EXPECT_EQ(shownOf(drawn, "deep"), range(1, 3));
  EXPECT_EQ(drawn.getAsObject()->getObject("sources")->size(), 1u);
}

// No text ends the script that it stands in, and no byte is lost.
TEST(HtmlReportTest, TextsDoNotEndThePage) {
  llvm::json::Object data;
  data["remarks"] = llvm::json::Array{"</script><b>", "caf\xc3\xa9"};
  auto drawn = dataOf(std::move(data), {});
  const llvm::json::Array &remarks = *drawn.getAsObject()->getArray("remarks");
  EXPECT_EQ(*remarks[0].getAsString(), "</script><b>");
  EXPECT_EQ(*remarks[1].getAsString(), "caf\xc3\xa9");
}
