// The functions of MLIR's runner libraries, which print to standard error, and those of
// libm. Every device calls them.

// RUN: split-file %s %t
// RUN: shard-run %t/print.mlir 2>&1 >%t/report | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t/report
// RUN: shard-run %t/libm.mlir --verify | FileCheck %s --check-prefix=PASS
// RUN: not shard-run %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK:      Unranked Memref base@ = 0x{{[0-9a-f]+}} rank = 2 offset = 0 sizes = [2, 3] strides = [3, 1] data =
// CHECK-NEXT: {{^\[\[1,  2,  3\], $}}
// CHECK-NEXT: {{^ \[4,  5,  6\]\]$}}
// CHECK:      Unranked Memref base@ = 0x{{[0-9a-f]+}} rank = 1 offset = 0 sizes = [2] strides = [1] data =
// CHECK-NEXT: {{^\[0.5,  -2\]$}}
// CHECK:      Memref base@ = 0x{{[0-9a-f]+}} rank = 1 {{.*}} data =
// CHECK-NEXT: {{^\[7,  -8,  9\]$}}
// CHECK:      Unranked Memref {{.*}}rank = 0 {{.*}} data =
// CHECK-NEXT: {{^\(1,-2\)$}}
// CHECK-NEXT: ( 3, -4 )
// CHECK-NEXT: verifyMemRef: element [1, 0] is 4, not 5
// CHECK-NEXT: 1
// REPORT-NOT: Memref
// REPORT: done, not verified
// PASS: PASS
// UNKNOWN: unknown.mlir:{{[0-9:]+}} error: calls 'printMemrefF33', which has no body and is no function that a run provides

//--- print.mlir
func.func private @printMemrefF32(tensor<*xf32>)
func.func private @printMemrefBF16(memref<*xbf16>) attributes {llvm.emit_c_interface}
func.func private @printMemref1dI8(memref<3xi8>) attributes {llvm.emit_c_interface}
func.func private @printMemrefC64(memref<*xcomplex<f64>>) attributes {llvm.emit_c_interface}
func.func private @verifyMemRefI32(memref<*xi32>, memref<*xi32>) -> i64 attributes {llvm.emit_c_interface}
func.func private @printI64(i64)
func.func private @printF32(f32)
func.func private @printOpen()
func.func private @printComma()
func.func private @printClose()
func.func private @printNewline()
func.func private @rtclock() -> f64
func.func @main() {
  %a = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %ua = tensor.cast %a : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%ua) : (tensor<*xf32>) -> ()
  %b = arith.constant dense<[0.5, -2.0]> : tensor<2xbf16>
  %mb = bufferization.to_buffer %b : tensor<2xbf16> to memref<2xbf16>
  %ub = memref.cast %mb : memref<2xbf16> to memref<*xbf16>
  call @printMemrefBF16(%ub) : (memref<*xbf16>) -> ()
  %c = arith.constant dense<[7, -8, 9]> : tensor<3xi8>
  %mc = bufferization.to_buffer %c : tensor<3xi8> to memref<3xi8>
  call @printMemref1dI8(%mc) : (memref<3xi8>) -> ()
  %d = arith.constant dense<(1.0, -2.0)> : tensor<complex<f64>>
  %md = bufferization.to_buffer %d : tensor<complex<f64>> to memref<complex<f64>>
  %ud = memref.cast %md : memref<complex<f64>> to memref<*xcomplex<f64>>
  call @printMemrefC64(%ud) : (memref<*xcomplex<f64>>) -> ()
  %three = arith.constant 3 : i64
  %four = arith.constant -4.0 : f32
  call @printOpen() : () -> ()
  call @printI64(%three) : (i64) -> ()
  call @printComma() : () -> ()
  call @printF32(%four) : (f32) -> ()
  call @printClose() : () -> ()
  call @printNewline() : () -> ()
  %e = arith.constant dense<[[1], [4]]> : tensor<2x1xi32>
  %f = arith.constant dense<[[1], [5]]> : tensor<2x1xi32>
  %me = bufferization.to_buffer %e : tensor<2x1xi32> to memref<2x1xi32>
  %mf = bufferization.to_buffer %f : tensor<2x1xi32> to memref<2x1xi32>
  %ue = memref.cast %me : memref<2x1xi32> to memref<*xi32>
  %uf = memref.cast %mf : memref<2x1xi32> to memref<*xi32>
  %errors = call @verifyMemRefI32(%ue, %uf) : (memref<*xi32>, memref<*xi32>) -> i64
  call @printI64(%errors) : (i64) -> ()
  call @printNewline() : () -> ()
  %now = call @rtclock() : () -> f64
  return
}

//--- libm.mlir
shard.grid @grid(shape = 4)
func.func private @cbrtf(f32) -> f32
func.func private @tgamma(f64) -> f64
func.func @main(%x: tensor<8xf32> {shard.sharding = #shard.sharding<@grid, [[0]]>}) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %0 = linalg.generic {indexing_maps=[affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types=["parallel"]} ins(%x: tensor<8xf32>) outs(%e: tensor<8xf32>) {
   ^bb0(%a: f32, %b: f32):
    %c = func.call @cbrtf(%a) : (f32) -> f32
    %d = arith.extf %c : f32 to f64
    %g = func.call @tgamma(%d) : (f64) -> f64
    %h = arith.truncf %g : f64 to f32
    linalg.yield %h : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- unknown.mlir
func.func private @printMemrefF33(tensor<*xf32>)
func.func @main(%a: tensor<2xf32>) {
  %u = tensor.cast %a : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF33(%u) : (tensor<*xf32>) -> ()
  return
}
