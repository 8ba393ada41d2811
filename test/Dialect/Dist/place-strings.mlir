// Of a CPU and a GPU what works on strings is on the CPU, with those it must be with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --dist-place=devices=/gpu:0,/cpu:0 --verify-diagnostics | FileCheck %s
// RUN: mlc-opt %s --split-input-file --dist-place='devices=/gpu:0,/cpu:0 soft' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SOFT
// RUN: mlc-opt %s --split-input-file --dist-place='devices=/gpu:0,/gpu:1 soft' 2>/dev/null | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: df.function @strings
// CHECK-SAME: dist.device = "/device:GPU:0"
// NONE-LABEL: df.function @strings
df.function @strings(%x: tensor<?x!df.string>) -> tensor<?xi64> {
  // CHECK: df.fingerprint {{.*}} {dist.device = "/device:CPU:0"}
  // NONE: df.fingerprint {{.*}} {dist.device = "/device:GPU:0"}
  %p = df.fingerprint %x : (tensor<?x!df.string>) -> tensor<?xi64>
  // CHECK: df.hash_bucket {{.*}}dist.device = "/device:GPU:0"}
  %ids = df.hash_bucket %p {buckets = 64 : i64, dist.device = "/gpu:0"} : tensor<?xi64>
  df.return %ids : tensor<?xi64>
}

// -----

df.function @asked(%x: tensor<?x!df.string>) -> tensor<?xi64> {
  // SOFT: warning: 'df.fingerprint' op works on strings: its device spec, '/device:GPU:0', is not kept
  // expected-error @+1 {{works on strings, which are in the memory of CPUs alone; there are /device:GPU:0, /device:CPU:0, found the device spec '/device:GPU:0'}}
  %p = df.fingerprint %x {dist.device = "/gpu:0"} : (tensor<?x!df.string>) -> tensor<?xi64>
  df.return %p : tensor<?xi64>
}
