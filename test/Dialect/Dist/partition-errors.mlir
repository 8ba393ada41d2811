// What dist-partition refuses: modules that are not placed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-partition --verify-diagnostics

// expected-error @+1 {{'df.function' op has no dist.device; run dist-place first}}
df.function @f(%x: tensor<f32>) -> tensor<f32> {
  df.return %x : tensor<f32>
}

// -----

df.function @f(%x: tensor<f32>) -> tensor<f32> attributes {dist.device = "/device:CPU:0"} {
  // expected-error @+1 {{'df.neg' op has the device spec "/cpu:0", which is not a concrete device in canonical form; run dist-place first}}
  %y = df.neg %x {dist.device = "/cpu:0"} : tensor<f32>
  df.return %y : tensor<f32>
}

// -----

// expected-error @+1 {{'df.function' op argument 0 has the device spec "/job:ps", which is not a concrete device in canonical form; run dist-place first}}
df.function @f(%x: tensor<f32> {dist.device = "/job:ps"}) -> tensor<f32> attributes {dist.device = "/device:CPU:0"} {
  df.return %x : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/device:CPU:1"}
df.function @f() -> tensor<f32> attributes {dist.device = "/device:CPU:0"} {
  // expected-error @+1 {{'df.read' op is on "/device:CPU:0"; @w, which it names, is on "/device:CPU:1"}}
  %w = df.read @w {dist.device = "/device:CPU:0"} : tensor<f32>
  df.return %w : tensor<f32>
}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/device:CPU:1"}
// expected-error @+1 {{'df.variable' op is on "/device:CPU:0"; @w, whose slot it is, is on "/device:CPU:1"}}
df.variable @m : tensor<f32> = #df.constant<0.0> {slot_of = @w, slot = "m", dist.device = "/device:CPU:0"}

// -----

df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/device:CPU:1"}
df.variable @v : tensor<f32> = #df.constant<0.0> {dist.device = "/device:CPU:0"}
df.function @f(%path: tensor<!df.string>) attributes {dist.device = "/device:CPU:0"} {
  // expected-note @+1 {{this one is on "/device:CPU:1"}}
  df.save "w" to %path {dist.device = "/device:CPU:1"} : tensor<!df.string>
  // expected-error @+1 {{'df.save' op is on "/device:CPU:0"; what saves and restores is together}}
  df.save "v" to %path {dist.device = "/device:CPU:0"} : tensor<!df.string>
  df.return
}
