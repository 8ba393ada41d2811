// The pass of the plug-in. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt --load-dialect-plugin=%{demo} --load-pass-plugin=%{demo} %s --demo-drop-signs | FileCheck %s

// CHECK-LABEL: @both
// CHECK-SAME: (%[[X:.*]]: tensor<?x2xf32>, %[[Y:.*]]: tensor<?x2xf32>)
// CHECK-NEXT: demo.cosine_similarity %[[X]], %[[Y]]
df.function @both(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?xf32> {
  %nx = df.neg %x : tensor<?x2xf32>
  %ny = df.neg %y : tensor<?x2xf32>
  %cosine = demo.cosine_similarity %nx, %ny : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?xf32>
  df.return %cosine : tensor<?xf32>
}

// CHECK-LABEL: @one
// CHECK: %[[N:.*]] = df.neg
// CHECK-NEXT: demo.cosine_similarity %[[N]],
df.function @one(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>) -> tensor<?xf32> {
  %nx = df.neg %x : tensor<?x2xf32>
  %cosine = demo.cosine_similarity %nx, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?xf32>
  df.return %cosine : tensor<?xf32>
}
