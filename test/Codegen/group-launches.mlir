// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(codegen-group-launches))' | FileCheck %s

// Two launches on buffers of their own run side by side; the third reads what the first wrote.
// CHECK-LABEL: func.func @levels
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost 10
// CHECK: kern.launch %{{.*}} cost 20
// CHECK: }
// CHECK: }
// CHECK-NEXT: kern.launch %{{.*}} cost 30
func.func @levels(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %z[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    memref.store %one, %y[%i] : memref<8xf32>
    kern.yield
  }
  return
}

// -----

// Columns of one buffer that do not overlap are written side by side; overlapping ones are not.
// CHECK-LABEL: func.func @boxes
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost 10
// CHECK: kern.launch %{{.*}} cost 20
// CHECK: }
// CHECK: }
// CHECK-NEXT: kern.launch %{{.*}} cost 30
func.func @boxes(%x: memref<?x8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %low = memref.subview %x[0, 0] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1]>>
  %high = memref.subview %x[0, 4] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 4>>
  %middle = memref.subview %x[0, 2] [%n, 4] [1, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 2>>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %one, %low[%i, %c0] : memref<?x4xf32, strided<[8, 1]>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    memref.store %one, %high[%i, %c0] : memref<?x4xf32, strided<[8, 1], offset: 4>>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%i: index):
    memref.store %one, %middle[%i, %c0] : memref<?x4xf32, strided<[8, 1], offset: 2>>
    kern.yield
  }
  return
}

// -----

// What depends on nothing runs as late as its reader allows: beside the launch before it.
// CHECK-LABEL: func.func @late
// CHECK: kern.launch %{{.*}} cost 10
// CHECK: kern.group {
// CHECK-NEXT: kern.launch %{{.*}} cost 20
// CHECK: kern.launch %{{.*}} cost 30
// CHECK: kern.launch %{{.*}} cost 40
func.func @late(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    memref.store %one, %y[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%i: index):
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %z[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 40 {
  ^bb0(%i: index):
    %v = memref.load %y[%i] : memref<8xf32>
    %w = memref.load %z[%i] : memref<8xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %z[%i] : memref<8xf32>
    kern.yield
  }
  return
}

// -----

// A service that can stop the segment stands before the launch that writes a buffer of the caller.
// CHECK-LABEL: func.func @services
// CHECK: kern.service "check_ids"
// CHECK: kern.launch
func.func @services(%ids: memref<?xi64>, %x: memref<8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  kern.service "check_ids" "bmllzis" ins(%ids : memref<?xi64>) {constants = array<i64: 0, 5, -1>, texts = ["label"]}
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    memref.store %one, %x[%i] : memref<8xf32>
    kern.yield
  }
  return
}

// -----

// Columns of a buffer seen under another shape may be any part of it.
// CHECK-LABEL: func.func @shapes
// CHECK-NOT: kern.group
// CHECK: return
func.func @shapes(%x: memref<8x8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %flat = memref.reinterpret_cast %x to offset: [0], sizes: [4, 16], strides: [16, 1] : memref<8x8xf32> to memref<4x16xf32>
  %low = memref.subview %flat[0, 0] [4, 4] [1, 1] : memref<4x16xf32> to memref<4x4xf32, strided<[16, 1]>>
  %high = memref.subview %x[0, 4] [8, 4] [1, 1] : memref<8x8xf32> to memref<8x4xf32, strided<[8, 1], offset: 4>>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %one, %low[%i, %c0] : memref<4x4xf32, strided<[16, 1]>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    memref.store %one, %high[%i, %c0] : memref<8x4xf32, strided<[8, 1], offset: 4>>
    kern.yield
  }
  return
}
