// Regions without any op, as only the generic form can write them: errors, and nothing is read after an end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

df.function @f(%x: tensor<f32>, %rows: tensor<3xf32>) {
  // expected-error @+1 {{(C3) the body must yield the carried types, then rows of the results: the region must end in df.yield}}
  %r = "df.scan"(%x, %rows) <{operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: tensor<f32>, %row: tensor<f32>):
  }) : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  df.return
}

// -----

df.function @f(%x: tensor<f32>) {
  // expected-error @+1 {{(C2) the condition region must end in df.condition}}
  %r = "df.while"(%x) ({
  ^bb0(%a: tensor<f32>):
  }, {
  ^bb0(%a: tensor<f32>):
    "df.yield"(%a) : (tensor<f32>) -> ()
  }) : (tensor<f32>) -> tensor<f32>
  df.return
}

// -----

df.function @f(%x: tensor<f32>) {
  // expected-error @+1 {{(C1) the region must yield the result types: the region must end in df.yield}}
  %r = "df.remat"() ({
  ^bb0:
  }) : () -> tensor<f32>
  df.return
}
