// Bounds of sizes are intervals: what is divided by, or subtracted, counts by its least value and not by its largest.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(codegen-plan-workspace))' | FileCheck %s

// n / min(8, k) floats: with k = 1 they are n.
// CHECK-LABEL: func.func @divided_by_a_minimum
// CHECK-SAME: mlc.workspace = array<i64: 1, 4, 0>
func.func @divided_by_a_minimum(%a: memref<?xf32>, %b: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64: 1>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.minui %c8, %k : index
  %q = arith.divui %n, %m : index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// A divisor that is at least 8.
// CHECK-LABEL: func.func @divided_by_a_maximum
// CHECK-SAME: mlc.workspace = array<i64: 1, 1, 0>
func.func @divided_by_a_maximum(%a: memref<?xf32>, %b: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64: 1>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.maxui %c8, %k : index
  %q = arith.divui %n, %m : index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// Rounded up: 4 * (n / 4 + 3 / 4) bytes.
// CHECK-LABEL: func.func @divided_up
// CHECK-SAME: mlc.workspace = array<i64: 1, 1, 3>
func.func @divided_up(%a: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %q = arith.ceildivui %n, %c4 : index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// 100 - min(8, k) floats: with k = 0 they are 100, not 92.
// CHECK-LABEL: func.func @less_a_minimum
// CHECK-SAME: mlc.workspace = array<i64: 1, 0, 400>
func.func @less_a_minimum(%b: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %v = arith.constant 1.0 : f32
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.minui %c8, %k : index
  %q = arith.subi %c100, %m : index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// 100 - (8 - min(8, k)) floats: what is subtracted twice counts by its largest value again.
// CHECK-LABEL: func.func @less_a_difference
// CHECK-SAME: mlc.workspace = array<i64: 1, 0, 400>
func.func @less_a_difference(%b: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c100 = arith.constant 100 : index
  %v = arith.constant 1.0 : f32
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.minui %c8, %k : index
  %d = arith.subi %c8, %m : index
  %q = arith.subi %c100, %d : index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// Negative numbers are large as unsigned ones: min(n - 8, 4) bounds nothing below 4, max(n - 8, 4) and (n - 8) / 4
// nothing at all; of max(n - 8, 0) a part is bounded again.
// CHECK-LABEL: func.func @wrapped
// CHECK-SAME: mlc.workspace = array<i64: 1, 0, 16, 1, 0>
// CHECK-COUNT-2: memref.alloc(
// CHECK-NOT: memref.alloc(
func.func @wrapped(%a: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %less = arith.subi %n, %c8 : index
  %rest = arith.maxsi %less, %c0 : index
  %s0 = arith.minui %less, %c4 : index
  %s1 = arith.maxui %less, %c4 : index
  %s2 = arith.divui %less, %c4 : index
  %s3 = arith.divui %rest, %c4 : index
  %x0 = memref.alloc(%s0) : memref<?xf32>
  %x1 = memref.alloc(%s1) : memref<?xf32>
  %x2 = memref.alloc(%s2) : memref<?xf32>
  %x3 = memref.alloc(%s3) : memref<?xf32>
  memref.store %v, %x0[%c0] : memref<?xf32>
  memref.store %v, %x1[%c0] : memref<?xf32>
  memref.store %v, %x2[%c0] : memref<?xf32>
  memref.store %v, %x3[%c0] : memref<?xf32>
  memref.store %v, %x0[%c0] : memref<?xf32>
  return
}

// -----

// A narrow integer wraps: nothing bounds what it was made of.
// CHECK-LABEL: func.func @narrow
// CHECK: memref.alloc(
func.func @narrow(%a: memref<?xf32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>]} {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %i = arith.index_cast %n : index to i8
  %q = arith.index_cast %i : i8 to index
  %x = memref.alloc(%q) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}

// -----

// The lesser of two bounds, and a choice between two sizes.
// CHECK-LABEL: func.func @chosen
// CHECK-SAME: mlc.workspace = array<i64: 1, 0, 32, 4, 32>
func.func @chosen(%a: memref<?xf32>, %which: memref<i1>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %few = arith.minui %n, %c8 : index
  %w = memref.load %which[] : memref<i1>
  %s = arith.select %w, %n, %c8 : index
  %x = memref.alloc(%few) : memref<?xf32>
  %y = memref.alloc(%s) : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  memref.store %v, %y[%c0] : memref<?xf32>
  memref.store %v, %x[%c0] : memref<?xf32>
  return
}
