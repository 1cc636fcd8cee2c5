// Collectives that run beside other ops: the same results, and the same errors.

// RUN: shard-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: shard-opt %s --shard-verify-spmd -o /dev/null
// RUN: shard-run %s --entry two --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry two --verify --link=1e9,1e-3 | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry in_loop --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry in_loop --verify --link=0,1e-3 | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry writes_input --verify --link=0,1e-2 | FileCheck %s --check-prefix=PASS
// RUN: shard-run %s --entry not_started --verify | FileCheck %s --check-prefix=PASS
// RUN: shard-opt %s --shard-lower-to-llvm | FileCheck %s --check-prefix=CALLS
// RUN: not shard-run %s --entry fails 2>&1 | FileCheck %s --check-prefix=FAIL
// RUN: not shard-run %s --entry two --link=fast 2>&1 | FileCheck %s --check-prefix=LINK
// PASS: {{^}}PASS
// LINK: --link 'fast'{{.*}}is no link

// Each collective has a function of its own, which starts it.
// CALLS: call @shard_rt_start
// CALLS-NEXT: call @shard_rt_{{all_gather|all_reduce}}
// CALLS: call @shard_rt_wait

shard.grid @g(shape = 4)

// Two are started; the second waits for the first, and both are needed in the other order.
func.func @two(%a: tensor<2x8xf32>, %b: tensor<8x8xf32>, %x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = shard.all_gather %a on @g grid_axes = [0] gather_axis = 0 : tensor<2x8xf32> -> tensor<8x8xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8x8xf32> -> tensor<8x8xf32>
  %2 = math.tanh %x : tensor<8x8xf32>
  %3 = shard.wait %1 of %b : tensor<8x8xf32>, tensor<8x8xf32>
  %4 = arith.addf %2, %3 : tensor<8x8xf32>
  %5 = shard.wait %0 of %a : tensor<8x8xf32>, tensor<2x8xf32>
  %6 = arith.mulf %4, %5 : tensor<8x8xf32>
  return %6 : tensor<8x8xf32>
}

func.func @in_loop(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %a) -> tensor<8xf32> {
    %0 = shard.all_reduce %x on @g grid_axes = [0] reduction = average : tensor<8xf32> -> tensor<8xf32>
    %1 = math.sin %x : tensor<8xf32>
    %2 = shard.wait %0 of %x : tensor<8xf32>, tensor<8xf32>
    %3 = arith.addf %1, %2 : tensor<8xf32>
    %4 = shard.shift %3 on @g grid_axes = [0] shift_axis = 0 offset = 1 rotate : tensor<8xf32> -> tensor<8xf32>
    scf.yield %4 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// What is added in place is added to a copy while the collective reads.
func.func @writes_input(%a: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = math.sin %a : tensor<64xf32>
  %1 = shard.all_reduce %0 on @g grid_axes = [0] : tensor<64xf32> -> tensor<64xf32>
  %2 = arith.addf %0, %0 : tensor<64xf32>
  %3 = arith.mulf %2, %0 : tensor<64xf32>
  %4 = shard.wait %1 of %0 : tensor<64xf32>, tensor<64xf32>
  return %3, %4 : tensor<64xf32>, tensor<64xf32>
}

// The result is used without a wait, or the wait has another input: the collectives run
// to their end. A wait for what no collective made is folded.
// FOLD-LABEL: func @not_started
// FOLD-COUNT-2: shard.wait
// FOLD-NOT: shard.wait
// FOLD: return
func.func @not_started(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.sin %0 : tensor<8xf32>
  %2 = shard.wait %0 of %a : tensor<8xf32>, tensor<8xf32>
  %3 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %4 = shard.wait %3 of %a : tensor<8xf32>, tensor<8xf32>
  %5 = shard.wait %1 of %a : tensor<8xf32>, tensor<8xf32>
  return %2, %4, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A device fails while others are at what was started: the run ends with its message.
// FAIL: odd devices are not wanted
func.func @fails(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = shard.process_linear_index on @g : index
  %even = arith.cmpi ne, %p, %c1 : index
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  cf.assert %even, "odd devices are not wanted"
  %1 = shard.wait %0 of %a : tensor<8xf32>, tensor<8xf32>
  %2 = shard.all_reduce %1 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
