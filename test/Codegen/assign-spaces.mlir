// Variables lie on the device, where kernels of a step work; what the host needs is copied.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --codegen-assign-spaces=device=variable | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The variable stays where it is. What kernels alone touch lies there, too: it comes and goes before and after.
// CHECK-LABEL: func.func @step(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32, 1 : i64> {df.binding = #df.binding<feature, "x">}
// CHECK-SAME:    %[[W:.*]]: tensor<4xf32, 1 : i64> {df.binding = #df.binding<variable, "w">}
// CHECK-SAME:    -> (tensor<f32, 1 : i64> {df.binding = #df.binding<output, "loss">}, tensor<4xf32, 1 : i64> {df.binding = #df.binding<variable, "w">})
// CHECK-NOT:     kern.transfer
// CHECK:         linalg.add ins(%[[W]], %[[X]] : tensor<4xf32, 1 : i64>, tensor<4xf32, 1 : i64>)
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4xf32, 1 : i64>)
// CHECK-NOT:     kern.transfer
// CHECK:         return %[[SUM]], %{{.*}} : tensor<f32, 1 : i64>, tensor<4xf32, 1 : i64>
func.func @step(%x: tensor<4xf32> {df.binding = #df.binding<feature, "x">}, %w: tensor<4xf32> {df.binding = #df.binding<variable, "w">})
    -> (tensor<f32> {df.binding = #df.binding<output, "loss">}, tensor<4xf32> {df.binding = #df.binding<variable, "w">})
    attributes {df.role = #df.role<train>, df.segment = #df.segment<step>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %next = linalg.add ins(%w, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = tensor.empty() : tensor<f32>
  %filled = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%filled : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<f32>
  return %sum, %next : tensor<f32>, tensor<4xf32>
}

// -----

// What the host reads, too, lies with it, and goes to the device once for both of its readers there.
// CHECK-LABEL: func.func @both_read(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32> {df.binding = #df.binding<feature, "x">}
// CHECK:         %[[PLACE:.*]] = tensor.empty() : tensor<4xf32, 1 : i64>
// CHECK:         %[[THERE:.*]] = kern.transfer ins(%[[X]] : tensor<4xf32>) outs(%[[PLACE]] : tensor<4xf32, 1 : i64>)
// CHECK-NOT:     kern.transfer
// CHECK:         linalg.add ins(%[[THERE]], %[[THERE]] : tensor<4xf32, 1 : i64>, tensor<4xf32, 1 : i64>)
// CHECK:         tensor.extract %[[X]]
// CHECK:         %[[FIRST:.*]] = tensor.from_elements
// CHECK:         return %{{.*}}, %[[FIRST]] : tensor<4xf32, 1 : i64>, tensor<1xf32>
func.func @both_read(%x: tensor<4xf32> {df.binding = #df.binding<feature, "x">})
    -> (tensor<4xf32> {df.binding = #df.binding<output, "y">}, tensor<1xf32> {df.binding = #df.binding<output, "first">})
    attributes {df.role = #df.role<predict>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %a = tensor.extract %x[%c0] : tensor<4xf32>
  %first = tensor.from_elements %a : tensor<1xf32>
  return %y, %first : tensor<4xf32>, tensor<1xf32>
}

// -----

// A loop that does nothing but write elements works on the device, as kernels do.
// CHECK-LABEL: func.func @element_loop(
// CHECK-SAME:    %[[X:.*]]: tensor<?xi64, 1 : i64> {df.binding = #df.binding<feature, "x">}
// CHECK-NOT:     kern.transfer
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<9xi64, 1 : i64>) {
// CHECK-NEXT:      tensor.extract %[[X]][%{{.*}}] : tensor<?xi64, 1 : i64>
func.func @element_loop(%x: tensor<?xi64> {df.binding = #df.binding<feature, "x">}, %n: tensor<9xi64> {df.binding = #df.binding<variable, "n">})
    -> (tensor<9xi64> {df.binding = #df.binding<variable, "n">}) attributes {df.role = #df.role<eval_update>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  %size = tensor.dim %x, %c0 : tensor<?xi64>
  %m = scf.for %i = %c0 to %size step %c1 iter_args(%t = %n) -> (tensor<9xi64>) {
    %id = tensor.extract %x[%i] : tensor<?xi64>
    %at = arith.index_cast %id : i64 to index
    %old = tensor.extract %t[%at] : tensor<9xi64>
    %new = arith.addi %old, %one : i64
    %next = tensor.insert %new into %t[%at] : tensor<9xi64>
    scf.yield %next : tensor<9xi64>
  }
  return %m : tensor<9xi64>
}

// -----

// Parts of what holds nothing yet are made where they are filled, and so is what they are put into. What is put into
// something lies where that does.
// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32, 1 : i64> {df.binding = #df.binding<feature, "x">}
// CHECK-NOT:     kern.transfer
// CHECK:         tensor.insert_slice %[[X]] into %{{.*}}[0, 2] {{.*}} : tensor<?x4xf32, 1 : i64> into tensor<?x8xf32, 1 : i64>
// CHECK:         %[[PART:.*]] = tensor.extract_slice %{{.*}} [1, 2] : tensor<?x8xf32, 1 : i64> to tensor<?x4xf32, 1 : i64>
// CHECK:         linalg.add {{.*}} outs(%[[PART]] : tensor<?x4xf32, 1 : i64>)
// CHECK-NOT:     kern.transfer
// CHECK:         return
func.func @parts(%x: tensor<?x4xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<?x8xf32> {df.binding = #df.binding<output, "y">})
    attributes {df.role = #df.role<predict>, df.segment = #df.segment<step>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %padded = tensor.insert_slice %x into %z[0, 2] [%n, 4] [1, 1] : tensor<?x4xf32> into tensor<?x8xf32>
  %left = tensor.extract_slice %padded[0, 0] [%n, 4] [1, 1] : tensor<?x8xf32> to tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?x8xf32>
  %part = tensor.extract_slice %e1[0, 0] [%n, 4] [1, 2] : tensor<?x8xf32> to tensor<?x4xf32>
  %sum = linalg.add ins(%left, %left : tensor<?x4xf32>, tensor<?x4xf32>) outs(%part : tensor<?x4xf32>) -> tensor<?x4xf32>
  %y = tensor.insert_slice %sum into %e1[0, 0] [%n, 4] [1, 2] : tensor<?x4xf32> into tensor<?x8xf32>
  %all = linalg.add ins(%y, %y : tensor<?x8xf32>, tensor<?x8xf32>) outs(%z : tensor<?x8xf32>) -> tensor<?x8xf32>
  return %all : tensor<?x8xf32>
}

// -----

// Segments of features work in the host's memory.
// CHECK-LABEL: func.func @features(
// CHECK-NOT:     1 : i64
// CHECK-NOT:     kern.transfer
// CHECK:         linalg.add ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
func.func @features(%x: tensor<4xf32> {df.binding = #df.binding<feature, "x">}) -> (tensor<4xf32> {df.binding = #df.binding<intermediate, "y">})
    attributes {df.role = #df.role<train>, df.segment = #df.segment<features>} {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// The condition of a loop is read by the host; a service works there; a count that the host reads to launch a kernel, too.
// CHECK-LABEL: func.func @host_reads(
// CHECK-SAME:    %[[W:[^:]*]]: tensor<9x4xf32, 1 : i64>
// CHECK:         %[[UNIQUE:.*]]:4 = kern.unique_ids
// CHECK:         kern.update_rows ids(%[[IDS:.*]], %[[UNIQUE]]#3 : tensor<?xi64, 1 : i64>, tensor<i64>) values(%{{.*}} : tensor<?x4xf32, 1 : i64>) outs(%[[W]] : tensor<9x4xf32, 1 : i64>)
// CHECK:         scf.while
// CHECK:           %[[LESS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<i1, 1 : i64>)
// CHECK:           %[[HERE:.*]] = kern.transfer ins(%[[LESS]] : tensor<i1, 1 : i64>) outs(%{{.*}} : tensor<i1>)
// CHECK:           tensor.extract %[[HERE]][]
func.func @host_reads(%ids: tensor<?xi64> {df.binding = #df.binding<intermediate, "ids">}, %g: tensor<?x4xf32> {df.binding = #df.binding<intermediate, "g">}, %w: tensor<9x4xf32> {df.binding = #df.binding<variable, "w">},
                      %k: tensor<i64> {df.binding = #df.binding<variable, "k">})
    -> (tensor<9x4xf32> {df.binding = #df.binding<variable, "w">}, tensor<i64> {df.binding = #df.binding<variable, "k">})
    attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %ids, %c0 : tensor<?xi64>
  %e0 = tensor.empty(%n) : tensor<?xi64>
  %e1 = tensor.empty(%n) : tensor<?xi64>
  %e2 = tensor.empty(%n) : tensor<?xi64>
  %e3 = tensor.empty() : tensor<i64>
  %u:4 = kern.unique_ids ids(%ids : tensor<?xi64>) outs(%e0, %e1, %e2, %e3 : tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>
  %w1 = kern.update_rows ids(%u#0, %u#3 : tensor<?xi64>, tensor<i64>) values(%g : tensor<?x4xf32>) outs(%w : tensor<9x4xf32>) -> tensor<9x4xf32> {
  ^bb0(%a: f32, %d: f32):
    %s = arith.subf %a, %d : f32
    kern.yield %s : f32
  }
  %k1 = scf.while (%i = %k) : (tensor<i64>) -> tensor<i64> {
    %b = tensor.empty() : tensor<i1>
    %less = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%i : tensor<i64>) outs(%b : tensor<i1>) {
    ^bb0(%a: i64, %o: i1):
      %ten = arith.constant 10 : i64
      %l = arith.cmpi slt, %a, %ten : i64
      linalg.yield %l : i1
    } -> tensor<i1>
    %c = tensor.extract %less[] : tensor<i1>
    scf.condition(%c) %i : tensor<i64>
  } do {
  ^bb0(%i: tensor<i64>):
    %o = tensor.empty() : tensor<i64>
    %j = linalg.add ins(%i, %i : tensor<i64>, tensor<i64>) outs(%o : tensor<i64>) -> tensor<i64>
    %own = linalg.copy ins(%j : tensor<i64>) outs(%i : tensor<i64>) -> tensor<i64>
    scf.yield %own : tensor<i64>
  }
  return %w1, %k1 : tensor<9x4xf32>, tensor<i64>
}

// -----

// What a loop carries in the host's memory is copied into its place.
// CHECK-LABEL: func.func @carried(
// CHECK:         %[[START:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:         scf.for {{.*}} iter_args(%[[PLACE:.*]] = %[[START]]) -> (tensor<4xf32>)
// CHECK:           %[[NEW:.*]] = linalg.add {{.*}} -> tensor<4xf32, 1 : i64>
// CHECK:           %[[OWN:.*]] = kern.transfer ins(%[[NEW]] : tensor<4xf32, 1 : i64>) outs(%[[PLACE]] : tensor<4xf32>)
// CHECK:           scf.yield %[[OWN]]
func.func @carried(%w: tensor<4xf32> {df.binding = #df.binding<variable, "w">}) -> (tensor<4xf32> {df.binding = #df.binding<output, "y">}) attributes {df.role = #df.role<predict>} {
  %start = arith.constant dense<0.0> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%x = %start) -> tensor<4xf32> {
    %e = tensor.empty() : tensor<4xf32>
    %z = linalg.add ins(%x, %w : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %own = linalg.copy ins(%z : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %own : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @unknown(%x: tensor<4xf32>, %s: tensor<1xi64>) -> tensor<?xf32> attributes {df.role = #df.role<predict>} {
  // expected-error @+1 {{'tensor.reshape' op works on tensors in memory spaces that nothing tells}}
  %0 = tensor.reshape %x(%s) : (tensor<4xf32>, tensor<1xi64>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A carried value whose elements the host writes, which needs a number of the loop, goes there before the loop, and comes
// back after it.
// CHECK-LABEL: func.func @written(
// CHECK:         %[[START:.*]] = kern.transfer
// CHECK:         %[[END:.*]]:2 = scf.for {{.*}} iter_args(%[[AT:.*]] = %[[START]], %{{.*}} = %{{.*}}) -> (tensor<4xf32>, index)
// CHECK-NOT:       kern.transfer
// CHECK:           tensor.insert %{{.*}} into %[[AT]]
// CHECK:         }
// CHECK:         %[[BACK:.*]] = kern.transfer ins(%[[END]]#0 : tensor<4xf32>)
// CHECK:         return %[[BACK]]
func.func @written(%w: tensor<4xf32> {df.binding = #df.binding<variable, "w">}) -> (tensor<4xf32> {df.binding = #df.binding<variable, "w">}) attributes {df.role = #df.role<train>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %y, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %w, %k = %c0) -> (tensor<4xf32>, index) {
    %z = tensor.insert %one into %x[%i] : tensor<4xf32>
    scf.yield %z, %i : tensor<4xf32>, index
  }
  %some = arith.cmpi ugt, %last, %c0 : index
  return %y : tensor<4xf32>
}
