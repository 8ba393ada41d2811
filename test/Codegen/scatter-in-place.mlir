// A scatter into a variable that is assigned again writes its elements and copies nothing else.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --df-number-symbols --df-decompose --df-state-to-values --df-outline-features --convert-df-to-linalg --codegen-bind-segments --codegen-bufferize --codegen-place-parts --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @f.step(
// CHECK-SAME: %[[STORE:[a-z0-9]+]]: memref<1048576xf32>
// CHECK-NOT: memref<1048576xf32> to
// CHECK-NOT: memref.alloc() {{.*}} : memref<1048576xf32>
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[STORE]][%{{.*}}] : memref<1048576xf32>
// CHECK-NOT: memref.copy
// CHECK: return
module {
  df.variable @store : tensor<1048576xf32> = #df.constant<0.0>
  df.function @f(%values: tensor<?xf32> {df.name = "values"}, %places: tensor<?xi64> {df.name = "places"}) attributes {role = #df.role<other>} {
    %old = df.read @store : tensor<1048576xf32>
    %new = df.scatter set %old, %places, %values {axes = array<i64: 0>, skip_negative} : (tensor<1048576xf32>, tensor<?xi64>, tensor<?xf32>) -> tensor<1048576xf32>
    df.assign @store, %new : tensor<1048576xf32>
    df.return
  }
}
