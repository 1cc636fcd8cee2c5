/* capi-test.c - The C API, used from C.
 *
 * Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */

#include "shard-c/Dialect.h"
#include "shard-c/Program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static const char source[] =
    "func.func @main(%x: tensor<4x6xf32> loc(\"weight\")) -> tensor<4xf32> {\n"
    "  %c = arith.constant dense<0.0> : tensor<4xf32>\n"
    "  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x6xf32>)\n"
    "      outs(%c : tensor<4xf32>) dimensions = [1]\n"
    "  return %r : tensor<4xf32>\n"
    "}\n";

struct Diagnostics {
  int errors, notes;
  unsigned line;
  char message[256];
};

static void addDiagnostic(const ShardDiagnostic *diagnostic, void *userData) {
  struct Diagnostics *all = userData;
  if (diagnostic->severity == ShardSeverityNote)
    ++all->notes;
  if (diagnostic->severity != ShardSeverityError)
    return;
  if (!all->errors++) {
    all->line = diagnostic->line;
    snprintf(all->message, sizeof all->message, "%.*s",
             (int)diagnostic->message.length, diagnostic->message.data);
  }
}

struct Text {
  char data[65536];
  size_t length;
};

static void addText(MlirStringRef part, void *userData) {
  struct Text *text = userData;
  if (text->length + part.length >= sizeof text->data)
    abort();
  memcpy(text->data + text->length, part.data, part.length);
  text->length += part.length;
  text->data[text->length] = 0;
}

struct Run {
  struct Text report;
  int results;
  float first[4];
  /// The last result, which lives longer than the call.
  ShardBuffer buffer;
  const float *data;
};

static void addResult(intptr_t index, const ShardTensor *tensor,
                      ShardBuffer buffer, void *userData) {
  struct Run *run = userData;
  ++run->results;
  shardBufferDestroy(run->buffer);
  run->buffer = buffer;
  run->data = tensor->data;
  EXPECT(index == 0 && tensor->rank == 1 && tensor->shape[0] == 4);
  memcpy(run->first, tensor->data, sizeof run->first);
}

static void addReport(MlirStringRef part, void *userData) {
  addText(part, &((struct Run *)userData)->report);
}

static MlirStringRef ref(const char *text) {
  return mlirStringRefCreate(text, strlen(text));
}

static void testErrors(void) {
  struct Diagnostics diagnostics = {0};
  ShardDiagnosticSink sink = {addDiagnostic, &diagnostics};
  ShardProgram bad = shardProgramParse(ref("func.func @f() {\n  oops\n}"),
                                       ref("bad.mlir"), ref(""), sink);
  EXPECT(!bad.ptr && diagnostics.errors == 1 && diagnostics.line == 2);

  memset(&diagnostics, 0, sizeof diagnostics);
  ShardProgram program =
      shardProgramParse(ref(source), ref("sum.mlir"), ref(""), sink);
  MlirStringRef hint = ref("arg0=[[\"x\"]]");
  int64_t shape[] = {2};
  ShardPartitionOptions options = {shape,   1,      NULL,         &hint, 1,
                                   ref(""), {NULL}, {NULL, NULL}, false, 1};
  ShardPartition partition = shardProgramPartition(program, &options, sink);
  EXPECT(!partition.ptr && diagnostics.errors >= 1);
  shardProgramDestroy(program);
}

static bool stopAtMachineCode(MlirStringRef work, MlirStringRef step,
                              void *steps) {
  ++*(int *)steps;
  return !mlirStringRefEqual(work, ref("compile")) ||
         !mlirStringRefEqual(step, ref("machine code"));
}
static bool stopAtOnce(MlirStringRef work, MlirStringRef step, void *data) {
  (void)work, (void)step, (void)data;
  return false;
}

