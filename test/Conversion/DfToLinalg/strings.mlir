// RUN: mlc-opt %s --convert-df-to-linalg | FileCheck %s

df.vocabulary @gender ["Female", "Male"]

// Strings become pairs and services; booleans become bytes.
// CHECK-LABEL: func.func @features(
// CHECK-SAME: tensor<?x2xi64>
// CHECK: kern.lookup_strings
// CHECK: kern.fingerprint_strings
// CHECK: arith.remui
// CHECK: kern.unique_ids
df.function @features(%s: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">})
    -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "g">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "u">}, tensor<?xi1> {df.binding = #df.binding<intermediate, "m">})
    attributes {role = #df.role<train>, segment = #df.segment<features>, entry = "train"} {
  %g = df.lookup @gender, %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %h = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %b = df.hash_bucket %h {buckets = 100 : i64} : tensor<?xi64>
  %u, %e, %o, %n = df.group_ids %b : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)
  %m = df.is_empty %s : (tensor<?x!df.string>) -> tensor<?xi1>
  df.return %g, %u, %m : tensor<?xi64>, tensor<?xi64>, tensor<?xi1>
}
