// What has no code on this target is an error, at the op.
// RUN: mlc-opt %s --convert-df-to-linalg -split-input-file -verify-diagnostics

df.function @rows(%t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}, %i: tensor<?xi64> {df.binding = #df.binding<feature, "i">},
                  %g: tensor<?x2xf32> {df.binding = #df.binding<feature, "g">}, %n: tensor<i64> {df.binding = #df.binding<feature, "n">})
    -> (tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}) {
  // expected-error @+1 {{failed to legalize operation 'df.update_rows'}}
  %r = df.update_rows tables(%t) ids(%i) rows(%g) count(%n) : (tensor<9x2xf32>, tensor<?xi64>, tensor<?x2xf32>, tensor<i64>) -> tensor<9x2xf32> {
  ^bb0(%w: tensor<2xf32>, %d: tensor<2xf32>):
    // expected-error @+1 {{has no code in an update of rows; expected an element-wise op}}
    %s = df.softmax %d : (tensor<2xf32>) -> tensor<2xf32>
    df.yield %s : tensor<2xf32>
  }
  df.return %r : tensor<9x2xf32>
}
