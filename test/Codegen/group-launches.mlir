// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(codegen-group-launches))' | FileCheck %s
// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(codegen-group-launches{last-bytes=16}))' | FileCheck %s --check-prefix=LAST

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
// CHECK: kern.check_ids
// CHECK: kern.launch
func.func @services(%ids: memref<?xi64>, %x: memref<8xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  kern.check_ids ids(%ids : memref<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
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

// -----

// Many launches write parts of one buffer, many read all of it, one writes it again: each waits for all of the others
// before it. The launch that depends on nothing runs right before the one that reads what it wrote.
// CHECK-LABEL: func.func @crowds
// CHECK: kern.group {
// CHECK-COUNT-6: cost 10
// CHECK-NOT: cost 40
// CHECK: kern.group {
// CHECK: cost 40
// CHECK-COUNT-6: cost 20
// CHECK-NOT: kern.group
// CHECK: kern.launch %{{.*}} cost 30
func.func @crowds(%m: memref<6x8xf32>, %y: memref<6xf32>, %n: index) {
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %p = memref.alloc() : memref<f32>
  %m0 = memref.subview %m[0, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1]>>
  %m1 = memref.subview %m[1, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 8>>
  %m2 = memref.subview %m[2, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 16>>
  %m3 = memref.subview %m[3, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 24>>
  %m4 = memref.subview %m[4, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 32>>
  %m5 = memref.subview %m[5, 0] [1, 8] [1, 1] : memref<6x8xf32> to memref<8xf32, strided<[1], offset: 40>>
  kern.launch %n cost 40 {
  ^bb0(%t: index):
    memref.store %one, %p[] : memref<f32>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m0[%t] : memref<8xf32, strided<[1]>>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m1[%t] : memref<8xf32, strided<[1], offset: 8>>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m2[%t] : memref<8xf32, strided<[1], offset: 16>>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m3[%t] : memref<8xf32, strided<[1], offset: 24>>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m4[%t] : memref<8xf32, strided<[1], offset: 32>>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%t: index):
    memref.store %one, %m5[%t] : memref<8xf32, strided<[1], offset: 40>>
    kern.yield
  }
  %y0 = memref.subview %y[0] [1] [1] : memref<6xf32> to memref<f32, strided<[]>>
  %y1 = memref.subview %y[1] [1] [1] : memref<6xf32> to memref<f32, strided<[], offset: 1>>
  %y2 = memref.subview %y[2] [1] [1] : memref<6xf32> to memref<f32, strided<[], offset: 2>>
  %y3 = memref.subview %y[3] [1] [1] : memref<6xf32> to memref<f32, strided<[], offset: 3>>
  %y4 = memref.subview %y[4] [1] [1] : memref<6xf32> to memref<f32, strided<[], offset: 4>>
  %y5 = memref.subview %y[5] [1] [1] : memref<6xf32> to memref<f32, strided<[], offset: 5>>
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c0] : memref<6x8xf32>
    memref.store %v, %y0[] : memref<f32, strided<[]>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c1] : memref<6x8xf32>
    memref.store %v, %y1[] : memref<f32, strided<[], offset: 1>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c2] : memref<6x8xf32>
    memref.store %v, %y2[] : memref<f32, strided<[], offset: 2>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c3] : memref<6x8xf32>
    memref.store %v, %y3[] : memref<f32, strided<[], offset: 3>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c4] : memref<6x8xf32>
    memref.store %v, %y4[] : memref<f32, strided<[], offset: 4>>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%t: index):
    %v = memref.load %m[%t, %c5] : memref<6x8xf32>
    memref.store %v, %y5[] : memref<f32, strided<[], offset: 5>>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%t: index):
    %v = memref.load %p[] : memref<f32>
    memref.store %v, %m[%t, %c0] : memref<6x8xf32>
    kern.yield
  }
  return
}

// -----

// Launches that work in different memory spaces do not run together.
// CHECK-LABEL: func.func @spaces
// CHECK-COUNT-2: kern.group
// CHECK-NOT: kern.group
func.func @spaces(%a: memref<4xf32>, %b: memref<4xf32>, %v: memref<4xf32, 1>, %w: memref<4xf32, 1>, %n: index, %x: f32) {
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %x, %a[%i] : memref<4xf32>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %x, %v[%i] : memref<4xf32, 1>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %x, %b[%i] : memref<4xf32>
    kern.yield
  }
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %x, %w[%i] : memref<4xf32, 1>
    kern.yield
  }
  return
}

// -----

// Of a device, an update for which nothing waits runs last, with others, if the temporary that it reads is small; else as soon as it can.
// CHECK-LABEL: func.func @updates
// CHECK: kern.group {
// CHECK: kern.launch %{{.*}} cost 20
// CHECK: kern.launch %{{.*}} cost 30
// CHECK: kern.launch %{{.*}} cost 40
// CHECK: }
// CHECK: kern.launch %{{.*}} cost 50
// LAST-LABEL: func.func @updates
// LAST: kern.group {
// LAST: kern.launch %{{.*}} cost 30
// LAST: kern.launch %{{.*}} cost 40
// LAST: kern.group {
// LAST: kern.launch %{{.*}} cost 20
// LAST: kern.launch %{{.*}} cost 50
func.func @updates(%w: memref<8xf32, 1>, %v: memref<8xf32, 1>, %u: memref<8xf32, 1>, %n: index) {
  %one = arith.constant 1.0 : f32
  %small = memref.alloc() : memref<4xf32, 1>
  %large = memref.alloc() : memref<8xf32, 1>
  %other = memref.alloc() : memref<4xf32, 1>
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    memref.store %one, %small[%i] : memref<4xf32, 1>
    memref.store %one, %large[%i] : memref<8xf32, 1>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    %g = memref.load %small[%i] : memref<4xf32, 1>
    memref.store %g, %w[%i] : memref<8xf32, 1>
    kern.yield
  }
  kern.launch %n cost 30 {
  ^bb0(%i: index):
    %g = memref.load %large[%i] : memref<8xf32, 1>
    memref.store %g, %v[%i] : memref<8xf32, 1>
    kern.yield
  }
  kern.launch %n cost 40 {
  ^bb0(%i: index):
    %g = memref.load %small[%i] : memref<4xf32, 1>
    memref.store %g, %other[%i] : memref<4xf32, 1>
    kern.yield
  }
  kern.launch %n cost 50 {
  ^bb0(%i: index):
    %g = memref.load %other[%i] : memref<4xf32, 1>
    memref.store %g, %u[%i] : memref<8xf32, 1>
    kern.yield
  }
  return
}

// -----

// Memory that tasks have of their own, and ops that touch nothing else, keep launches from nothing.
// CHECK-LABEL: func.func @own
// CHECK: kern.group {
// CHECK: kern.launch %{{.*}} cost 10
// CHECK: kern.launch %{{.*}} cost 20
func.func @own(%x: memref<8xf32>, %y: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  kern.launch %n cost 10 {
  ^bb0(%i: index):
    %cells = memref.alloca() : memref<64xi8, 3>
    %shared = memref.view %cells[%c0][] : memref<64xi8, 3> to memref<8xf32, 3>
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %shared[%i] : memref<8xf32, 3>
    nvvm.barrier0 {of_block}
    memref.store %v, %x[%i] : memref<8xf32>
    kern.yield
  }
  kern.launch %n cost 20 {
  ^bb0(%i: index):
    %v = memref.load %y[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
    kern.yield
  }
  return
}
