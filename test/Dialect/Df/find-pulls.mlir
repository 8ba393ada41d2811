// df-find-pulls: the rows of variables that gradients need, by values known before the step; and why a variable is needed whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --df-find-pulls --cse --verify-diagnostics | FileCheck %s

// Ids that the features segment makes anyway; a feature that is an id; one of another width.
// CHECK: df.function @train_grad.features({{.*}}) -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">})
// CHECK: %[[H:.*]] = df.hash_bucket
// CHECK: %[[N:.*]] = df.cast %{{.*}} : (tensor<?xi32>) -> tensor<?xi64>
// CHECK: df.return %[[H]], %i, %[[N]]
// CHECK: df.function @train_grad.step
// CHECK-SAME: #df.binding<variable, "t">, df.pulled_by = ["i0"]}
// CHECK-SAME: #df.binding<variable, "u">, df.pulled_by = ["i1", "i2"]}
// CHECK-SAME: #df.binding<variable, "w">}
// CHECK-SAME: %[[CAST:[^:]*]]: tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">, df.names_rows})
// CHECK-NOT: df.cast
// CHECK: df.gather %{{.*}}, %[[CAST]]
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.variable @u : tensor<50x2xf32> = #df.constant<0.0>
df.variable @w : tensor<2x2xf32> = #df.constant<0.0>
df.function @train_grad.features(%s: tensor<?x!df.string> {df.binding = #df.binding<feature, "s">}) -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">})
    attributes {role = #df.role<train_grad>, segment = #df.segment<features>, entry = "train_grad"} {
  %f = df.fingerprint %s : (tensor<?x!df.string>) -> tensor<?xi64>
  %h = df.hash_bucket %f {buckets = 100 : i64} : tensor<?xi64>
  df.return %h : tensor<?xi64>
}
df.function @train_grad.step(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %n: tensor<?xi32> {df.binding = #df.binding<feature, "n">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">},
    %u: tensor<50x2xf32> {df.binding = #df.binding<variable, "u">}, %w: tensor<2x2xf32> {df.binding = #df.binding<variable, "w">}, %h: tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">})
    -> (tensor<2xf32> {df.binding = #df.binding<sum_out, "s">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "train_grad"} {
  %a = df.gather %t, %h {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %b = df.gather %u, %i {axes = array<i64: 0>, skip_negative} : (tensor<50x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %n64 = df.cast %n : (tensor<?xi32>) -> tensor<?xi64>
  %c = df.gather %u, %n64 {axes = array<i64: 0>, skip_negative} : (tensor<50x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %ab = df.add %a, %b : tensor<?x2xf32>
  %abc = df.add %ab, %c : tensor<?x2xf32>
  %x = df.matmul %abc, %w : (tensor<?x2xf32>, tensor<2x2xf32>) -> tensor<?x2xf32>
  %s = df.reduce_sum %x {axes = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<2xf32>
  df.return %s : tensor<2xf32>
}

// -----

// A function without work on features gets a segment for it. In a loop ids are rows of a sequence that has all of them, and of what the loop carries: they are followed to the feature through ops that move and pick elements. An index
// along dimension 0 names a row, too. Of constants those that are negative name none.
// CHECK: df.function @train_grad.features(%[[X:[^:]*]]: tensor<?x4xi64> {df.binding = #df.binding<feature, "x">}) -> (tensor<?x4xi64> {df.binding = #df.binding<intermediate, "i0">}, tensor<i64> {df.binding = #df.binding<intermediate, "i1">})
// CHECK-SAME: attributes {entry = "train_grad", role = #df.role<train_grad>, segment = #df.segment<features>}
// CHECK: %[[SEVEN:.*]] = df.constant dense<7> : tensor<i64>
// CHECK: df.return %[[X]], %[[SEVEN]]
// CHECK: df.function @train_grad.step
// CHECK-SAME: #df.binding<variable, "t">, df.pulled_by = ["i0", "i1"]}
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.function @train_grad(%x: tensor<?x4xi64> {df.binding = #df.binding<feature, "x">}, %m: tensor<?xi1> {df.binding = #df.binding<feature, "m">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<2xf32> {df.binding = #df.binding<sum_out, "s">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "train_grad"} {
  %xt = df.transpose %x {permutation = array<i64: 1, 0>} : (tensor<?x4xi64>) -> tensor<4x?xi64>
  %zero = df.constant dense<0.0> : tensor<2xf32>
  %none = df.constant dense<-1> : tensor<i64>
  %seven = df.constant dense<7> : tensor<i64>
  %before = df.broadcast %seven like %m dimensions = [] : (tensor<i64>, tensor<?xi1>) -> tensor<?xi64>
  %s, %last = df.scan (%zero, %before) over (%xt) : (tensor<2xf32>, tensor<?xi64>, tensor<4x?xi64>) -> (tensor<2xf32>, tensor<?xi64>) {
  ^bb0(%s0: tensor<2xf32>, %previous: tensor<?xi64>, %ids: tensor<?xi64>):
    %absent = df.broadcast %none like %ids dimensions = [] : (tensor<i64>, tensor<?xi64>) -> tensor<?xi64>
    %chosen = df.select %m, %ids, %absent : (tensor<?xi1>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>
    %a = df.gather %t, %chosen {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %b = df.gather %t, %previous {axes = array<i64: 0>} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
    %ab = df.add %a, %b : tensor<?x2xf32>
    %sum = df.reduce_sum %ab {axes = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<2xf32>
    %s1 = df.add %s0, %sum : tensor<2xf32>
    df.yield %s1, %ids : tensor<2xf32>, tensor<?xi64>
  }
  df.return %s : tensor<2xf32>
}

// -----

// Numbers drawn for the step are known before it; a loop that makes ids moves with all that it gives.
// CHECK: df.function @train_grad.features(%[[SEED:[^:]*]]: tensor<i64> {df.binding = #df.binding<context, "seed">}, %[[STEP:[^:]*]]: tensor<i64> {df.binding = #df.binding<context, "step">}) -> (tensor<8xi64> {{{[^}]*}}"i0">}, tensor<i64> {{{[^}]*}}"i1">})
// CHECK: df.while
// CHECK: df.random uniform "draw" each_step
// CHECK: df.function @train_grad.step
// CHECK-SAME: df.pulled_by = ["i0"]
// CHECK-NOT: df.while
// CHECK: df.return
df.variable @t : tensor<100xf32> = #df.constant<0.0>
df.function @train_grad(%seed: tensor<i64> {df.binding = #df.binding<context, "seed">}, %step: tensor<i64> {df.binding = #df.binding<context, "step">}, %t: tensor<100xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<8xf32> {df.binding = #df.binding<sum_out, "s">}, tensor<i64> {df.binding = #df.binding<sum_out, "n">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "train_grad"} {
  %zero = df.constant dense<0> : tensor<i64>
  %one = df.constant dense<1> : tensor<i64>
  %three = df.constant dense<3> : tensor<i64>
  %none = df.constant dense<-1> : tensor<8xi64>
  %hundred = df.constant dense<100.0> : tensor<8xf32>
  %ids, %n = df.while (%none, %zero) : (tensor<8xi64>, tensor<i64>) -> (tensor<8xi64>, tensor<i64>) {
  ^bb0(%i: tensor<8xi64>, %k: tensor<i64>):
    %go = df.compare lt, %k, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
    df.condition %go : tensor<i1>
  } do {
  ^bb0(%i: tensor<8xi64>, %k: tensor<i64>):
    %u = df.random uniform "draw" each_step seed %seed step %step : (tensor<i64>, tensor<i64>) -> tensor<8xf32>
    %v = df.mul %u, %hundred : tensor<8xf32>
    %d = df.cast %v : (tensor<8xf32>) -> tensor<8xi64>
    %l = df.add %k, %one : tensor<i64>
    df.yield %d, %l : tensor<8xi64>, tensor<i64>
  }
  %r = df.gather %t, %ids {axes = array<i64: 0>, skip_negative} : (tensor<100xf32>, tensor<8xi64>) -> tensor<8xf32>
  df.return %r, %n : tensor<8xf32>, tensor<i64>
}

// -----

// What is read otherwise, too, or by ids that follow from other variables, is needed whole. Other functions are left alone.
// CHECK-NOT: pulled_by
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.variable @u : tensor<100x2xf32> = #df.constant<0.0>
df.variable @v : tensor<100x2xf32> = #df.constant<0.0>
df.function @train_grad(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">}, %u: tensor<100x2xf32> {df.binding = #df.binding<variable, "u">},
    %v: tensor<100x2xf32> {df.binding = #df.binding<variable, "v">})
    -> (tensor<2xf32> {df.binding = #df.binding<sum_out, "s">}, tensor<?x2xf32> {df.binding = #df.binding<sum_out, "r">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "train_grad"} {
  %a = df.gather %t, %x {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  // expected-remark @+1 {{keeps 't' whole in training tasks: 'df.square' reads more of it than rows by id}}
  %squares = df.square %t : tensor<100x2xf32>
  %s = df.reduce_sum %squares {axes = array<i64: 0>} : (tensor<100x2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{keeps 'u' whole in training tasks: the ids that 'df.argmax' makes are not known before the step}}
  %best = df.argmax %a : (tensor<?x2xf32>) -> tensor<?xi64>
  %b = df.gather %u, %best {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %c = df.matmul %b, %v {transpose_b} : (tensor<?x2xf32>, tensor<100x2xf32>) -> tensor<?x100xf32>
  %d = df.slice %c {starts = array<i64: 0, 0>, sizes = array<i64: -1, 2>} : (tensor<?x100xf32>) -> tensor<?x2xf32>
  df.return %s, %d : tensor<2xf32>, tensor<?x2xf32>
}
df.function @other(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<other>, segment = #df.segment<step>, entry = "other"} {
  %a = df.gather %t, %x {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %a : tensor<?x2xf32>
}

// -----

// Predictions and evaluations, of which no remark tells what they need whole; not of what belongs to an evaluation.
// CHECK-LABEL: df.function @predict.step(
// CHECK-SAME: #df.binding<variable, "t">, df.pulled_by = ["i0"]}
// CHECK-LABEL: df.function @eval_update(
// CHECK-NOT: pulled_by
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.variable @m : tensor<100x2xf32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
df.function @predict(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<predict>, segment = #df.segment<step>, entry = "predict"} {
  %a = df.gather %t, %x {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  df.return %a : tensor<?x2xf32>
}
df.function @eval_update(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %m: tensor<100x2xf32> {df.binding = #df.binding<variable, "m">}, %t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">})
    -> (tensor<?x2xf32> {df.binding = #df.binding<output, "y">}) attributes {role = #df.role<eval_update>, segment = #df.segment<step>, entry = "eval_update"} {
  %a = df.gather %m, %x {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %b = df.square %t : tensor<100x2xf32>
  df.return %a : tensor<?x2xf32>
}

// -----

// Ids that are rows of pulled variables and nothing else may get other numbers, in other shapes, too; not those that something else uses, or that are rows of what is needed whole.
// CHECK: df.function @train_grad.step
// CHECK-SAME: #df.binding<variable, "t">, df.pulled_by = ["i0"]}
// CHECK-SAME: #df.binding<variable, "u">, df.pulled_by = ["i1"]}
// CHECK-SAME: #df.binding<variable, "w">}
// CHECK-SAME: #df.binding<intermediate, "i0">, df.names_rows}
// CHECK-SAME: #df.binding<intermediate, "i1">}
// CHECK-SAME: #df.binding<intermediate, "i2">}
df.variable @t : tensor<100x2xf32> = #df.constant<0.0>
df.variable @u : tensor<100x2xf32> = #df.constant<0.0>
df.variable @w : tensor<100x2xf32> = #df.constant<0.0>
df.function @train_grad.features(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %y: tensor<?xi64> {df.binding = #df.binding<feature, "y">}, %z: tensor<?xi64> {df.binding = #df.binding<feature, "z">})
    -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">}, tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">})
    attributes {role = #df.role<train_grad>, segment = #df.segment<features>, entry = "train_grad"} {
  df.return %x, %y, %z : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>
}
df.function @train_grad.step(%t: tensor<100x2xf32> {df.binding = #df.binding<variable, "t">}, %u: tensor<100x2xf32> {df.binding = #df.binding<variable, "u">}, %w: tensor<100x2xf32> {df.binding = #df.binding<variable, "w">},
    %i: tensor<?xi64> {df.binding = #df.binding<intermediate, "i0">}, %j: tensor<?xi64> {df.binding = #df.binding<intermediate, "i1">}, %k: tensor<?xi64> {df.binding = #df.binding<intermediate, "i2">})
    -> (tensor<2xf32> {df.binding = #df.binding<sum_out, "s">}) attributes {role = #df.role<train_grad>, segment = #df.segment<step>, entry = "train_grad"} {
  %a = df.gather %t, %i {axes = array<i64: 0>} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %b = df.gather %u, %j {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  %number = df.cast %j : (tensor<?xi64>) -> tensor<?xf32>
  %numbers = df.broadcast %number like %b dimensions = [0] : (tensor<?xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  %c = df.gather %w, %k {axes = array<i64: 0>, skip_negative} : (tensor<100x2xf32>, tensor<?xi64>) -> tensor<?x2xf32>
  // expected-remark @+1 {{keeps 'w' whole in training tasks}}
  %squares = df.square %w : tensor<100x2xf32>
  %whole = df.reduce_sum %squares {axes = array<i64: 0>} : (tensor<100x2xf32>) -> tensor<2xf32>
  %ab = df.add %a, %b : tensor<?x2xf32>
  %cn = df.add %c, %numbers : tensor<?x2xf32>
  %all = df.add %ab, %cn : tensor<?x2xf32>
  %sum = df.reduce_sum %all {axes = array<i64: 0>} : (tensor<?x2xf32>) -> tensor<2xf32>
  %s = df.add %sum, %whole : tensor<2xf32>
  df.return %s : tensor<2xf32>
}
