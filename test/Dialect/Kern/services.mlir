// Calls of services and published buffers: forms, and what bufferization makes of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --codegen-bufferize | FileCheck %s --check-prefix=BUFFERS

// CHECK-LABEL: func.func @published
// CHECK: kern.publish %{{.*}} as 2 : tensor<?xf32>
// BUFFERS-LABEL: func.func @published
// BUFFERS: kern.publish %{{.*}} as 2 : memref<?xf32>
func.func @published(%n: index) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %v = arith.constant 1.0 : f32
  %f = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  kern.publish %f as 2 : tensor<?xf32>
  return
}

// Columns of a matrix are copied before they are published.
// BUFFERS-LABEL: func.func @columns
// BUFFERS: %[[COPY:.*]] = memref.alloc(%{{.*}}) : memref<?x3xf32>
// BUFFERS: kern.publish %[[COPY]] as 0 : memref<?x3xf32>
func.func @columns(%m: memref<?x7xf32>, %n: index) {
  %t = bufferization.to_tensor %m restrict : memref<?x7xf32> to tensor<?x7xf32>
  %s = tensor.extract_slice %t[0, 2] [%n, 3] [1, 1] : tensor<?x7xf32> to tensor<?x3xf32>
  kern.publish %s as 0 : tensor<?x3xf32>
  return
}

// CHECK-LABEL: func.func @called
// CHECK: kern.service "fingerprint_strings" "bnb" ins(%{{.*}} : tensor<?x2xi64>) outs(%{{.*}} : tensor<?xi64>)
func.func @called(%s: tensor<?x2xi64>, %o: tensor<?xi64>) -> tensor<?xi64> {
  %h = kern.service "fingerprint_strings" "bnb" ins(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  return %h : tensor<?xi64>
}
