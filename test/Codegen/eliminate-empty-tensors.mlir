// What is inserted is computed in its place.
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-eliminate-empty-tensors))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @inserted(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[INTO:.*]]: tensor<9xf32>)
// CHECK:         %[[PLACE:.*]] = tensor.extract_slice %[[INTO]][3] [4] [1]
// CHECK:         linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[PLACE]] : tensor<4xf32>)
func.func @inserted(%x: tensor<4xf32>, %into: tensor<9xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = tensor.insert_slice %y into %into[3] [4] [1] : tensor<4xf32> into tensor<9xf32>
  return %r : tensor<9xf32>
}

// CHECK-LABEL: func.func @nothing(
// CHECK:         %[[E:.*]] = tensor.empty()
// CHECK:         linalg.exp ins(%{{.*}}) outs(%[[E]]
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
