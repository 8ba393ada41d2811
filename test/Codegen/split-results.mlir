// Results that are parts of one tensor.
// RUN: mlc-opt %s --pass-pipeline='builtin.module(func.func(codegen-split-results))' | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of one tensor, in any order and with a gap; other results stay.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[X:.*]]: tensor<9x2xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NOT:     tensor.extract_slice
// CHECK:         %[[P:.*]]:4 = kern.split ins(%[[X]] : tensor<9x2xf32>)
// CHECK-SAME:      {axis = 0 : i64, offsets = array<i64: 2, 0, 5, 7>}
// CHECK:         return %[[P]]#0, %[[Y]], %[[P]]#1, %[[P]]#2, %[[P]]#3
func.func @rows(%x: tensor<9x2xf32>, %y: tensor<4xf32>) -> (tensor<1x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>) {
  %a = tensor.extract_slice %x[2, 0] [1, 2] [1, 1] : tensor<9x2xf32> to tensor<1x2xf32>
  %b = tensor.extract_slice %x[0, 0] [2, 2] [1, 1] : tensor<9x2xf32> to tensor<2x2xf32>
  %c = tensor.extract_slice %x[5, 0] [1, 2] [1, 1] : tensor<9x2xf32> to tensor<1x2xf32>
  %d = tensor.extract_slice %x[7, 0] [2, 2] [1, 1] : tensor<9x2xf32> to tensor<2x2xf32>
  return %a, %y, %b, %c, %d : tensor<1x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>
}

// Three are few; strides, parts of two dimensions and offsets that are not known are no split.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     kern.split
// CHECK:         return
func.func @others(%x: tensor<9x4xf32>, %i: index) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>, tensor<1x4xf32>) {
  %a = tensor.extract_slice %x[2, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
  %c = tensor.extract_slice %x[5, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
  %d = tensor.extract_slice %x[4, 0] [2, 4] [2, 1] : tensor<9x4xf32> to tensor<2x4xf32>
  %e = tensor.extract_slice %x[4, 1] [1, 2] [1, 1] : tensor<9x4xf32> to tensor<1x2xf32>
  %f = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<9x4xf32> to tensor<1x4xf32>
  return %a, %b, %c, %d, %e, %f : tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<1x2xf32>, tensor<1x4xf32>
}
