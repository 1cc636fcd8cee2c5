/* A program in C outside the project that partitions a program and runs it. */

#include "shard-c/Dialect.h"
#include "shard-c/Program.h"

#include <stdio.h>

static void print(const ShardDiagnostic *diagnostic, void *userData) {
  (void)userData;
  fprintf(stderr, "%u:%u: %.*s\n", diagnostic->line, diagnostic->column,
          (int)diagnostic->message.length, diagnostic->message.data);
}

static void takeResult(intptr_t index, const ShardTensor *tensor,
                       ShardBuffer buffer, void *userData) {
  (void)userData;
  printf("result %d:", (int)index);
  for (int64_t i = 0; i < tensor->shape[0]; ++i)
    printf(" %g", ((const float *)tensor->data)[i]);
  printf("\n");
  shardBufferDestroy(buffer);
}

int main(void) {
  const char *text = "func.func @double(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                     "  %y = arith.addf %x, %x : tensor<4xf32>\n"
                     "  return %y : tensor<4xf32>\n"
                     "}\n";
  ShardDiagnosticSink sink = {print, NULL};
  ShardProgram program = shardProgramParse(mlirStringRefCreateFromCString(text),
                                           mlirStringRefCreateFromCString("in-c"),
                                           mlirStringRefCreateFromCString(""), sink);
  if (!program.ptr)
    return 1;
  int64_t grid[] = {2};
  MlirStringRef hint = mlirStringRefCreateFromCString("arg0=[[0]]");
  ShardPartitionOptions options = {0};
  options.gridShape = grid;
  options.gridRank = 1;
  options.hints = &hint;
  options.numHints = 1;
  ShardPartition partition = shardProgramPartition(program, &options, sink);
  if (!partition.ptr)
    return 1;
  float data[] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  ShardTensor input = {mlirStringRefCreateFromCString("f32"), 1, shape, data};
  ShardRunOptions runOptions = {0};
  ShardRunSink output = {takeResult, NULL, NULL};
  bool ran = shardPartitionRun(partition, &input, 1, &runOptions, output, sink);
  shardPartitionDestroy(partition);
  shardProgramDestroy(program);

  /* Both worlds in one program: the handle of the dialect for MLIR's C API. */
  MlirContext context = mlirContextCreate();
  mlirDialectHandleRegisterDialect(mlirGetDialectHandle__shard__(), context);
  printf("dialect loaded: %d\n",
         !mlirDialectIsNull(mlirContextGetOrLoadDialect(
             context, mlirStringRefCreateFromCString("shard"))));
  mlirContextDestroy(context);
  return !ran;
}
