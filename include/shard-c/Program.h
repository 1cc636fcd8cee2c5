//===- shard-c/Program.h - Partition and run programs, in C -------*- C -*-===//
//
// Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs as a user sees them: text comes in, is partitioned for a grid, runs on
// host tensors. No type of MLIR's C API but strings is needed.
//
// Functions that can fail return a null handle or false and have reported at least
// one error to the ShardDiagnosticSink that they were given. Remarks and warnings go
// there too. A handle may be used by one thread at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SHARD_C_PROGRAM_H
#define SHARD_C_PROGRAM_H

#include "mlir-c/Support.h"
#include "shard-c/Processes.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

enum ShardSeverity {
  ShardSeverityError,
  ShardSeverityWarning,
  ShardSeverityRemark,
  /// Belongs to the diagnostic before it.
  ShardSeverityNote,
};

typedef struct ShardDiagnostic {
  enum ShardSeverity severity;
  MlirStringRef message;
  /// Empty, and line and column 0, if the place is unknown. Lines and columns count
  /// from 1.
  MlirStringRef file;
  unsigned line, column;
} ShardDiagnostic;

/// Receives diagnostics during a call. The strings live for that call.
typedef struct ShardDiagnosticSink {
  void (*report)(const ShardDiagnostic *diagnostic, void *userData);
  void *userData;
} ShardDiagnosticSink;

/// Follows long work. `step` is called with the work ("partition", "compile", "run")
/// and its next step: the name of a pass, "machine code", "one device", or nothing for
/// the run of the grid; during a run of threads several times a second. If it returns false, the work stops: the call that it
/// is part of fails. May be called on another thread than the call. A null `step`
/// follows nothing.
typedef struct ShardMonitor {
  bool (*step)(MlirStringRef work, MlirStringRef step, void *userData);
  void *userData;
} ShardMonitor;

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

typedef struct ShardProgram {
  void *ptr;
} ShardProgram;

/// Parses `source`, text or bytecode of MLIR. `name` stands for the file in
/// diagnostics. `entry` is the function to run; if it is empty, that is `main`, or the
/// only public function with a body.
MLIR_CAPI_EXPORTED ShardProgram shardProgramParse(MlirStringRef source,
                                                  MlirStringRef name,
                                                  MlirStringRef entry,
                                                  ShardDiagnosticSink sink);
MLIR_CAPI_EXPORTED void shardProgramDestroy(ShardProgram program);

/// An argument or a result of the entry. Strings and `shape` live as long as the
/// program.
typedef struct ShardValue {
  /// The name in its location, as `%arg0: tensor<4xf32> loc("weight")`; may be empty.
  MlirStringRef name;
  /// As MLIR prints it.
  MlirStringRef type;
  /// "f32", "bf16", "i1", "ui8", "index" and so on; empty if it has no form in host
  /// memory.
  MlirStringRef elementType;
  intptr_t rank;
  /// -1: known only when the program runs.
  const int64_t *shape;
} ShardValue;

MLIR_CAPI_EXPORTED MlirStringRef shardProgramGetEntry(ShardProgram program);
MLIR_CAPI_EXPORTED intptr_t shardProgramGetNumArguments(ShardProgram program);
MLIR_CAPI_EXPORTED intptr_t shardProgramGetNumResults(ShardProgram program);
MLIR_CAPI_EXPORTED ShardValue shardProgramGetArgument(ShardProgram program,
                                                      intptr_t index);
MLIR_CAPI_EXPORTED ShardValue shardProgramGetResult(ShardProgram program,
                                                    intptr_t index);
MLIR_CAPI_EXPORTED void shardProgramPrint(ShardProgram program,
                                          MlirStringCallback callback,
                                          void *userData);

/// Prints the ops of the entry whose results hints may be about, in the order of the
/// text, as a JSON array of objects: "op", "number" (`OP#K` of a hint), "names" and
/// "places" (of its location, innermost first; a place is [file, line, column]), "free"
/// (it makes a value of nothing, as a constant) and "results", of which each has "number",
/// "type", "rank" and "users", the places of its users in this array, -1 for others.
MLIR_CAPI_EXPORTED void shardProgramPrintOps(ShardProgram program,
                                             MlirStringCallback callback,
                                             void *userData);

//===----------------------------------------------------------------------===//
// Partition
//===----------------------------------------------------------------------===//

typedef struct ShardPartitionOptions {
  /// The sizes of the axes of the grid; `gridRank` 0: the grid of the program.
  const int64_t *gridShape;
  intptr_t gridRank;
  /// Null, or the names of all axes.
  const MlirStringRef *axisNames;
  /// Hints as docs/shard-run.md writes them for --hint: `arg0=[["data"], []]`.
  /// Dimensions that are left out at the end are whole.
  const MlirStringRef *hints;
  intptr_t numHints;
  /// The processor that code is generated for; empty: this one.
  MlirStringRef cpu;
  /// Null: devices run as threads of this process. Else this process runs one of them.
  ShardProcesses processes;
  ShardMonitor monitor;
  /// Dynamic dimensions need not divide evenly among the devices: states uneven_dynamic on
  /// the grids of the program (docs/Partition.md).
  bool unevenDynamic;
  /// For how many steps of a loop of stencils one exchange of halos serves, at most 64; 0
  /// and 1: each step has its own; -1: what is predicted to take least time
  /// (docs/Partition.md, Wide halos).
  intptr_t haloSteps;
} ShardPartitionOptions;

