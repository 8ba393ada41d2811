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

// A value that many ops read is read where it was made: all of them, and what was given, by their buffers.
// CHECK-LABEL: func.func @many_readers(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>)
// CHECK: %[[V:.*]] = memref.alloc()
// CHECK: linalg.fill {{.*}} outs(%[[V]] : memref<4xf32>)
// CHECK-NOT: memref.alloc
// CHECK-NOT: bufferization
// CHECK-COUNT-16: linalg.add ins(%[[V]], %[[V]] : memref<4xf32>, memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK-COUNT-16: linalg.add ins(%[[C]], %[[C]] : memref<4xf32>, memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK-NOT: memref.alloc
// CHECK: return
func.func @many_readers(%a: memref<4xf32>, %c: memref<4xf32>) {
  %0 = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %given = bufferization.to_tensor %c restrict : memref<4xf32> to tensor<4xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  %5 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%4 : tensor<4xf32>) -> tensor<4xf32>
  %6 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%5 : tensor<4xf32>) -> tensor<4xf32>
  %7 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%6 : tensor<4xf32>) -> tensor<4xf32>
  %8 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%7 : tensor<4xf32>) -> tensor<4xf32>
  %9 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%8 : tensor<4xf32>) -> tensor<4xf32>
  %10 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%9 : tensor<4xf32>) -> tensor<4xf32>
  %11 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%10 : tensor<4xf32>) -> tensor<4xf32>
  %12 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%11 : tensor<4xf32>) -> tensor<4xf32>
  %13 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%12 : tensor<4xf32>) -> tensor<4xf32>
  %14 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%13 : tensor<4xf32>) -> tensor<4xf32>
  %15 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%14 : tensor<4xf32>) -> tensor<4xf32>
  %16 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%15 : tensor<4xf32>) -> tensor<4xf32>
  %17 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%16 : tensor<4xf32>) -> tensor<4xf32>
  %18 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%17 : tensor<4xf32>) -> tensor<4xf32>
  %19 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%18 : tensor<4xf32>) -> tensor<4xf32>
  %20 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%19 : tensor<4xf32>) -> tensor<4xf32>
  %21 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%20 : tensor<4xf32>) -> tensor<4xf32>
  %22 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%21 : tensor<4xf32>) -> tensor<4xf32>
  %23 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%22 : tensor<4xf32>) -> tensor<4xf32>
  %24 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%23 : tensor<4xf32>) -> tensor<4xf32>
  %25 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%24 : tensor<4xf32>) -> tensor<4xf32>
  %26 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%25 : tensor<4xf32>) -> tensor<4xf32>
  %27 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%26 : tensor<4xf32>) -> tensor<4xf32>
  %28 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%27 : tensor<4xf32>) -> tensor<4xf32>
  %29 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%28 : tensor<4xf32>) -> tensor<4xf32>
  %30 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%29 : tensor<4xf32>) -> tensor<4xf32>
  %31 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%30 : tensor<4xf32>) -> tensor<4xf32>
  %32 = linalg.add ins(%given, %given : tensor<4xf32>, tensor<4xf32>) outs(%31 : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %32 in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}

// One of many readers writes to it, and others read it after that: the writer gets a place of its own.
// CHECK-LABEL: func.func @reader_writes(
// CHECK-SAME: %[[A:.*]]: memref<4xf32>, %[[C:.*]]: memref<4xf32>)
// CHECK: %[[V:.*]] = memref.alloc()
// CHECK: linalg.fill {{.*}} outs(%[[V]] : memref<4xf32>)
// CHECK-COUNT-8: linalg.add ins(%[[V]], %[[V]] : memref<4xf32>, memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: %[[OWN:.*]] = memref.alloc()
// CHECK: linalg.exp ins(%[[V]] : memref<4xf32>) outs(%[[OWN]] : memref<4xf32>)
// CHECK-COUNT-8: linalg.add ins(%[[V]], %[[V]] : memref<4xf32>, memref<4xf32>) outs(%[[A]] : memref<4xf32>)
// CHECK: linalg.copy ins(%[[OWN]] : memref<4xf32>) outs(%[[C]] : memref<4xf32>)
func.func @reader_writes(%a: memref<4xf32>, %c: memref<4xf32>) {
  %0 = bufferization.to_tensor %a restrict writable : memref<4xf32> to tensor<4xf32>
  %given = bufferization.to_tensor %c restrict writable : memref<4xf32> to tensor<4xf32>
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %v = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  %4 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%3 : tensor<4xf32>) -> tensor<4xf32>
  %5 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%4 : tensor<4xf32>) -> tensor<4xf32>
  %6 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%5 : tensor<4xf32>) -> tensor<4xf32>
  %7 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%6 : tensor<4xf32>) -> tensor<4xf32>
  %8 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%7 : tensor<4xf32>) -> tensor<4xf32>
  %w = linalg.exp ins(%v : tensor<4xf32>) outs(%v : tensor<4xf32>) -> tensor<4xf32>
  %9 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%8 : tensor<4xf32>) -> tensor<4xf32>
  %10 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%9 : tensor<4xf32>) -> tensor<4xf32>
  %11 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%10 : tensor<4xf32>) -> tensor<4xf32>
  %12 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%11 : tensor<4xf32>) -> tensor<4xf32>
  %13 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%12 : tensor<4xf32>) -> tensor<4xf32>
  %14 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%13 : tensor<4xf32>) -> tensor<4xf32>
  %15 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%14 : tensor<4xf32>) -> tensor<4xf32>
  %16 = linalg.add ins(%v, %v : tensor<4xf32>, tensor<4xf32>) outs(%15 : tensor<4xf32>) -> tensor<4xf32>
  %copy = linalg.copy ins(%w : tensor<4xf32>) outs(%given : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %16 in restrict writable %a : (tensor<4xf32>, memref<4xf32>) -> ()
  bufferization.materialize_in_destination %copy in restrict writable %c : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
