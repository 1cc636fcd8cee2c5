// A slice or an insertion has all of a dimension of unknown extent where the size is the extent
// that the dimension has from the beginning: that of the tensor which ops computed from, that
// for which a destination was made, that of what a loop updates. The dimension stays split.
//
// RUN: shard-opt %s --shard-spmd --shard-verify-spmd | FileCheck %s
// RUN: %python -c "import numpy as np, sys; [np.save(p, np.arange(n * 6, dtype=np.float32).reshape(n, 6)) for p, n in zip(sys.argv[1:], (8, 10))]" %t.8.npy %t.10.npy
// RUN: shard-run %s --entry covered --verify --input %t.8.npy | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry covered --verify --input %t.10.npy --uneven-dynamic | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry cache --verify --input %t.10.npy --input %t.8.npy | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry cache --verify --input %t.10.npy --input %t.8.npy --grid 4 --uneven-dynamic | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry grows --verify --input %t.8.npy | FileCheck %s --check-prefix=EXEC
// RUN: shard-run %s --entry grows --verify --input %t.10.npy --uneven-dynamic | FileCheck %s --check-prefix=EXEC
// REQUIRES: numpy
// EXEC: PASS

shard.grid @grid(shape = 2)

// CHECK-LABEL: func.func @covered
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @covered(%x: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = math.exp %x : tensor<?x?xf32>
  %k = tensor.dim %y, %c0 : tensor<?x?xf32>
  %z = arith.constant 0.0 : f32
  %0 = tensor.insert_slice %y into %e[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
  %p = tensor.pad %0 low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = tensor.extract_slice %p[0, 1] [%k, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Rows of a cache, of which each device has columns.
// CHECK-LABEL: func.func @cache
// CHECK-NOT: shard.all_gather
// CHECK: return
func.func @cache(%k: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
                 %q: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %k, %c1 : tensor<?x?xf32>
  %own = tensor.dim %q, %c1 : tensor<?x?xf32>
  %m = tensor.dim %q, %c0 : tensor<?x?xf32>
  %0 = scf.for %i = %c0 to %m step %c1 iter_args(%a = %k) -> tensor<?x?xf32> {
    %row = tensor.extract_slice %q[%i, 0] [1, %own] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
    %s = math.sin %row : tensor<?xf32>
    %b = tensor.insert_slice %s into %a[%i, 0] [1, %n] [1, 1] : tensor<?xf32> into tensor<?x?xf32>
    %first = arith.cmpi eq, %i, %c0 : index
    %c = scf.if %first -> tensor<?x?xf32> {
      %d = math.cos %b : tensor<?x?xf32>
      scf.yield %d : tensor<?x?xf32>
    } else {
      scf.yield %b : tensor<?x?xf32>
    }
    scf.yield %c : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// The loop makes the tensor longer: the slice has the first rows of it alone.
// CHECK-LABEL: func.func @grows
// CHECK: tensor.extract_slice
func.func @grows(%x: tensor<?x?xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<?x?xf32> {
    %b = tensor.concat dim(0) %a, %a : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %b : tensor<?x?xf32>
  }
  %1 = tensor.extract_slice %0[0, 0] [%m, %n] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
