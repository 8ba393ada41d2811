// The part of a graph between values that are fed and values that are fetched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{entry=train fetches=loss})' | FileCheck %s --check-prefix=LOSS
// RUN: mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=error feeds=product})' | FileCheck %s --check-prefix=FED
// RUN: mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=late})' | FileCheck %s --check-prefix=STATE
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=los})' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=x})' 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{entry=trian fetches=loss})' 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{entry=train fetches=loss,loss})' 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=product feeds=error})' 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph{fetches=inner})' 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not mlc-opt %s '--pass-pipeline=builtin.module(df-cut-graph)' 2>&1 | FileCheck %s --check-prefix=NOTHING

df.variable @w : tensor<2x1xf32> = #df.constant<0.0>
df.variable @count : tensor<i64> = #df.constant<0.0>

// What is not needed goes, with its functions and arguments; @w and its start stay.
// LOSS: df.variable @w
// LOSS-NOT: df.function @train
// LOSS: df.function @fetch(%{{.*}}: tensor<?x2xf32> {df.name = "x"}, %{{.*}}: tensor<?x1xf32> {df.name = "y"}) -> (tensor<f32> {df.name = "loss"})
// LOSS-NOT: df.assign
// LOSS: df.read @w
// LOSS: df.return
// LOSS-NOT: df.function
//
// A fed value is an argument: what made it is not there.
// FED: df.function @fetch(%{{.*}}: tensor<?x1xf32> {df.name = "y"}, %{{.*}}: tensor<?x1xf32> {df.name = "product"}) -> (tensor<?x1xf32> {df.name = "error"
// FED-NOT: df.read
// FED: df.sub
//
// A read needs the assignments before it.
// STATE: df.function @fetch() -> (tensor<i64> {df.name = "late"})
// STATE: df.assign_add @count
// STATE: df.read @count
//
// NAME: error: no value is called 'los'
// NAME: note: expected: one of {{.*}}loss
// NAME: note: did you mean 'loss'?
// SEVERAL: error: several functions have the values that are fetched and fed
// SEVERAL: note: expected: --entry with one of train, predict
// ENTRY: error: no function is called 'trian'
// ENTRY: note: did you mean 'train'?
// TWICE: error: 'loss' is fetched twice
// UNUSED: error: 'error' is fed, but no fetch needs it
// REGION: error: 'inner' is a value within a region of df.if
// NOTHING: error: fetches: found none, expected the name of at least one value

df.function @train(%x: tensor<?x2xf32> {df.name = "x"}, %y: tensor<?x1xf32> {df.name = "y"}, %c: tensor<i1> {df.name = "c"})
    -> (tensor<f32> {df.name = "branch"}) attributes {role = #df.role<train>} {
  %w = df.read @w : tensor<2x1xf32>
  %p = df.matmul %x, %w {df.name = "product"} : (tensor<?x2xf32>, tensor<2x1xf32>) -> tensor<?x1xf32>
  %e = df.sub %p, %y {df.name = "error"} : tensor<?x1xf32>
  %each = df.square %e : tensor<?x1xf32>
  %loss = df.batch_mean %each {df.name = "loss"} : (tensor<?x1xf32>) -> tensor<f32>
  %one = df.constant dense<1> : tensor<i64>
  df.assign_add @count, %one : tensor<i64>
  %late = df.read @count {df.name = "late"} : tensor<i64>
  %branch = df.if %c : (tensor<i1>) -> tensor<f32> {
    %inner = df.neg %loss {df.name = "inner"} : tensor<f32>
    df.yield %inner : tensor<f32>
  } else {
    df.yield %loss : tensor<f32>
  }
  df.return %branch : tensor<f32>
}

df.function @predict(%x: tensor<?x2xf32> {df.name = "x"}) -> (tensor<?x2xf32> {df.name = "value"}) attributes {role = #df.role<predict>} {
  df.return %x : tensor<?x2xf32>
}
