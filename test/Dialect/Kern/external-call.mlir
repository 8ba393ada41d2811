// RUN: mlc-opt %s -split-input-file -verify-diagnostics | mlc-opt -split-input-file | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call of a function that is deterministic is made once for equal operands, one of another function as often as it stands there.
// RUN: mlc-opt %s -split-input-file -verify-diagnostics -cse | FileCheck %s --check-prefix=CSE

// CHECK: kern.external_function @f bitcode "BC\C0\DE" {thread_safe}
kern.external_function @f bitcode "BC\C0\DE" {thread_safe}

// CHECK-LABEL: @calls
// CSE-LABEL: @calls
func.func @calls(%x: tensor<?xf32>, %e: tensor<?xf32>, %c: tensor<i32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  // CHECK-COUNT-4: kern.external_call @f ins(%{{.*}} : tensor<?xf32>) outs(%{{.*}}, %{{.*}} : tensor<?xf32>, tensor<i32>) dtypes [1, 1]
  // CSE-COUNT-3: kern.external_call
  // CSE-NOT: kern.external_call
  %0:2 = kern.external_call @f ins(%x : tensor<?xf32>) outs(%e, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
  %1:2 = kern.external_call @f ins(%x : tensor<?xf32>) outs(%e, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] {deterministic} -> tensor<?xf32>, tensor<i32>
  %2:2 = kern.external_call @f ins(%x : tensor<?xf32>) outs(%e, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] -> tensor<?xf32>, tensor<i32>
  %3:2 = kern.external_call @f ins(%x : tensor<?xf32>) outs(%e, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] -> tensor<?xf32>, tensor<i32>
  return %0#0, %1#0, %2#0, %3#0 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

// -----

// expected-error @+1 {{has no bitcode}}
kern.external_function @f bitcode ""

// -----

func.func @c1(%e: memref<4xf32>) {
  // expected-error @+1 {{(C1) the last out must be one i32, which gets what the function returns}}
  kern.external_call @f outs(%e : memref<4xf32>) dtypes []
  return
}

// -----

func.func @c2(%e: memref<4xf32>, %c: memref<i32>) {
  // expected-error @+1 {{(C2) has 2 dtypes; expected 1}}
  kern.external_call @f outs(%e, %c : memref<4xf32>, memref<i32>) dtypes [1, 1]
  return
}

// -----

func.func @c3(%e: memref<4xf32, strided<[2]>>, %c: memref<i32>) {
  // expected-error @+1 {{(C3) takes elements that lie one after another; operand 0 is 'memref<4xf32, strided<[2]>>'}}
  kern.external_call @f outs(%e, %c : memref<4xf32, strided<[2]>>, memref<i32>) dtypes [1]
  return
}

// -----

func.func @f() { return }
func.func @c4(%e: memref<4xf32>, %c: memref<i32>) {
  // expected-error @+1 {{(C4) calls @f, which is no kern.external_function}}
  kern.external_call @f outs(%e, %c : memref<4xf32>, memref<i32>) dtypes [1]
  return
}
