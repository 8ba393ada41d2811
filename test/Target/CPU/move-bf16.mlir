// bf16 moves as integers; what is stored past the caches, as words, which have such stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --cpu-move-bf16 | FileCheck %s

// CHECK-LABEL: llvm.func @plain
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> vector<8xi16>
// CHECK-NOT:     bf16>, !llvm.ptr
// CHECK:         llvm.store %{{.*}} : vector<8xi16>, !llvm.ptr
// CHECK:         llvm.return
llvm.func @plain(%p: !llvm.ptr, %q: !llvm.ptr) {
  %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> vector<8xbf16>
  llvm.store %x, %q {alignment = 2 : i64} : vector<8xbf16>, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @streamed
// CHECK-NOT:     bf16>, !llvm.ptr
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<4xi32>, !llvm.ptr
// CHECK:         llvm.return
llvm.func @streamed(%x: vector<8xbf16>, %q: !llvm.ptr) {
  llvm.store %x, %q {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr
  llvm.return
}

// A number that is repeated, taken out or chosen.
// CHECK-LABEL: llvm.func @moved
// CHECK:         %[[X:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         llvm.insertelement %[[X]], %{{.*}} : vector<8xi16>
// CHECK:         llvm.shufflevector %{{.*}} : vector<8xi16>
// CHECK:         llvm.select %{{.*}} : i1, vector<8xi16>
// CHECK:         llvm.extractelement %{{.*}} : vector<8xi16>
// CHECK:         llvm.return
llvm.func @moved(%p: !llvm.ptr, %q: !llvm.ptr, %c: i1, %other: vector<8xbf16>) {
  %x = llvm.load %p {alignment = 2 : i64} : !llvm.ptr -> bf16
  %none = llvm.mlir.poison : vector<8xbf16>
  %zero = llvm.mlir.constant(0 : i32) : i32
  %first = llvm.insertelement %x, %none[%zero : i32] : vector<8xbf16>
  %all = llvm.shufflevector %first, %none [0, 0, 0, 0, 0, 0, 0, 0] : vector<8xbf16>
  %chosen = llvm.select %c, %all, %other : i1, vector<8xbf16>
  %one = llvm.extractelement %chosen[%zero : i32] : vector<8xbf16>
  llvm.store %one, %q {alignment = 2 : i64} : bf16, !llvm.ptr
  llvm.return
}
