// Calls of services are lowered once they are on buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --codegen-lower-services --split-input-file --verify-diagnostics

kern.external_function @f bitcode "BC\C0\DE"
func.func @external(%x: tensor<?xf32>, %c: tensor<i32>) {
  // expected-error @below {{has the operand type 'tensor<?xf32>'; expected buffers, as after codegen-bufferize}}
  %0:2 = kern.external_call @f ins(%x : tensor<?xf32>) outs(%x, %c : tensor<?xf32>, tensor<i32>) dtypes [1, 1] -> tensor<?xf32>, tensor<i32>
  return
}

// -----

func.func @service(%i: tensor<?xi64>, %n: tensor<i64>) {
  // expected-error @below {{has the operand type 'tensor<?xi64>'; expected buffers, as after codegen-bufferize}}
  %0:4 = kern.unique_ids ids(%i : tensor<?xi64>) outs(%i, %i, %i, %n : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  return
}