typedef struct ShardPartition {
  void *ptr;
} ShardPartition;

/// Partitions `program`, which stays as it is and must outlive the partition.
MLIR_CAPI_EXPORTED ShardPartition shardProgramPartition(
    ShardProgram program, const ShardPartitionOptions *options,
    ShardDiagnosticSink sink);
MLIR_CAPI_EXPORTED void shardPartitionDestroy(ShardPartition partition);

/// Prints the program of one device.
MLIR_CAPI_EXPORTED void shardPartitionPrint(ShardPartition partition,
                                            MlirStringCallback callback,
                                            void *userData);
/// Prints what is known before a run, as the JSON object of `shard-run
/// --report=json` (docs/shard-run.md). Nothing is measured: times are 0. Of a collective
/// `calls` is -1 where it is known only when the program runs, and
/// `bytes_sent_per_device`, else in bytes of all calls, is -1 where it depends on the
/// device or on sizes of the run.
MLIR_CAPI_EXPORTED void shardPartitionPrintReport(ShardPartition partition,
                                                  MlirStringCallback callback,
                                                  void *userData);
/// Prints why everything is as it is, as the JSON object of
/// `shard-opt --shard-explain=json`. False if it cannot be told.
MLIR_CAPI_EXPORTED bool shardPartitionExplain(ShardPartition partition,
                                              MlirStringCallback callback,
                                              void *userData,
                                              ShardDiagnosticSink sink);

/// Prints one page of HTML, which needs no other file and no network, about `data`: a
/// JSON object with "report" (the object of shardPartitionPrintReport or of a run) and,
/// as far as they are known, "explanation" (that of shardPartitionExplain), "names" (an
/// array of the names of arguments) and "remarks" (an array of texts). `sourceText` is
/// the program that diagnostics call `sourceName`. False if `data` is no such object.
MLIR_CAPI_EXPORTED bool shardPrintHtml(MlirStringRef data,
                                       MlirStringRef sourceName,
                                       MlirStringRef sourceText,
                                       MlirStringCallback callback,
                                       void *userData);

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A tensor in host memory, row-major and without gaps. i1 takes one byte.
typedef struct ShardTensor {
  /// As ShardValue::elementType.
  MlirStringRef elementType;
  intptr_t rank;
  const int64_t *shape;
  const void *data;
} ShardTensor;

/// Memory of a result.
typedef struct ShardBuffer {
  void *ptr;
} ShardBuffer;

/// May be called on any thread.
MLIR_CAPI_EXPORTED void shardBufferDestroy(ShardBuffer buffer);

/// Receives what a run gives.
typedef struct ShardRunSink {
  /// Called for each result in order, if the run went well. The elements of `tensor` live
  /// until the receiver destroys `buffer`, which it has to, at once or later; nobody else
  /// reads or writes them. All else lives for the call.
  void (*result)(intptr_t index, const ShardTensor *tensor, ShardBuffer buffer,
                 void *userData);
  /// The JSON object of `shard-run --report=json`.
  MlirStringCallback report;
  void *userData;
} ShardRunSink;

typedef struct ShardRunOptions {
  /// How long a device may wait for others at one collective, in seconds; 0: the
  /// default. Of threads; for processes the environment says it (docs/Clusters.md).
  double timeoutSeconds;
  /// Of random inputs.
  uint64_t seed;
  ShardMonitor monitor;
} ShardRunOptions;

/// Runs all devices as threads on the whole tensors `inputs`, which are read where they
/// are unless a device takes a block that does not lie in one piece. Compiles the program
/// when it first runs. False if the program cannot be compiled or the inputs do not
/// fit; of a run that goes wrong the report says `"pass": false`.
///
/// With ShardPartitionOptions::processes each process runs its device, and all get the
/// results and the report. If the call fails in one process, it fails in all; a run that
/// goes wrong ends them.
MLIR_CAPI_EXPORTED bool
shardPartitionRun(ShardPartition partition, const ShardTensor *inputs,
                  intptr_t numInputs, const ShardRunOptions *options,
                  ShardRunSink output, ShardDiagnosticSink sink);

/// Runs the grid's program and that of one device and compares their results. Inputs
/// without data are random. Results are those of the grid. Of several processes the first
/// one compares.
MLIR_CAPI_EXPORTED bool
shardPartitionVerify(ShardPartition partition, const ShardTensor *inputs,
                     intptr_t numInputs, const ShardRunOptions *options,
                     ShardRunSink output, ShardDiagnosticSink sink);

#ifdef __cplusplus
}
#endif

#endif // SHARD_C_PROGRAM_H
