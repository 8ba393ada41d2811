// Runs that fail, each with an error at the op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-interpret --split-input-file --verify-diagnostics -o /dev/null

df.vocabulary @classes ["no", "yes"]
df.function @check(%s: tensor<?x!df.string> {df.value = dense<["no", "maybe"]> : tensor<2x!df.string>}) -> tensor<?xi64> {
  %id = df.lookup @classes, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  // expected-error @+1 {{row 1: label 'y': "maybe" is not in the vocabulary @classes}}
  %ok = df.check_ids %id, %s in @classes {low = 0 : i64, high = 2 : i64, what = "label 'y'"} : (tensor<?xi64>, tensor<?x!df.string>) -> tensor<?xi64>
  df.return %ok : tensor<?xi64>
}

// -----

df.function @check_range() -> tensor<3xi64> {
  %id = df.constant dense<[0, 1, 5]> : tensor<3xi64>
  // expected-error @+1 {{row 2: column 'n': 5 is out of range; expected: an integer from 0 to 3}}
  %ok = df.check_ids %id {low = 0 : i64, high = 4 : i64, what = "column 'n'"} : (tensor<3xi64>) -> tensor<3xi64>
  df.return %ok : tensor<3xi64>
}

// -----

// Several ids in each row.
df.function @check_rows() -> tensor<3x2x2xi64> {
  %id = df.constant dense<[[[0, 1], [2, 3]], [[3, 2], [1, 0]], [[0, 0], [4, 0]]]> : tensor<3x2x2xi64>
  // expected-error @+1 {{row 2: column 'n': 4 is out of range; expected: an integer from 0 to 3}}
  %ok = df.check_ids %id {low = 0 : i64, high = 4 : i64, what = "column 'n'"} : (tensor<3x2x2xi64>) -> tensor<3x2x2xi64>
  df.return %ok : tensor<3x2x2xi64>
}

// -----

// Of several columns the first one that is wrong is named, with its first row.
df.function @check_columns() -> tensor<3x2xi64> {
  %id = df.constant dense<[[0, 9], [-1, 3], [4, 5]]> : tensor<3x2xi64>
  // expected-error @+1 {{row 2: column 'a': 4 is out of range; expected: an integer from -1 to 3}}
  %ok = df.check_ids %id {low = -1 : i64, high = 8 : i64, what = "column", columns = [#df.id_column<"a", 4>, #df.id_column<"b", 8>]} : (tensor<3x2xi64>) -> tensor<3x2xi64>
  df.return %ok : tensor<3x2xi64>
}

// -----

df.variable @w : tensor<f32> = #df.constant<1.0>
df.function @gradients() -> tensor<f32> {
  %w = df.read @w : tensor<f32>
  // expected-error @+1 {{run df-expand-gradients first}}
  %d = df.gradients %w wrt [@w] : (tensor<f32>) -> tensor<f32>
  df.return %d : tensor<f32>
}

// -----

df.variable @table : tensor<3x1xf32> = #df.constant<1.0>
df.function @gather() -> tensor<2x1xf32> {
  %ids = df.constant dense<[2, 3]> : tensor<2xi64>
  // expected-error @+1 {{row 1: id 3 is beyond the 3 rows of the table}}
  %e = df.read_rows @table[%ids] : (tensor<2xi64>) -> tensor<2x1xf32>
  df.return %e : tensor<2x1xf32>
}

// -----

df.function @shapes(%x: tensor<?xf32> {df.value = dense<1.0> : tensor<2xf32>}, %y: tensor<?xf32> {df.value = dense<1.0> : tensor<3xf32>}) -> tensor<?xf32> {
  // expected-error @+1 {{operands have shapes [2] and [3]}}
  %z = df.add %x, %y : tensor<?xf32>
  df.return %z : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0 must be 'tensor<?xf32>'; found tensor<2xi64>}}
df.function @argument(%x: tensor<?xf32> {df.value = dense<1> : tensor<2xi64>}) -> tensor<?xf32> {
  df.return %x : tensor<?xf32>
}

// -----

df.function @label() -> tensor<1xf32> {
  %x = df.constant dense<0.0> : tensor<1x2xf32>
  %y = df.constant dense<-1> : tensor<1xi64>
  // expected-error @+1 {{label -1 of row 0 is not in [0, 2)}}
  %l = df.softmax_cross_entropy %x, %y : (tensor<1x2xf32>, tensor<1xi64>) -> tensor<1xf32>
  df.return %l : tensor<1xf32>
}

// -----

df.function @foreign() -> tensor<f32> {
  %x = df.constant dense<0.0> : tensor<f32>
  // expected-error @+1 {{has no meaning to the interpreter of df}}
  %y = builtin.unrealized_conversion_cast %x : tensor<f32> to tensor<f32>
  df.return %y : tensor<f32>
}

// -----

// expected-error @+1 {{setting 'rate' has no value}}
df.function @setting(%x: tensor<f32> {df.binding = #df.binding<setting, "rate">}) -> tensor<f32> {
  df.return %x : tensor<f32>
}
