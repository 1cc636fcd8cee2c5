//===- shard.cpp - The Python extension -----------------------------------===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shard._shard: the C API (include/shard-c/Program.h) for Python, without comfort. The
// package in python/shard makes classes of it. Tensors cross as (name of the element
// type, shape, bytes).
//
// Long calls release the interpreter lock; what they report is kept and handed on when
// they end.
//
//===----------------------------------------------------------------------===//

#include "shard-c/Program.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace nb = nanobind;

namespace {

using Bytes =
    nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// Name of the element type, shape, bytes; None for an input that is random.
using TensorTuple = std::tuple<std::string, std::vector<int64_t>, nb::object>;
/// Severity, message, file, line, column.
using DiagnosticTuple =
    std::tuple<int, std::string, std::string, unsigned, unsigned>;

std::string toString(MlirStringRef text) {
  return std::string(text.data, text.length);
}
MlirStringRef toRef(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}

/// Keeps what a call reports.
struct Diagnostics {
  std::vector<DiagnosticTuple> list;

  ShardDiagnosticSink sink() { return {&Diagnostics::add, this}; }
  static void add(const ShardDiagnostic *diagnostic, void *self) {
    static_cast<Diagnostics *>(self)->list.emplace_back(
        int(diagnostic->severity), toString(diagnostic->message),
        toString(diagnostic->file), diagnostic->line, diagnostic->column);
  }
};

void append(MlirStringRef text, void *target) {
  static_cast<std::string *>(target)->append(text.data, text.length);
}

/// What a run gives.
struct RunOutput {
  struct Result {
    std::string elementType;
    std::vector<int64_t> shape;
    std::unique_ptr<uint8_t[]> data;
    size_t size;
  };
  std::vector<Result> results;
  std::string report;

  ShardRunSink sink() {
    return {&RunOutput::addResult, &RunOutput::addReport, this};
  }
  static void addReport(MlirStringRef text, void *self) {
    append(text, &static_cast<RunOutput *>(self)->report);
  }
  static void addResult(intptr_t, const ShardTensor *tensor, void *self);
};

size_t byteWidth(const std::string &elementType) {
  if (elementType == "i1")
    return 1;
  if (elementType == "index")
    return 8;
  return std::stoul(
             elementType.substr(elementType.find_first_of("0123456789"))) /
         8;
}

void RunOutput::addResult(intptr_t, const ShardTensor *tensor, void *self) {
  Result result;
  result.elementType = toString(tensor->elementType);
  result.shape.assign(tensor->shape, tensor->shape + tensor->rank);
  result.size = byteWidth(result.elementType);
  for (int64_t extent : result.shape)
    result.size *= extent;
  result.data.reset(new uint8_t[result.size ? result.size : 1]);
  std::copy_n(static_cast<const uint8_t *>(tensor->data), result.size,
              result.data.get());
  static_cast<RunOutput *>(self)->results.push_back(std::move(result));
}

nb::object toPython(RunOutput::Result &result) {
  uint8_t *data = result.data.release();
  nb::capsule owner(
      data, [](void *p) noexcept { delete[] static_cast<uint8_t *>(p); });
  auto bytes =
      nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(data, {result.size}, owner);
  return nb::make_tuple(result.elementType, result.shape, bytes);
}

/// The inputs of a run; keeps their buffers.
class Inputs {
public:
  /// `inputs` must outlive this.
  explicit Inputs(const std::vector<TensorTuple> &inputs) {
    for (const auto &[type, shape, object] : inputs) {
      const void *data = nullptr;
      if (!object.is_none()) {
        buffers.push_back(nb::cast<Bytes>(object));
        data = buffers.back().data();
        // The address of no bytes may be null, which would ask for random ones.
        if (!data)
          data = &buffers;
      }
      tensors.push_back(
          {toRef(type), intptr_t(shape.size()), shape.data(), data});
    }
  }
  const ShardTensor *data() const { return tensors.data(); }
  intptr_t size() const { return tensors.size(); }

private:
  std::vector<Bytes> buffers;
  std::vector<ShardTensor> tensors;
};

class Program {
public:
  explicit Program(ShardProgram handle) : handle(handle) {}
  ~Program() { shardProgramDestroy(handle); }
  Program(const Program &) = delete;

  const ShardProgram handle;
};

class Partition {
public:
  Partition(std::shared_ptr<Program> program, ShardPartition handle)
      : program(std::move(program)), handle(handle) {}
  ~Partition() { shardPartitionDestroy(handle); }
  Partition(const Partition &) = delete;

