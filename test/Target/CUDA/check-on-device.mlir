// RUN: mlc-opt %s --cuda-check-on-device --canonicalize | FileCheck %s
// Checks of indices become kernels that lower the error slot, and updates keep what variables held where it is lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#scalar = affine_map<() -> ()>
#vector = affine_map<(i) -> (i)>

// A dense update stands after both checks, and selects. -16777216 is MLCRT_ERROR(MLCRT_NO_ROW, 0), -1 no error.
// CHECK-LABEL: func.func @train
// CHECK-SAME:    %[[I:.*]]: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %[[W:.*]]: tensor<9xf32> {df.binding = #df.binding<variable, "w">}, %[[SLOT:.*]]: tensor<i64> {df.binding = #df.binding<variable, "error">})
// CHECK-SAME:    -> (tensor<9xf32> {df.binding = #df.binding<variable, "w">}, tensor<?xf32> {df.binding = #df.binding<output, "y">}, tensor<i64> {df.binding = #df.binding<variable, "error">})
// CHECK-SAME:    kern.checks = [0, "gather: an index is out of range", "other: an index is out of range"]
// CHECK-SAME:    kern.error_operand = 2
// CHECK-DAG:     %[[MINE:.*]] = arith.constant -16777216 : i64
// CHECK-DAG:     %[[NEXT:.*]] = arith.constant -16777215 : i64
// CHECK-DAG:     %[[NINE:.*]] = arith.constant 9 : i64
// CHECK-DAG:     %[[EIGHT:.*]] = arith.constant 8 : i64
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i64
// CHECK:         %[[FIRST:.*]] = linalg.generic {{.*}} iterator_types = ["reduction"]} ins(%[[I]] : tensor<?xi64>) outs(%[[SLOT]] : tensor<i64>)
// CHECK:           %[[WRONG:.*]] = arith.cmpi uge, %{{.*}}, %[[NINE]] : i64
// CHECK:           %[[ERROR:.*]] = arith.select %[[WRONG]], %[[MINE]], %[[NONE]] : i64
// CHECK:           arith.minui %{{.*}}, %[[ERROR]] : i64
// CHECK:         %[[RIGHT:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<?xi64>)
// CHECK:           %[[MOST:.*]] = arith.minsi %{{.*}}, %[[EIGHT]] : i64
// CHECK:           arith.maxsi %[[MOST]], %{{.*}} : i64
// CHECK:           tensor.extract %[[RIGHT]]
// CHECK:         %[[SECOND:.*]] = linalg.generic {{.*}} ins(%[[I]] : tensor<?xi64>) outs(%[[FIRST]] : tensor<i64>)
// CHECK:           arith.cmpi sge
// CHECK:           arith.select %{{.*}}, %[[NEXT]], %[[NONE]] : i64
// CHECK:         %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[SECOND]] : tensor<9xf32>, tensor<i64>)
// CHECK:         ^bb0(%[[OLD:.*]]: f32, %[[WORD:.*]]: i64, %{{.*}}: f32):
// CHECK:           %[[UPDATED:.*]] = arith.addf %[[OLD]], %[[OLD]]
// CHECK:           %[[GOOD:.*]] = arith.cmpi eq, %[[WORD]], %[[NONE]] : i64
// CHECK:           arith.select %[[GOOD]], %[[UPDATED]], %[[OLD]] : f32
// CHECK:         return %[[NEW]], %{{.*}}, %[[SECOND]]
// What tells on the host which index is wrong has the checks, and gives nothing.
// CHECK-LABEL: func.func @train.checks
// CHECK-SAME:    (%[[I:.*]]: tensor<?xi64> {{{.*}}}, %{{.*}}: tensor<9xf32> {{{.*}}}) attributes {df.entry = "train", df.role = #df.role<train>, df.segment = #df.segment<called>}
// CHECK:         kern.check_indices {{.*}} what = "gather" must_run outs(%[[I]] : tensor<?xi64>)
// CHECK:         kern.check_indices {{.*}} what = "other" must_run outs(%[[I]] : tensor<?xi64>)
// CHECK-NEXT:    return
func.func @train(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %w: tensor<9xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<9xf32> {df.binding = #df.binding<variable, "w">}, tensor<?xf32> {df.binding = #df.binding<output, "y">})
    attributes {df.entry = "train", df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %bounds = arith.constant dense<9> : tensor<1xi64>
  %e = tensor.empty() : tensor<9xf32>
  %u = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%w : tensor<9xf32>) outs(%e : tensor<9xf32>) {
  ^bb0(%a: f32, %out: f32):
    %sum = arith.addf %a, %a : f32
    linalg.yield %sum : f32
  } -> tensor<9xf32>
  %checked = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 0 what = "gather" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  %n = tensor.dim %i, %c0 : tensor<?xi64>
  %ey = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#vector], iterator_types = ["parallel"]} outs(%ey : tensor<?xf32>) {
  ^bb0(%out: f32):
    %at = linalg.index 0 : index
    %k = tensor.extract %checked[%at] : tensor<?xi64>
    %row = arith.index_cast %k : i64 to index
    %x = tensor.extract %w[%row] : tensor<9xf32>
    linalg.yield %x : f32
  } -> tensor<?xf32>
  %other = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 1 what = "other" must_run outs(%i : tensor<?xi64>) -> tensor<?xi64>
  return %u, %y : tensor<9xf32>, tensor<?xf32>
}

