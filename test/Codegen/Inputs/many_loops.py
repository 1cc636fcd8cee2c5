"""Prints a program of COUNT loops, one after the other, each of which adds 1 %n times to %x."""

import sys

print("shard.grid @g(shape = 2)")
print(
    "func.func @main(%x: tensor<4xi32> {shard.sharding = #shard.sharding<@g, [[0]]>}, %n: index) -> tensor<4xi32> {"
)
print("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index")
print("  %one = arith.constant dense<1> : tensor<4xi32>")
last = "%x"
for i in range(int(sys.argv[1])):
    print(
        f"  %v{i + 1} = scf.for %i{i} = %c0 to %n step %c1 iter_args(%a{i} = {last}) -> (tensor<4xi32>) {{"
    )
    print(
        f"    %t{i} = arith.addi %a{i}, %one : tensor<4xi32>\n    scf.yield %t{i} : tensor<4xi32>\n  }}"
    )
    last = f"%v{i + 1}"
print(f"  return {last} : tensor<4xi32>\n}}")
