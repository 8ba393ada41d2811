// Element-wise ops in text: as they are written, so they are printed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s

// CHECK-LABEL: @functions
df.function @functions(%x: tensor<?x4xf16>) {
  // CHECK: df.ceil %{{.*}} : tensor<?x4xf16>
  %r0 = df.ceil %x : tensor<?x4xf16>
  // CHECK: df.round %{{.*}} : tensor<?x4xf16>
  %r1 = df.round %x : tensor<?x4xf16>
  // CHECK: df.trunc %{{.*}} : tensor<?x4xf16>
  %r2 = df.trunc %x : tensor<?x4xf16>
  // CHECK: df.reciprocal %{{.*}} : tensor<?x4xf16>
  %r3 = df.reciprocal %x : tensor<?x4xf16>
  // CHECK: df.rsqrt %{{.*}} : tensor<?x4xf16>
  %r4 = df.rsqrt %x : tensor<?x4xf16>
  // CHECK: df.cbrt %{{.*}} : tensor<?x4xf16>
  %r5 = df.cbrt %x : tensor<?x4xf16>
  // CHECK: df.expm1 %{{.*}} : tensor<?x4xf16>
  %r6 = df.expm1 %x : tensor<?x4xf16>
  // CHECK: df.exp2 %{{.*}} : tensor<?x4xf16>
  %r7 = df.exp2 %x : tensor<?x4xf16>
  // CHECK: df.log2 %{{.*}} : tensor<?x4xf16>
  %r8 = df.log2 %x : tensor<?x4xf16>
  // CHECK: df.erf %{{.*}} : tensor<?x4xf16>
  %r9 = df.erf %x : tensor<?x4xf16>
  // CHECK: df.erfc %{{.*}} : tensor<?x4xf16>
  %r10 = df.erfc %x : tensor<?x4xf16>
  // CHECK: df.erf_inv %{{.*}} : tensor<?x4xf16>
  %erf_inv = df.erf_inv %x : tensor<?x4xf16>
  // CHECK: df.stop_gradient %{{.*}} : tensor<?x4xf16>
  %stop = df.stop_gradient %x : tensor<?x4xf16>
  // CHECK: df.lgamma %{{.*}} : tensor<?x4xf16>
  %lgamma = df.lgamma %x : tensor<?x4xf16>
  // CHECK: df.digamma %{{.*}} : tensor<?x4xf16>
  %digamma = df.digamma %x : tensor<?x4xf16>
  // CHECK: df.tan %{{.*}} : tensor<?x4xf16>
  %r11 = df.tan %x : tensor<?x4xf16>
  // CHECK: df.asin %{{.*}} : tensor<?x4xf16>
  %r12 = df.asin %x : tensor<?x4xf16>
  // CHECK: df.acos %{{.*}} : tensor<?x4xf16>
  %r13 = df.acos %x : tensor<?x4xf16>
  // CHECK: df.atan %{{.*}} : tensor<?x4xf16>
  %r14 = df.atan %x : tensor<?x4xf16>
  // CHECK: df.sinh %{{.*}} : tensor<?x4xf16>
  %r15 = df.sinh %x : tensor<?x4xf16>
  // CHECK: df.cosh %{{.*}} : tensor<?x4xf16>
  %r16 = df.cosh %x : tensor<?x4xf16>
  // CHECK: df.asinh %{{.*}} : tensor<?x4xf16>
  %r17 = df.asinh %x : tensor<?x4xf16>
  // CHECK: df.acosh %{{.*}} : tensor<?x4xf16>
  %r18 = df.acosh %x : tensor<?x4xf16>
  // CHECK: df.atanh %{{.*}} : tensor<?x4xf16>
  %r19 = df.atanh %x : tensor<?x4xf16>
  df.return
}

// CHECK-LABEL: @pairs
df.function @pairs(%x: tensor<?xf64>, %y: tensor<?xf64>) {
  // CHECK: df.atan2 %{{.*}}, %{{.*}} : tensor<?xf64>
  %r0 = df.atan2 %x, %y : tensor<?xf64>
  // CHECK: df.rem %{{.*}}, %{{.*}} : tensor<?xf64>
  %r1 = df.rem %x, %y : tensor<?xf64>
  // CHECK: df.floor_mod %{{.*}}, %{{.*}} : tensor<?xf64>
  %r2 = df.floor_mod %x, %y : tensor<?xf64>
  // CHECK: df.floor_div %{{.*}}, %{{.*}} : tensor<?xf64>
  %r3 = df.floor_div %x, %y : tensor<?xf64>
  // CHECK: df.div_no_nan %{{.*}}, %{{.*}} : tensor<?xf64>
  %r4 = df.div_no_nan %x, %y : tensor<?xf64>
  // CHECK: df.xlogy %{{.*}}, %{{.*}} : tensor<?xf64>
  %r5 = df.xlogy %x, %y : tensor<?xf64>
  // CHECK: df.igamma %{{.*}}, %{{.*}} : tensor<?xf64>
  %p = df.igamma %x, %y : tensor<?xf64>
  // CHECK: df.igammac %{{.*}}, %{{.*}} : tensor<?xf64>
  %q = df.igammac %x, %y : tensor<?xf64>
  // CHECK: df.igamma_grad_a %{{.*}}, %{{.*}} : tensor<?xf64>
  %d = df.igamma_grad_a %x, %y : tensor<?xf64>
  // CHECK: df.prelu %{{.*}}, %{{.*}} : tensor<?xf64>
  %r6 = df.prelu %x, %y : tensor<?xf64>
  // CHECK: df.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf64>
  %r7 = df.clamp %x, %y, %x : tensor<?xf64>
  df.return
}

