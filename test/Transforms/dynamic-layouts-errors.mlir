// Halos that are computed where they cannot be known.

// RUN: shard-opt %s --shard-spmd --split-input-file --verify-diagnostics -o /dev/null

shard.grid @grid(shape = 2)
func.func @of_a_task(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %n: tensor<8xi64>) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> tensor<8x4xf32> {
    %w = tensor.extract %n[%i] : tensor<8xi64>
    %s = shard.sharding @grid split_axes = [[0], []] halo_sizes = [%w, 1] : !shard.sharding
    // expected-error @+1 {{sharding [[0], []] halo_sizes = [?, 1] has halos or offsets that an iteration of 'scf.forall' computes, which are other ones on each device; compute them in front of the loop}}
    %x = shard.shard %a to %s annotate_for_users : tensor<8x4xf32>
    %y = math.absf %x : tensor<8x4xf32>
    %row = tensor.extract_slice %y[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %row into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    }
  }
  return %r : tensor<8x4xf32>
}

// -----

shard.grid @grid(shape = 2)
// A group ties the annotated value to an argument, which has a hint of its own and comes first.
// expected-note @+1 {{the other value}}
func.func @of_a_group(%a: tensor<8x4xf32> {shard.sharding = #shard.sharding<@grid, [[0, ?], [?]]>}, %w: i64) -> tensor<8x4xf32> {
  %0 = arith.addf %a, %a : tensor<8x4xf32>
  %s = shard.sharding @grid split_axes = [[0], []] halo_sizes = [%w, 1] : !shard.sharding
  // expected-error @+1 {{sharding <@grid, [[0], []] halo_sizes = [?, 1]> has halos or offsets that are not known where another value is made that is tied to this one; state a sharding of that value instead of a group}}
  %x = shard.shard %0 to %s annotate_for_users : tensor<8x4xf32>
  shard.group %x, %a id = 0 : tensor<8x4xf32>, tensor<8x4xf32>
  return %x : tensor<8x4xf32>
}
