// What the verifiers of the dist dialect refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'df.variable' op device spec '/job:ps/foo:1', character 9: expected job:, task:, device:, cpu: or gpu:; found 'foo'}}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/job:ps/foo:1"}

// -----

// expected-error @+1 {{'df.variable' op 'dist.device' must be a string; found 1 : i64}}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = 1 : i64}

// -----

// expected-error @+1 {{'df.variable' op is colocated with @v, which is neither a df.variable nor a df.queue}}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.colocate_with = @v}

// -----

// expected-error @+1 {{'df.variable' op 'dist.colocate_with' must be a symbol; found "v"}}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.colocate_with = "v"}

// -----

// expected-error @+1 {{'df.variable' op has 'dist.place' on an op, where the dist dialect has no such attribute}}
df.variable @w : tensor<f32> = #df.constant<0.0> {dist.place = "/cpu:0"}

// -----

// expected-error @+1 {{'builtin.module' op has 'dist.device' on an op that is not placed, where the dist dialect has no such attribute}}
module attributes {dist.device = "/cpu:0"} {
}

// -----

// expected-error @+1 {{'builtin.module' op 'dist.devices' must be an array of strings; found [1]}}
module attributes {dist.devices = [1]} {
}

// -----

// expected-error @+1 {{'builtin.module' op 'dist.parts' must be an array of dictionaries; found "train"}}
module attributes {dist.parts = "train"} {
}

// -----

// expected-error @+1 {{'builtin.module' op 'dist.channels' must be an array of dictionaries; found ["train"]}}
module attributes {dist.channels = ["train"]} {
}

// -----

// expected-error @+1 {{'df.function' op has 'dist.colocate_with' on an argument, where the dist dialect has no such attribute}}
df.function @f(%x: tensor<f32> {dist.colocate_with = @w}) {
  df.return
}

// -----

// expected-error @+1 {{'df.function' op 'dist.argument' must be an i64 >= 0; found -1 : i64}}
df.function @f(%x: tensor<f32> {dist.argument = -1 : i64}) {
  df.return
}

// -----

// expected-error @+1 {{'dist.program' op (C1) must be on a concrete device in canonical form, as "/job:worker/task:0/device:CPU:0" or "/device:CPU:0"; found "/job:ps/device:CPU:0"}}
dist.program @p on "/job:ps/device:CPU:0" {
}

// -----

// expected-error @+1 {{'dist.program' op (C1) device spec '/cpu:x', character 6: expected the device's number (a number below 2^63) or '*'; found 'x'}}
dist.program @p on "/cpu:x" {
}

// -----

dist.program @p on "/device:CPU:0" {
}
// expected-error @+1 {{'dist.program' op (C1) is on "/device:CPU:0", as program @p is}}
dist.program @q on "/device:CPU:0" {
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f() {
    // expected-error @+1 {{'dist.send' op (C1) must have at least one value}}
    "dist.send"() {to = @q, channel = 0 : i64} : () -> ()
    df.return
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f() {
    // expected-error @+1 {{'dist.recv' op (C1) must have at least one value}}
    "dist.recv"() {from = @q, channel = 0 : i64} : () -> ()
    df.return
  }
}

// -----

df.function @f(%x: tensor<f32>) {
  // expected-error @+1 {{'dist.send' op (C3) is in no dist.program}}
  dist.send %x to @q channel 0 : tensor<f32>
  df.return
}

// -----

df.function @f() {
  // expected-error @+1 {{'dist.recv' op (C3) is in no dist.program}}
  %x = dist.recv from @q channel 0 : tensor<f32>
  df.return
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f() {
    // expected-error @+1 {{sizes has 2 arrays for 1 results}}
    %x = "dist.recv"() {from = @q, channel = 0 : i64, sizes = [[], []]} : () -> tensor<f32>
    df.return
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>) {
    // expected-error @+1 {{'dist.send' op (C2) channel 0 has no dist.recv}}
    dist.send %x to @q channel 0 : tensor<f32>
    df.return
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f() -> tensor<f32> {
    // expected-error @+1 {{'dist.recv' op (C2) channel 0 has no dist.send}}
    %x = dist.recv from @q channel 0 : tensor<f32>
    df.return %x : tensor<f32>
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>) {
    // expected-note @+1 {{the other one}}
    dist.send %x to @q channel 0 : tensor<f32>
    // expected-error @+1 {{'dist.send' op (C2) channel 0 has another one}}
    dist.send %x to @q channel 0 : tensor<f32>
    df.return
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>) {
    // expected-error @+1 {{'dist.send' op (C2) channel 0 goes to program @r; its dist.recv is in function @f of @q}}
    dist.send %x to @r channel 0 : tensor<f32>
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() -> tensor<f32> {
    %x = dist.recv from @p channel 0 : tensor<f32>
    df.return %x : tensor<f32>
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>) {
    dist.send %x to @q channel 0 : tensor<f32>
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() -> tensor<f32> {
    // expected-error @+1 {{'dist.recv' op (C2) channel 0 comes from program @r; its dist.send is in @p}}
    %x = dist.recv from @r channel 0 : tensor<f32>
    df.return %x : tensor<f32>
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>) {
    dist.send %x to @q channel 0 : tensor<f32>
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() -> tensor<f64> {
    // expected-error @+1 {{'dist.recv' op (C2) channel 0 gives ('tensor<f64>'); its dist.send sends ('tensor<f32>')}}
    %x = dist.recv from @p channel 0 : tensor<f64>
    df.return %x : tensor<f64>
  }
}

// -----

dist.program @p on "/device:CPU:0" {
  df.function @f(%x: tensor<f32>, %c: tensor<i1>) {
    df.if %c : (tensor<i1>) -> () {
      dist.send %x to @q channel 0 : tensor<f32>
      df.yield
    } else {
      df.yield
    }
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() -> tensor<f32> {
    // expected-error @+1 {{'dist.recv' op (C2) channel 0 stands in the function; its dist.send in df.if.0}}
    %x = dist.recv from @p channel 0 : tensor<f32>
    df.return %x : tensor<f32>
  }
}

// -----

// Each waits for what the other one sends after that.
dist.program @p on "/device:CPU:0" {
  df.function @f() {
    // expected-error @+1 {{'dist.recv' op (C3) waits for ever: channel 0 is sent after what waits for this program}}
    %x = dist.recv from @q channel 0 : tensor<f32>
    dist.send %x to @q channel 1 : tensor<f32>
    df.return
  }
}
dist.program @q on "/device:CPU:1" {
  df.function @f() {
    %x = dist.recv from @p channel 1 : tensor<f32>
    // expected-note @+1 {{sent here}}
    dist.send %x to @p channel 0 : tensor<f32>
    df.return
  }
}
