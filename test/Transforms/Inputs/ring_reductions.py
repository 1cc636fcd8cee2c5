# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a function for each reduction, which reduces what a gather joins, and what a check of its
ring looks like: a device has its own block, and takes those of two others by shifts.

Values that are rounded are combined in the order of the blocks, which a ring changes: sums of
floats need reorder-sums and an operand that is known to be split.
"""

INTEGERS = ["addi", "muli", "maxsi", "minsi", "maxui", "minui", "andi", "ori", "xori"]
FLOATS = ["maximumf", "minimumf"]
ROUNDED = ["addf", "mulf"]

print("shard.grid @g(shape = 3)")
print("#a = affine_map<(i, j, k) -> (i, k)>")
print("#b = affine_map<(i, j, k) -> (k, j)>")
print("#c = affine_map<(i, j, k) -> (i, j)>")
for op in INTEGERS + FLOATS + ROUNDED:
    kind = "i32" if op in INTEGERS else "f32"
    plus = "arith.addi" if op in INTEGERS else "arith.addf"
    print(f"// CHECK-LABEL: func.func @{op}(")
    print("// CHECK-NOT: shard.shift" if op in ROUNDED else "// CHECK-COUNT-2: shard.shift")
    print(f"""\
func.func @{op}(%a: tensor<6x2x{kind}>, %b: tensor<6x5x{kind}>, %c: tensor<6x5x{kind}>)
    -> tensor<6x5x{kind}> {{
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 1
      : tensor<6x2x{kind}> -> tensor<6x6x{kind}>
  %1 = linalg.generic {{indexing_maps = [#a, #b, #c],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%0, %b : tensor<6x6x{kind}>, tensor<6x5x{kind}>) outs(%c : tensor<6x5x{kind}>) {{
  ^bb0(%x: {kind}, %y: {kind}, %z: {kind}):
    %2 = {plus} %x, %y : {kind}
    %3 = arith.{op} %z, %2 : {kind}
    linalg.yield %3 : {kind}
  }} -> tensor<6x5x{kind}>
  return %1 : tensor<6x5x{kind}>
}}""")
