// RUN: mlc-opt %s --cuda-fill-constants | FileCheck %s
// What a loop starts from is filled by a kernel where it is one number again and again: a constant would be copied from the
// host's memory each time. Other constants stay, and what the host writes to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @scatter
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         %[[EMPTY:.*]] = tensor.empty() : tensor<9xf32>
// CHECK:         %[[FILLED:.*]] = linalg.fill ins(%[[ZERO]] : f32) outs(%[[EMPTY]] : tensor<9xf32>)
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[FILLED]]) -> (tensor<9xf32>)
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{cst.*}}) -> (tensor<2xf32>)
func.func @scatter(%u: f32) -> (tensor<9xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zeros = arith.constant dense<0.0> : tensor<9xf32>
  %numbers = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %zeros) -> (tensor<9xf32>) {
    %put = tensor.insert %u into %x[%i] : tensor<9xf32>
    scf.yield %put : tensor<9xf32>
  }
  %z = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %numbers) -> (tensor<2xf32>) {
    %put = tensor.insert %u into %x[%i] : tensor<2xf32>
    scf.yield %put : tensor<2xf32>
  }
  return %y, %z : tensor<9xf32>, tensor<2xf32>
}

// What a variable becomes.
// CHECK-LABEL: func.func @reset
// CHECK:         %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<3xf32>)
// CHECK:         return %[[FILLED]], %cst
func.func @reset() -> (tensor<3xf32> {df.binding = #df.binding<variable, "sum">}, tensor<2xf32> {df.binding = #df.binding<variable, "w">}) attributes {df.role = #df.role<eval_reset>} {
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %others = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %zeros, %others : tensor<3xf32>, tensor<2xf32>
}

// A loop that data ends keeps what it carries on the device.
// CHECK-LABEL: func.func @counted
// CHECK:         %[[FILLED:.*]] = linalg.fill ins(%{{.*}} : i64)
// CHECK:         scf.while (%{{.*}} = %[[FILLED]])
func.func @counted(%n: tensor<i64>) -> tensor<i64> {
  %zero = arith.constant dense<0> : tensor<i64>
  %one = arith.constant dense<1> : tensor<i64>
  %r = scf.while (%i = %zero) : (tensor<i64>) -> tensor<i64> {
    %a = tensor.extract %i[] : tensor<i64>
    %b = tensor.extract %n[] : tensor<i64>
    %go = arith.cmpi slt, %a, %b : i64
    scf.condition(%go) %i : tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>):
    %e = tensor.empty() : tensor<i64>
    %next = linalg.add ins(%i, %one : tensor<i64>, tensor<i64>) outs(%e : tensor<i64>) -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %r : tensor<i64>
}

// CHECK-LABEL: func.func @carried
// CHECK:         %[[FILLED:.*]] = linalg.fill
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[FILLED]], %{{.*}} = %cst{{[_0-9]*}})
func.func @carried(%u: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zeros = arith.constant dense<0.0> : tensor<3xf32>
  %others = arith.constant dense<0.0> : tensor<2xf32>
  %y, %z = scf.for %i = %c0 to %c2 step %c1 iter_args(%x = %zeros, %w = %others) -> (tensor<3xf32>, tensor<2xf32>) {
    %e = tensor.empty() : tensor<3xf32>
    %sum = linalg.add ins(%x, %u : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %one = tensor.extract %sum[%i] : tensor<3xf32>
    %put = tensor.insert %one into %w[%i] : tensor<2xf32>
    scf.yield %sum, %put : tensor<3xf32>, tensor<2xf32>
  }
  return %y, %z : tensor<3xf32>, tensor<2xf32>
}
