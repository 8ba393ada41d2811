// Runs of ops on strings and on files that fail, each with an error at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.function @not_a_number() -> tensor<3xf32> {
  %s = df.constant dense<["1", "2", "three"]> : tensor<3x!df.string>
  // expected-error @+1 {{'df.string_to_number' op row 2: "three" is no number of f32}}
  %x = df.string_to_number %s : (tensor<3x!df.string>) -> tensor<3xf32>
  df.return %x : tensor<3xf32>
}

// -----

df.function @too_large() -> tensor<2x2xi8> {
  %s = df.constant dense<[["1", "2"], ["3", "128"]]> : tensor<2x2x!df.string>
  // expected-error @+1 {{'df.string_to_number' op row 1: "128" is no number of i8}}
  %x = df.string_to_number %s : (tensor<2x2x!df.string>) -> tensor<2x2xi8>
  df.return %x : tensor<2x2xi8>
}

// -----

df.function @empty() -> tensor<ui8> {
  %s = df.constant dense<""> : tensor<!df.string>
  // expected-error @+1 {{'df.string_to_number' op row 0: "" is no number of ui8}}
  %x = df.string_to_number %s : (tensor<!df.string>) -> tensor<ui8>
  df.return %x : tensor<ui8>
}

// -----

df.function @ends() -> tensor<2x!df.string> {
  %s = df.constant dense<["a", "b"]> : tensor<2x!df.string>
  %e = df.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error @+1 {{'df.segment_join' op row 1 ends at 3, not in [1, 2]}}
  %t = df.segment_join %s, %e : (tensor<2x!df.string>, tensor<2xi64>) -> tensor<2x!df.string>
  df.return %t : tensor<2x!df.string>
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.function @no_file() {
  %p = df.constant dense<"nowhere"> : tensor<!df.string>
  // expected-error @+1 {{'df.restore' op there is no file 'nowhere'}}
  df.restore "w" from %p : (tensor<!df.string>) -> ()
  df.return
}

// -----

df.variable @w : tensor<2xf32> = #df.constant<0.0>
df.variable @v : tensor<2xf32> = #df.constant<0.0>
df.function @no_tensor() {
  %p = df.constant dense<"file"> : tensor<!df.string>
  df.save "w" to %p : tensor<!df.string>
  // expected-error @+1 {{'df.restore' op file 'file' has no tensor 'v'}}
  df.restore "*" from %p : (tensor<!df.string>) -> ()
  df.return
}
