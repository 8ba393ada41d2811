// RUN: mlc-opt %s --df-materialize-initializers -split-input-file -verify-diagnostics | FileCheck %s

df.variable @zeros : tensor<3xf32> = #df.constant<0.0>
df.variable @count : tensor<i64> = #df.constant<7.0>
df.variable @flag : tensor<i1> = #df.constant<1.0>
df.variable @uniform : tensor<3xf32> = #df.uniform<-0.5, 1.5>
df.variable @unit : tensor<3xf64> = #df.normal<0.0, 1.0>
df.variable @narrow : tensor<3xbf16> = #df.truncated_normal<2.0, 0.5>
df.variable @slot : tensor<3xf32> = #df.constant<0.1> {slot_of = @zeros, slot = "accumulator"}
df.variable @total : tensor<f32> = #df.constant<0.0> {lifetime = #df.lifetime<eval>}
df.function @update() attributes {role = #df.role<eval_update>} {
  df.return
}

// CHECK: df.function @init() attributes {role = #df.role<init>} {
// CHECK-NEXT: %[[Z:.*]] = df.constant dense<0.000000e+00> : tensor<3xf32>
// CHECK-NEXT: df.assign @zeros, %[[Z]]
// CHECK-NEXT: %[[C:.*]] = df.constant dense<7> : tensor<i64>
// CHECK-NEXT: df.assign @count, %[[C]]
// CHECK-NEXT: %[[F:.*]] = df.constant dense<true> : tensor<i1>
// CHECK-NEXT: df.assign @flag, %[[F]]
// CHECK-NEXT: %[[U:.*]] = df.random uniform "uniform" : () -> tensor<3xf32>
// CHECK-NEXT: %[[TWO:.*]] = df.constant dense<2.000000e+00> : tensor<3xf32>
// CHECK-NEXT: %[[SCALED:.*]] = df.mul %[[U]], %[[TWO]]
// CHECK-NEXT: %[[LOW:.*]] = df.constant dense<-5.000000e-01> : tensor<3xf32>
// CHECK-NEXT: %[[SHIFTED:.*]] = df.add %[[SCALED]], %[[LOW]]
// CHECK-NEXT: df.assign @uniform, %[[SHIFTED]]
// CHECK-NEXT: %[[N:.*]] = df.random normal "unit" : () -> tensor<3xf64>
// CHECK-NEXT: df.assign @unit, %[[N]]
// CHECK-NEXT: %[[T:.*]] = df.random truncated_normal "narrow" : () -> tensor<3xf32>
// CHECK: %[[SUM:.*]] = df.add
// CHECK-NEXT: %[[BF:.*]] = df.cast %[[SUM]] : (tensor<3xf32>) -> tensor<3xbf16>
// CHECK-NEXT: df.assign @narrow, %[[BF]]
// CHECK-NEXT: df.constant dense<1.000000e-01> : tensor<3xf32>
// CHECK-NEXT: df.assign @slot
// CHECK-NEXT: df.return
// CHECK: df.function @eval_reset() attributes {role = #df.role<eval_reset>} {
// CHECK: df.assign @total
// CHECK-NEXT: df.return

// -----

// A function of the role that is there already gets what it does not assign; without evaluation there is nothing to reset: what is left of
// metrics is initialized as everything else.
// CHECK-LABEL: df.variable @own
// CHECK: df.function @start
// CHECK-NEXT: %[[TWO:.*]] = df.constant dense<2.000000e+00>
// CHECK-NEXT: df.assign @left, %[[TWO]]
// CHECK-NEXT: %[[THREE:.*]] = df.constant dense<3.000000e+00>
// CHECK-NEXT: df.assign @metric, %[[THREE]]
// CHECK-NEXT: %[[FOUR:.*]] = df.constant dense<4.000000e+00>
// CHECK-NEXT: df.assign @own, %[[FOUR]]
// CHECK-NEXT: df.return
// CHECK-NOT: df.function
df.variable @own : tensor<f32> = #df.constant<0.0>
df.variable @left : tensor<f32> = #df.constant<2.0>
df.variable @metric : tensor<f32> = #df.constant<3.0> {lifetime = #df.lifetime<eval>}
df.function @start() attributes {role = #df.role<init>} {
  %c = df.constant dense<4.0> : tensor<f32>
  df.assign @own, %c : tensor<f32>
  df.return
}

// -----

// expected-error @+1 {{has the name 'init' that the function of role init needs}}
df.variable @init : tensor<f32> = #df.constant<0.0>
