// An op on tensors that stands in the module itself may read its own result, which an analysis of
// buffers would follow without end.
// RUN: shard-opt %s --shard-bufferize --verify-diagnostics

shard.grid @g(shape = 4)
// expected-error@+1 {{is an op on tensors outside of a function, where nothing runs it; move it into one}}
%0 = shard.send %0 on @g grid_axes = [0] destination = [1] : (tensor<8x8xf32>) -> tensor<8x8xf32>
