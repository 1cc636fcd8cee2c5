// Maxima and minima that skip NaN, of rows of many lengths, with code for each level of
// x86-64 that the machine has. The last element of a row is its extreme, and the
// first one is NaN. LLVM's vectoriser lost the last ones.

// RUN: shard-run %s --verify --cpu=native | FileCheck %s
// RUN: %if cpu-x86-64 %{ shard-run %s --verify --cpu=x86-64 | FileCheck %s %}
// RUN: %if cpu-x86-64-v2 %{ shard-run %s --verify --cpu=x86-64-v2 | FileCheck %s %}
// RUN: %if cpu-x86-64-v3 %{ shard-run %s --verify --cpu=x86-64-v3 | FileCheck %s %}
// RUN: %if cpu-x86-64-v4 %{ shard-run %s --verify --cpu=x86-64-v4 | FileCheck %s %}
// CHECK: PASS

// The same against numbers that are known: the results are compared with them by the
// program, which returns 1 where they differ.
// RUN: %if cpu-x86-64-v3 %{ shard-run %s --entry wrong --cpu=x86-64-v3 --output %t.npy %}
// RUN: %if cpu-x86-64-v3 %{ %python %S/Inputs/all_zero.py %t.npy %}

shard.grid @grid(shape = 2)
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%a0: tensor<2x6xf32>, %a1: tensor<2x7xf32>, %a2: tensor<2x9xf32>, %a3: tensor<2x10xf32>, %a4: tensor<2x11xf32>, %a5: tensor<2x13xf32>, %a6: tensor<2x14xf32>, %a7: tensor<2x15xf32>, %a8: tensor<2x33xf32>, %a9: tensor<2x7xf64>, %a10: tensor<2x11xf64>, %a11: tensor<2x15xf64>)
    -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) {
  %r0 = call @max6(%a0) : (tensor<2x6xf32>) -> tensor<2xf32>
  %r1 = call @max7(%a1) : (tensor<2x7xf32>) -> tensor<2xf32>
  %r2 = call @max9(%a2) : (tensor<2x9xf32>) -> tensor<2xf32>
  %r3 = call @max10(%a3) : (tensor<2x10xf32>) -> tensor<2xf32>
  %r4 = call @max11(%a4) : (tensor<2x11xf32>) -> tensor<2xf32>
  %r5 = call @max13(%a5) : (tensor<2x13xf32>) -> tensor<2xf32>
  %r6 = call @max14(%a6) : (tensor<2x14xf32>) -> tensor<2xf32>
  %r7 = call @max15(%a7) : (tensor<2x15xf32>) -> tensor<2xf32>
  %r8 = call @max33(%a8) : (tensor<2x33xf32>) -> tensor<2xf32>
  %r9 = call @min7(%a9) : (tensor<2x7xf64>) -> tensor<2xf64>
  %r10 = call @min11(%a10) : (tensor<2x11xf64>) -> tensor<2xf64>
  %r11 = call @min15(%a11) : (tensor<2x15xf64>) -> tensor<2xf64>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>
}
func.func @wrong() -> tensor<2xi32> {
  %zero = arith.constant dense<0> : tensor<2xi32>
  %z0 = arith.constant dense<0.0> : tensor<2x6xf32>
  %r0 = call @max6(%z0) : (tensor<2x6xf32>) -> tensor<2xf32>
  %x0 = arith.constant dense<5.0> : tensor<2xf32>
  %d0 = arith.cmpf une, %r0, %x0 : tensor<2xf32>
  %w0 = arith.extui %d0 : tensor<2xi1> to tensor<2xi32>
  %s0 = arith.addi %zero, %w0 : tensor<2xi32>
  %z1 = arith.constant dense<0.0> : tensor<2x7xf32>
  %r1 = call @max7(%z1) : (tensor<2x7xf32>) -> tensor<2xf32>
  %x1 = arith.constant dense<6.0> : tensor<2xf32>
  %d1 = arith.cmpf une, %r1, %x1 : tensor<2xf32>
  %w1 = arith.extui %d1 : tensor<2xi1> to tensor<2xi32>
  %s1 = arith.addi %s0, %w1 : tensor<2xi32>
  %z2 = arith.constant dense<0.0> : tensor<2x9xf32>
  %r2 = call @max9(%z2) : (tensor<2x9xf32>) -> tensor<2xf32>
  %x2 = arith.constant dense<8.0> : tensor<2xf32>
  %d2 = arith.cmpf une, %r2, %x2 : tensor<2xf32>
  %w2 = arith.extui %d2 : tensor<2xi1> to tensor<2xi32>
  %s2 = arith.addi %s1, %w2 : tensor<2xi32>
  %z3 = arith.constant dense<0.0> : tensor<2x10xf32>
  %r3 = call @max10(%z3) : (tensor<2x10xf32>) -> tensor<2xf32>
  %x3 = arith.constant dense<9.0> : tensor<2xf32>
  %d3 = arith.cmpf une, %r3, %x3 : tensor<2xf32>
  %w3 = arith.extui %d3 : tensor<2xi1> to tensor<2xi32>
  %s3 = arith.addi %s2, %w3 : tensor<2xi32>
  %z4 = arith.constant dense<0.0> : tensor<2x11xf32>
  %r4 = call @max11(%z4) : (tensor<2x11xf32>) -> tensor<2xf32>
  %x4 = arith.constant dense<10.0> : tensor<2xf32>
  %d4 = arith.cmpf une, %r4, %x4 : tensor<2xf32>
  %w4 = arith.extui %d4 : tensor<2xi1> to tensor<2xi32>
  %s4 = arith.addi %s3, %w4 : tensor<2xi32>
  %z5 = arith.constant dense<0.0> : tensor<2x13xf32>
  %r5 = call @max13(%z5) : (tensor<2x13xf32>) -> tensor<2xf32>
  %x5 = arith.constant dense<12.0> : tensor<2xf32>
  %d5 = arith.cmpf une, %r5, %x5 : tensor<2xf32>
  %w5 = arith.extui %d5 : tensor<2xi1> to tensor<2xi32>
  %s5 = arith.addi %s4, %w5 : tensor<2xi32>
  %z6 = arith.constant dense<0.0> : tensor<2x14xf32>
  %r6 = call @max14(%z6) : (tensor<2x14xf32>) -> tensor<2xf32>
  %x6 = arith.constant dense<13.0> : tensor<2xf32>
  %d6 = arith.cmpf une, %r6, %x6 : tensor<2xf32>
  %w6 = arith.extui %d6 : tensor<2xi1> to tensor<2xi32>
  %s6 = arith.addi %s5, %w6 : tensor<2xi32>
  %z7 = arith.constant dense<0.0> : tensor<2x15xf32>
  %r7 = call @max15(%z7) : (tensor<2x15xf32>) -> tensor<2xf32>
  %x7 = arith.constant dense<14.0> : tensor<2xf32>
  %d7 = arith.cmpf une, %r7, %x7 : tensor<2xf32>
  %w7 = arith.extui %d7 : tensor<2xi1> to tensor<2xi32>
  %s7 = arith.addi %s6, %w7 : tensor<2xi32>
  %z8 = arith.constant dense<0.0> : tensor<2x33xf32>
  %r8 = call @max33(%z8) : (tensor<2x33xf32>) -> tensor<2xf32>
  %x8 = arith.constant dense<32.0> : tensor<2xf32>
  %d8 = arith.cmpf une, %r8, %x8 : tensor<2xf32>
  %w8 = arith.extui %d8 : tensor<2xi1> to tensor<2xi32>
  %s8 = arith.addi %s7, %w8 : tensor<2xi32>
  %z9 = arith.constant dense<0.0> : tensor<2x7xf64>
  %r9 = call @min7(%z9) : (tensor<2x7xf64>) -> tensor<2xf64>
  %x9 = arith.constant dense<-6.0> : tensor<2xf64>
  %d9 = arith.cmpf une, %r9, %x9 : tensor<2xf64>
  %w9 = arith.extui %d9 : tensor<2xi1> to tensor<2xi32>
  %s9 = arith.addi %s8, %w9 : tensor<2xi32>
  %z10 = arith.constant dense<0.0> : tensor<2x11xf64>
  %r10 = call @min11(%z10) : (tensor<2x11xf64>) -> tensor<2xf64>
  %x10 = arith.constant dense<-10.0> : tensor<2xf64>
  %d10 = arith.cmpf une, %r10, %x10 : tensor<2xf64>
  %w10 = arith.extui %d10 : tensor<2xi1> to tensor<2xi32>
  %s10 = arith.addi %s9, %w10 : tensor<2xi32>
  %z11 = arith.constant dense<0.0> : tensor<2x15xf64>
  %r11 = call @min15(%z11) : (tensor<2x15xf64>) -> tensor<2xf64>
  %x11 = arith.constant dense<-14.0> : tensor<2xf64>
  %d11 = arith.cmpf une, %r11, %x11 : tensor<2xf64>
  %w11 = arith.extui %d11 : tensor<2xi1> to tensor<2xi32>
  %s11 = arith.addi %s10, %w11 : tensor<2xi32>
  return %s11 : tensor<2xi32>
}
func.func private @max6(%a: tensor<2x6xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x6xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max7(%a: tensor<2x7xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x7xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max9(%a: tensor<2x9xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x9xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max10(%a: tensor<2x10xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x10xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max11(%a: tensor<2x11xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x11xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max13(%a: tensor<2x13xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x13xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max14(%a: tensor<2x14xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x14xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max15(%a: tensor<2x15xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x15xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @max33(%a: tensor<2x33xf32>) -> tensor<2xf32> {
  %inf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<2xf32>
  %c = linalg.fill ins(%inf : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x33xf32>) outs(%c : tensor<2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %far = arith.addf %x, %f : f32
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FC00000 : f32
    %y = arith.select %first, %nan, %far : f32
    %m = arith.maxnumf %y, %old : f32
    linalg.yield %m : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @min7(%a: tensor<2x7xf64>) -> tensor<2xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %e = tensor.empty() : tensor<2xf64>
  %c = linalg.fill ins(%inf : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x7xf64>) outs(%c : tensor<2xf64>) {
  ^bb0(%x: f64, %old: f64):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f64
    %far = arith.subf %x, %f : f64
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FF8000000000000 : f64
    %y = arith.select %first, %nan, %far : f64
    %m = arith.minnumf %y, %old : f64
    linalg.yield %m : f64
  } -> tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func private @min11(%a: tensor<2x11xf64>) -> tensor<2xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %e = tensor.empty() : tensor<2xf64>
  %c = linalg.fill ins(%inf : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x11xf64>) outs(%c : tensor<2xf64>) {
  ^bb0(%x: f64, %old: f64):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f64
    %far = arith.subf %x, %f : f64
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FF8000000000000 : f64
    %y = arith.select %first, %nan, %far : f64
    %m = arith.minnumf %y, %old : f64
    linalg.yield %m : f64
  } -> tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func private @min15(%a: tensor<2x15xf64>) -> tensor<2xf64> {
  %inf = arith.constant 0x7FF0000000000000 : f64
  %e = tensor.empty() : tensor<2xf64>
  %c = linalg.fill ins(%inf : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<2x15xf64>) outs(%c : tensor<2xf64>) {
  ^bb0(%x: f64, %old: f64):
    %j = linalg.index 1 : index
    %zero = arith.constant 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f64
    %far = arith.subf %x, %f : f64
    %first = arith.cmpi eq, %j, %zero : index
    %nan = arith.constant 0x7FF8000000000000 : f64
    %y = arith.select %first, %nan, %far : f64
    %m = arith.minnumf %y, %old : f64
    linalg.yield %m : f64
  } -> tensor<2xf64>
  return %r : tensor<2xf64>
}
