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
// Long calls run on threads of their own (Job.h); what they report is kept and handed
// on when they end. A program and its partitions share a context of MLIR, which one
// thread at a time may use: they have a mutex.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include "shard-c/Processes.h"
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
using shard::python::Job;

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

size_t byteWidth(const std::string &elementType) {
  if (elementType == "i1")
    return 1;
  if (elementType == "index")
    return 8;
  size_t width =
      std::stoul(elementType.substr(elementType.find_first_of("0123456789"))) /
      8;
  // A complex element is named after its parts.
  return elementType.rfind("complex<", 0) == 0 ? 2 * width : width;
}

/// What a run gives. Results are not copied: arrays of Python keep their buffers.
struct RunOutput {
  struct DestroyBuffer {
    void operator()(void *buffer) const { shardBufferDestroy({buffer}); }
  };
  struct Result {
    std::string elementType;
    std::vector<int64_t> shape;
    uint8_t *data;
    size_t size;
    std::unique_ptr<void, DestroyBuffer> buffer;
  };
  std::vector<Result> results;
  std::string report;

  ShardRunSink sink() {
    return {&RunOutput::addResult, &RunOutput::addReport, this};
  }
  static void addReport(MlirStringRef text, void *self) {
    append(text, &static_cast<RunOutput *>(self)->report);
  }
  static void addResult(intptr_t, const ShardTensor *tensor, ShardBuffer buffer,
                        void *self) {
    Result result{toString(tensor->elementType),
                  {tensor->shape, tensor->shape + tensor->rank},
                  static_cast<uint8_t *>(const_cast<void *>(tensor->data)),
                  byteWidth(toString(tensor->elementType)),
                  {}};
    result.buffer.reset(buffer.ptr);
    for (int64_t extent : result.shape)
      result.size *= extent;
    static_cast<RunOutput *>(self)->results.push_back(std::move(result));
  }
};

nb::object toPython(RunOutput::Result &result) {
  nb::capsule owner(result.buffer.release(), [](void *buffer) noexcept {
    shardBufferDestroy({buffer});
  });
  auto bytes = nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>(
      result.data, {result.size}, owner);
  return nb::make_tuple(result.elementType, result.shape, bytes);
}

/// The inputs of a run; keeps their buffers.
class Inputs {
public:
  explicit Inputs(const std::vector<TensorTuple> &inputs) : inputs(inputs) {
    for (const auto &[type, shape, object] : this->inputs) {
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
  Inputs(const Inputs &) = delete;
  const ShardTensor *data() const { return tensors.data(); }
  intptr_t size() const { return tensors.size(); }

private:
  std::vector<TensorTuple> inputs;
  std::vector<Bytes> buffers;
  std::vector<ShardTensor> tensors;
};

/// Makes a value that holds objects of Python and may be destroyed on any thread.
template <typename T, typename... Arguments>
std::shared_ptr<T> shareWithThread(Arguments &&...arguments) {
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...),
                            [](T *value) {
                              nb::gil_scoped_acquire acquire;
                              delete value;
                            });
}

class Program {
public:
  Program() = default;
  ~Program() { shardProgramDestroy(handle); }
  Program(const Program &) = delete;

  ShardProgram handle{nullptr};
  /// Locked by who uses the program or one of its partitions.
  const std::shared_ptr<std::mutex> busy = std::make_shared<std::mutex>();
};

class Partition {
public:
  explicit Partition(std::shared_ptr<Program> program)
      : program(std::move(program)) {}
  ~Partition() { shardPartitionDestroy(handle); }
  Partition(const Partition &) = delete;

  const std::shared_ptr<Program> program;
  ShardPartition handle{nullptr};
};

/// Waits until no other thread uses `program`.
std::unique_lock<std::mutex> waitFor(Program &program) {
  nb::gil_scoped_release release;
  return std::unique_lock<std::mutex>(*program.busy);
}

nb::object parse(nb::bytes source, const std::string &name,
                 const std::string &entry) {
  struct State {
    std::string source, name, entry;
    Diagnostics diagnostics;
    std::shared_ptr<Program> program = std::make_shared<Program>();
  };
  auto state = std::make_shared<State>();
  state->source.assign(source.c_str(), source.size());
  state->name = name;
  state->entry = entry;
  Job::perform(state->program->busy, nb::none(), [state](ShardMonitor) {
    state->program->handle =
        shardProgramParse(toRef(state->source), toRef(state->name),
                          toRef(state->entry), state->diagnostics.sink());
  });
  nb::object program = nb::none();
  if (state->program->handle.ptr)
    program = nb::cast(state->program);
  return nb::make_tuple(program, state->diagnostics.list);
}

/// The processes of an MPI program, of which this is one. They are used by the thread
/// that runs a partition.
class Processes {
public:
  ShardProcesses handle{nullptr};
};

std::string launcher() {
  std::string name;
  shardProcessesGetLauncher(append, &name);
  return name;
}

