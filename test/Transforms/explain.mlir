// RUN: shard-opt %s --shard-explain -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-opt %s --shard-explain=json -o /dev/null 2>&1 | %python -c "import json, sys; e = json.load(sys.stdin); print(len(e['values']), len(e['reshards'])); r = e['reshards'][0]; print(r['bytes_of_op'], [(c['how'], c['bytes']) for c in r['instead']]); w = r['wants'][1]; print(w['axis'], w['dimension'], w['of'], w['length'], w['through'][0]); print(r['has'][0]['hint'])" | FileCheck %s --check-prefix=JSON

// For each value the hint that it comes from; for each reshard the two wishes and
// the verdict.

// CHECK: %arg0 at {{.*}}explain.mlir:{{.*}}: {{\[\[}}x], [y]]
// CHECK: axis x in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}"x"], ["y"]]>
// CHECK: through math.exp at {{.*}}, through operand 0 of func.return
// CHECK: reshard of %arg0 for linalg.matmul operand 0 at {{.*}}: {{\[\[}}x], [y]] -> {{\[\[}}], [y]]
// CHECK: it has axis x in dimension 0: from the hint #shard.sharding<@grid, {{\[\[}}"x"], ["y"]]>
// CHECK: against axis
// CHECK: decided: of the ways to run the op, this one reshards the fewest bytes
// The op sends 64 bytes for this gather and 128 for the sum of its result.
// CHECK-NEXT: so: all_gather over x
// CHECK-NEXT: instead, with operand 0 as it comes, {{\[\[}}x], [y]]: 240 bytes for the op, not 192
// CHECK-NEXT: instead, without splitting the op: 384 bytes for the op, not 192
// The result is computed as sums over y and reduced there.
// CHECK: reshard of %0 for linalg.matmul result 0 at {{.*}}: {{\[\[}}], [x]] partial = sum [y] -> {{\[\[}}], [x]]
// CHECK: it has axis y in dimension 0 of operand 1: from the hint #shard.sharding<@grid, {{\[\[}}"y"], ["x"]]>
// CHECK: decided: math.exp at {{.*}} needs the complete value
// CHECK: so: all_reduce over y
// CHECK-NEXT: instead, with operand 0 as it comes
// CHECK-NEXT: instead, without splitting the op
// JSON: 5 2
// JSON-NEXT: 192 [('with operand 0 as it comes, {{\[\[}}x], [y]]', 240), ('without splitting the op', 384)]
// JSON-NEXT: x 1 operand 2 1 linalg.matmul at {{.*}}explain.mlir:{{[0-9]+}}:8
// JSON-NEXT: the hint #shard.sharding<@grid, {{\[\[}}"x"], ["y"]]> at {{.*}}explain.mlir:{{[0-9]+}}:5
shard.grid @grid(shape = 2x2) axes ["x", "y"]
func.func @dot(
    %a: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["x"], ["y"]]>},
    %b: tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [["y"], ["x"]]>})
    -> (tensor<8x8xf32> {shard.sharding = #shard.sharding<@grid, [[], ["x"]]>}) {
  %z = arith.constant dense<0.0> : tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = math.exp %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