// CHECK-LABEL: @tests
df.function @tests(%x: tensor<?xbf16>) {
  // CHECK: df.is_nan %{{.*}} : (tensor<?xbf16>) -> tensor<?xi1>
  %r0 = df.is_nan %x : (tensor<?xbf16>) -> tensor<?xi1>
  // CHECK: df.is_inf %{{.*}} : (tensor<?xbf16>) -> tensor<?xi1>
  %r1 = df.is_inf %x : (tensor<?xbf16>) -> tensor<?xi1>
  // CHECK: df.is_finite %{{.*}} : (tensor<?xbf16>) -> tensor<?xi1>
  %r2 = df.is_finite %x : (tensor<?xbf16>) -> tensor<?xi1>
  df.return
}

// CHECK-LABEL: @integers
df.function @integers(%x: tensor<?xui8>, %y: tensor<?xui8>) {
  // CHECK: df.div %{{.*}}, %{{.*}} : tensor<?xui8>
  %r0 = df.div %x, %y : tensor<?xui8>
  // CHECK: df.rem %{{.*}}, %{{.*}} : tensor<?xui8>
  %r1 = df.rem %x, %y : tensor<?xui8>
  // CHECK: df.floor_mod %{{.*}}, %{{.*}} : tensor<?xui8>
  %r2 = df.floor_mod %x, %y : tensor<?xui8>
  // CHECK: df.floor_div %{{.*}}, %{{.*}} : tensor<?xui8>
  %r3 = df.floor_div %x, %y : tensor<?xui8>
  // CHECK: df.maximum %{{.*}}, %{{.*}} : tensor<?xui8>
  %r4 = df.maximum %x, %y : tensor<?xui8>
  // CHECK: df.bitwise_and %{{.*}}, %{{.*}} : tensor<?xui8>
  %r5 = df.bitwise_and %x, %y : tensor<?xui8>
  // CHECK: df.bitwise_or %{{.*}}, %{{.*}} : tensor<?xui8>
  %r6 = df.bitwise_or %x, %y : tensor<?xui8>
  // CHECK: df.bitwise_xor %{{.*}}, %{{.*}} : tensor<?xui8>
  %r7 = df.bitwise_xor %x, %y : tensor<?xui8>
  // CHECK: df.shift_left %{{.*}}, %{{.*}} : tensor<?xui8>
  %r8 = df.shift_left %x, %y : tensor<?xui8>
  // CHECK: df.shift_right_logical %{{.*}}, %{{.*}} : tensor<?xui8>
  %r9 = df.shift_right_logical %x, %y : tensor<?xui8>
  // CHECK: df.shift_right_arithmetic %{{.*}}, %{{.*}} : tensor<?xui8>
  %r10 = df.shift_right_arithmetic %x, %y : tensor<?xui8>
  // CHECK: df.bitwise_not %{{.*}} : tensor<?xui8>
  %r11 = df.bitwise_not %x : tensor<?xui8>
  // CHECK: df.population_count %{{.*}} : tensor<?xui8>
  %r12 = df.population_count %x : tensor<?xui8>
  // CHECK: df.count_leading_zeros %{{.*}} : tensor<?xui8>
  %r13 = df.count_leading_zeros %x : tensor<?xui8>
  // CHECK: df.sign %{{.*}} : tensor<?xui8>
  %r14 = df.sign %x : tensor<?xui8>
  // CHECK: df.clamp %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xui8>
  %r15 = df.clamp %x, %y, %x : tensor<?xui8>
  df.return
}

// CHECK-LABEL: @others
df.function @others(%x: tensor<?xf32>, %b: tensor<?xi1>) {
  // CHECK: df.bitcast %{{.*}} : (tensor<?xf32>) -> tensor<?xui32>
  %r0 = df.bitcast %x : (tensor<?xf32>) -> tensor<?xui32>
  // CHECK: df.logical_xor %{{.*}}, %{{.*}} : tensor<?xi1>
  %r1 = df.logical_xor %b, %b : tensor<?xi1>
  // CHECK: df.cast %{{.*}} : (tensor<?xf32>) -> tensor<?xui64>
  %r2 = df.cast %x : (tensor<?xf32>) -> tensor<?xui64>
  // CHECK: df.cast %{{.*}} : (tensor<?xi1>) -> tensor<?xbf16>
  %r3 = df.cast %b : (tensor<?xi1>) -> tensor<?xbf16>
  df.return
}

