// Errors about unknown names tell the nearest one there is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -split-input-file -verify-diagnostics

df.function @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @+2 {{did you mean 'df.relu'?}}
  // expected-error @+1 {{custom op 'df.reluu' is unknown}}
  %0 = df.reluu %x : tensor<2xf32>
  df.return %0 : tensor<2xf32>
}

// -----

// In the generic form the verifier finds it.
df.function @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @+2 {{did you mean 'df.softmax'?}}
  // expected-error @+1 {{unregistered operation 'df.sotfmax' found in dialect ('df')}}
  %0 = "df.sotfmax"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  df.return %0 : tensor<2xf32>
}

// -----

// Another dialect calls an op so.
df.function @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-note @+2 {{did you mean 'df.relu'?}}
  // expected-error @+1 {{custom op 'est.relu' is unknown}}
  %0 = est.relu %x : tensor<2xf32>
  df.return %0 : tensor<2xf32>
}

// -----

// Nothing is near.
df.function @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{custom op 'df.frobnicate' is unknown}}
  %0 = df.frobnicate %x : tensor<2xf32>
  df.return %0 : tensor<2xf32>
}

// -----

// expected-note @+2 {{did you mean '#df.constant'?}}
// expected-error @+1 {{unknown attribute `constnat` in dialect `df`}}
df.variable @w : tensor<2xf32> = #df.constnat<0.0>

// -----

// expected-note @+2 {{did you mean '!df.string'?}}
// expected-error @+1 {{unknown  type `strin` in dialect `df`}}
df.function @f(%x: tensor<2x!df.strin>) {
  df.return
}

// -----

// expected-note @+2 {{did you mean 'df.name'?}}
// expected-error @+1 {{'df.function' op has the attribute 'df.nmae', which the df dialect does not have}}
df.function @f(%x: tensor<2xf32> {df.nmae = "x"}) {
  df.return
}

// -----

df.variable @kernel : tensor<2xf32> = #df.constant<0.0>
df.vocabulary @words ["a", "b"]
df.function @f() -> tensor<2xf32> {
  // expected-note @+2 {{did you mean '@kernel'?}}
  // expected-error @+1 {{'df.read' op names @kernl, which is not a df.variable}}
  %0 = df.read @kernl : tensor<2xf32>
  df.return %0 : tensor<2xf32>
}