static void testMonitor(void) {
  struct Diagnostics diagnostics = {0};
  ShardDiagnosticSink sink = {addDiagnostic, &diagnostics};
  ShardProgram program =
      shardProgramParse(ref(source), ref("sum.mlir"), ref("main"), sink);
  int64_t shape[] = {2};
  MlirStringRef hint = ref("arg0=[[0], []]");
  ShardPartitionOptions options = {
      shape, 1, NULL, &hint, 1, ref(""), {NULL}, {stopAtOnce, NULL}, false, 1};
  EXPECT(!shardProgramPartition(program, &options, sink).ptr);
  EXPECT(diagnostics.errors == 1);
  EXPECT(strstr(diagnostics.message, "stopped on request: partition"));

  memset(&diagnostics, 0, sizeof diagnostics);
  int steps = 0;
  options.monitor.step = stopAtMachineCode;
  options.monitor.userData = &steps;
  ShardPartition partition = shardProgramPartition(program, &options, sink);
  EXPECT(partition.ptr && steps > 1);
  float input[24] = {0};
  int64_t extents[] = {4, 6};
  ShardTensor tensor = {ref("f32"), 2, extents, input};
  ShardRunOptions runOptions = {0, 0, options.monitor};
  ShardRunSink output = {NULL, NULL, NULL};
  EXPECT(!shardPartitionRun(partition, &tensor, 1, &runOptions, output, sink));
  EXPECT(strstr(diagnostics.message, "stopped on request: compile"));
  // What was stopped can be done again.
  runOptions.monitor.step = NULL;
  EXPECT(shardPartitionRun(partition, &tensor, 1, &runOptions, output, sink));
  EXPECT(diagnostics.errors == 1);
  shardPartitionDestroy(partition);
  shardProgramDestroy(program);
}

static void testHtml(void) {
  static struct Text text;
  EXPECT(!shardPrintHtml(ref("{"), ref(""), ref(""), addText, &text));
  EXPECT(!shardPrintHtml(ref("[1]"), ref(""), ref(""), addText, &text));
  EXPECT(!shardPrintHtml(ref("{\"report\": 1}"), ref(""), ref(""), addText,
                         &text));
  EXPECT(text.length == 0);
}

/* The message of a run of `partition` on `input`, which must fail. */
static struct Diagnostics failOn(ShardPartition partition, ShardTensor input) {
  struct Diagnostics diagnostics = {0};
  ShardDiagnosticSink sink = {addDiagnostic, &diagnostics};
  ShardRunOptions options = {0, 0, {NULL, NULL}};
  ShardRunSink output = {NULL, NULL, NULL};
  EXPECT(!shardPartitionRun(partition, &input, 1, &options, output, sink));
  EXPECT(diagnostics.errors == 1);
  return diagnostics;
}

static void testBadInputs(ShardPartition partition) {
  float input[24] = {0};
  int64_t extents[] = {4, 6}, negative[] = {4, -6}, huge[] = {4, INT64_MAX};
  const ShardTensor good = {ref("f32"), 2, extents, input};
  ShardTensor tensor = good;
  tensor.data = NULL;
  EXPECT(strstr(failOn(partition, tensor).message, "argument 0 has no data"));
  tensor = good;
  tensor.rank = -1;
  EXPECT(strstr(failOn(partition, tensor).message, "has the rank -1"));
  tensor = good;
  tensor.shape = negative;
  EXPECT(strstr(failOn(partition, tensor).message, "a dimension of size -6"));
  tensor.shape = huge;
  EXPECT(strstr(failOn(partition, tensor).message, "do not fit memory"));
  tensor = good;
  tensor.elementType = ref("float32");
  EXPECT(strstr(failOn(partition, tensor).message, "'float32' is no type"));
}

