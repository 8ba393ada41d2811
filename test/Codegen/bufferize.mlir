// Tensors become buffers. A loop ends in copying what it carries to its place: what is the old value of another place is read before any changes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --codegen-bufferize | FileCheck %s

// CHECK-LABEL: func.func @rotates(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (memref<4xf32>, memref<4xf32>)
// CHECK: %[[OLD:.*]] = memref.alloc()
// CHECK: linalg.copy ins(%[[A]] : memref<4xf32>) outs(%[[OLD]] : memref<4xf32>)
// CHECK: linalg.copy ins(%{{.*}} : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: linalg.copy ins(%[[OLD]] : memref<4xf32>) outs(%[[B]] : memref<4xf32>)
// CHECK: scf.yield %[[A]], %[[B]]
func.func @rotates(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %n: index) {
  %0 = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %b restrict writable : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  %lower = arith.constant 0 : index
  %step = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %step iter_args(%x = %0, %y = %1) -> (tensor<4xf32>, tensor<4xf32>) {
    %next = linalg.copy ins(%2 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    %old = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next, %old : tensor<4xf32>, tensor<4xf32>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// What is read before its place changes needs no copy, nor does what is no place.
// CHECK-LABEL: func.func @shifts(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (memref<4xf32>, memref<4xf32>)
// CHECK-NOT: memref.alloc
// CHECK: linalg.copy ins(%[[A]] : memref<4xf32>) outs(%[[B]] : memref<4xf32>)
// CHECK: linalg.copy ins(%{{.*}} : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: scf.yield %[[A]], %[[B]]
func.func @shifts(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>, %n: index) {
  %0 = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %b restrict writable : memref<4xf32> to tensor<4xf32>
  %2 = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  %lower = arith.constant 0 : index
  %step = arith.constant 1 : index
  %r:2 = scf.for %i = %lower to %n step %step iter_args(%x = %0, %y = %1) -> (tensor<4xf32>, tensor<4xf32>) {
    %old = linalg.copy ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
    %next = linalg.copy ins(%2 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next, %old : tensor<4xf32>, tensor<4xf32>
  }
  bufferization.materialize_in_destination %r#0 in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %r#1 in restrict writable %b : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// Either the old value or one from outside: the old one is copied, so that its place can be written.
// CHECK-LABEL: func.func @chooses(
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (memref<4xf32>)
// CHECK: linalg.copy ins(%[[A]] : memref<4xf32>) outs(%{{.*}} : memref<4xf32>)
// CHECK: linalg.copy ins(%{{.*}} : memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: scf.yield %[[A]]
func.func @chooses(%a: memref<4xf32>, %c: memref<4xf32>, %n: index, %either: i1, %other: i1) {
  %0 = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %1 = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  %lower = arith.constant 0 : index
  %step = arith.constant 1 : index
  %r = scf.for %i = %lower to %n step %step iter_args(%x = %0) -> (tensor<4xf32>) {
    %chosen = scf.if %either -> (tensor<4xf32>) {
      %selected = arith.select %other, %x, %1 : tensor<4xf32>
      scf.yield %selected : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    %between = linalg.copy ins(%chosen : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    %next = linalg.copy ins(%between : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  bufferization.materialize_in_destination %r in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
