// Calls of services and published buffers: what bufferization makes of them, and which calls may be dropped.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s | mlc-opt | FileCheck %s
// RUN: mlc-opt %s --codegen-bufferize | FileCheck %s --check-prefix=BUFFERS
// RUN: mlc-opt %s --canonicalize | FileCheck %s --check-prefix=UNREAD

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

// A service writes where it is told to; what it updates is copied first if it is read after.
// BUFFERS-LABEL: func.func @written
// BUFFERS: %[[OUT:.*]] = memref.alloc(%{{.*}}) {{.*}}: memref<?xi64>
// BUFFERS-NEXT: kern.fingerprint_strings in(%{{.*}} : memref<?x2xi64>) outs(%[[OUT]] : memref<?xi64>)
func.func @written(%m: memref<?x2xi64>, %n: index) -> i64 {
  %c0 = arith.constant 0 : index
  %s = bufferization.to_tensor %m restrict : memref<?x2xi64> to tensor<?x2xi64>
  %o = tensor.empty(%n) : tensor<?xi64>
  %h = kern.fingerprint_strings in(%s : tensor<?x2xi64>) outs(%o : tensor<?xi64>) -> tensor<?xi64>
  %x = tensor.extract %h[%c0] : tensor<?xi64>
  return %x : i64
}

// BUFFERS-LABEL: func.func @updated
// BUFFERS-SAME: %[[BINS:[a-z0-9]*]]: memref<256xf64>
// BUFFERS: memref.copy %[[BINS]], %[[COPY:.*]] : memref<256xf64>
// BUFFERS: kern.add_to_bins keys(%{{.*}} : memref<?xf32>) weights(%{{.*}} : memref<?xf64>) bits = 8 outs(%[[COPY]] : memref<256xf64>)
func.func @updated(%m: memref<256xf64>, %keys: memref<?xf32>, %weights: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %b = bufferization.to_tensor %m restrict : memref<256xf64> to tensor<256xf64>
  %k = bufferization.to_tensor %keys restrict : memref<?xf32> to tensor<?xf32>
  %w = bufferization.to_tensor %weights restrict : memref<?xf64> to tensor<?xf64>
  %a = kern.add_to_bins keys(%k : tensor<?xf32>) weights(%w : tensor<?xf64>) bits = 8 outs(%b : tensor<256xf64>) -> tensor<256xf64>
  %x = tensor.extract %a[%c0] : tensor<256xf64>
  %y = tensor.extract %b[%c0] : tensor<256xf64>
  %z = arith.addf %x, %y : f64
  return %z : f64
}

// What nobody reads is not asked for, unless the call must run.
// UNREAD-LABEL: func.func @unread
// UNREAD-NOT: kern.fingerprint_ints
// UNREAD: kern.check_indices bounds(%{{.*}}) skip_negative = 0 what = "an op" must_run outs
// UNREAD-NOT: kern.check_indices
// UNREAD: kern.check_ids
// UNREAD-NEXT: kern.queue_size
func.func @unread(%i: tensor<?xi64>, %n: tensor<i64>) {
  %0 = kern.fingerprint_ints in(%i : tensor<?xi64>) outs(%i : tensor<?xi64>) -> tensor<?xi64>
  %1 = kern.check_indices bounds(%i : tensor<?xi64>) skip_negative = 0 what = "an op" must_run outs(%i : tensor<?xi64>) -> tensor<?xi64>
  %2 = kern.check_indices bounds(%i : tensor<?xi64>) skip_negative = 0 what = "an op" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  kern.check_ids ids(%i : tensor<?xi64>) low = 0 high = 5 dtype = 8 table = -1 what = "label"
  %3 = kern.queue_size queue = 0 outs(%n : tensor<i64>) -> tensor<i64>
  return
}
