// RUN: mlc-opt %s --cuda-expand-groups --canonicalize | FileCheck %s
// Scatters become groups of the updates by the row that they name, each combined in the order of the updates; the places of
// a mask become sums of marks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of static size are columns of a group's row; ids that name none are in no group.
// CHECK-LABEL: func.func @scatter
// CHECK-SAME:    (%[[T:.*]]: tensor<9x4xf32>, %[[I:.*]]: tensor<?xi64>, %[[U:.*]]: tensor<?x4xf32>)
// CHECK:         %[[PLACES:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xi64>)
// CHECK:           tensor.extract %[[I]]
// CHECK:           arith.select %{{.*}}, %c-1_i64, %{{.*}} : i64
// CHECK:         %[[ORDER:.*]] = kern.sort_positions
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK:         %[[ROWS:.*]] = linalg.generic
// CHECK:         %[[ENDS:.*]] = linalg.generic
// CHECK:         %[[SUMS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x4xf32>)
// CHECK:           tensor.extract %[[ENDS]]
// CHECK:           %[[OLD:.*]] = tensor.extract %[[T]]
// CHECK:           %[[SOME:.*]] = scf.for {{.*}} step %c8 iter_args(%{{.*}} = %[[OLD]]) -> (f32)
// CHECK-COUNT-8:     arith.addf
// CHECK:           scf.for {{.*}} step %c1 iter_args(%[[SUM:.*]] = %[[SOME]]) -> (f32)
// CHECK:             tensor.extract %[[ORDER]]
// CHECK:             %[[NEW:.*]] = tensor.extract %[[U]]
// CHECK:             arith.addf %[[SUM]], %[[NEW]]
// CHECK:         kern.update_rows ids(%[[ROWS]], %[[COUNT]] : {{.*}}) values(%[[SUMS]] : tensor<?x4xf32>) outs(%[[T]] : tensor<9x4xf32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: f32, %[[COMBINED:.*]]: f32):
// CHECK-NEXT:      kern.yield %[[COMBINED]]
func.func @scatter(%t: tensor<9x4xf32>, %i: tensor<?xi64>, %u: tensor<?x4xf32>) -> tensor<9x4xf32> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %none = arith.constant 0 : i64
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<9x4xf32>) {
    %q = scf.for %k = %c0 to %c4 step %c1 iter_args(%b = %a) -> (tensor<9x4xf32>) {
      %id = tensor.extract %i[%j] : tensor<?xi64>
      %isNone = arith.cmpi slt, %id, %none : i64
      %least = arith.maxsi %id, %none : i64
      %at = arith.index_cast %least : i64 to index
      %x = scf.if %isNone -> (tensor<9x4xf32>) {
        scf.yield %b : tensor<9x4xf32>
      } else {
        %new = tensor.extract %u[%j, %k] : tensor<?x4xf32>
        %old = tensor.extract %b[%at, %k] : tensor<9x4xf32>
        %sum = arith.addf %old, %new : f32
        %put = tensor.insert %sum into %b[%at, %k] : tensor<9x4xf32>
        scf.yield %put : tensor<9x4xf32>
      }
      scf.yield %x : tensor<9x4xf32>
    }
    scf.yield %q : tensor<9x4xf32>
  }
  return %r : tensor<9x4xf32>
}

