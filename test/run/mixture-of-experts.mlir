// Tokens and experts are split by the same axis: tokens are added up where their expert is, and
// what the experts make is gathered for the tokens.
// RUN: shard-run %s --hint 'arg0=[[0],[]]' --hint 'arg1=[[0],[],[]]' --hint 'arg2=[[0],[],[]]' --verify | FileCheck %s
// CHECK: reduce_scatter  ep        1                  768 B
// CHECK: all_gather      ep        1                  768 B
// CHECK: memory per device
// CHECK: PASS

shard.grid @mesh(shape = 4) axes ["ep"]
func.func @main(%x: tensor<32x8xf32>, %disp: tensor<32x4x8xf32>, %w1: tensor<4x8x16xf32>, %w2: tensor<4x16x8xf32>) -> tensor<32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %z0_e = tensor.empty() : tensor<4x8x8xf32>
  %z0 = linalg.fill ins(%zero : f32) outs(%z0_e : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %xe = linalg.generic {indexing_maps = [affine_map<(e,c,d,t)->(t,e,c)>, affine_map<(e,c,d,t)->(t,d)>, affine_map<(e,c,d,t)->(e,c,d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%disp, %x : tensor<32x4x8xf32>, tensor<32x8xf32>) outs(%z0 : tensor<4x8x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %r, %m : f32
    linalg.yield %s : f32
  } -> tensor<4x8x8xf32>
  %z1_e = tensor.empty() : tensor<4x8x16xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%z1_e : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %h = linalg.batch_matmul ins(%xe, %w1 : tensor<4x8x8xf32>, tensor<4x8x16xf32>) outs(%z1 : tensor<4x8x16xf32>) -> tensor<4x8x16xf32>
  %g_e = tensor.empty() : tensor<4x8x16xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h : tensor<4x8x16xf32>) outs(%g_e : tensor<4x8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %y = math.tanh %a : f32
    linalg.yield %y : f32
  } -> tensor<4x8x16xf32>
  %ye = linalg.batch_matmul ins(%g, %w2 : tensor<4x8x16xf32>, tensor<4x16x8xf32>) outs(%z0 : tensor<4x8x8xf32>) -> tensor<4x8x8xf32>
  %z2_e = tensor.empty() : tensor<32x8xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%z2_e : tensor<32x8xf32>) -> tensor<32x8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(t,d,c,e)->(t,e,c)>, affine_map<(t,d,c,e)->(e,c,d)>, affine_map<(t,d,c,e)->(t,d)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%disp, %ye : tensor<32x4x8xf32>, tensor<4x8x8xf32>) outs(%z2 : tensor<32x8xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %r, %m : f32
    linalg.yield %s : f32
  } -> tensor<32x8xf32>
  return %y : tensor<32x8xf32>
}
