// Devices are refused where code for one device is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-verify-unplaced --verify-diagnostics

df.variable @w : tensor<f32> = #df.constant<0.0>
// expected-error @+1 {{'df.variable' op has 'dist.colocate_with'; what is compiled has one device: remove it, or interpret the programs that dist-partition makes}}
df.variable @v : tensor<f32> = #df.constant<0.0> {dist.colocate_with = @w}
// expected-error @+1 {{'df.function' op has 'dist.device'; what is compiled has one device}}
df.function @f(%x: tensor<f32> {dist.device = "/cpu:0"}) -> tensor<f32> {
  // expected-error @+1 {{'df.neg' op has 'dist.device'; what is compiled has one device}}
  %y = df.neg %x {dist.device = "/cpu:0"} : tensor<f32>
  df.return %y : tensor<f32>
}
