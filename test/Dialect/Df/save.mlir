// df.save and df.restore: their form, the variables that a pattern stands for, their order among reads and writes, and what keeps state alive.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s --check-prefix=FORM
// RUN: mlc-opt %s -df-state-to-values | FileCheck %s --check-prefix=VALUES
// RUN: mlc-opt %s -df-simplify | FileCheck %s --check-prefix=SIMPLE
// RUN: mlc-opt %s -df-remove-dead-state | FileCheck %s --check-prefix=DEAD

// DEAD-DAG: df.variable @enc.w
// DEAD-DAG: df.variable @enc.b
// DEAD-NOT: df.variable @unused
df.variable @enc.w : tensor<2xf32> = #df.constant<0.0>
df.variable @enc.b : tensor<f32> = #df.constant<0.0>
df.variable @unused : tensor<f32> = #df.constant<0.0>

// FORM-LABEL: df.function @keep
// FORM: df.save "enc.*" to %{{.*}} : tensor<!df.string>
// VALUES-LABEL: df.function @keep(
// VALUES-SAME: %[[PATH:[^:]*]]: tensor<!df.string>{{.*}}, %[[X:[^:]*]]: tensor<2xf32>{{.*}}, %[[B:[^:]*]]: tensor<f32> {df.binding = #df.binding<variable, "enc.b">}
// VALUES: df.save "enc.*" to %[[PATH]] values(%[[X]], %[[B]]) {names = ["enc.w", "enc.b"]}
// The first assignment is what is saved: the second does not make it dead.
// SIMPLE-LABEL: df.function @keep
// SIMPLE: df.assign @enc.w, %[[X:.*]] :
// SIMPLE-NEXT: df.save
// SIMPLE-NEXT: %[[Y:.*]] = df.add %[[X]], %[[X]]
// SIMPLE-NEXT: df.assign @enc.w, %[[Y]]
df.function @keep(%path: tensor<!df.string> {df.name = "path"}, %x: tensor<2xf32> {df.name = "x"}) {
  df.assign @enc.w, %x : tensor<2xf32>
  df.save "enc.*" to %path : tensor<!df.string>
  %y = df.add %x, %x : tensor<2xf32>
  df.assign @enc.w, %y : tensor<2xf32>
  df.return
}

// FORM-LABEL: df.function @take
// FORM: df.restore "enc.?" from %{{.*}} : (tensor<!df.string>) -> ()
// VALUES-LABEL: df.function @take(
// VALUES: %[[R:.*]]:2 = df.restore "enc.?" from %{{.*}} {names = ["enc.w", "enc.b"]} : (tensor<!df.string>) -> (tensor<2xf32>, tensor<f32>)
// VALUES: df.return %[[R]]#0, %[[R]]#0, %[[R]]#1
// What was read before is not what is read after.
// SIMPLE-LABEL: df.function @take
// SIMPLE: df.restore
// SIMPLE-NEXT: df.read @enc.w
df.function @take(%path: tensor<!df.string> {df.name = "path"}) -> (tensor<2xf32> {df.name = "w"}) {
  %z = df.constant dense<0.0> : tensor<2xf32>
  df.assign @enc.w, %z : tensor<2xf32>
  df.restore "enc.?" from %path : (tensor<!df.string>) -> ()
  %w = df.read @enc.w : tensor<2xf32>
  df.return %w : tensor<2xf32>
}
