// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(codegen-plan-workspace))' | FileCheck %s

// A slot is a formula of each symbol: 4 bytes for each value of the feature, 8 for each row of the batch.
// CHECK-LABEL: func.func @symbols
// CHECK-SAME: mlc.workspace = array<i64: 2, 0, 4, 0, 8, 0, 0>
func.func @symbols(%values: memref<?xf32>, %ends: memref<?xi64>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 1>, array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %values, %c0 : memref<?xf32>
  %m = memref.dim %ends, %c0 : memref<?xi64>
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  %y = memref.alloc(%m) {alignment = 64 : i64} : memref<?xi64>
  memref.copy %values, %x : memref<?xf32> to memref<?xf32>
  memref.copy %ends, %y : memref<?xi64> to memref<?xi64>
  memref.copy %x, %values : memref<?xf32> to memref<?xf32>
  memref.copy %y, %ends : memref<?xi64> to memref<?xi64>
  return
}

// -----

// Rows in another dimension than the first.
// CHECK-LABEL: func.func @columns
// CHECK-SAME: mlc.workspace = array<i64: 1, 12, 0>
// CHECK: memref.dim %{{.*}}, %c1
func.func @columns(%a: memref<3x?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: -1, 0>]} {
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c1 : memref<3x?xf32>
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<3x?xf32>
  memref.copy %a, %x : memref<3x?xf32> to memref<3x?xf32>
  memref.copy %x, %a : memref<3x?xf32> to memref<3x?xf32>
  return
}

// -----

// What only data or a product of symbols bounds stays an allocation, for the arena.
// CHECK-LABEL: func.func @arena
// CHECK-SAME: mlc.workspace = array<i64: 1, 4, 0>
// CHECK: memref.view
// CHECK: %[[N:.*]] = memref.load
// CHECK: memref.alloc(%
// CHECK: memref.alloc(%
func.func @arena(%a: memref<?xf32>, %count: memref<index>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64>]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %x = memref.alloc(%n) {alignment = 64 : i64} : memref<?xf32>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  %m = memref.load %count[] : memref<index>
  %y = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
  %z = memref.alloc(%n, %n) {alignment = 64 : i64} : memref<?x?xf32>
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  memref.copy %y, %a : memref<?xf32> to memref<?xf32>
  memref.copy %z, %z : memref<?x?xf32> to memref<?x?xf32>
  return
}

// -----

// An iteration gives back what it took; the innermost loop alone does so.
// CHECK-LABEL: func.func @arena_in_a_loop
// CHECK: %[[MARK:.*]] = memref.alloca() : memref<i64>
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK-NEXT: kern.arena_mark outs(%[[MARK]] : memref<i64>)
// CHECK: memref.alloc
// CHECK: kern.arena_release mark(%[[MARK]] : memref<i64>)
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @arena_in_a_loop(%a: memref<?xf32>, %count: memref<index>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.load %count[] : memref<index>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      %y = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
      %z = memref.alloc(%m) {alignment = 64 : i64} : memref<?xf32>
      memref.copy %a, %y : memref<?xf32> to memref<?xf32>
      memref.copy %y, %z : memref<?xf32> to memref<?xf32>
      memref.copy %z, %a : memref<?xf32> to memref<?xf32>
    }
  }
  return
}

// -----

// A size after the rows is a symbol of its own; what is as large as the product of two is the arena's.
// CHECK-LABEL: func.func @sizes
// CHECK-SAME: mlc.workspace = array<i64: 2, 0, 4, 0>
// CHECK: memref.view
// CHECK: memref.alloc(%{{.*}}, %{{.*}})
func.func @sizes(%a: memref<?x?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0, 1>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %l = memref.dim %a, %c1 : memref<?x?xf32>
  %x = memref.alloc(%l) {alignment = 64 : i64} : memref<?xf32>
  %y = memref.alloc(%n, %l) {alignment = 64 : i64} : memref<?x?xf32>
  %v = arith.constant 0.0 : f32
  memref.store %v, %x[%c0] : memref<?xf32>
  memref.copy %a, %y : memref<?x?xf32> to memref<?x?xf32>
  memref.copy %y, %a : memref<?x?xf32> to memref<?x?xf32>
  return
}

// -----

// Memory spaces have a workspace each.
// CHECK-LABEL: func.func @spaces
// CHECK-SAME: %[[HOST:[^:]*]]: memref<?xi8>, %[[DEVICE:[^:]*]]: memref<?xi8, 1>)
// CHECK-SAME: mlc.workspace = array<i64: 1, 4, 0>
// CHECK-SAME: mlc.workspace.1 = array<i64: 1, 0, 64>
// CHECK-DAG: memref.view %[[HOST]][{{.*}}] : memref<?xi8> to memref<?xf32>
// CHECK-DAG: memref.view %[[DEVICE]][{{.*}}] : memref<?xi8, 1> to memref<16xf32, 1>
func.func @spaces(%a: memref<?xf32>, %w: memref<16xf32, 1>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64: -1>]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %x = memref.alloc(%n) : memref<?xf32>
  %y = memref.alloc() : memref<16xf32, 1>
  memref.copy %a, %x : memref<?xf32> to memref<?xf32>
  memref.copy %w, %y : memref<16xf32, 1> to memref<16xf32, 1>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.copy %y, %w : memref<16xf32, 1> to memref<16xf32, 1>
  return
}