// CHECK-LABEL: @activations
df.function @activations(%x: tensor<2x3xf32>) {
  // CHECK: df.gelu %{{.*}} : tensor<2x3xf32>
  %r0 = df.gelu %x : tensor<2x3xf32>
  // CHECK: df.elu %{{.*}} : tensor<2x3xf32>
  %r1 = df.elu %x : tensor<2x3xf32>
  // CHECK: df.selu %{{.*}} : tensor<2x3xf32>
  %r2 = df.selu %x : tensor<2x3xf32>
  // CHECK: df.celu %{{.*}} : tensor<2x3xf32>
  %r3 = df.celu %x : tensor<2x3xf32>
  // CHECK: df.hard_sigmoid %{{.*}} : tensor<2x3xf32>
  %r4 = df.hard_sigmoid %x : tensor<2x3xf32>
  // CHECK: df.hard_swish %{{.*}} : tensor<2x3xf32>
  %r5 = df.hard_swish %x : tensor<2x3xf32>
  // CHECK: df.silu %{{.*}} : tensor<2x3xf32>
  %r6 = df.silu %x : tensor<2x3xf32>
  // CHECK: df.mish %{{.*}} : tensor<2x3xf32>
  %r7 = df.mish %x : tensor<2x3xf32>
  // CHECK: df.softsign %{{.*}} : tensor<2x3xf32>
  %r8 = df.softsign %x : tensor<2x3xf32>
  // CHECK: df.log_sigmoid %{{.*}} : tensor<2x3xf32>
  %r9 = df.log_sigmoid %x : tensor<2x3xf32>
  // CHECK: df.relu6 %{{.*}} : tensor<2x3xf32>
  %r10 = df.relu6 %x : tensor<2x3xf32>
  // CHECK: df.thresholded_relu %{{.*}} : tensor<2x3xf32>
  %r11 = df.thresholded_relu %x : tensor<2x3xf32>
  df.return
}

// CHECK-LABEL: @numbers
df.function @numbers(%x: tensor<2x3xf32>) {
  // CHECK: df.gelu %{{.*}} {approximate} : tensor<2x3xf32>
  %r0 = df.gelu %x {approximate} : tensor<2x3xf32>
  // CHECK: df.elu %{{.*}} {alpha = 5.000000e-01 : f64} : tensor<2x3xf32>
  %r1 = df.elu %x {alpha = 5.000000e-01 : f64} : tensor<2x3xf32>
  // CHECK: df.selu %{{.*}} {alpha = 1.500000e+00 : f64, gamma = 2.000000e+00 : f64} : tensor<2x3xf32>
  %r2 = df.selu %x {alpha = 1.500000e+00 : f64, gamma = 2.000000e+00 : f64} : tensor<2x3xf32>
  // CHECK: df.celu %{{.*}} {alpha = 2.000000e+00 : f64} : tensor<2x3xf32>
  %r3 = df.celu %x {alpha = 2.000000e+00 : f64} : tensor<2x3xf32>
  // CHECK: df.leaky_relu %{{.*}} {alpha = 1.000000e-02 : f64} : tensor<2x3xf32>
  %r4 = df.leaky_relu %x {alpha = 1.000000e-02 : f64} : tensor<2x3xf32>
  // CHECK: df.hard_sigmoid %{{.*}} {alpha = 1.000000e-01 : f64, beta = 4.000000e-01 : f64} : tensor<2x3xf32>
  %r5 = df.hard_sigmoid %x {alpha = 1.000000e-01 : f64, beta = 4.000000e-01 : f64} : tensor<2x3xf32>
  // CHECK: df.silu %{{.*}} {beta = 1.702000e+00 : f64} : tensor<2x3xf32>
  %r6 = df.silu %x {beta = 1.702000e+00 : f64} : tensor<2x3xf32>
  // CHECK: df.thresholded_relu %{{.*}} {alpha = -1.000000e+00 : f64} : tensor<2x3xf32>
  %r7 = df.thresholded_relu %x {alpha = -1.000000e+00 : f64} : tensor<2x3xf32>
  df.return
}

// CHECK-LABEL: @constants
df.function @constants() {
  // CHECK: df.constant dense<[0, 255]> : tensor<2xui8>
  %r0 = df.constant dense<[0, 255]> : tensor<2xui8>
  // CHECK: df.constant dense<18446744073709551615> : tensor<ui64>
  %r1 = df.constant dense<18446744073709551615> : tensor<ui64>
  // CHECK: df.constant dense<1.500000e+00> : tensor<2xbf16>
  %r2 = df.constant dense<1.500000e+00> : tensor<2xbf16>
  df.return
}
