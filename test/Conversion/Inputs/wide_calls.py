"""A call with many tensors, and a C program that calls it.

wide_calls.py COUNT program   the program: @entry makes COUNT tensors and gives them to @f, which
                              returns sums of two, but for result 3, which is an argument, and
                              result 7, which is result 6
wide_calls.py COUNT main      the C program: compares the results with what they should be, frees
                              them, and finds out whether all memory came back
"""

import sys

MAIN = """#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
enum {{ count = {count} }};
struct Matrix {{ float *allocated, *aligned; long offset, sizes[2], strides[2]; }};
struct Results {{ struct Matrix of[count]; }};
struct Results entry(float x);

static int run(void) {{
  struct Results results = entry(1.5f);
  int wrong = 0;
  for (int i = 0; i < count; ++i) {{
    int k = i == 7 ? 6 : i;
    float want = i == 3 ? 1.5f + i : 3 + k + (k + 1) % count;
    for (int j = 0; j < 16; ++j)
      wrong += results.of[i].aligned[j] != want;
  }}
  for (int i = 0; i < count; ++i) {{
    int known = 0;
    for (int j = 0; j < i; ++j)
      known |= results.of[i].allocated == results.of[j].allocated;
    if (!known)
      free(results.of[i].allocated);
  }}
  return wrong;
}}

int main(void) {{
  int wrong = run();
  size_t before = mallinfo2().uordblks;
  wrong += run() + run();
  printf("%d wrong elements, %ld bytes left\\n", wrong, (long)(mallinfo2().uordblks - before));
  return 0;
}}
"""


def program(count: int) -> str:
    """Return the MLIR text."""
    tensor = "tensor<4x4xf32>"
    tensors = ", ".join([tensor] * count)
    parameters = ", ".join(f"%a{i}: {tensor}" for i in range(count))
    lines = [f"func.func private @f({parameters}) -> ({tensors}) {{"]
    for i in range(count):
        lines.append(f"  %s{i} = arith.addf %a{i}, %a{(i + 1) % count} : {tensor}")
    results = [f"%s{i}" for i in range(count)]
    results[3], results[7] = "%a3", "%s6"
    lines += [f"  return {', '.join(results)} : {tensors}", "}"]
    lines.append(f"func.func @entry(%x: f32) -> ({tensors}) {{")
    for i in range(count):
        lines += [
            f"  %c{i} = arith.constant {i}.0 : f32",
            f"  %y{i} = arith.addf %x, %c{i} : f32",
            f"  %e{i} = tensor.empty() : {tensor}",
            f"  %t{i} = linalg.fill ins(%y{i} : f32) outs(%e{i} : {tensor}) -> {tensor}",
        ]
    operands = ", ".join(f"%t{i}" for i in range(count))
    lines.append(f"  %r:{count} = call @f({operands}) : ({tensors}) -> ({tensors})")
    lines.append(f"  return {', '.join(f'%r#{i}' for i in range(count))} : {tensors}")
    return "\n".join([*lines, "}"])


def main() -> None:
    """Print what the command line asks for."""
    count = int(sys.argv[1])
    print(program(count) if sys.argv[2] == "program" else MAIN.format(count=count))


if __name__ == "__main__":
    main()
