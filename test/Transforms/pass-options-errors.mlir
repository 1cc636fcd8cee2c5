// Options of passes that say nothing that can be done are errors, not silence.

// RUN: not shard-opt %s --shard-split-collectives=parts=-1 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not shard-opt %s --shard-split-collectives=memory=-5 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not shard-opt %s --shard-split-collectives=memory=nan 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not shard-opt %s --shard-block-scans=blocks=-3 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not shard-opt %s --shard-decompose-collectives=min-gain=nan 2>&1 | FileCheck %s --check-prefix=DECOMPOSE
// RUN: not shard-opt %s --shard-overlap-collectives=min-gain=nan 2>&1 | FileCheck %s --check-prefix=OVERLAP

// PARTS: error: shard-split-collectives: parts is a number from 0 on, not -1
// MEMORY: error: shard-split-collectives: memory is a number of bytes from 0 on, not {{-5|nan}}
// BLOCKS: error: shard-block-scans: blocks is a number from 0 on, not -3
// DECOMPOSE: error: shard-decompose-collectives: min-gain is a number of microseconds, not nan
// OVERLAP: error: shard-overlap-collectives: min-gain is a number of microseconds, not nan

shard.grid @g(shape = 2)
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
