// A C function gets an attribute of its op. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt --load-dialect-plugin=%{demo} %s --df-interpret | FileCheck %s
// RUN: mlc run %s --load %{demo} --cache_dir %t | FileCheck %s --check-prefix=COMPILED

// CHECK: @f
// CHECK-NEXT: 0: tensor<2xf32> [0.6{{[0-9]*}}, 0]
// CHECK-NEXT: 1: tensor<2xf32> [0.74336
// COMPILED: {"one":[0.6{{[0-9]*}},0],"four":[0.74336{{[0-9]*}},0]}
df.function @f() -> (tensor<2xf32> {df.name = "one"}, tensor<2xf32> {df.name = "four"}) {
  %x = df.constant dense<[0.75, 0.0]> : tensor<2xf32>
  %one = demo.soft_clip %x : (tensor<2xf32>) -> tensor<2xf32>
  %four = demo.soft_clip %x {limit = 5.6 : f32} : (tensor<2xf32>) -> tensor<2xf32>
  df.return %one, %four : tensor<2xf32>, tensor<2xf32>
}
