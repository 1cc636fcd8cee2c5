// RUN: shard-opt %s --shard-insert-deallocations | FileCheck %s

// What an iteration made is freed at its end, but for what it yields.
// CHECK-LABEL: func @loop(
// CHECK: %[[MARK:.*]] = call @shard_kernel_buffer_mark() : () -> index
// CHECK: scf.for
// CHECK:   %[[NEW:.*]] = memref.alloc()
// CHECK:   %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index %[[NEW]]
// CHECK:   func.call @shard_kernel_keep_buffer(%[[MARK]], %[[ADDRESS]]) : (index, index) -> ()
// CHECK:   func.call @shard_kernel_release_buffers(%[[MARK]]) : (index) -> ()
// CHECK:   scf.yield %[[NEW]]
func.func @loop(%a: memref<4xf32>, %n: index) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> (memref<4xf32>) {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %b, %0 : memref<4xf32> to memref<4xf32>
    scf.yield %0 : memref<4xf32>
  }
  return %r : memref<4xf32>
}

// Nothing is left: no calls.
// CHECK-LABEL: func @temporary(
// CHECK-NOT: call
// CHECK: scf.for
// CHECK-NOT: call
// CHECK: memref.dealloc
// CHECK-NOT: call
// CHECK: return
func.func @temporary(%a: memref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = memref.alloc() : memref<4xf32>
    memref.copy %a, %0 : memref<4xf32> to memref<4xf32>
    memref.copy %0, %a : memref<4xf32> to memref<4xf32>
  }
  return
}

// A function leaves what it returns; the functions that call it leave it too.
// CHECK-LABEL: func @calls(
// CHECK: call @shard_kernel_buffer_mark
// CHECK: scf.while
// CHECK: do
// CHECK: func.call @outer
// CHECK: func.call @shard_kernel_release_buffers
func.func @calls(%a: memref<4xf32>) {
  scf.while : () -> () {
    %c = func.call @more() : () -> i1
    scf.condition(%c)
  } do {
    func.call @outer(%a) : (memref<4xf32>) -> ()
    scf.yield
  }
  return
}
func.func private @more() -> i1
// CHECK-LABEL: func private @outer(
// CHECK-NOT: shard_kernel_
// CHECK: return
func.func private @outer(%a: memref<4xf32>) {
  %0 = call @inner() : () -> memref<4xf32>
  memref.copy %0, %a : memref<4xf32> to memref<4xf32>
  return
}
func.func private @inner() -> memref<4xf32> {
  %0 = memref.alloc() : memref<4xf32>
  return %0 : memref<4xf32>
}