Processes *join(const std::string &mpi, const std::string &folder) {
  std::string error;
  Processes processes;
  processes.handle =
      shardProcessesJoin(toRef(mpi), toRef(folder), append, &error);
  if (!processes.handle.ptr)
    throw nb::import_error(error.c_str());
  return new Processes(processes);
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
                     const std::string &cpu, const Processes *processes,
                     nb::object progress, bool unevenDynamic,
                     int64_t haloSteps) {
  struct State {
    std::vector<int64_t> shape;
    std::vector<std::string> names, hints;
    std::string cpu;
    ShardProcesses processes;
    bool unevenDynamic;
    int64_t haloSteps;
    Diagnostics diagnostics;
    std::shared_ptr<Partition> partition;
  };
  auto state = std::make_shared<State>(
      State{shape,
            names,
            hints,
            cpu,
            processes ? processes->handle : ShardProcesses{nullptr},
            unevenDynamic,
            haloSteps,
            {},
            std::make_shared<Partition>(program)});
  Job::perform(program->busy, progress, [state](ShardMonitor monitor) {
    std::vector<MlirStringRef> names, hints;
    for (const std::string &name : state->names)
      names.push_back(toRef(name));
    for (const std::string &hint : state->hints)
      hints.push_back(toRef(hint));
    ShardPartitionOptions options{state->shape.data(),
                                  intptr_t(state->shape.size()),
                                  names.empty() ? nullptr : names.data(),
                                  hints.data(),
                                  intptr_t(hints.size()),
                                  toRef(state->cpu),
                                  state->processes,
                                  monitor,
                                  state->unevenDynamic,
                                  intptr_t(state->haloSteps)};
    state->partition->handle = shardProgramPartition(
        state->partition->program->handle, &options, state->diagnostics.sink());
  });
  nb::object made = nb::none();
  if (state->partition->handle.ptr)
    made = nb::cast(state->partition);
  return nb::make_tuple(made, state->diagnostics.list);
}

nb::object run(std::shared_ptr<Partition> partition,
               const std::vector<TensorTuple> &tensors, double timeout,
               uint64_t seed, bool verify, nb::object progress) {
  struct State {
    std::shared_ptr<Partition> partition;
    std::shared_ptr<Inputs> inputs;
    double timeout;
    uint64_t seed;
    Diagnostics diagnostics;
    RunOutput output;
    bool ok = false;
  };
  auto state = std::make_shared<State>();
  state->partition = partition;
  state->inputs = shareWithThread<Inputs>(tensors);
  state->timeout = timeout;
  state->seed = seed;
  auto *call = verify ? &shardPartitionVerify : &shardPartitionRun;
  Job::perform(
      partition->program->busy, progress, [state, call](ShardMonitor monitor) {
        ShardRunOptions options{state->timeout, state->seed, monitor};
        state->ok = call(state->partition->handle, state->inputs->data(),
                         state->inputs->size(), &options, state->output.sink(),
                         state->diagnostics.sink());
      });
  nb::list results;
  for (RunOutput::Result &result : state->output.results)
    results.append(toPython(result));
  return nb::make_tuple(state->ok, results, state->output.report,
                        state->diagnostics.list);
}

nb::object explain(std::shared_ptr<Partition> partition) {
  struct State {
    std::shared_ptr<Partition> partition;
    Diagnostics diagnostics;
    std::string text;
    bool ok = false;
  };
  auto state = std::make_shared<State>();
  state->partition = partition;
  Job::perform(partition->program->busy, nb::none(), [state](ShardMonitor) {
    state->ok = shardPartitionExplain(state->partition->handle, append,
                                      &state->text, state->diagnostics.sink());
  });
  return nb::make_tuple(state->ok, state->text, state->diagnostics.list);
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
      .def_prop_ro("ops",
                   [](Program &p) {
                     auto lock = waitFor(p);
                     std::string text;
                     shardProgramPrintOps(p.handle, append, &text);
                     return text;
                   })
      .def_prop_ro("text", [](Program &p) {
        auto lock = waitFor(p);
        std::string text;
        shardProgramPrint(p.handle, append, &text);
        return text;
      });
  nb::class_<Partition>(module, "Partition")
      .def_prop_ro("text",
                   [](Partition &p) {
                     auto lock = waitFor(*p.program);
                     std::string text;
                     shardPartitionPrint(p.handle, append, &text);
                     return text;
                   })
      .def_prop_ro("report",
                   [](Partition &p) {
                     auto lock = waitFor(*p.program);
                     std::string text;
                     shardPartitionPrintReport(p.handle, append, &text);
                     return text;
                   })
      .def("run", &run, nb::arg("inputs"), nb::arg("timeout"), nb::arg("seed"),
           nb::arg("verify"), nb::arg("progress").none())
      .def("explain", &explain);
  nb::class_<Processes>(module, "Processes")
      .def_prop_ro(
          "count",
          [](Processes &p) { return shardProcessesGetCount(p.handle); })
      .def_prop_ro(
          "number",
          [](Processes &p) { return shardProcessesGetNumber(p.handle); })
      .def("leave",
           [](Processes &p) {
             nb::gil_scoped_release release;
             shardProcessesLeave(p.handle);
           })
      .def("fail", [](Processes &p, const std::string &message) {
        nb::gil_scoped_release release;
        shardProcessesFail(p.handle, toRef(message));
      });
  module.def("launcher", &launcher);
  module.def("join", &join, nb::rv_policy::take_ownership);
  module.def("parse", &parse);
  module.def("partition", &partition, nb::arg("program"), nb::arg("shape"),
             nb::arg("names"), nb::arg("hints"), nb::arg("cpu"),
             nb::arg("processes").none(), nb::arg("progress").none(),
             nb::arg("uneven_dynamic"), nb::arg("halo_steps"));
  module.def("running", [] { return Job::running().load(); });
  module.def("print_html", &printHtml);
}
