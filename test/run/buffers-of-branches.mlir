// Values that branches yield in several ways: the copy of another one's value, and
// values that go round a loop of blocks.

// RUN: shard-run %s --verify --entry stored | FileCheck %s
// RUN: shard-run %s --verify --entry circle | FileCheck %s
// CHECK: {{^}}PASS

shard.grid @grid(shape = 2)

func.func @stored(%a: tensor<6xf32>, %c: i1) -> (tensor<6xi1>, tensor<6xi1>) {
  %cst = arith.constant dense<0.3> : tensor<6xf32>
  %0 = arith.cmpf ogt, %a, %cst : tensor<6xf32>
  %1 = tensor.empty() : tensor<6xi1>
  %2 = bufferization.materialize_in_destination %0 in %1 : (tensor<6xi1>, tensor<6xi1>) -> tensor<6xi1>
  %3 = scf.if %c -> (tensor<6xi1>) {
    scf.yield %0 : tensor<6xi1>
  } else {
    scf.yield %2 : tensor<6xi1>
  }
  return %3, %3 : tensor<6xi1>, tensor<6xi1>
}

func.func @circle(%a: tensor<2xi64> {shard.sharding = #shard.sharding<@grid, [[0]]>}, %c: i1) -> tensor<2xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.br ^bb1(%c0, %a : index, tensor<2xi64>)
^bb1(%i: index, %x: tensor<2xi64>):
  %more = arith.cmpi ult, %i, %c2 : index
  cf.cond_br %more, ^bb2, ^bb3
^bb2:
  %y = scf.if %c -> (tensor<2xi64>) {
    scf.yield %a : tensor<2xi64>
  } else {
    %copy = bufferization.alloc_tensor() copy(%x) : tensor<2xi64>
    scf.yield %x : tensor<2xi64>
  }
  %next = arith.addi %i, %c1 : index
  cf.br ^bb1(%next, %y : index, tensor<2xi64>)
^bb3:
  return %x : tensor<2xi64>
}