// A row finds its iteration among the sums, and each column what it wrote.
// CHECK-LABEL: func.func @places
// CHECK-SAME:    (%[[M:.*]]: tensor<?x3xi8>
// CHECK:         %[[MARKS:.*]] = linalg.generic
// CHECK:           tensor.extract %[[M]]
// CHECK:         %[[SUMS:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[MARKS]])
// CHECK:         %[[R:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?x2xi64>)
// CHECK:           scf.while
// CHECK:             tensor.extract %[[SUMS]]
// CHECK:           arith.select
// CHECK:         return %[[R]]
func.func @places(%m: tensor<?x3xi8>, %rows: index) -> tensor<?x2xi64> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %m, %c0 : tensor<?x3xi8>
  %e = tensor.empty(%rows) : tensor<?x2xi64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %e, %k = %c0) -> (tensor<?x2xi64>, index) {
    %q:2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a, %l = %k) -> (tensor<?x2xi64>, index) {
      %byte = tensor.extract %m[%i, %j] : tensor<?x3xi8>
      %is = arith.trunci %byte : i8 to i1
      %x:2 = scf.if %is -> (tensor<?x2xi64>, index) {
        %i64 = arith.index_cast %i : index to i64
        %y0 = tensor.insert %i64 into %b[%l, %c0] : tensor<?x2xi64>
        %j64 = arith.index_cast %j : index to i64
        %y1 = tensor.insert %j64 into %y0[%l, %c1] : tensor<?x2xi64>
        %next = arith.addi %l, %c1 : index
        scf.yield %y1, %next : tensor<?x2xi64>, index
      } else {
        scf.yield %b, %l : tensor<?x2xi64>, index
      }
      scf.yield %x#0, %x#1 : tensor<?x2xi64>, index
    }
    scf.yield %q#0, %q#1 : tensor<?x2xi64>, index
  }
  return %r#0 : tensor<?x2xi64>
}

// Few updates stay one launch, of which each owner looks at all.
// CHECK-LABEL: func.func @few
// CHECK-NOT:     kern.sort_positions
// CHECK:         scf.for
// CHECK:         tensor.insert
func.func @few(%t: tensor<9xf32>, %i: tensor<5xi64>, %u: tensor<5xf32>) -> tensor<9xf32> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %j = %c0 to %c5 step %c1 iter_args(%a = %t) -> (tensor<9xf32>) {
    %id = tensor.extract %i[%j] : tensor<5xi64>
    %at = arith.index_cast %id : i64 to index
    %new = tensor.extract %u[%j] : tensor<5xf32>
    %old = tensor.extract %a[%at] : tensor<9xf32>
    %sum = arith.addf %old, %new : f32
    %put = tensor.insert %sum into %a[%at] : tensor<9xf32>
    scf.yield %put : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

// Where each column has places of its own, an element is a row: all iterations are sorted. What stays last decides.
// CHECK-LABEL: func.func @along
// CHECK-SAME:    (%[[T:.*]]: tensor<?x5xf32>, %{{.*}}: tensor<?x3xi64>, %[[U:.*]]: tensor<?x3xf32>)
// CHECK:         %[[ORDER:.*]] = kern.sort_positions
// CHECK:         %[[LAST:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<?xf32>)
// CHECK-NOT:       scf.for
// CHECK:           tensor.extract %[[ORDER]]
// CHECK:           tensor.extract %[[U]]
// CHECK:         %[[FLAT:.*]] = tensor.collapse_shape %[[T]]
// CHECK:         kern.update_rows ids({{.*}}) values(%[[LAST]] : tensor<?xf32>) outs(%[[FLAT]] : tensor<?xf32>)
func.func @along(%t: tensor<?x5xf32>, %i: tensor<?x3xi64>, %u: tensor<?x3xf32>) -> tensor<?x5xf32> attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = tensor.dim %i, %c0 : tensor<?x3xi64>
  %r = scf.for %j = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<?x5xf32>) {
    %q = scf.for %k = %c0 to %c3 step %c1 iter_args(%b = %a) -> (tensor<?x5xf32>) {
      %id = tensor.extract %i[%j, %k] : tensor<?x3xi64>
      %at = arith.index_cast %id : i64 to index
      %new = tensor.extract %u[%j, %k] : tensor<?x3xf32>
      %put = tensor.insert %new into %b[%j, %at] : tensor<?x5xf32>
      scf.yield %put : tensor<?x5xf32>
    }
    scf.yield %q : tensor<?x5xf32>
  }
  return %r : tensor<?x5xf32>
}
