// RUN: mlc-opt %s --convert-df-to-linalg -split-input-file -verify-diagnostics

df.function @half(%x: tensor<4xf16> {df.binding = #df.binding<feature, "x">}) -> (tensor<4xf16> {df.binding = #df.binding<output, "y">}) {
  // expected-error @+2 {{has no code for 'f16' on this target; expected f32 or f64}}
  // expected-error @+1 {{failed to legalize operation 'df.exp'}}
  %y = df.exp %x : tensor<4xf16>
  df.return %y : tensor<4xf16>
}
