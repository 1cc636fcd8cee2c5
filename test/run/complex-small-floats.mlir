// Arguments and results of complex elements and of floats of 8 bits: cut, gathered,
// summed, padded, read from files and written to files.

// RUN: shard-run %s --verify --entry complex --output %t.sum.npy --output %t.moved.npy | FileCheck %s
// RUN: shard-run %s --verify --entry complex --input %t.moved.npy | FileCheck %s
// RUN: shard-run %s --verify --entry small | FileCheck %s --check-prefix=SMALL
// RUN: not shard-run %s --verify --entry unknown 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: arg0      tensor<6x4xcomplex<f32>>  {{\[\[}}0], []]{{ +}}64 B
// CHECK: PASS
// SMALL: arg0      tensor<8xf8E4M3FN>    {{\[\[}}0]]
// SMALL: PASS
// UNKNOWN: error: argument 0 has type 'tensor<4xf8E8M0FNU>', which has no form in host memory

shard.grid @grid(shape = 4)
func.func @complex(%x: tensor<6x4xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[0], []]>}, %s: complex<f64>)
    -> (tensor<4xcomplex<f32>>, tensor<6x4xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[], [0]]>}, complex<f64>,
        tensor<6x4xcomplex<f32>> {shard.sharding = #shard.sharding<@grid, [[0], []]>}) {
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %f = linalg.fill ins(%zero : complex<f32>) outs(%e : tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  %0 = linalg.reduce { complex.add } ins(%x : tensor<6x4xcomplex<f32>>) outs(%f : tensor<4xcomplex<f32>>) dimensions = [0]
  %g = tensor.empty() : tensor<6x4xcomplex<f32>>
  %1 = linalg.map { complex.mul } ins(%x, %x : tensor<6x4xcomplex<f32>>, tensor<6x4xcomplex<f32>>) outs(%g : tensor<6x4xcomplex<f32>>)
  return %0, %1, %s, %x : tensor<4xcomplex<f32>>, tensor<6x4xcomplex<f32>>, complex<f64>, tensor<6x4xcomplex<f32>>
}
func.func @small(%x: tensor<8xf8E4M3FN> {shard.sharding = #shard.sharding<@grid, [[0]]>},
                 %y: tensor<7xf8E5M2FNUZ> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %z: tensor<4xf8E3M4>)
    -> (tensor<8xf8E4M3FN>, tensor<7xf8E5M2FNUZ>, tensor<8xi8>, tensor<4xf8E3M4> {shard.sharding = #shard.sharding<@grid, [[0]]>}) {
  %0 = arith.bitcast %x : tensor<8xf8E4M3FN> to tensor<8xi8>
  return %x, %y, %0, %z : tensor<8xf8E4M3FN>, tensor<7xf8E5M2FNUZ>, tensor<8xi8>, tensor<4xf8E3M4>
}
func.func @unknown(%x: tensor<4xf8E8M0FNU>) -> tensor<4xf8E8M0FNU> {
  return %x : tensor<4xf8E8M0FNU>
}
