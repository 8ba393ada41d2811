// Bodies to the LLVM dialect, function by function, then functions and constants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-convert-bodies))' | FileCheck %s --check-prefix=BODY
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-convert-bodies),codegen-convert-functions)' | FileCheck %s

// BODY: memref.global
// CHECK: llvm.mlir.global private constant @table(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>)
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>

// BODY-LABEL: func.func @element(
// BODY: memref.get_global @table
// BODY: llvm.intr.fabs
// BODY: return
// CHECK-LABEL: llvm.func @element(%{{.*}}: i64) -> f32
// CHECK-NOT: builtin.unrealized_conversion_cast
// CHECK: llvm.return
func.func @element(%i: index) -> f32 {
  %table = memref.get_global @table : memref<2xf32>
  %x = memref.load %table[%i] : memref<2xf32>
  %y = math.absf %x : f32
  return %y : f32
}

// Vectors are made simpler first: of one that is shaped anew nothing is left.
// CHECK-LABEL: llvm.func @vectors(
// CHECK-NOT: shape_cast
// CHECK: llvm.fadd %{{.*}} : vector<4xf32>
// CHECK: llvm.return
func.func @vectors(%x: vector<4xf32>) -> vector<4xf32> {
  %y = vector.shape_cast %x : vector<4xf32> to vector<1x4xf32>
  %z = vector.shape_cast %y : vector<1x4xf32> to vector<4xf32>
  %sum = arith.addf %x, %z : vector<4xf32>
  return %sum : vector<4xf32>
}

// Blocks that are equal become one, with an argument for what they differ in.
// BODY-LABEL: func.func @selected(
// BODY: llvm.cond_br %{{.*}}, ^[[ONE:bb[0-9]+]](%arg1 : f32), ^[[ONE]](%arg2 : f32)
// CHECK-LABEL: llvm.func @selected(
func.func @selected(%condition: i1, %x: f32, %y: f32) -> f32 {
  cf.cond_br %condition, ^first, ^second
^first:
  %a = arith.negf %x : f32
  return %a : f32
^second:
  %b = arith.negf %y : f32
  return %b : f32
}
