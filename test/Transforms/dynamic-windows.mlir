// Windows over dynamic extents: halos of computed widths where dimensions may be uneven.
// RUN: shard-opt %s --uneven-dynamic --sharding-propagation --shard-partition --canonicalize --cse | FileCheck %s
// By contract they would have to divide before and behind the window: a gather, with a
// remark. Padding behind the last element alone is no whole dimension either.
// RUN: shard-opt %s --sharding-propagation --shard-partition --canonicalize --cse 2>&1 | FileCheck %s --check-prefix=CONTRACT

shard.grid @g(shape = 3)

// One exchange for both slices, of the tensor before it was padded.
// CHECK-LABEL: func.func @stencil
// CHECK-COUNT-1: shard.update_halo {{.*}} split_axes = {{\[\[}}0]] halo_sizes = [%{{.*}}, %{{.*}}] : tensor<?xf32>
// CHECK-NOT: shard.update_halo
// CHECK-NOT: shard.all_gather
// CHECK: return

// CONTRACT: remark: a dimension of unknown extent is not split further by axis 0 (3 parts): windows over it are split on a grid with uneven_dynamic only (--uneven-dynamic)
// CONTRACT-LABEL: func.func @stencil
// CONTRACT: shard.all_gather
func.func @stencil(%x: tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<?xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32> to tensor<?xf32>
  %l = tensor.extract_slice %p[0] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %r = tensor.extract_slice %p[2] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  %s = arith.addf %l, %r : tensor<?xf32>
  return %s : tensor<?xf32>
}

// CHECK-LABEL: func.func @behind
// CHECK: shard.update_halo
// CONTRACT-LABEL: func.func @behind
// CONTRACT: %[[ALL:.*]] = shard.all_gather
// CONTRACT: tensor.pad %[[ALL]] low[0] high[4]
func.func @behind(%x: tensor<?xf32> {shard.sharding = #shard.sharding<@g, [[0]]>}) -> tensor<?xf32> {
  %c = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0] high[4] {
  ^bb0(%i: index):
    tensor.yield %c : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %p : tensor<?xf32>
}