// Checks are numbered through the module. Each component has its bound; where negative ones mean none only those that are
// too large are moved. A check in a loop carries the word. Updates of rows get none, and all rows where all are updated;
// a loop over elements puts back what it finds.
// CHECK-LABEL: func.func @rows
// CHECK-SAME:    %[[SLOT:[a-z0-9]+]]: tensor<i64> {df.binding = #df.binding<variable, "error_">})
// CHECK-SAME:    kern.checks = [2, "pairs: an index is out of range"]
// CHECK:         %[[WORD:.*]] = scf.for {{.*}} iter_args(%[[CARRIED:.*]] = %[[SLOT]]) -> (tensor<i64>)
// CHECK:           %[[NEXT:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]} {{.*}} outs(%[[CARRIED]] : tensor<i64>)
// CHECK:             %[[C:.*]] = linalg.index 1
// CHECK:             %[[FIRST:.*]] = arith.cmpi eq, %[[C]], %c0
// CHECK:             %[[BOUND:.*]] = arith.select %[[FIRST]], %c4_i64, %c5_i64
// CHECK:             arith.cmpi sge, %{{.*}}, %[[BOUND]]
// CHECK:           scf.yield %[[NEXT]]
// CHECK:         %[[COUNT:.*]] = linalg.generic {{.*}} ins(%[[WORD]], %{{.*}} : tensor<i64>, tensor<i64>)
// CHECK:           arith.select %{{.*}}, %{{.*}}, %c0_i64
// CHECK:         kern.update_rows ids(%{{[a-z0-9]+}}, %[[COUNT]] :
// CHECK-SAME:      scalars(%{{.*}} : tensor<f32>) outs(%{{.*}} : tensor<9x4xf32>)
// CHECK:         kern.update_rows every_row ids(
// CHECK-SAME:      scalars(%[[WORD]] : tensor<i64>)
// CHECK:         ^bb0(%[[OLD:.*]]: f32, %{{.*}}: f32, %{{.*}}: i1, %[[SEEN:.*]]: i64):
// CHECK:           %[[GOOD:.*]] = arith.cmpi eq, %[[SEEN]], %c-1_i64
// CHECK:           %[[KEPT:.*]] = arith.select %[[GOOD]], %{{.*}}, %[[OLD]] : f32
// CHECK:           kern.yield %[[KEPT]] : f32
// CHECK:         scf.for
// CHECK:           arith.addf
// CHECK:           %[[FOUND:.*]] = tensor.extract %[[INTO:.*]][%[[AT:.*]]] : tensor<9xf32>
// CHECK:           tensor.extract %[[WORD]][]
// CHECK:           %[[PUT:.*]] = arith.select %{{.*}}, %{{.*}}, %[[FOUND]] : f32
// CHECK:           tensor.insert %[[PUT]] into %[[INTO]][%[[AT]]]
func.func @rows(%i: tensor<?x2xi64> {df.binding = #df.binding<feature, "error">}, %ids: tensor<?xi64> {df.binding = #df.binding<feature, "ids">},
    %count: tensor<i64> {df.binding = #df.binding<feature, "count">}, %g: tensor<?x4xf32> {df.binding = #df.binding<feature, "g">}, %rate: tensor<f32> {df.binding = #df.binding<setting, "rate">},
    %t: tensor<9x4xf32> {df.binding = #df.binding<variable, "t">}, %a: tensor<9x4xf32> {df.binding = #df.binding<variable, "a">}, %h: tensor<9xf32> {df.binding = #df.binding<variable, "h">})
    -> (tensor<9x4xf32> {df.binding = #df.binding<variable, "t">}, tensor<9x4xf32> {df.binding = #df.binding<variable, "a">}, tensor<9xf32> {df.binding = #df.binding<variable, "h">})
    attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4 : i64
  %five = arith.constant 5 : i64
  scf.for %k = %c0 to %c3 step %c1 {
    %bounds = tensor.from_elements %four, %five : tensor<2xi64>
    %checked = kern.check_indices bounds(%bounds : tensor<2xi64>) skip_negative = 1 what = "pairs" must_run outs(%i : tensor<?x2xi64>) -> tensor<?x2xi64>
  }
  %t1 = kern.update_rows ids(%ids, %count : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) scalars(%rate : tensor<f32>) outs(%t : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%w: f32, %d: f32, %r: f32):
    %m = arith.mulf %d, %r : f32
    %s = arith.subf %w, %m : f32
    kern.yield %s : f32
  }
  %a1 = kern.update_rows every_row ids(%ids, %count : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%a : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%w: f32, %d: f32, %is: i1):
    %s = arith.subf %w, %d : f32
    kern.yield %s : f32
  }
  %h1 = scf.for %k = %c0 to %c9 step %c1 iter_args(%x = %h) -> (tensor<9xf32>) {
    %old = tensor.extract %x[%k] : tensor<9xf32>
    %new = arith.addf %old, %one : f32
    %put = tensor.insert %new into %x[%k] : tensor<9xf32>
    scf.yield %put : tensor<9xf32>
  }
  return %t1, %a1, %h1 : tensor<9x4xf32>, tensor<9x4xf32>, tensor<9xf32>
}

// Into a dimension of nothing no index can be moved: the host, which knows the size, fails the segment.
// CHECK-LABEL: func.func @nothing
// CHECK-DAG:     %[[NONE:.*]] = arith.cmpi sle, %{{.*}}, %c0_i64
// CHECK-DAG:     %[[SOME:.*]] = arith.cmpi ne, %{{.*}}, %c0
// CHECK:         %[[FAILS:.*]] = arith.andi %[[NONE]], %[[SOME]]
// CHECK:         scf.if %[[FAILS]]
// CHECK:           kern.report_error code = 2 row = -1 message = "gather: an index into a dimension of size 0"
func.func @nothing(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}, %x: tensor<?xf32> {df.binding = #df.binding<feature, "x">})
    -> (tensor<?xi64> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<predict>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %size = arith.index_cast %n : index to i64
  %bounds = tensor.from_elements %size : tensor<1xi64>
  %checked = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 0 what = "gather" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  return %checked : tensor<?xi64>
}

// What a check needs is not held back by it: its elements are selected after it.
// CHECK-LABEL: func.func @needed
// CHECK:         %[[NEW:.*]] = linalg.generic {{.*}} ins(%[[W:.*]] : tensor<9xi64>)
// CHECK-NEXT:    ^bb0(%[[OLD:.*]]: i64, %{{.*}}: i64):
// CHECK-NEXT:      arith.addi
// CHECK-NEXT:      linalg.yield
// CHECK:         %[[WORD:.*]] = linalg.generic {{.*}} ins(%[[NEW]] : tensor<9xi64>)
// CHECK:         linalg.generic {{.*}} ins(%[[WORD]], %[[NEW]], %{{.*}} : tensor<i64>, tensor<9xi64>, tensor<9xi64>)
// CHECK:           arith.select
func.func @needed(%w: tensor<9xi64> {df.binding = #df.binding<variable, "w">}) -> (tensor<9xi64> {df.binding = #df.binding<variable, "w">})
    attributes {df.role = #df.role<train>} {
  %bounds = arith.constant dense<9> : tensor<1xi64>
  %e = tensor.empty() : tensor<9xi64>
  %u = linalg.generic {indexing_maps = [#vector, #vector], iterator_types = ["parallel"]} ins(%w : tensor<9xi64>) outs(%e : tensor<9xi64>) {
  ^bb0(%a: i64, %out: i64):
    %sum = arith.addi %a, %a : i64
    linalg.yield %sum : i64
  } -> tensor<9xi64>
  %checked = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 0 what = "gather" must_run outs(%u : tensor<9xi64>) -> tensor<9xi64>
  return %u : tensor<9xi64>
}

// Where the host decides by data it does not go on after a wrong index: a loop might never end.
// CHECK-LABEL: func.func @loop
// CHECK-NOT:     kern.error_operand
// CHECK:         kern.check_indices
// CHECK:         scf.while
// CHECK-NOT:   func.func @loop.checks
func.func @loop(%i: tensor<i64> {df.binding = #df.binding<feature, "i">}) -> (tensor<i64> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<predict>} {
  %bounds = arith.constant dense<9> : tensor<1xi64>
  %five = arith.constant 5 : i64
  %checked = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 0 what = "gather" outs(%i : tensor<i64>) -> tensor<i64>
  %y = scf.while (%at = %checked) : (tensor<i64>) -> tensor<i64> {
    %k = tensor.extract %at[] : tensor<i64>
    %goes = arith.cmpi ne, %k, %five : i64
    scf.condition(%goes) %at : tensor<i64>
  } do {
  ^bb0(%at: tensor<i64>):
    %e = tensor.empty() : tensor<i64>
    %next = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%at : tensor<i64>) outs(%e : tensor<i64>) {
    ^bb0(%k: i64, %out: i64):
      %more = arith.addi %k, %k : i64
      linalg.yield %more : i64
    } -> tensor<i64>
    scf.yield %next : tensor<i64>
  }
  return %y : tensor<i64>
}

// Features are prepared by the host.
// CHECK-LABEL: func.func @features
// CHECK-NOT:     kern.error_operand
// CHECK:         kern.check_indices
func.func @features(%i: tensor<?xi64> {df.binding = #df.binding<feature, "i">}) -> (tensor<?xi64> {df.binding = #df.binding<intermediate, "y">})
    attributes {df.role = #df.role<train>, df.segment = #df.segment<features>} {
  %bounds = arith.constant dense<9> : tensor<1xi64>
  %checked = kern.check_indices bounds(%bounds : tensor<1xi64>) skip_negative = 0 what = "gather" outs(%i : tensor<?xi64>) -> tensor<?xi64>
  return %checked : tensor<?xi64>
}
