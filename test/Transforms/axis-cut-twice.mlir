// Two hints that cut one axis in ways that no grid has both of.

// RUN: shard-opt %s --sharding-propagation --split-input-file --verify-diagnostics | FileCheck %s

// Both are open: the earlier one cuts, the later one ends before its part.

// CHECK: shard.grid @grid(shape = 6)
// CHECK: shard.grid @{{.*}}(shape = 2x3) {refines = @grid}
// CHECK: func.func @open(%{{.*}}: tensor<12x12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[0], []]>}, %{{.*}}: tensor<12x12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[], []]>})
shard.grid @grid(shape = 6)
// expected-remark @+2 {{the hint #shard.sharding<@grid, [[0:(1)3, ?], []]>}}
func.func @open(%a: tensor<12x12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2, ?], []]>},
                %b: tensor<12x12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)3, ?], []]>}) {
  return
}

// -----

// A closed hint is stronger than an earlier open one.

// CHECK: shard.grid @{{.*}}(shape = 3x2) {refines = @grid}
// CHECK: func.func @closed(%{{.*}}: tensor<12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[]]>}, %{{.*}}: tensor<12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[0]]>})
shard.grid @grid(shape = 6)
// expected-remark @+1 {{ends in dimension 0 before axis 0:(1)2: the hint #shard.sharding<@grid, [[0:(1)3]]> at}}
func.func @closed(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2, ?]]>},
                  %b: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)3]]>}) {
  return
}

// -----

// The hint that cuts is named, not another one of the same axis.

shard.grid @grid(shape = 12)
// expected-remark @+1 {{ends in dimension 0 before axis 0:(1)6: the hint #shard.sharding<@grid, [[0:(4)3]]> at}}
func.func @of_three(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)6, ?]]>},
                    %b: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(4)3]]>},
                    %c: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2]]>}) {
  return
}

// -----

// What lies before the part stays; a part is taken as far as its own cuts go.

// CHECK: shard.grid @{{.*}}(shape = 2x2x2x3) {refines = @grid}
// CHECK: func.func @prefix(%{{.*}}: tensor<24xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[2]]>}, %{{.*}}: tensor<24xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[0, 1]]>})
shard.grid @grid(shape = 2x12)
// expected-remark @+2 {{ends in dimension 0 before axis 1:(1)6}}
func.func @prefix(%a: tensor<24xf32> {shard.sharding = #shard.sharding<@grid, [[1:(2)2]]>},
                  %b: tensor<24xf32> {shard.sharding = #shard.sharding<@grid, [[0, 1:(1)6, ?]]>}) {
  return
}

// -----

// Two closed ones cannot both hold.

shard.grid @grid(shape = 6)
// expected-error @+3 {{sub-axis (1)3 of axis 0 does not combine with other sub-axes of this axis}}
// expected-note @+1 {{the hint #shard.sharding<@grid, [[0:(1)2]]>}}
func.func @both(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2]]>},
                %b: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)3]]>}) {
  return
}

// -----

// A replicated part forbids all that it touches.

// CHECK: func.func @replicated(%{{.*}}: tensor<12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[0]]>}, %{{.*}}: tensor<12xf32> {shard.sharding = #shard.sharding<@{{.*}}, {{\[}}[]]>})
shard.grid @grid(shape = 6)
func.func @replicated(%a: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[0:(1)2, 0:(2)3]]>},
                      %b: tensor<12xf32> {shard.sharding = #shard.sharding<@grid, [[?]], replicated = [0:(1)3]>}) -> tensor<12xf32> {
  %0 = arith.addf %a, %b : tensor<12xf32>
  return %0 : tensor<12xf32>
}
