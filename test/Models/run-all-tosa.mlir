// Every op of tosa that has a lowering: elementwise ops, reductions, moves.
//
// RUN: shard-run %s --verify 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=5 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --partition-tosa --grid=2x3 2>&1 | FileCheck %s
// RUN: shard-run %s --verify --grid=2x2 2>&1 | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 3)

func.func @main(
    %t7x5xf32: tensor<7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi8: tensor<7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t1x5xf32: tensor<1x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi32: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi32_b: tensor<7x5xi32> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi1: tensor<7x5xi1> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x5xi1_b: tensor<7x5xi1> {shard.sharding = #shard.sharding<@grid, [[], [0]]>},
    %t7x5xi16: tensor<7x5xi16> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t6x4xf32: tensor<6x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x5xf32: tensor<3x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t7x4x5xf32: tensor<7x4x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x7x4xf32: tensor<3x7x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t3x5xi32: tensor<3x5xi32> {shard.sharding = #shard.sharding<@grid, [[0], []]>},
    %t3x5x4xf32: tensor<3x5x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x7x5xf32: tensor<2x7x5xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x5x4xf32: tensor<2x5x4xf32> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x7x5xi8: tensor<2x7x5xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>},
    %t2x5x4xi8: tensor<2x5x4xi8> {shard.sharding = #shard.sharding<@grid, [[0], [], []]>})
    -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xi8>, tensor<7x5xf32>, tensor<7x5xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>,
        tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
        tensor<7x5xi32>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>,
        tensor<7x5xi1>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>, tensor<7x5xi8>,
        tensor<7x5xi8>, tensor<7x5xi32>, tensor<2x12xf32>, tensor<1x5xf32>,
        tensor<7x1xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<1x5xf32>,
        tensor<7x1xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<1x5xi1>,
        tensor<7x1xi1>, tensor<1x5xi1>, tensor<7x1xi1>, tensor<5xi32>, tensor<7xi32>,
        tensor<10x5xf32>, tensor<7x2xf32>, tensor<8x8xf32>, tensor<14x15xf32>,
        tensor<7x5xf32>, tensor<7x5xf32>, tensor<5x7x4xf32>, tensor<3x5x4xf32>,
        tensor<3x7x4xf32>, tensor<3x7x4xf32>, tensor<2x7x4xf32>, tensor<2x7x4xi32>) {
  %abs = tosa.abs %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %ceil = tosa.ceil %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %cos = tosa.cos %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %erf = tosa.erf %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %exp = tosa.exp %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %floor = tosa.floor %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %log = tosa.log %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %reciprocal = tosa.reciprocal %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %rsqrt = tosa.rsqrt %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %sigmoid = tosa.sigmoid %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %sin = tosa.sin %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %tanh = tosa.tanh %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %negate_z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %negate = tosa.negate %t7x5xf32, %negate_z, %negate_z : (tensor<7x5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<7x5xf32>
  %negate_i8_z = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %negate_i8 = tosa.negate %t7x5xi8, %negate_i8_z, %negate_i8_z : (tensor<7x5xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<7x5xi8>
  %add = tosa.add %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %sub = tosa.sub %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %maximum = tosa.maximum %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %minimum = tosa.minimum %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %pow = tosa.pow %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %add_i32 = tosa.add %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %sub_i32 = tosa.sub %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %maximum_i32 = tosa.maximum %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %minimum_i32 = tosa.minimum %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %mul_s = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %mul = tosa.mul %t7x5xf32, %t1x5xf32, %mul_s : (tensor<7x5xf32>, tensor<1x5xf32>, tensor<1xi8>) -> tensor<7x5xf32>
  %mul_shift_s = "tosa.const"() {values = dense<2> : tensor<1xi8>} : () -> tensor<1xi8>
  %mul_shift = tosa.mul %t7x5xi32, %t7x5xi32_b, %mul_shift_s : (tensor<7x5xi32>, tensor<7x5xi32>, tensor<1xi8>) -> tensor<7x5xi32>
  %intdiv = tosa.intdiv %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %bitwise_and = tosa.bitwise_and %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %bitwise_or = tosa.bitwise_or %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %bitwise_xor = tosa.bitwise_xor %t7x5xi32, %t7x5xi32_b : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %logical_and = tosa.logical_and %t7x5xi1, %t7x5xi1_b : (tensor<7x5xi1>, tensor<7x5xi1>) -> tensor<7x5xi1>
  %logical_or = tosa.logical_or %t7x5xi1, %t7x5xi1_b : (tensor<7x5xi1>, tensor<7x5xi1>) -> tensor<7x5xi1>
  %logical_xor = tosa.logical_xor %t7x5xi1, %t7x5xi1_b : (tensor<7x5xi1>, tensor<7x5xi1>) -> tensor<7x5xi1>
  %logical_left_shift_s = "tosa.const"() {values = dense<3> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %logical_left_shift = tosa.logical_left_shift %t7x5xi32, %logical_left_shift_s : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %logical_right_shift_s = "tosa.const"() {values = dense<3> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %logical_right_shift = tosa.logical_right_shift %t7x5xi32, %logical_right_shift_s : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %arithmetic_right_shift_s = "tosa.const"() {values = dense<3> : tensor<7x5xi32>} : () -> tensor<7x5xi32>
  %arithmetic_right_shift = tosa.arithmetic_right_shift %t7x5xi32, %arithmetic_right_shift_s {round = true} : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi32>
  %bitwise_not = tosa.bitwise_not %t7x5xi32 : (tensor<7x5xi32>) -> tensor<7x5xi32>
  %clz = tosa.clz %t7x5xi32 : (tensor<7x5xi32>) -> tensor<7x5xi32>
  %logical_not = tosa.logical_not %t7x5xi1 : (tensor<7x5xi1>) -> tensor<7x5xi1>
  %equal = tosa.equal %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xi1>
  %greater = tosa.greater %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xi1>
  %greater_equal = tosa.greater_equal %t7x5xf32, %t1x5xf32 : (tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xi1>
  %select = tosa.select %t7x5xi1, %t7x5xf32, %t1x5xf32 : (tensor<7x5xi1>, tensor<7x5xf32>, tensor<1x5xf32>) -> tensor<7x5xf32>
  %clamp = tosa.clamp %t7x5xf32 {min_val = -0.25 : f32, max_val = 0.6 : f32} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %cast = tosa.cast %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xi32>
  %cast2 = tosa.cast %t7x5xi32 : (tensor<7x5xi32>) -> tensor<7x5xf32>
  %identity = tosa.identity %t7x5xf32 : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %apply_scale_m = arith.constant dense<1073741824> : tensor<7x5xi32>
  %apply_scale_s = arith.constant dense<32> : tensor<7x5xi8>
  %apply_scale = tosa.apply_scale %t7x5xi32, %apply_scale_m, %apply_scale_s {rounding_mode = SINGLE_ROUND} : (tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi8>) -> tensor<7x5xi32>
  %rescale_m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
  %rescale_s = "tosa.const"() {values = dense<31> : tensor<1xi8>} : () -> tensor<1xi8>
  %rescale_i = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %rescale_o = "tosa.const"() {values = dense<-2> : tensor<1xi8>} : () -> tensor<1xi8>
  %rescale = tosa.rescale %t7x5xi8, %rescale_m, %rescale_s, %rescale_i, %rescale_o {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<7x5xi8>, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<7x5xi8>
  %table_t = "tosa.const"() {values = dense<7> : tensor<256xi8>} : () -> tensor<256xi8>
  %table = tosa.table %t7x5xi8, %table_t : (tensor<7x5xi8>, tensor<256xi8>) -> tensor<7x5xi8>
  %table_i16_t = "tosa.const"() {values = dense<7> : tensor<513xi16>} : () -> tensor<513xi16>
  %table_i16 = tosa.table %t7x5xi16, %table_i16_t : (tensor<7x5xi16>, tensor<513xi16>) -> tensor<7x5xi32>
  %const_shape_s = tosa.const_shape {values = dense<[2, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %const_shape = tosa.reshape %t6x4xf32, %const_shape_s : (tensor<6x4xf32>, !tosa.shape<2>) -> tensor<2x12xf32>
  %reduce_sum_r0 = tosa.reduce_sum %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  %reduce_sum_r1 = tosa.reduce_sum %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  %reduce_max_r0 = tosa.reduce_max %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  %reduce_max_r1 = tosa.reduce_max %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  %reduce_min_r0 = tosa.reduce_min %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  %reduce_min_r1 = tosa.reduce_min %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  %reduce_product_r0 = tosa.reduce_product %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<1x5xf32>
  %reduce_product_r1 = tosa.reduce_product %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x1xf32>
  %reduce_all_r0 = tosa.reduce_all %t7x5xi1 {axis = 0 : i32} : (tensor<7x5xi1>) -> tensor<1x5xi1>
  %reduce_all_r1 = tosa.reduce_all %t7x5xi1 {axis = 1 : i32} : (tensor<7x5xi1>) -> tensor<7x1xi1>
  %reduce_any_r0 = tosa.reduce_any %t7x5xi1 {axis = 0 : i32} : (tensor<7x5xi1>) -> tensor<1x5xi1>
  %reduce_any_r1 = tosa.reduce_any %t7x5xi1 {axis = 1 : i32} : (tensor<7x5xi1>) -> tensor<7x1xi1>
  %argmax_r0 = tosa.argmax %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<5xi32>
  %argmax_r1 = tosa.argmax %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7xi32>
  %concat = tosa.concat %t7x5xf32, %t3x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>, tensor<3x5xf32>) -> tensor<10x5xf32>
  %slice_s = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %slice_t = tosa.const_shape {values = dense<[7, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %slice = tosa.slice %t7x5xf32, %slice_s, %slice_t : (tensor<7x5xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<7x2xf32>
  %pad_s = tosa.const_shape {values = dense<[1, 0, 1, 2]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %pad_z = "tosa.const"() {values = dense<1.5> : tensor<1xf32>} : () -> tensor<1xf32>
  %pad = tosa.pad %t7x5xf32, %pad_s, %pad_z : (tensor<7x5xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<8x8xf32>
  %tile_s = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %tile = tosa.tile %t7x5xf32, %tile_s : (tensor<7x5xf32>, !tosa.shape<2>) -> tensor<14x15xf32>
  %reverse_r0 = tosa.reverse %t7x5xf32 {axis = 0 : i32} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %reverse_r1 = tosa.reverse %t7x5xf32 {axis = 1 : i32} : (tensor<7x5xf32>) -> tensor<7x5xf32>
  %transpose = tosa.transpose %t7x4x5xf32 {perms = array<i32: 2, 0, 1>} : (tensor<7x4x5xf32>) -> tensor<5x7x4xf32>
  %gather = tosa.gather %t3x7x4xf32, %t3x5xi32 : (tensor<3x7x4xf32>, tensor<3x5xi32>) -> tensor<3x5x4xf32>
  %scatter_i = "tosa.const"() {values = dense<[[0,3,6,2,1],[5,1,0,6,4],[1,2,3,4,5]]> : tensor<3x5xi32>} : () -> tensor<3x5xi32>
  %scatter = tosa.scatter %t3x7x4xf32, %scatter_i, %t3x5x4xf32 : (tensor<3x7x4xf32>, tensor<3x5xi32>, tensor<3x5x4xf32>) -> tensor<3x7x4xf32>
  %scatter_arg = tosa.scatter %t3x7x4xf32, %t3x5xi32, %t3x5x4xf32 : (tensor<3x7x4xf32>, tensor<3x5xi32>, tensor<3x5x4xf32>) -> tensor<3x7x4xf32>
  %matmul_z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %matmul = tosa.matmul %t2x7x5xf32, %t2x5x4xf32, %matmul_z, %matmul_z : (tensor<2x7x5xf32>, tensor<2x5x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x7x4xf32>
  %matmul_i8_z = "tosa.const"() {values = dense<1> : tensor<1xi8>} : () -> tensor<1xi8>
  %matmul_i8 = tosa.matmul %t2x7x5xi8, %t2x5x4xi8, %matmul_i8_z, %matmul_i8_z : (tensor<2x7x5xi8>, tensor<2x5x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x7x4xi32>
  return %abs, %ceil, %cos, %erf, %exp, %floor, %log, %reciprocal, %rsqrt, %sigmoid, %sin,
      %tanh, %negate, %negate_i8, %add, %sub, %maximum, %minimum, %pow, %add_i32,
      %sub_i32, %maximum_i32, %minimum_i32, %mul, %mul_shift, %intdiv, %bitwise_and,
      %bitwise_or, %bitwise_xor, %logical_and, %logical_or, %logical_xor,
      %logical_left_shift, %logical_right_shift, %arithmetic_right_shift, %bitwise_not,
      %clz, %logical_not, %equal, %greater, %greater_equal, %select, %clamp, %cast,
      %cast2, %identity, %apply_scale, %rescale, %table, %table_i16, %const_shape,
      %reduce_sum_r0, %reduce_sum_r1, %reduce_max_r0, %reduce_max_r1, %reduce_min_r0,
      %reduce_min_r1, %reduce_product_r0, %reduce_product_r1, %reduce_all_r0,
      %reduce_all_r1, %reduce_any_r0, %reduce_any_r1, %argmax_r0, %argmax_r1, %concat,
      %slice, %pad, %tile, %reverse_r0, %reverse_r1, %transpose, %gather, %scatter,
      %scatter_arg, %matmul, %matmul_i8 :
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xi8>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xf32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi32>,
      tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>, tensor<7x5xi32>,
      tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xi1>, tensor<7x5xf32>,
      tensor<7x5xf32>, tensor<7x5xi32>, tensor<7x5xf32>, tensor<7x5xf32>,
      tensor<7x5xi32>, tensor<7x5xi8>, tensor<7x5xi8>, tensor<7x5xi32>,
      tensor<2x12xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<1x5xf32>,
      tensor<7x1xf32>, tensor<1x5xf32>, tensor<7x1xf32>, tensor<1x5xf32>,
      tensor<7x1xf32>, tensor<1x5xi1>, tensor<7x1xi1>, tensor<1x5xi1>, tensor<7x1xi1>,
      tensor<5xi32>, tensor<7xi32>, tensor<10x5xf32>, tensor<7x2xf32>, tensor<8x8xf32>,
      tensor<14x15xf32>, tensor<7x5xf32>, tensor<7x5xf32>, tensor<5x7x4xf32>,
      tensor<3x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>, tensor<2x7x4xf32>,
      tensor<2x7x4xi32>
}
