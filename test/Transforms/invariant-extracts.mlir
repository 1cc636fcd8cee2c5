// An element that does not change in the body of an op is extracted in front of it: of a split
// tensor one element is sent instead of the tensor.

// RUN: shard-opt %s --shard-raise-extracts | FileCheck %s
// RUN: shard-run %s --entry in_bodies --verify | FileCheck %s --check-prefix=EXEC
// EXEC-NOT: all_gather
// EXEC: {{^}}PASS

shard.grid @g(shape = 3)

// CHECK-LABEL: func.func @in_bodies(
// CHECK: %[[C:.*]] = arith.constant 7 : index
// CHECK: %[[A:.*]] = tensor.extract %arg0[%[[C]], %arg1]
// CHECK: linalg.generic
// CHECK: arith.addf %{{.*}}, %[[A]]
// CHECK: %[[B:.*]] = tensor.extract %arg0[%arg1, %arg1]
// CHECK: tensor.generate
// CHECK: tensor.yield %[[B]]
// CHECK: %[[D:.*]] = tensor.extract %arg0[%arg1, %arg1]
// CHECK: scf.forall
// CHECK: tensor.splat %[[D]]
func.func @in_bodies(%a: tensor<12x4xf32> {shard.sharding = #shard.sharding<@g, [[0], []]>}, %n: index, %v: tensor<20xf32>)
    -> (tensor<20xf32>, tensor<5xf32>, tensor<6xf32>) {
  %e = tensor.empty() : tensor<20xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c7 = arith.constant 7 : index
    %w = tensor.extract %a[%c7, %n] : tensor<12x4xf32>
    %s = arith.addf %x, %w : f32
    linalg.yield %s : f32
  } -> tensor<20xf32>
  %1 = tensor.generate {
  ^bb0(%i: index):
    %w = tensor.extract %a[%n, %n] : tensor<12x4xf32>
    tensor.yield %w : f32
  } : tensor<5xf32>
  %f = tensor.empty() : tensor<6xf32>
  %2 = scf.forall (%i) in (6) shared_outs(%o = %f) -> tensor<6xf32> {
    %w = tensor.extract %a[%n, %n] : tensor<12x4xf32>
    %s = tensor.splat %w : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<6xf32>
    }
  }
  return %0, %1, %2 : tensor<20xf32>, tensor<5xf32>, tensor<6xf32>
}

// It changes; there may be none; it is all that the tensor has.
// CHECK-LABEL: func.func @stay(
// CHECK-NOT: tensor.extract
// CHECK: linalg.generic
// CHECK-COUNT-3: tensor.extract
func.func @stay(%a: tensor<12xf32>, %d: tensor<?xf32>, %one: tensor<1xf32>, %n: index) -> tensor<20xf32> {
  %e = tensor.empty() : tensor<20xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<20xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %far = arith.muli %i, %n : index
    %p = tensor.extract %a[%far] : tensor<12xf32>
    %q = tensor.extract %d[%n] : tensor<?xf32>
    %r = tensor.extract %one[%n] : tensor<1xf32>
    %s0 = arith.addf %p, %q : f32
    %s1 = arith.addf %s0, %r : f32
    linalg.yield %s1 : f32
  } -> tensor<20xf32>
  return %0 : tensor<20xf32>
}

// A condition may keep off an index outside of the tensor: only what is known to be inside is
// extracted in front of it. A loop that may not run keeps it off, too.
// CHECK-LABEL: func.func @guarded(
// CHECK: %[[IN:.*]] = tensor.extract %arg0[%{{.*}}]
// CHECK: linalg.generic
// CHECK: scf.if
// CHECK-NEXT: tensor.extract %arg0[%arg1]
// CHECK: arith.addf %{{.*}}, %[[IN]]
// CHECK: linalg.generic
// CHECK: tensor.extract %arg0[%arg1]
func.func @guarded(%a: tensor<12xf32>, %n: index, %ok: i1, %v: tensor<20xf32>, %d: tensor<?xf32>)
    -> (tensor<20xf32>, tensor<?xf32>) {
  %e = tensor.empty() : tensor<20xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%v : tensor<20xf32>) outs(%e : tensor<20xf32>) {
  ^bb0(%x: f32, %o: f32):
    %c11 = arith.constant 11 : index
    %w = scf.if %ok -> f32 {
      %p = tensor.extract %a[%n] : tensor<12xf32>
      %q = tensor.extract %a[%c11] : tensor<12xf32>
      %s = arith.addf %p, %q : f32
      scf.yield %s : f32
    } else {
      scf.yield %x : f32
    }
    linalg.yield %w : f32
  } -> tensor<20xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%d : tensor<?xf32>) {
  ^bb0(%o: f32):
    %p = tensor.extract %a[%n] : tensor<12xf32>
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %0, %1 : tensor<20xf32>, tensor<?xf32>
}
