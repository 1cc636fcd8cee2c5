// Every op of arith, on extents that few grids divide.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xf32_b: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi32: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi32_b: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi1: tensor<7x5xi1> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %i1: i1,
    %t7x5xf64: tensor<7x5xf64> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi64: tensor<7x5xi64> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xf16: tensor<7x5xf16> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x8xf32: tensor<7x8xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x2xf32: tensor<7x2xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>})
    -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi1>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>,
        tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf64>, tensor<7x5xf32>, tensor<7x5xi64>, tensor<7x5xi64>,
        tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>,
        tensor<7x5xindex>, tensor<7x5xindex>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xf32>, tensor<7x8xf32>, tensor<7x2xf32>) {
  %addf = arith.addf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %subf = arith.subf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %mulf = arith.mulf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %divf = arith.divf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %remf = arith.remf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %maximumf = arith.maximumf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %minimumf = arith.minimumf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %maxnumf = arith.maxnumf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %minnumf = arith.minnumf %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %addi = arith.addi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %subi = arith.subi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %muli = arith.muli %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %divsi = arith.divsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %divui = arith.divui %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %remsi = arith.remsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %remui = arith.remui %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %ceildivsi = arith.ceildivsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %ceildivui = arith.ceildivui %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %floordivsi = arith.floordivsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %andi = arith.andi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %ori = arith.ori %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %xori = arith.xori %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %maxsi = arith.maxsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %maxui = arith.maxui %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %minsi = arith.minsi %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %minui = arith.minui %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %shli_m = arith.constant dense<7> : tensor<7x5xi32>
  %shli_s = arith.andi %t7x5xi32_b, %shli_m : tensor<7x5xi32>
  %shli = arith.shli %t7x5xi32, %shli_s : tensor<7x5xi32>
  %shrsi_m = arith.constant dense<7> : tensor<7x5xi32>
  %shrsi_s = arith.andi %t7x5xi32_b, %shrsi_m : tensor<7x5xi32>
  %shrsi = arith.shrsi %t7x5xi32, %shrsi_s : tensor<7x5xi32>
  %shrui_m = arith.constant dense<7> : tensor<7x5xi32>
  %shrui_s = arith.andi %t7x5xi32_b, %shrui_m : tensor<7x5xi32>
  %shrui = arith.shrui %t7x5xi32, %shrui_s : tensor<7x5xi32>
  %addui_extended_r0, %addui_extended_r1 = arith.addui_extended %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>, tensor<7x5xi1>
  %mulsi_extended_r0, %mulsi_extended_r1 = arith.mulsi_extended %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %mului_extended_r0, %mului_extended_r1 = arith.mului_extended %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %negf = arith.negf %t7x5xf32 : tensor<7x5xf32>
  %cmpf = arith.cmpf ogt, %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %cmpi = arith.cmpi ult, %t7x5xi32, %t7x5xi32_b : tensor<7x5xi32>
  %select = arith.select %t7x5xi1, %t7x5xf32, %t7x5xf32_b : tensor<7x5xi1>, tensor<7x5xf32>
  %select_scalar = arith.select %i1, %t7x5xf32, %t7x5xf32_b : tensor<7x5xf32>
  %extf = arith.extf %t7x5xf32 : tensor<7x5xf32> to tensor<7x5xf64>
  %truncf = arith.truncf %t7x5xf64 : tensor<7x5xf64> to tensor<7x5xf32>
  %extsi = arith.extsi %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xi64>
  %extui = arith.extui %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xi64>
  %trunci = arith.trunci %t7x5xi64 : tensor<7x5xi64> to tensor<7x5xi32>
  %sitofp = arith.sitofp %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xf32>
  %uitofp = arith.uitofp %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xf32>
  %fptosi = arith.fptosi %t7x5xf32 : tensor<7x5xf32> to tensor<7x5xi32>
  %index_cast = arith.index_cast %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xindex>
  %index_castui = arith.index_castui %t7x5xi32 : tensor<7x5xi32> to tensor<7x5xindex>
  %bitcast = arith.bitcast %t7x5xf32 : tensor<7x5xf32> to tensor<7x5xi32>
  %fptoui_p = math.absf %t7x5xf32 : tensor<7x5xf32>
  %fptoui = arith.fptoui %fptoui_p : tensor<7x5xf32> to tensor<7x5xi32>
  %convertf = arith.extf %t7x5xf16 : tensor<7x5xf16> to tensor<7x5xf32>
  %scaling_c = arith.constant dense<2.0> : tensor<7x8xf8E8M0FNU>
  %scaling_t = arith.scaling_truncf %t7x8xf32, %scaling_c : tensor<7x8xf32>, tensor<7x8xf8E8M0FNU> to tensor<7x8xf4E2M1FN>
  %scaling = arith.scaling_extf %scaling_t, %scaling_c : tensor<7x8xf4E2M1FN>, tensor<7x8xf8E8M0FNU> to tensor<7x8xf32>
  %constant_c = arith.constant dense<[[1.0,2.0],[3.0,4.0],[5.0,6.0],[7.0,8.0],[9.0,10.0],[11.0,12.0],[13.0,14.0]]> : tensor<7x2xf32>
  %constant = arith.addf %t7x2xf32, %constant_c : tensor<7x2xf32>
  return %addf, %subf, %mulf, %divf, %remf, %maximumf, %minimumf, %maxnumf, %minnumf,
      %addi, %subi, %muli, %divsi, %divui, %remsi, %remui, %ceildivsi, %ceildivui,
      %floordivsi, %andi, %ori, %xori, %maxsi, %maxui, %minsi, %minui, %shli, %shrsi,
      %shrui, %addui_extended_r0, %addui_extended_r1, %mulsi_extended_r0,
      %mulsi_extended_r1, %mului_extended_r0, %mului_extended_r1, %negf, %cmpf, %cmpi,
      %select, %select_scalar, %extf, %truncf, %extsi, %extui, %trunci, %sitofp,
      %uitofp, %fptosi, %index_cast, %index_castui, %bitcast, %fptoui, %convertf,
      %scaling, %constant :
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi1>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>,
      tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf64>, tensor<7x5xf32>, tensor<7x5xi64>, tensor<7x5xi64>,
      tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>,
      tensor<7x5xindex>, tensor<7x5xindex>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xf32>, tensor<7x8xf32>, tensor<7x2xf32>
}
