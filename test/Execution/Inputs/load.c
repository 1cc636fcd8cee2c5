/* Runs the program of a shared library: load LIBRARY TABLE [options] */

#include "shard/Standalone/Program.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  int (*run)(int, char **, const struct shard_program *) = NULL;
  const struct shard_program *program = NULL;
  void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : NULL, *symbol;
  if (library)
    program = dlsym(library, argv[2]);
  if (program && (symbol = dlsym(library, "shard_program_main")))
    memcpy(&run, &symbol, sizeof(run));
  if (!run) {
    const char *message = dlerror();
    fprintf(stderr, "error: %s\n", message ? message : "two names expected");
    return 1;
  }
  return run(argc - 2, argv + 2, program);
}
