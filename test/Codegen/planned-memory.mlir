// Temporaries that live at once do not share memory, however small a divisor or what is subtracted is: the first one is
// n / min(8, k) or 1000 - min(900, k) numbers, the second one lies after it and must stay as it was filled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-plan-workspace))' | sed -e '/^}$/d' -e 's/attributes {.*} {$/{/' > %t.mlir
// RUN: cat %S/Inputs/call-planned.mlir >> %t.mlir
// RUN: mlc-opt %t.mlir --pass-pipeline='builtin.module(func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)' \
// RUN: | mlir-runner -e main --entry-point-result=f32 | FileCheck %s

// Two sums of 100 and of 1000 ones.
// CHECK: 1.100000e+03

func.func @quotient(%a: memref<?xf32>, %b: memref<?xf32>, %out: memref<f32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64: 1>, array<i64>]} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.minui %c8, %k : index
  %q = arith.divui %n, %m : index
  %x = memref.alloc(%q) : memref<?xf32>
  %y = memref.alloc(%n) : memref<?xf32>
  memref.store %two, %x[%c0] : memref<?xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<?xf32>)
  linalg.fill ins(%two : f32) outs(%x : memref<?xf32>)
  linalg.reduce ins(%y : memref<?xf32>) outs(%out : memref<f32>) dimensions = [0] (%in: f32, %sum: f32) {
    %s = arith.addf %in, %sum : f32
    linalg.yield %s : f32
  }
  memref.store %two, %x[%c0] : memref<?xf32>
  return
}

func.func @difference(%a: memref<?xf32>, %b: memref<?xf32>, %out: memref<f32>) attributes {df.role = #df.role<predict>, mlc.symbols = [array<i64: 0>, array<i64: 1>, array<i64>]} {
  %c0 = arith.constant 0 : index
  %c900 = arith.constant 900 : index
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %n = arith.constant 1000 : index
  %k = memref.dim %b, %c0 : memref<?xf32>
  %m = arith.minui %c900, %k : index
  %q = arith.subi %n, %m : index
  %x = memref.alloc(%q) : memref<?xf32>
  %y = memref.alloc(%n) : memref<?xf32>
  memref.store %two, %x[%c0] : memref<?xf32>
  linalg.fill ins(%one : f32) outs(%y : memref<?xf32>)
  linalg.fill ins(%two : f32) outs(%x : memref<?xf32>)
  linalg.reduce ins(%y : memref<?xf32>) outs(%out : memref<f32>) dimensions = [0] (%in: f32, %sum: f32) {
    %s = arith.addf %in, %sum : f32
    linalg.yield %s : f32
  }
  memref.store %two, %x[%c0] : memref<?xf32>
  return
}
