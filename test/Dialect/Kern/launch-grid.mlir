// Launches of blocks of threads, and what attributes refuse.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --split-input-file --verify-diagnostics | mlc-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @grid
// CHECK: kern.launch %{{.*}} cost 1000 grid <threads = 256, shared_bytes = 49152> {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index):
func.func @grid(%n: index) {
  kern.launch %n cost 1000 grid <threads = 256, shared_bytes = 49152> {
  ^bb0(%block: index, %thread: index):
    kern.yield
  }
  return
}

// -----

func.func @one_index(%n: index) {
  // expected-error @+1 {{(C1) the region must take the indices of a block and of a thread and yield nothing}}
  kern.launch %n cost 1 grid <threads = 1, shared_bytes = 0> {
  ^bb0(%block: index):
    kern.yield
  }
  return
}

// -----

func.func @no_grid(%n: index) {
  // expected-error @+1 {{(C1) the region must take an index and yield nothing}}
  kern.launch %n cost 1 {
  ^bb0(%block: index, %thread: index):
    kern.yield
  }
  return
}

// -----

// expected-error @+1 {{(C1) a block of a grid must have at least one thread; found 0}}
func.func private @threads() attributes {kernel = #kern.grid<threads = 0, shared_bytes = 0>}

// -----

// expected-error @+1 {{(C2) shared memory must be at least 0 bytes; found -1}}
func.func private @shared() attributes {kernel = #kern.grid<threads = 1, shared_bytes = -1>}

// -----

// expected-error @+1 {{(C1) rows, columns and tasks of a tiling must be at least 1, inner at least 0; found 0, 16, 8, 1 and 0}}
func.func private @rows() attributes {plan = #kern.tiling<panels, rows = 0, columns = 16, inner = 0, task_rows = 8, task_columns = 1>}

// -----

// expected-error @+1 {{(C2) 'dots' has one column and one block; found columns = 16 and inner = 0}}
func.func private @dots() attributes {plan = #kern.tiling<dots, rows = 1, columns = 16, inner = 0, task_rows = 8, task_columns = 1>}
