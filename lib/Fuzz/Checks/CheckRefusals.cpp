//===- CheckRefusals.cpp - What the back ends do not take -----------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random programs are partitioned before a back end gets them. A hint that a back end takes for
// nothing, or a reduction that it computes as another one, would therefore not be seen. Nor do they
// communicate where it is an error.
//
//===----------------------------------------------------------------------===//

#include "CheckRefusals.h"

#include "shard/Conversion/Conversion.h"
#include "shard/Fuzz/Random.h"
#include "shard/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <algorithm>
#include <vector>

using namespace mlir;

namespace shard::fuzz {

namespace {

/// Functions of tensors with one hint at most, at a random place.
class HintedProgram {
public:
  explicit HintedProgram(uint64_t seed);

  std::string text;
  /// What an error must name; empty if there is no hint.
  std::string place;

private:
  /// The attributes of a place, of which `hinted` has the hint; `what` it is, or nothing for an
  /// op.
  std::string attributes(bool hinted, const std::string &what);
  void writeFunction(const std::string &name);
  void writeOp(int64_t kind, const std::string &argument);

  Random rng;
  int64_t functionOfHint, kindOfHint;
};

} // namespace

/// An attribute of another dialect.
static const char *const noHint = "func.sharding = 1 : i64";

std::string HintedProgram::attributes(bool hinted, const std::string &what) {
  if (!hinted && rng.chance(30))
    return std::string("{") + noHint + "}";
  // What partition leaves is no hint.
  if (!hinted)
    return rng.chance(50) ? ""
           : what.empty()
               ? "{shard.recompute}"
               : "{shard.local = #shard.local<tensor<8xf32>, <@g, [[0]]>>}";
  place = what;
  return rng.chance(50) ? "{shard.sharding = #shard.sharding<@g, [[0]]>}"
                        : "{shard.sharding = #shard.sharding<@g, [[?]]>, " +
                              std::string(noHint) + "}";
}

/// The op that has the hint, by its kind; a plain one otherwise.
void HintedProgram::writeOp(int64_t kind, const std::string &argument) {
  static const std::string type = " : tensor<4xf32>", to = "<@g, [[0]]>";
  switch (kind) {
  case 2:
    text += "  %r = arith.negf " + argument + " " +
            attributes(true, "'arith.negf'") + type + "\n";
    return;
  case 3:
    place = "'arith.negf'";
    text += "  %r = arith.negf " + argument +
            " {shard.loops = #shard.sharding" + to + "}" + type + "\n";
    return;
  case 4:
    place = "'shard.shard'";
    text += "  %h = shard.sharding @g split_axes = [[0]] : !shard.sharding\n"
            "  %r = shard.shard " +
            argument + " to %h" + type + "\n";
    return;
  case 5:
    place = "'shard.constraint'";
    text += "  %r = shard.constraint " + argument + " to " + to + type + "\n";
    return;
  case 6:
    place = "'shard.group'";
    text += "  shard.group " + argument + " id = 3" + type + "\n";
    break;
  case 7:
    place = "'shard.manual_computation'";
    text += "  %r = shard.manual_computation(" + argument + ") on @g in = [" +
            to + "] out = [" + to +
            "] axes = [0] (%l: tensor<2xf32>) {\n"
            "    shard.return %l : tensor<2xf32>\n"
            "  } : (tensor<4xf32>) -> tensor<4xf32>\n";
    return;
  default:
    break;
  }
  text += "  %r = arith.negf " + argument + " " + attributes(false, "") + type +
          "\n";
}

void HintedProgram::writeFunction(const std::string &name) {
  bool hasHint = functionOfHint == 0;
  --functionOfHint;
  int64_t kind = hasHint ? kindOfHint : -1;
  int64_t arguments = rng.between(1, 3), results = rng.between(1, 3);
  int64_t at = rng.between(0, (kind == 0 ? arguments : results) - 1);
  text += "func.func " + std::string(rng.chance(50) ? "private " : "") + "@" +
          name + "(";
  for (int64_t i = 0; i < arguments; ++i)
    text += (i ? ", %a" : "%a") + std::to_string(i) + ": tensor<4xf32> " +
            attributes(kind == 0 && i == at, "argument " + std::to_string(i));
  text += ") -> (";
  std::string values, types;
  for (int64_t i = 0; i < results; ++i) {
    text += (i ? ", tensor<4xf32> " : "tensor<4xf32> ") +
            attributes(kind == 1 && i == at, "result " + std::to_string(i));
    values += i ? ", %r" : "%r";
    types += i ? ", tensor<4xf32>" : "tensor<4xf32>";
  }
  text += ") {\n";
  writeOp(kind, "%a" + std::to_string(rng.between(0, arguments - 1)));
  text += "  return " + values + " : " + types + "\n}\n";
}

HintedProgram::HintedProgram(uint64_t seed)
    : text("shard.grid @g(shape = 2)\n"), rng(seed ^ 0x72656675736573ull) {
  int64_t functions = rng.between(1, 3);
  functionOfHint = rng.chance(80) ? rng.between(0, functions - 1) : functions;
  kindOfHint = rng.between(0, 7);
  for (int64_t i = 0; i < functions; ++i)
    writeFunction("f" + std::to_string(i));
}

/// An all_reduce of a random kind on random elements; whether a back end has it.
static std::string randomReduction(Random &rng, bool &isKnown) {
  struct Element {
    const char *type;
    /// 'f': float, 'i': integer, 'b': i1, 'w': too wide an integer, 'c': complex; '-': other.
    char kind;
  };
  static const std::vector<Element> elements = {
      {"f32", 'f'},          {"bf16", 'f'},         {"f64", 'f'},
      {"f16", 'f'},          {"i1", 'b'},           {"i7", 'i'},
      {"i32", 'i'},          {"i64", 'i'},          {"index", 'i'},
      {"i65", 'w'},          {"complex<f32>", 'c'}, {"complex<f64>", 'c'},
      {"complex<i32>", '-'}, {"f8E4M3FN", '-'},     {"ui32", '-'}};
  static const std::vector<std::string> kinds = {
      "sum",         "average",    "max",         "min",  "product",
      "bitwise_and", "bitwise_or", "bitwise_xor", "umin", "umax"};
  Element element = rng.oneOf(elements);
  std::string kind = rng.oneOf(kinds);
  bool isLinear = kind == "sum" || kind == "average";
  bool ofIntegers = kind[0] == 'b' || kind[0] == 'u';
  isKnown = element.kind == 'f'   ? !ofIntegers
            : element.kind == 'b' ? kind != "average"
            : element.kind == 'c' ? isLinear
                                  : element.kind == 'i';
  std::string type = "tensor<4x" + std::string(element.type) + ">";
  return "shard.grid @g(shape = 2)\nfunc.func @main(%a: " + type + ") -> " +
         type +
         " {\n  %r = shard.all_reduce %a on @g grid_axes = [0] reduction = " +
         kind + " : " + type + " -> " + type + "\n  return %r : " + type +
         "\n}\n";
}

/// Elements as wide as those of the runtime are moved as they are, whatever they mean.
static std::string checkMoved(MLIRContext &context, Random &rng) {
  struct Element {
    const char *type;
    int64_t bits;
  };
  static const std::vector<Element> elements = {
      {"i1", 1},           {"f8E4M3FN", 8},       {"f8E5M2", 8},
      {"i16", 16},         {"ui32", 32},          {"si64", 64},
      {"f64", 64},         {"tf32", 19},          {"complex<f16>", 32},
      {"complex<i8>", 16}, {"complex<f32>", 64},  {"complex<bf16>", 32},
      {"i7", 7},           {"complex<f64>", 128}, {"i128", 128}};
  static const std::vector<int64_t> widths = {1, 8, 16, 32, 64};
  Element element = rng.oneOf(elements);
  std::string type = element.type;
  std::string text = "shard.grid @g(shape = 2)\nfunc.func @main(%a: tensor<4x" +
                     type + ">) -> tensor<8x" + type +
                     "> {\n  %r = shard.all_gather %a on @g grid_axes = [0] "
                     "gather_axis = 0 : tensor<4x" +
                     type + "> -> tensor<8x" + type +
                     ">\n  return %r : tensor<8x" + type + ">\n}\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(legalizeElements(*module)))
    return "elements are not moved: " + text;
  int64_t ops = 0;
  module->walk([&](Operation *) { ++ops; });
  // The module, the grid, the function, the collective and the return.
  bool isKept = ops == 5;
  bool isOfRuntime =
      std::find(widths.begin(), widths.end(), element.bits) != widths.end();
  return isKept == isOfRuntime
             ? ""
             : std::string(isKept ? "elements stay that the runtime has not: "
                                  : "elements are converted for nothing: ") +
                   text;
}

/// A function that is called in a manual computation may communicate along its manual axes, and
/// along axes of one device. `said` is what diagnostics say.
static std::string checkFreeAxes(MLIRContext &context, Random &rng,
                                 std::string &said) {
  std::vector<int64_t> sizes(rng.between(1, 3)), manual, used;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    sizes[axis] = rng.between(1, 3);
    if (rng.chance(60))
      manual.push_back(int64_t(axis));
    if (rng.chance(40))
      used.push_back(int64_t(axis));
  }
  auto all = [&](const std::vector<int64_t> &numbers, const char *between) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
  };
  bool isTaken = true;
  for (int64_t axis : used)
    isTaken &= sizes[axis] == 1 ||
               std::find(manual.begin(), manual.end(), axis) != manual.end();
  // Without manual axes the body, and what it calls, is a part of the function.
  if (manual.empty() || used.empty())
    return {};
  bool isNested = rng.chance(50);
  std::string type = "tensor<4xf32>", to = "(" + type + ") -> " + type;
  std::string sharding =
      "[<@g, [[]], replicated = [" + all(manual, ", ") + "]>]";
  std::string text = "shard.grid @g(shape = " + all(sizes, "x") + ")\n";
  text += "func.func private @f(%a: " + type + ") -> " + type +
          " {\n  %r = shard.all_reduce %a on @g grid_axes = [" +
          all(used, ", ") + "] : " + type + " -> " + type +
          "\n  return %r : " + type + "\n}\n";
  if (isNested)
    text += "func.func private @h(%a: " + type + ") -> " + type +
            " {\n  %r = call @f(%a) : " + to + "\n  return %r : " + type +
            "\n}\n";
  text += "func.func @main(%a: " + type + ") -> " + type +
          " {\n  %m = shard.manual_computation(%a) on @g in = " + sharding +
          " out = " + sharding + " axes = [" + all(manual, ", ") +
          "] (%l: " + type + ") {\n    %r = func.call " +
          (isNested ? "@h" : "@f") + "(%l) : " + to +
          "\n    shard.return %r : " + type + "\n  } : " + to +
          "\n  return %m : " + type + "\n}\n";
  said.clear();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return "a program that calls in a manual computation is not valid: " +
           said + text;
  PassManager manager(&context);
  manager.addPass(createShardPartition());
  bool isPartitioned = succeeded(manager.run(*module));
  bool isNamed = said.find("is not manual where its function is called") !=
                 std::string::npos;
  if (isPartitioned == isTaken && isNamed != isTaken)
    return {};
  return std::string(isTaken ? "a collective along manual axes is refused: "
                             : "a collective along other axes than the manual "
                               "ones is taken: ") +
         said + text;
}

