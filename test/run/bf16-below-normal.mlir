// Numbers of bf16 below the normal ones stay: LLVM selects between two by an instruction of
// AVX-512 that takes them for 0 (lib/Codegen/Target.cpp). 1 to 16 are the bits of such numbers.
// RUN: shard-run %s --output 0=%t.npy
// RUN: %python -c "import sys; data = open(sys.argv[1], 'rb').read(); print(list(data[-8:]))" %t.npy | FileCheck %s
// CHECK: [4, 0, 8, 0, 12, 0, 16, 0]

shard.grid @g(shape = 1)
func.func @main() -> tensor<4xi16> {
  %bits = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<4x4xi16>
  %x = arith.bitcast %bits : tensor<4x4xi16> to tensor<4x4xbf16>
  %zero = arith.constant dense<0.0> : tensor<4xbf16>
  %most = linalg.reduce ins(%x : tensor<4x4xbf16>) outs(%zero : tensor<4xbf16>) dimensions = [1]
    (%in: bf16, %init: bf16) {
      %larger = arith.maximumf %in, %init : bf16
      %isNaN = arith.cmpf uno, %in, %in : bf16
      %next = arith.select %isNaN, %init, %larger : bf16
      linalg.yield %next : bf16
    }
  %r = arith.bitcast %most : tensor<4xbf16> to tensor<4xi16>
  return %r : tensor<4xi16>
}
