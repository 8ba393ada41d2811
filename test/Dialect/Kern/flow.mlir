// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file | FileCheck %s
// Control flow by what a device has computed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @flow
func.func @flow(%c: memref<i8, 1>) -> (i32, i1) {
  // CHECK: kern.branch %{{.*}} sides = 3 : memref<i8, 1>
  %taken = kern.branch %c sides = 3 : memref<i8, 1>
  // CHECK: kern.loop 2 while %{{.*}} : memref<i8, 1>
  %goes = kern.loop 2 while %c : memref<i8, 1>
  return %taken, %goes : i32, i1
}

// -----

func.func @sides(%c: memref<i8, 1>) {
  // expected-error@+1 {{(C2) sides must be in [1, 3]; found 4}}
  %taken = kern.branch %c sides = 4 : memref<i8, 1>
  return
}

// -----

func.func @bytes(%c: memref<2xi8, 1>) {
  // expected-error@+1 {{(C1) the condition must be one i8; found 'memref<2xi8, 1>'}}
  %taken = kern.branch %c sides = 1 : memref<2xi8, 1>
  return
}

// -----

func.func @element(%c: memref<i32, 1>) {
  // expected-error@+1 {{(C1) the condition must be one i8; found 'memref<i32, 1>'}}
  %goes = kern.loop 0 while %c : memref<i32, 1>
  return
}
