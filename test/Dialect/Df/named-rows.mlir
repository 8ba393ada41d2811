// Variables that are several tensors: what they must be, and their first values, those of tensors by themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --df-materialize-initializers | FileCheck %s
// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file --verify-diagnostics --emit-bytecode -o /dev/null

// CHECK: df.variable @ab : tensor<5x2xf32> = #df.normal<1.000000e+00, 5.000000e-01> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 2>]}
df.variable @ab : tensor<5x2xf32> = #df.normal<1.0, 0.5> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 2>]}
df.variable @"ab/m" : tensor<5x2xf32> = #df.constant<0.1> {named_rows = [#df.named_rows<"a/m", 3>, #df.named_rows<"b/m", 2>], slot = "m", slot_of = @ab}
// CHECK: df.function @init()
// CHECK: %[[A:.*]] = df.random normal "a" : () -> tensor<3x2xf32>
// CHECK: df.mul %[[A]]
// CHECK: %[[AS:.*]] = df.add
// CHECK: %[[B:.*]] = df.random normal "b" : () -> tensor<2x2xf32>
// CHECK: df.mul %[[B]]
// CHECK: %[[BS:.*]] = df.add
// CHECK: %[[AB:.*]] = df.concat %[[AS]], %[[BS]] {axis = 0 : i64}
// CHECK: df.assign @ab, %[[AB]]
// CHECK: %[[M:.*]] = df.constant dense<{{.*}}> : tensor<5x2xf32>
// CHECK: df.assign @"ab/m", %[[M]]

// -----

// expected-error @below {{(C3) has 5 rows, of which 4 are named}}
df.variable @ab : tensor<5x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 1>]}

// -----

// expected-error @below {{(C3) names of rows must be distinct and not empty; found 'a'}}
df.variable @ab : tensor<5x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"a", 2>]}

// -----

// expected-error @below {{(C3) names of rows must be distinct and not empty; found ''}}
df.variable @ab : tensor<5x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"", 5>]}

// -----

// expected-error @below {{(C3) 'b' must have a row at least; found 0}}
df.variable @ab : tensor<3x2xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 0>]}

// -----

// expected-error @below {{(C3) has named rows, but no rows}}
df.variable @ab : tensor<f32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 1>]}

// -----

df.variable @ab : tensor<5xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 2>]}
// expected-error @below {{(C4) is a slot of 'ab', whose rows are named otherwise}}
df.variable @"ab/m" : tensor<5xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a/m", 2>, #df.named_rows<"b/m", 3>], slot = "m", slot_of = @ab}

// -----

df.variable @ab : tensor<5xf32> = #df.constant<0.0> {named_rows = [#df.named_rows<"a", 3>, #df.named_rows<"b", 2>]}
// expected-error @below {{(C4) is a slot of 'ab', whose rows are named otherwise}}
df.variable @"ab/m" : tensor<5xf32> = #df.constant<0.0> {slot = "m", slot_of = @ab}
