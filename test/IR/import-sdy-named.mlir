// A named computation of Shardy becomes a private function and a call of it; its shardings
// are those of the function's arguments and results.

// RUN: split-file %s %t
// RUN: shard-translate --import-sdy %t/good.mlir -o %t.shard
// RUN: FileCheck %s --input-file %t.shard
// RUN: shard-run %t.shard --entry f --verify | FileCheck %s --check-prefix=SAME
// RUN: not shard-translate --import-sdy %t/count.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not shard-translate --import-sdy %t/out.mlir 2>&1 | FileCheck %s --check-prefix=OUT
// RUN: not shard-translate --import-sdy %t/cut.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not shard-translate --import-sdy %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not shard-translate --import-sdy %t/body.mlir 2>&1 | FileCheck %s --check-prefix=BODY
// RUN: not shard-translate --import-sdy %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// SAME: all_gather y 1 192 B
// SAME: PASS

#--- good.mlir
sdy.mesh @mesh = <["x"=2, "y"=4]>

// CHECK-LABEL: func.func @f(
func.func @f(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
             %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[R:.*]]:2 = call @layer_0(%arg0, %arg1) : (tensor<8x16xf32>, tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
  %0:2 = sdy.named_computation<"layer">(%a, %w)
      in_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {"y"}]>]
      out_shardings=[<@mesh, [{?}, {"y"}]>, <@mesh, [{"x"}, {?}]>]
      (%b: tensor<8x16xf32>, %c: tensor<16x16xf32>) {
    // A comment with a }.
    %z = arith.constant 0.0 : f32
    %i = tensor.empty() : tensor<8x16xf32>
    %s = linalg.fill ins(%z : f32) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
    %m = linalg.matmul ins(%b, %c : tensor<8x16xf32>, tensor<16x16xf32>)
                       outs(%s : tensor<8x16xf32>) -> tensor<8x16xf32>
    %r = sdy.reshard %m <@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    %n = sdy.named_computation<"layer">(%r) (%q: tensor<8x16xf32>) {
      %k = sdy.manual_computation(%q) in_shardings=[<@mesh, [{"x"}, {?}]>]
          out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%l: tensor<4x16xf32>) {
        %t = math.tanh %l : tensor<4x16xf32>
        sdy.return %t : tensor<4x16xf32>
      } : (tensor<8x16xf32>) -> tensor<8x16xf32>
      sdy.return %k : tensor<8x16xf32>
    } {note = "inner"} : (tensor<8x16xf32>) -> tensor<8x16xf32>
    sdy.return %n, %b : tensor<8x16xf32>, tensor<8x16xf32>
  } : (tensor<8x16xf32>, tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
  // CHECK: arith.addf %[[R]]#0, %[[R]]#1
  %1 = arith.addf %0#0, %0#1 : tensor<8x16xf32>
  // CHECK: call @"no tensors"() : () -> ()
  sdy.named_computation<"no tensors">() () {
    sdy.return
  } : () -> ()
  return %1 : tensor<8x16xf32>
}

// CHECK: func.func private @"no tensors"() {

// CHECK: func.func private @layer_0(
// CHECK-SAME: %arg0: tensor<8x16xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}"x"], [?]]>}
// CHECK-SAME: %arg1: tensor<16x16xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}?], ["y"]]>}
// CHECK-SAME: -> (tensor<8x16xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}?], ["y"]]>}
// CHECK-SAME: tensor<8x16xf32> {shard.sharding = #shard.sharding<@mesh, {{\[\[}}"x"], [?]]>})
// CHECK: linalg.matmul
// CHECK-NEXT: shard.sharding @mesh split_axes = {{\[\[}}0], [1]]
// CHECK-NEXT: shard.shard %
// CHECK-NEXT: call @layer_1(%{{.*}}) {note = "inner"}
// CHECK-NEXT: return

// CHECK: func.func private @layer_1(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
// CHECK: shard.manual_computation
// CHECK: shard.return
// CHECK: return

// A name that a function has.
// CHECK: func.func private @layer(
func.func private @layer(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
  return %a : tensor<8x16xf32>
}

#--- count.mlir
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) in_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
 return %0 : tensor<8xf32> }
// COUNT: count.mlir:2:57: error: states 2 in_shardings for 1 values

#--- out.mlir
sdy.mesh @mesh = <["x"=2]>
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) out_shardings=[<@mesh, [{}]>, <@mesh, [{}]>] (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> tensor<8xf32>
 return %0 : tensor<8xf32> }
// OUT: out.mlir:2:57: error: states 2 out_shardings for 1 values

#--- cut.mlir
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32>
// CUT: cut.mlir:1:110: error: the region has no end

#--- type.mlir
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) (%b: tensor<8xf32>) { sdy.return %b : tensor<8xf32> } : (tensor<8xf32>) -> }
// TYPE: type.mlir:1:165: error: expected a type

#--- body.mlir
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) : (tensor<8xf32>) -> tensor<8xf32>
// BODY: body.mlir:1:90: error: expected '{'

#--- argument.mlir
func.func @f(%a: tensor<8xf32>) -> tensor<8xf32> { %0 = sdy.named_computation<"foo">(%a) (tensor<8xf32>) { }
// ARGUMENT: argument.mlir:1:91: error: expected an argument
