// Ops on strings print as they are read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s

// CHECK-LABEL: df.function @strings
df.function @strings(%s: tensor<?x!df.string>, %i: tensor<?xi64>, %x: tensor<?xf32>) {
  // CHECK: df.string_lower %{{.*}} : tensor<?x!df.string>
  %lower = df.string_lower %s : tensor<?x!df.string>
  // CHECK: df.string_upper %{{.*}} : tensor<?x!df.string>
  %upper = df.string_upper %s : tensor<?x!df.string>
  // CHECK: df.string_strip %{{.*}} : tensor<?x!df.string>
  %strip = df.string_strip %s : tensor<?x!df.string>
  // CHECK: df.string_length %{{.*}} : (tensor<?x!df.string>) -> tensor<?xi64>
  %n = df.string_length %s : (tensor<?x!df.string>) -> tensor<?xi64>
  // CHECK: df.substr %{{.*}} : (tensor<?x!df.string>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x!df.string>
  %sub = df.substr %s, %i, %n : (tensor<?x!df.string>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x!df.string>
  // CHECK: df.as_string %{{.*}} {precision = 2 : i64} : (tensor<?xf32>) -> tensor<?x!df.string>
  %t = df.as_string %x {precision = 2 : i64} : (tensor<?xf32>) -> tensor<?x!df.string>
  // CHECK: df.string_to_number %{{.*}} : (tensor<?x!df.string>) -> tensor<?xui8>
  %u = df.string_to_number %s : (tensor<?x!df.string>) -> tensor<?xui8>
  // CHECK: df.string_split %{{.*}} {any_byte, delimiter = " ,", skip_empty} : (tensor<?x!df.string>) -> (tensor<?x!df.string>, tensor<?xi64>)
  %v, %e = df.string_split %s {delimiter = " ,", any_byte, skip_empty} : (tensor<?x!df.string>) -> (tensor<?x!df.string>, tensor<?xi64>)
  // CHECK: df.string_join %{{.*}}, %{{.*}} {separator = "-"} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
  %j = df.string_join %s, %t {separator = "-"} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
  // CHECK: df.reduce_join %{{.*}} {axis = 0 : i64} : (tensor<?x!df.string>) -> tensor<!df.string>
  %r = df.reduce_join %s {axis = 0 : i64} : (tensor<?x!df.string>) -> tensor<!df.string>
  // CHECK: df.segment_join %{{.*}}, %{{.*}} {separator = " "} : (tensor<?x!df.string>, tensor<?xi64>) -> tensor<?x!df.string>
  %g = df.segment_join %v, %e {separator = " "} : (tensor<?x!df.string>, tensor<?xi64>) -> tensor<?x!df.string>
  // CHECK: df.string_format %{{.*}}, %{{.*}} {pattern = "{} of {}"} : (tensor<?xi64>, tensor<?xf32>) -> tensor<?x!df.string>
  %f = df.string_format %i, %x {pattern = "{} of {}"} : (tensor<?xi64>, tensor<?xf32>) -> tensor<?x!df.string>
  // CHECK: df.compare lt, %{{.*}}, %{{.*}} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?xi1>
  %c = df.compare lt, %s, %t : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?xi1>
  // CHECK: df.constant dense<["a", "b"]> : tensor<2x!df.string>
  %k = df.constant dense<["a", "b"]> : tensor<2x!df.string>
  df.return
}