/// What is wrong with the attributes in `module`, which a back end made of `before`: those of the
/// dialect are to be gone, and others to stay.
static std::string checkAttributes(ModuleOp module, StringRef before) {
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  size_t at = text.find("shard.");
  if (at != std::string::npos)
    return "leaves \"" + text.substr(at, text.find('\n', at) - at) + "\"";
  size_t had = before.count(noHint), has = StringRef(text).count(noHint);
  return had == has ? ""
                    : "leaves " + std::to_string(has) + " attributes of " +
                          std::to_string(had) + " of another dialect";
}

std::string checkRefusals(MLIRContext &context, uint64_t seed) {
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said += diagnostic.str();
    return success();
  });
  HintedProgram hinted(seed);
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(hinted.text, &context);
  if (!module)
    return "a program for the back ends is not valid: " + said + hinted.text;
  bool isRefused = failed(seed % 2 ? convertShardToRuntime(*module)
                                   : convertShardToMPI(*module));
  if (isRefused == hinted.place.empty() ||
      said.find(hinted.place) == std::string::npos)
    return "a back end " +
           std::string(isRefused ? "says \"" + said + "\"" : "says nothing") +
           (hinted.place.empty() ? "" : " of the hint at " + hinted.place) +
           ": " + hinted.text;
  if (!isRefused)
    if (std::string wrong = checkAttributes(*module, hinted.text);
        !wrong.empty())
      return "a back end " + wrong + ": " + hinted.text;
  said.clear();
  Random rng(seed ^ 0x726564756365ull);
  bool isKnown = false;
  std::string reduction = randomReduction(rng, isKnown);
  OwningOpRef<ModuleOp> reducing =
      parseSourceString<ModuleOp>(reduction, &context);
  // The verifier refuses some of them.
  bool isTaken = reducing && succeeded(legalizeElements(*reducing));
  if (isTaken != isKnown || said.empty() != isTaken)
    return std::string(isKnown ? "a reduction is refused: "
                               : "a reduction is taken: ") +
           said + reduction;
  if (std::string wrong = checkFreeAxes(context, rng, said); !wrong.empty())
    return wrong;
  return checkMoved(context, rng);
}

} // namespace shard::fuzz
