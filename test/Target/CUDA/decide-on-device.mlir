// RUN: mlc-opt %s --cuda-decide-on-device | FileCheck %s
// Branches and loops by a byte that comes from the device become its own; those that need the host stay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The number of an iteration that nobody needs goes.
// CHECK-LABEL: func.func @loop
// CHECK:         scf.while : () -> () {
// CHECK:           linalg.fill ins(%{{.*}} : i8) outs(%[[BYTE:.*]] : memref<i8, 1>)
// CHECK-NOT:       kern.transfer
// CHECK:           %[[GOES:.*]] = kern.loop 0 while %[[BYTE]]
// CHECK:           scf.condition(%[[GOES]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:      linalg.fill
// CHECK-NEXT:      scf.yield
func.func @loop(%x: memref<4xf32, 1>, %v: f32, %b: i8) attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = scf.while (%i = %c0) : (index) -> index {
    %byte = memref.alloc() : memref<i8, 1>
    linalg.fill ins(%b : i8) outs(%byte : memref<i8, 1>)
    %copy = memref.alloc() : memref<i8>
    kern.transfer ins(%byte : memref<i8, 1>) outs(%copy : memref<i8>)
    %element = memref.load %copy[] : memref<i8>
    %go = arith.trunci %element : i8 to i1
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    linalg.fill ins(%v : f32) outs(%x : memref<4xf32, 1>)
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// The host knows how often it went round, and ends the loop.
// CHECK-LABEL: func.func @bounded
// CHECK-NOT:     kern.loop
// CHECK:         kern.transfer
func.func @bounded(%x: memref<4xf32, 1>, %v: f32, %byte: memref<i8, 1>) attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %n = scf.while (%i = %c0) : (index) -> index {
    %copy = memref.alloc() : memref<i8>
    kern.transfer ins(%byte : memref<i8, 1>) outs(%copy : memref<i8>)
    %element = memref.load %copy[] : memref<i8>
    %bit = arith.trunci %element : i8 to i1
    %less = arith.cmpi slt, %i, %c9 : index
    %go = arith.andi %bit, %less : i1
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    linalg.fill ins(%v : f32) outs(%x : memref<4xf32, 1>)
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }
  return
}

// Where the host chose a buffer each side leaves its own in a third one; what one side alone has is made there.
// CHECK-LABEL: func.func @branch
// CHECK-SAME:    %[[X:.*]]: memref<4xf32, 1>, %[[Y:.*]]: memref<4xf32, 1>
// CHECK:         %[[MERGED:.*]] = memref.alloc() : memref<4xf32, 1>
// CHECK:         %[[TAKEN:.*]] = kern.branch %{{.*}} sides = 3
// CHECK:         scf.if
// CHECK-NEXT:      kern.device_side device = 0 side = 1
// CHECK-NEXT:      memref.copy %[[X]], %[[MERGED]]
// CHECK-NEXT:      kern.device_side device = 0 side = 0
// CHECK:         scf.if
// CHECK-NEXT:      kern.device_side device = 0 side = 2
// CHECK-NEXT:      linalg.fill ins(%{{.*}}) outs(%[[MERGED]]
// CHECK-NEXT:      kern.device_side device = 0 side = 0
// CHECK:         memref.copy %[[MERGED]], %[[Y]]
func.func @branch(%x: memref<4xf32, 1>, %y: memref<4xf32, 1>, %v: f32, %byte: memref<i8, 1>) attributes {df.role = #df.role<train>} {
  %other = memref.alloc() : memref<4xf32, 1>
  %copy = memref.alloc() : memref<i8>
  kern.transfer ins(%byte : memref<i8, 1>) outs(%copy : memref<i8>)
  %element = memref.load %copy[] : memref<i8>
  %bit = arith.trunci %element : i8 to i1
  %chosen = arith.select %bit, %x, %other : memref<4xf32, 1>
  scf.if %bit {
  } else {
    linalg.fill ins(%v : f32) outs(%other : memref<4xf32, 1>)
  }
  memref.copy %chosen, %y : memref<4xf32, 1> to memref<4xf32, 1>
  return
}

// The host computes with it.
// CHECK-LABEL: func.func @number
// CHECK-NOT:     kern.branch
func.func @number(%x: memref<?xf32, 1>, %v: f32, %byte: memref<i8, 1>) attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %copy = memref.alloc() : memref<i8>
  kern.transfer ins(%byte : memref<i8, 1>) outs(%copy : memref<i8>)
  %element = memref.load %copy[] : memref<i8>
  %bit = arith.trunci %element : i8 to i1
  %size = arith.select %bit, %c0, %c1 : index
  scf.if %bit {
    %part = memref.subview %x[0] [%size] [1] : memref<?xf32, 1> to memref<?xf32, strided<[1]>, 1>
    linalg.fill ins(%v : f32) outs(%part : memref<?xf32, strided<[1]>, 1>)
  }
  return
}
