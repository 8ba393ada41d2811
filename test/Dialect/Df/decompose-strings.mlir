// Joins and formats become one df.reduce_join.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s -df-decompose | FileCheck %s

// CHECK-LABEL: df.function @join
// CHECK-COUNT-2: df.reshape {{.*}} -> tensor<?x1x!df.string>
// CHECK: %[[ALL:.*]] = df.concat {{.*}} -> tensor<?x2x!df.string>
// CHECK: df.reduce_join %[[ALL]] {axis = 1 : i64, separator = "-"}
df.function @join(%a: tensor<?x!df.string>, %b: tensor<?x!df.string>) -> (tensor<?x!df.string>) {
  %j = df.string_join %a, %b {separator = "-"} : (tensor<?x!df.string>, tensor<?x!df.string>) -> tensor<?x!df.string>
  df.return %j : tensor<?x!df.string>
}

// CHECK-LABEL: df.function @format
// CHECK-DAG: df.constant dense<"{x = "> : tensor<!df.string>
// CHECK-DAG: df.constant dense<"}"> : tensor<!df.string>
// CHECK-DAG: df.as_string %{{.*}} : (tensor<?xf32>) -> tensor<?x!df.string>
// CHECK: df.reduce_join {{.*}} : (tensor<?x3x!df.string>) -> tensor<?x!df.string>
df.function @format(%x: tensor<?xf32>) -> (tensor<?x!df.string>) {
  %t = df.string_format %x {pattern = "{{x = {}}}"} : (tensor<?xf32>) -> tensor<?x!df.string>
  df.return %t : tensor<?x!df.string>
}
