// RUN: mlc-opt %s --df-outline-features -split-input-file | FileCheck %s

df.vocabulary @colors ["red", "green"]

// What is made of features alone runs ahead; @train.step gets what it uses, and no string.
// CHECK: df.function @train.features(%[[S:[^:]*]]: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">}, %[[A:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<feature, "age">}, %[[Y:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<feature, "y">})
// CHECK-SAME: -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">})
// CHECK-SAME: attributes {entry = "train", role = #df.role<train>, segment = #df.segment<features>} {
// CHECK: %[[L:.*]] = df.lookup @colors, %[[S]]
// CHECK: df.check_ids %[[Y]]
// CHECK: %[[H:.*]] = df.fingerprint %[[S]]
// CHECK: %[[F:.*]] = df.cast %[[A]] : (tensor<?xi64>) -> tensor<?xf32>
// CHECK: %[[B:.*]] = df.bucketize %[[F]]
// CHECK: %[[CAT:.*]] = df.fingerprint_cat %[[H]], %[[B]]
// CHECK: %[[ID:.*]] = df.hash_bucket %[[CAT]]
// CHECK: %[[U:.*]], %{{.*}}, %{{.*}}, %{{.*}} = df.group_ids %[[ID]]
// CHECK: df.return %[[L]], %[[ID]], %[[U]]

// CHECK: df.function @train.step(%[[A:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<feature, "age">}, %[[T:[^:]*]]: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">}, %[[L:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">}, %[[ID:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">}, %[[U:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">})
// CHECK-SAME: attributes {entry = "train", role = #df.role<train>, segment = #df.segment<step>} {
// CHECK-NEXT: %[[F:.*]] = df.cast %[[A]]
// CHECK-NEXT: %[[H:.*]] = df.one_hot %[[L]]
// CHECK-NEXT: %[[R:.*]] = df.gather %[[T]], %[[ID]]
// CHECK-NEXT: df.return %[[F]], %[[H]], %[[R]], %[[U]]
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.function @train(%s: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">}, %age: tensor<?xi64> {df.binding = #df.binding<feature, "age">},
                   %y: tensor<?xi64> {df.binding = #df.binding<feature, "y">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?xf32> {df.binding = #df.binding<output, "f">}, tensor<?x2xf32> {df.binding = #df.binding<output, "hot">},
        tensor<?x2xf32> {df.binding = #df.binding<output, "r">}, tensor<?xi64> {df.binding = #df.binding<output, "u">}) attributes {role = #df.role<train>} {
  %l = df.lookup @colors, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %checked = df.check_ids %y {low = 0 : i64, high = 2 : i64, what = "label"} : (tensor<?xi64>) -> tensor<?xi64>
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %f = df.cast %age : (tensor<?xi64>) -> tensor<?xf32>
  %b = df.bucketize %f {boundaries = array<f64: 18.0, 65.0>} : (tensor<?xf32>) -> tensor<?xi64>
  %cat = df.fingerprint_cat %h, %b : tensor<?xi64>
  %id = df.hash_bucket %cat {buckets = 100 : i64} : tensor<?xi64>
  %u, %e, %o, %n = df.group_ids %id : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %hot = df.one_hot %l : (tensor<?xi64>) -> tensor<?x2xf32>
  %r = df.gather %t, %id {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %f, %hot, %r, %u : tensor<?xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xi64>
}

// -----

// Only the shape of a string is used: it does not reach the step for that. What costs less than a buffer stays.
// CHECK: df.function @eval.features(%[[S:.*]]: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">}) -> (tensor<i64> {df.binding = #df.binding<intermediate, "i0">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">})
// CHECK: df.size %[[S]]
// CHECK: df.broadcast %{{.*}} like %[[S]]
// CHECK: df.function @eval.step(%[[Y:.*]]: tensor<?x1xi64> {df.binding = #df.binding<feature, "y">}, %{{.*}}: tensor<i64> {df.binding = #df.binding<intermediate, "i0">}, %{{.*}}: tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">})
// CHECK: df.reshape %[[Y]]
df.function @eval(%s: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">}, %y: tensor<?x1xi64> {df.binding = #df.binding<feature, "y">})
    -> (tensor<i64> {df.binding = #df.binding<output, "n">}, tensor<?xi64> {df.binding = #df.binding<output, "z">}, tensor<?xi64> {df.binding = #df.binding<output, "r">}) {
  %n = df.size %s {dimensions = array<i64: 0>} : (tensor<?x!df.string>) -> tensor<i64>
  %c = df.constant dense<3> : tensor<i64>
  %z = df.broadcast %c like %s dimensions = [] : (tensor<i64>, tensor<?x!df.string>) -> tensor<?xi64>
  %r = df.reshape %y : (tensor<?x1xi64>) -> tensor<?xi64>
  df.return %n, %z, %r : tensor<i64>, tensor<?xi64>, tensor<?xi64>
}

// -----

// Nothing to run ahead: one segment. An argument that nothing uses goes.
// CHECK: df.function @predict(%[[X:.*]]: tensor<?x4xf32> {df.binding = #df.binding<feature, "x">}) -> {{.*}} attributes {entry = "predict", role = #df.role<predict>, segment = #df.segment<step>} {
// CHECK-NOT: df.function
df.function @predict(%x: tensor<?x4xf32> {df.binding = #df.binding<feature, "x">}, %unused: tensor<?xf32> {df.binding = #df.binding<feature, "unused">})
    -> (tensor<?xi64> {df.binding = #df.binding<output, "class">}) attributes {role = #df.role<predict>} {
  %y = df.argmax %x : (tensor<?x4xf32>) -> tensor<?xi64>
  df.return %y : tensor<?xi64>
}

// -----

// Three ids for each row of the batch: buffers between the segments hold them by row.
// CHECK: df.function @train.features(%[[X:[^:]*]]: tensor<?x3xi64>
// CHECK-SAME: -> (tensor<?x3xi64> {df.binding = #df.binding<intermediate, "i0">})
// CHECK: %[[FLAT:.*]] = df.reshape %[[X]] : (tensor<?x3xi64>) -> tensor<?xi64>
// CHECK: %[[H:.*]] = df.hash_bucket %[[FLAT]]
// CHECK: %[[BY_ROW:.*]] = df.reshape %[[H]] : (tensor<?xi64>) -> tensor<?x3xi64>
// CHECK: df.return %[[BY_ROW]]
// CHECK: df.function @train.step(%[[T:[^:]*]]: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">}, %[[I:[^:]*]]: tensor<?x3xi64> {df.binding = #df.binding<intermediate, "i0">})
// CHECK: %[[IDS:.*]] = df.reshape %[[I]] : (tensor<?x3xi64>) -> tensor<?xi64>
// CHECK: df.gather %[[T]], %[[IDS]]
df.variable @t : tensor<9x2xf32> = #df.constant<0.0>
df.function @train(%x: tensor<?x3xi64> {df.binding = #df.binding<feature, "x">}, %t: tensor<9x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x3x2xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<train>} {
  %flat = df.reshape %x : (tensor<?x3xi64>) -> tensor<?xi64>
  %h = df.hash_bucket %flat {buckets = 9 : i64} : tensor<?xi64>
  %e = df.gather %t, %h {axes = array<i64: 0>, skip_negative} : (tensor<9x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %y = df.reshape %e : (tensor<?x2xf32>) -> tensor<?x3x2xf32>
  df.return %y : tensor<?x3x2xf32>
}