static void testRun(void) {
  struct Diagnostics diagnostics = {0};
  ShardDiagnosticSink sink = {addDiagnostic, &diagnostics};
  ShardProgram program =
      shardProgramParse(ref(source), ref("sum.mlir"), ref("main"), sink);
  EXPECT(program.ptr);
  EXPECT(shardProgramGetNumArguments(program) == 1);
  EXPECT(shardProgramGetNumResults(program) == 1);
  ShardValue value = shardProgramGetArgument(program, 0);
  EXPECT(mlirStringRefEqual(value.name, ref("weight")));
  EXPECT(mlirStringRefEqual(value.elementType, ref("f32")));
  EXPECT(value.rank == 2 && value.shape[1] == 6);

  int64_t shape[] = {2, 3};
  MlirStringRef names[] = {ref("a"), ref("b")};
  MlirStringRef hint = ref("arg0=[[\"a\"], [\"b\"]]");
  ShardPartitionOptions options = {shape,   2,      names,        &hint, 1,
                                   ref(""), {NULL}, {NULL, NULL}, false, 1};
  ShardPartition partition = shardProgramPartition(program, &options, sink);
  EXPECT(partition.ptr && !diagnostics.errors);

  static struct Text text;
  shardProgramPrintOps(program, addText, &text);
  EXPECT(strstr(text.data, "\"op\":"));
  text.length = 0;
  shardPartitionPrint(partition, addText, &text);
  EXPECT(strstr(text.data, "shard.all_reduce"));
  text.length = 0;
  shardPartitionPrintReport(partition, addText, &text);
  EXPECT(strstr(text.data, "\"kind\": \"all_reduce\""));
  text.length = 0;
  EXPECT(shardPartitionExplain(partition, addText, &text, sink));
  EXPECT(strstr(text.data, "\"reshards\""));

  float input[24];
  for (int i = 0; i < 24; ++i)
    input[i] = (float)i;
  int64_t extents[] = {4, 6};
  ShardTensor tensor = {ref("f32"), 2, extents, input};
  ShardRunOptions runOptions = {0, 0, {NULL, NULL}};
  static struct Run run;
  ShardRunSink output = {addResult, addReport, &run};
  EXPECT(shardPartitionRun(partition, &tensor, 1, &runOptions, output, sink));
  EXPECT(run.results == 1 && run.first[0] == 15 && run.first[3] == 123);
  EXPECT(strstr(run.report.data, "\"pass\": true"));
  EXPECT(run.data[0] == 15 && run.data[3] == 123);
  shardBufferDestroy(run.buffer);

  memset(&run, 0, sizeof run);
  EXPECT(
      shardPartitionVerify(partition, &tensor, 1, &runOptions, output, sink));
  EXPECT(run.first[3] == 123);
  EXPECT(strstr(run.report.data, "\"verified\": true"));

  EXPECT(!diagnostics.errors);
  EXPECT(!shardPartitionRun(partition, NULL, 0, &runOptions, output, sink));
  EXPECT(diagnostics.errors == 1);
  EXPECT(strstr(diagnostics.message, "takes 1 arguments, but 0 are given"));
  testBadInputs(partition);
  shardPartitionDestroy(partition);
  shardProgramDestroy(program);
  EXPECT(run.data[3] == 123);
  shardBufferDestroy(run.buffer);
}

static void testDialect(void) {
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirDialectHandleInsertDialect(mlirGetDialectHandle__shard__(), registry);
  shardRegisterModels(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__shard__(), context);
  MlirAttribute attr =
      mlirAttributeParseGet(context, ref("#shard.sharding<@g, [[0, 2], [?]]>"));
  EXPECT(!mlirAttributeIsNull(attr) && shardAttributeIsASharding(attr));
  EXPECT(mlirStringRefEqual(shardShardingGetGrid(attr), ref("g")));
  EXPECT(shardShardingGetRank(attr) == 2);
  EXPECT(!shardShardingIsOpen(attr, 0) && shardShardingIsOpen(attr, 1));
  EXPECT(shardShardingGetNumAxes(attr, 0) == 2);
  EXPECT(!mlirAttributeIsNull(shardShardingGetAxis(attr, 0, 1)));
  MlirAttribute other = mlirAttributeParseGet(context, ref("1 : i32"));
  EXPECT(!shardAttributeIsASharding(other));
  mlirContextDestroy(context);
  shardRegisterPasses();
}

int main(void) {
  testErrors();
  testRun();
  testMonitor();
  testHtml();
  testDialect();
  if (!failures)
    puts("passed");
  return failures != 0;
}
