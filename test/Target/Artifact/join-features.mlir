// Features that are used side by side alone become one argument.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --artifact-join-features --split-input-file | FileCheck %s
// RUN: mlc-opt %s --artifact-join-features --artifact-join-features --split-input-file | FileCheck %s

// All that is concatenated: the matrix takes its place. Numbers of rows are those of the matrix.
// CHECK-LABEL: func.func @all(
// CHECK-SAME:    %[[M:.*]]: tensor<?x4xf32> {df.binding = #df.binding<feature, "a|v|b">, mlc.matrix = ["a", tensor<?xf32>, "v", tensor<?x2xf32>, "b", tensor<?xf32>]}
// CHECK-SAME:    -> (tensor<?x4xf32> {df.binding = #df.binding<output, "y">})
// CHECK-SAME:    df.type = (tensor<?x4xf32>) -> tensor<?x4xf32>
// CHECK-NOT:     kern.concat
// CHECK:         tensor.dim %[[M]]
// CHECK:         linalg.exp ins(%[[M]] : tensor<?x4xf32>)
func.func @all(%a: tensor<?xf32> {df.binding = #df.binding<feature, "a">}, %b: tensor<?xf32> {df.binding = #df.binding<feature, "b">}, %v: tensor<?x2xf32> {df.binding = #df.binding<feature, "v">})
    -> (tensor<?x4xf32> {df.binding = #df.binding<output, "y">})
    attributes {df.role = #df.role<predict>, df.type = (tensor<?xf32>, tensor<?xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>} {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %b, %c0 : tensor<?xf32>
  %ea = tensor.expand_shape %a [[0, 1]] output_shape [%rows, 1] : tensor<?xf32> into tensor<?x1xf32>
  %eb = tensor.expand_shape %b [[0, 1]] output_shape [%rows, 1] : tensor<?xf32> into tensor<?x1xf32>
  %again = tensor.dim %ea, %c0 : tensor<?x1xf32>
  %e = tensor.empty(%again) : tensor<?x4xf32>
  %x = kern.concat ins(%ea, %v, %eb : tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x1xf32>) outs(%e : tensor<?x4xf32>) {axis = 1 : i64} -> tensor<?x4xf32>
  %out = tensor.empty(%rows) : tensor<?x4xf32>
  %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%out : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// A part of a concatenation, twice in one; what stands between stays, and so does a feature that is alone.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[AB:.*]]: tensor<?x2xf32> {df.binding = #df.binding<feature, "a|b">
// CHECK-SAME:    %[[CD:.*]]: tensor<?x2xf32> {df.binding = #df.binding<feature, "c|d">
// CHECK-SAME:    %[[W:.*]]: tensor<?x1xf32> {df.binding = #df.binding<variable, "w">}
// CHECK-SAME:    %[[E:.*]]: tensor<?x1xf32> {df.binding = #df.binding<feature, "e">}
// CHECK:         kern.concat ins(%[[AB]], %[[W]], %[[CD]], %[[W]], %[[E]] :
func.func @parts(%a: tensor<?x1xf32> {df.binding = #df.binding<feature, "a">}, %b: tensor<?x1xf32> {df.binding = #df.binding<feature, "b">},
                 %c: tensor<?x1xf32> {df.binding = #df.binding<feature, "c">}, %d: tensor<?x1xf32> {df.binding = #df.binding<feature, "d">},
                 %w: tensor<?x1xf32> {df.binding = #df.binding<variable, "w">}, %f: tensor<?x1xf32> {df.binding = #df.binding<feature, "e">}, %e: tensor<?x7xf32> {df.binding = #df.binding<intermediate, "i">})
    -> (tensor<?x7xf32> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<predict>} {
  %x = kern.concat ins(%a, %b, %w, %c, %d, %w, %f : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x7xf32>) {axis = 1 : i64} -> tensor<?x7xf32>
  return %x : tensor<?x7xf32>
}

// -----

// A feature that is used otherwise, here or in another segment, or in another order, stays; the others come together without it.
// CHECK-LABEL: func.func @first(
// CHECK-SAME:    "c|d"
// CHECK:         kern.concat ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x2xf32>)
func.func @first(%a: tensor<?x1xf32> {df.binding = #df.binding<feature, "a">}, %b: tensor<?x1xf32> {df.binding = #df.binding<feature, "b">},
                 %c: tensor<?x1xf32> {df.binding = #df.binding<feature, "c">}, %d: tensor<?x1xf32> {df.binding = #df.binding<feature, "d">}, %e: tensor<?x4xf32> {df.binding = #df.binding<intermediate, "i">})
    -> (tensor<?x4xf32> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<predict>} {
  %x = kern.concat ins(%a, %b, %c, %d : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x4xf32>) {axis = 1 : i64} -> tensor<?x4xf32>
  return %x : tensor<?x4xf32>
}
// CHECK-LABEL: func.func @second(
// CHECK-SAME:    "c|d"
// CHECK:         kern.concat ins(%{{.*}}, %{{.*}} : tensor<?x2xf32>, tensor<?x1xf32>)
func.func @second(%c: tensor<?x1xf32> {df.binding = #df.binding<feature, "c">}, %d: tensor<?x1xf32> {df.binding = #df.binding<feature, "d">}, %a: tensor<?x1xf32> {df.binding = #df.binding<feature, "a">}, %e: tensor<?x3xf32> {df.binding = #df.binding<intermediate, "i">})
    -> (tensor<?x3xf32> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<train>} {
  %x = kern.concat ins(%c, %d, %a : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x3xf32>) {axis = 1 : i64} -> tensor<?x3xf32>
  return %x : tensor<?x3xf32>
}
// CHECK-LABEL: func.func @third(
// CHECK-SAME:    #df.binding<feature, "b">
func.func @third(%b: tensor<?x1xf32> {df.binding = #df.binding<feature, "b">})
    -> (tensor<?x1xf32> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<other>} {
  return %b : tensor<?x1xf32>
}

// -----

// Along rows nothing is a column, nor is a feature with a size of its own, or one that stands twice.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     mlc.matrix
func.func @others(%a: tensor<?x1xf32> {df.binding = #df.binding<feature, "a">}, %b: tensor<?x1xf32> {df.binding = #df.binding<feature, "b">},
                  %c: tensor<?x1xf32> {df.binding = #df.binding<feature, "c">, df.symbol = 1 : i64}, %d: tensor<?x1xf32> {df.binding = #df.binding<feature, "d">, df.symbol = 1 : i64},
                  %f: tensor<?x1xf32> {df.binding = #df.binding<feature, "f">}, %e: tensor<?x1xf32> {df.binding = #df.binding<intermediate, "i">}, %g: tensor<?x4xf32> {df.binding = #df.binding<intermediate, "j">})
    -> (tensor<?x1xf32> {df.binding = #df.binding<output, "y">}, tensor<?x4xf32> {df.binding = #df.binding<output, "z">}) attributes {df.role = #df.role<predict>} {
  %x = kern.concat ins(%a, %b : tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x1xf32>) {axis = 0 : i64} -> tensor<?x1xf32>
  %y = kern.concat ins(%c, %d, %f, %f : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%g : tensor<?x4xf32>) {axis = 1 : i64} -> tensor<?x4xf32>
  return %x, %y : tensor<?x1xf32>, tensor<?x4xf32>
}

// -----

// Two concatenations that join the same features share the argument.
// CHECK-LABEL: func.func @both(
// CHECK-SAME:    %[[M:.*]]: tensor<?x2xf32> {df.binding = #df.binding<feature, "a|b">
// CHECK:         kern.concat ins(%[[M]], %[[I:[^ ]+]] :
// CHECK:         kern.concat ins(%[[I]], %[[M]] :
func.func @both(%a: tensor<?x1xf32> {df.binding = #df.binding<feature, "a">}, %b: tensor<?x1xf32> {df.binding = #df.binding<feature, "b">},
                %i: tensor<?x1xf32> {df.binding = #df.binding<intermediate, "i">}, %e: tensor<?x3xf32> {df.binding = #df.binding<intermediate, "j">})
    -> (tensor<?x3xf32> {df.binding = #df.binding<output, "y">}, tensor<?x3xf32> {df.binding = #df.binding<output, "z">}) attributes {df.role = #df.role<predict>} {
  %x = kern.concat ins(%a, %b, %i : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x3xf32>) {axis = 1 : i64} -> tensor<?x3xf32>
  %y = kern.concat ins(%i, %a, %b : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) outs(%e : tensor<?x3xf32>) {axis = 1 : i64} -> tensor<?x3xf32>
  return %x, %y : tensor<?x3xf32>, tensor<?x3xf32>
}
