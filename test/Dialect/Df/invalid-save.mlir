// The constraints of df.save and df.restore.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.variable @kernel : tensor<2xf32> = #df.constant<0.0>
df.variable @bias : tensor<2xf32> = #df.constant<0.0>
df.variable @scale : tensor<2xf32> = #df.constant<0.0>
df.variable @offset : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>) {
  // expected-error @+1 {{'df.save' op (C1) no variable matches 'kernal'; the nearest are 'kernel', }}
  df.save "kernal" to %p : tensor<!df.string>
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>) {
  // expected-error @+1 {{'df.restore' op (C1) no variable matches 'v*'; there are 'w'}}
  df.restore "v*" from %p : (tensor<!df.string>) -> ()
  df.return
}

// -----

df.function @f(%p: tensor<!df.string>) {
  // expected-error @+1 {{'df.save' op (C1) no variable matches '*'; the module has none}}
  df.save "*" to %p : tensor<!df.string>
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>) attributes {role = #df.role<train>} {
  // expected-error @+1 {{'df.save' op (C2) may not stand in a function of role train}}
  df.save "*" to %p : tensor<!df.string>
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>) attributes {role = #df.role<predict>} {
  // expected-error @+1 {{'df.restore' op (C2) may not stand in a function of role predict}}
  df.restore "*" from %p : (tensor<!df.string>) -> ()
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>, %x: tensor<2xf32>) {
  // expected-error @+1 {{'df.save' op (C3) there must be as many values as names; found 1 and 2}}
  df.save "*" to %p values(%x) {names = ["w", "v"]} : tensor<!df.string>, tensor<2xf32>
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @f(%p: tensor<!df.string>) {
  // expected-error @+1 {{'df.restore' op (C3) there must be as many values as names; found 1 and 0}}
  %x = df.restore "*" from %p : (tensor<!df.string>) -> tensor<2xf32>
  df.return
}
