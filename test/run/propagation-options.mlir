// The options of propagation and partition, and the explanation.

// RUN: shard-run %s --verify --grid 4 | FileCheck %s --check-prefixes=BOTH
// RUN: shard-run %s --verify --grid 4 --traversal=forward | FileCheck %s --check-prefix=FORWARD
// RUN: shard-run %s --verify --grid 4 --traversal=backward-forward --strategy=basic --op-priorities=false --user-priorities=false | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --verify --grid 3 --uneven=replicate 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: shard-run %s --verify --grid 4 --global-arguments --print-partitioned | FileCheck %s --check-prefix=GLOBAL
// RUN: shard-run %s --verify --grid 4 --explain 2>&1 >%t | FileCheck %s --check-prefix=WHY
// RUN: FileCheck %s --check-prefix=BOTH < %t
// RUN: shard-opt %s --shard-spmd -o %t.mlir
// RUN: not shard-run %t.mlir --explain 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not shard-run %s --traversal=sideways 2>&1 | FileCheck %s --check-prefix=BAD

// PASS: PASS
// BOTH: arg0      tensor<8xf32>  {{\[\[}}0]]
// BOTH: PASS
// FORWARD: arg0      tensor<8xf32>  {{\[\[}}]]
// FORWARD: PASS
// WHOLE: remark: {{.*}}extent 8
// WHOLE: arg0      tensor<8xf32>  {{\[\[}}]]
// WHOLE: PASS
// GLOBAL: func.func @main(%{{.*}}: tensor<8xf32>
// GLOBAL: shard.all_slice
// GLOBAL: PASS
// WHY: %0 at {{.*}}: {{\[\[}}0]]
// WHY: axis 0 in dimension 0: through operand 0 of func.return
// NOTHING: error: is partitioned already: there is nothing to explain
// BAD: Cannot find option named 'sideways'

shard.grid @grid(shape = 4)
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0 = math.exp %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}
