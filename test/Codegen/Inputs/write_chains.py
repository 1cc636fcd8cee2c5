"""Prints a program of COUNT insertions into one tensor, each of the element before plus 1.

write_chains.py COUNT        returns the last version of an argument
write_chains.py COUNT later  returns elements of the first and of the last version of a constant
"""

import sys

count, later = int(sys.argv[1]), len(sys.argv) > 2
size = count + 8
whole = f"tensor<{size}xf32>"
print(f"func.func @main(%x: {whole}) -> {'tensor<2xf32>' if later else whole} {{")
print("  %one = arith.constant dense<1.0> : tensor<1xf32>")
print(f"  %v0 = arith.constant dense<7.0> : {whole}")
last = "%v0" if later else "%x"
for i in range(1, count + 1):
    print(f"  %s{i} = tensor.extract_slice {last}[{i - 1}] [1] [1] : {whole} to tensor<1xf32>")
    print(f"  %t{i} = arith.addf %s{i}, %one : tensor<1xf32>")
    print(
        f"  %v{i} = tensor.insert_slice %t{i} into {last}[{i}] [1] [1] : tensor<1xf32> into {whole}"
    )
    last = f"%v{i}"
if later:
    print(f"  %a = tensor.extract_slice %v1[{count}] [1] [1] : {whole} to tensor<1xf32>")
    print(f"  %b = tensor.extract_slice {last}[{count}] [1] [1] : {whole} to tensor<1xf32>")
    print("  %both = tensor.concat dim(0) %a, %b : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>")
    print("  return %both : tensor<2xf32>\n}")
else:
    print(f"  return {last} : {whole}\n}}")
