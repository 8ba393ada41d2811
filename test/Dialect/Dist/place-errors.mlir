// What dist-place refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-place=devices=/job:worker/task:0/device:CPU:0,/job:ps/task:0/device:CPU:0 --verify-diagnostics
// RUN: not mlc-opt %s --dist-place=devices=/job:ps/device:CPU:0 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not mlc-opt %s --dist-place=devices=/cpu:0,/device:CPU:0 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not mlc-opt %s --dist-place=devices=/cpu:0:1 2>&1 | FileCheck %s --check-prefix=SYNTAX
// RUN: not mlc-opt %s --dist-place='devices=/cpu:0,/cpu:1 operations-per-second=1,2,3' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not mlc-opt %s --dist-place='devices=/cpu:0,/cpu:1 bytes-per-second=0' 2>&1 | FileCheck %s --check-prefix=SPEED
// RUN: not mlc-opt %s --dist-place='devices=/cpu:0 rows=0' 2>&1 | FileCheck %s --check-prefix=ROWS
// PART: error: dist-place: device '/job:ps/device:CPU:0' is not concrete; expected a type and a number, and a job with a task or neither
// TWICE: error: dist-place: device '/device:CPU:0' is named twice
// SYNTAX: error: dist-place: device spec '/cpu:0:1', character 7: expected '/' or the end; found ':'
// COUNT: error: dist-place: operations-per-second has 3 numbers for 2 devices
// SPEED: error: dist-place: bytes-per-second must be above 0
// ROWS: error: dist-place: link-bytes-per-second must be above 0, link-latency-seconds at least 0, rows and iterations at least 1

df.function @no_device(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'df.neg' op has the device spec '/device:GPU', which no device matches; there are /job:worker/task:0/device:CPU:0, /job:ps/task:0/device:CPU:0}}
  %y = df.neg %x {dist.device = "/device:gpu"} : tensor<f32>
  df.return %y : tensor<f32>
}

// -----

// expected-note @+1 {{the other one}}
df.variable @v : tensor<f32> = #df.constant<0.0> {dist.device = "/job:ps"}
df.function @contradiction() -> tensor<f32> {
  // expected-error @+1 {{'df.read' op has the device spec '/job:worker' but must be where an op with the spec '/job:ps' is}}
  %w = df.read @v {dist.device = "/job:worker"} : tensor<f32>
  df.return %w : tensor<f32>
}

// -----

df.variable @u : tensor<f32> = #df.constant<0.0>
df.function @gradients(%x: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{'df.gradients' op cannot be placed; run df-expand-gradients first}}
  %g = df.gradients %x wrt [@u] : (tensor<f32>) -> tensor<f32>
  df.return %g : tensor<f32>
}

// -----

// expected-error @+1 {{'df.function' op argument 0 is bound to #df.binding<variable, "w">; functions are placed before df-state-to-values}}
df.function @bound(%x: tensor<f32> {df.binding = #df.binding<variable, "w">}) -> tensor<f32> {
  df.return %x : tensor<f32>
}

// -----

// expected-error @+1 {{'dist.program' op is there already: a module is cut once}}
dist.program @p on "/device:CPU:0" {
}
