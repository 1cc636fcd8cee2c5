// Every op of math.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi32: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xf32_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi32_b: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xf32_c: tensor<7x5xf32>,
    %t7x5xf16: tensor<7x5xf16> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi1>, tensor<7x5xi1>,
        tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf16>) {
  %absf = math.absf %t7x5xf32 : tensor<7x5xf32>
  %acos = math.acos %t7x5xf32 : tensor<7x5xf32>
  %acosh = math.acosh %t7x5xf32 : tensor<7x5xf32>
  %asin = math.asin %t7x5xf32 : tensor<7x5xf32>
  %asinh = math.asinh %t7x5xf32 : tensor<7x5xf32>
  %atan = math.atan %t7x5xf32 : tensor<7x5xf32>
  %atanh = math.atanh %t7x5xf32 : tensor<7x5xf32>
  %cbrt = math.cbrt %t7x5xf32 : tensor<7x5xf32>
  %ceil = math.ceil %t7x5xf32 : tensor<7x5xf32>
  %cos = math.cos %t7x5xf32 : tensor<7x5xf32>
  %cosh = math.cosh %t7x5xf32 : tensor<7x5xf32>
  %erf = math.erf %t7x5xf32 : tensor<7x5xf32>
  %erfc = math.erfc %t7x5xf32 : tensor<7x5xf32>
  %exp = math.exp %t7x5xf32 : tensor<7x5xf32>
  %exp2 = math.exp2 %t7x5xf32 : tensor<7x5xf32>
  %expm1 = math.expm1 %t7x5xf32 : tensor<7x5xf32>
  %floor = math.floor %t7x5xf32 : tensor<7x5xf32>
  %log = math.log %t7x5xf32 : tensor<7x5xf32>
  %log10 = math.log10 %t7x5xf32 : tensor<7x5xf32>
  %log1p = math.log1p %t7x5xf32 : tensor<7x5xf32>
  %log2 = math.log2 %t7x5xf32 : tensor<7x5xf32>
  %round = math.round %t7x5xf32 : tensor<7x5xf32>
  %roundeven = math.roundeven %t7x5xf32 : tensor<7x5xf32>
  %rsqrt = math.rsqrt %t7x5xf32 : tensor<7x5xf32>
  %sin = math.sin %t7x5xf32 : tensor<7x5xf32>
  %sinh = math.sinh %t7x5xf32 : tensor<7x5xf32>
  %sqrt = math.sqrt %t7x5xf32 : tensor<7x5xf32>
  %tan = math.tan %t7x5xf32 : tensor<7x5xf32>
  %tanh = math.tanh %t7x5xf32 : tensor<7x5xf32>
  %trunc = math.trunc %t7x5xf32 : tensor<7x5xf32>
  %isfinite = math.isfinite %t7x5xf32 : tensor<7x5xf32>
  %isinf = math.isinf %t7x5xf32 : tensor<7x5xf32>
  %isnan = math.isnan %t7x5xf32 : tensor<7x5xf32>
  %isnormal = math.isnormal %t7x5xf32 : tensor<7x5xf32>
  %absi = math.absi %t7x5xi32 : tensor<7x5xi32>
  %ctlz = math.ctlz %t7x5xi32 : tensor<7x5xi32>
  %cttz = math.cttz %t7x5xi32 : tensor<7x5xi32>
  %ctpop = math.ctpop %t7x5xi32 : tensor<7x5xi32>
  %atan2 = math.atan2 %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %copysign = math.copysign %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %powf = math.powf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %ipowi = math.ipowi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %fpowi = math.fpowi %t7x5xf32, %t7x5xi32 : tensor<7x5xf32>, tensor<7x5xi32>
  %fma = math.fma %t7x5xf32, %t7x5xf32_b, %t7x5xf32_c : tensor<7x5xf32>
  %clampf = math.clampf %t7x5xf32 to [%t7x5xf32_b, %t7x5xf32_c] : tensor<7x5xf32>
  %sincos_r0, %sincos_r1 = math.sincos %t7x5xf32 : tensor<7x5xf32>
  %erf_f16 = math.erf %t7x5xf16 : tensor<7x5xf16>
  return %absf, %acos, %acosh, %asin, %asinh, %atan, %atanh, %cbrt, %ceil, %cos, %cosh,
      %erf, %erfc, %exp, %exp2, %expm1, %floor, %log, %log10, %log1p, %log2, %round,
      %roundeven, %rsqrt, %sin, %sinh, %sqrt, %tan, %tanh, %trunc, %isfinite, %isinf,
      %isnan, %isnormal, %absi, %ctlz, %cttz, %ctpop, %atan2, %copysign, %powf, %ipowi,
      %fpowi, %fma, %clampf, %sincos_r0, %sincos_r1, %erf_f16 :
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>,
      tensor<7x5xi1>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf16>
}