  const std::shared_ptr<Program> program;
  const ShardPartition handle;
};

nb::object parse(nb::bytes source, const std::string &name,
                 const std::string &entry) {
  Diagnostics diagnostics;
  ShardProgram handle;
  {
    nb::gil_scoped_release release;
    handle =
        shardProgramParse(mlirStringRefCreate(source.c_str(), source.size()),
                          toRef(name), toRef(entry), diagnostics.sink());
  }
  nb::object program = nb::none();
  if (handle.ptr)
    program = nb::cast(std::make_shared<Program>(handle));
  return nb::make_tuple(program, diagnostics.list);
}

nb::object valueTuple(const ShardValue &value) {
  return nb::make_tuple(
      toString(value.name), toString(value.type), toString(value.elementType),
      std::vector<int64_t>(value.shape, value.shape + value.rank));
}

nb::object partition(std::shared_ptr<Program> program,
                     const std::vector<int64_t> &shape,
                     const std::vector<std::string> &names,
                     const std::vector<std::string> &hints,
                     const std::string &cpu) {
  std::vector<MlirStringRef> nameRefs, hintRefs;
  for (const std::string &name : names)
    nameRefs.push_back(toRef(name));
  for (const std::string &hint : hints)
    hintRefs.push_back(toRef(hint));
  ShardPartitionOptions options{shape.data(),
                                intptr_t(shape.size()),
                                names.empty() ? nullptr : nameRefs.data(),
                                hintRefs.data(),
                                intptr_t(hints.size()),
                                toRef(cpu)};
  Diagnostics diagnostics;
  ShardPartition handle;
  {
    nb::gil_scoped_release release;
    handle =
        shardProgramPartition(program->handle, &options, diagnostics.sink());
  }
  nb::object made = nb::none();
  if (handle.ptr)
    made = nb::cast(std::make_shared<Partition>(std::move(program), handle));
  return nb::make_tuple(made, diagnostics.list);
}

nb::object run(Partition &partition, const std::vector<TensorTuple> &tensors,
               double timeout, uint64_t seed, bool verify) {
  Inputs inputs(tensors);
  ShardRunOptions options{timeout, seed};
  Diagnostics diagnostics;
  RunOutput output;
  bool ok;
  {
    nb::gil_scoped_release release;
    auto *call = verify ? &shardPartitionVerify : &shardPartitionRun;
    ok = call(partition.handle, inputs.data(), inputs.size(), &options,
              output.sink(), diagnostics.sink());
  }
  nb::list results;
  for (RunOutput::Result &result : output.results)
    results.append(toPython(result));
  return nb::make_tuple(ok, results, output.report, diagnostics.list);
}

nb::object explain(Partition &partition) {
  Diagnostics diagnostics;
  std::string text;
  bool ok;
  {
    nb::gil_scoped_release release;
    ok = shardPartitionExplain(partition.handle, append, &text,
                               diagnostics.sink());
  }
  return nb::make_tuple(ok, text, diagnostics.list);
}

std::string printHtml(const std::string &data, const std::string &sourceName,
                      nb::bytes sourceText) {
  std::string text;
  shardPrintHtml(toRef(data), toRef(sourceName),
                 mlirStringRefCreate(sourceText.c_str(), sourceText.size()),
                 append, &text);
  return text;
}

} // namespace

NB_MODULE(_shard, module) {
  nb::class_<Program>(module, "Program")
      .def_prop_ro(
          "entry",
          [](Program &p) { return toString(shardProgramGetEntry(p.handle)); })
      .def_prop_ro(
          "arguments",
          [](Program &p) {
            nb::list list;
            for (intptr_t i = 0, e = shardProgramGetNumArguments(p.handle);
                 i < e; ++i)
              list.append(valueTuple(shardProgramGetArgument(p.handle, i)));
            return list;
          })
      .def_prop_ro(
          "results",
          [](Program &p) {
            nb::list list;
            for (intptr_t i = 0, e = shardProgramGetNumResults(p.handle); i < e;
                 ++i)
              list.append(valueTuple(shardProgramGetResult(p.handle, i)));
            return list;
          })
      .def_prop_ro("text", [](Program &p) {
        std::string text;
        shardProgramPrint(p.handle, append, &text);
        return text;
      });
  nb::class_<Partition>(module, "Partition")
      .def_prop_ro("text",
                   [](Partition &p) {
                     std::string text;
                     shardPartitionPrint(p.handle, append, &text);
                     return text;
                   })
      .def_prop_ro("report",
                   [](Partition &p) {
                     std::string text;
                     shardPartitionPrintReport(p.handle, append, &text);
                     return text;
                   })
      .def("run", &run)
      .def("explain", &explain);
  module.def("parse", &parse);
  module.def("partition", &partition);
  module.def("print_html", &printHtml);
}
