// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --verify-diagnostics --dist-place --dist-partition --dist-join

// expected-error @+1 {{'dist.program' op is on "/device:GPU:0"; code is made for devices of type CPU alone}}
module {
  df.variable @w : tensor<f32> = #df.constant<0.0> {dist.device = "/gpu:0"}
}
