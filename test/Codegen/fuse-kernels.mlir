// RUN: mlc-opt %s --codegen-fuse-kernels | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#vector = affine_map<(d0) -> (d0)>
#matrix = affine_map<(d0, d1) -> (d0, d1)>
#columns = affine_map<(d0, d1) -> (d1)>
#scalar = affine_map<(d0, d1) -> ()>

// A layer: product, bias and relu are one kernel.
// CHECK-LABEL: func.func @layer
// CHECK: kern.contract {{.*}} extras(
// CHECK: arith.addf
// CHECK: arith.select
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @layer(%x: tensor<?x20xf32>, %w: tensor<20x7xf32>, %b: tensor<7xf32>) -> tensor<?x7xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x20xf32>
  %e = tensor.empty(%rows) : tensor<?x7xf32>
  %p = kern.contract ins(%x, %w : tensor<?x20xf32>, tensor<20x7xf32>) outs(%e : tensor<?x7xf32>) -> tensor<?x7xf32> {
  ^bb0(%sum: f32):
    kern.yield %sum : f32
  } {extra_maps = []}
  %s = linalg.generic {indexing_maps = [#matrix, #columns, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x7xf32>, tensor<7xf32>) outs(%e : tensor<?x7xf32>) {
  ^bb0(%product: f32, %bias: f32, %out: f32):
    %sum = arith.addf %product, %bias : f32
    linalg.yield %sum : f32
  } -> tensor<?x7xf32>
  %y = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<?x7xf32>) outs(%e : tensor<?x7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %less = arith.cmpf olt, %in, %zero : f32
    %relu = arith.select %less, %zero, %in : f32
    linalg.yield %relu : f32
  } -> tensor<?x7xf32>
  return %y : tensor<?x7xf32>
}

// An optimizer's slot and its variable come out of one kernel.
// CHECK-LABEL: func.func @adagrad
// CHECK: linalg.generic
// CHECK: linalg.yield %{{.*}}, %{{.*}} : f32, f32
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @adagrad(%w: tensor<20x7xf32>, %a: tensor<20x7xf32>, %g: tensor<20x7xf32>) -> (tensor<20x7xf32>, tensor<20x7xf32>) {
  %e = tensor.empty() : tensor<20x7xf32>
  %a1 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%a, %g : tensor<20x7xf32>, tensor<20x7xf32>) outs(%e : tensor<20x7xf32>) {
  ^bb0(%slot: f32, %gradient: f32, %out: f32):
    %square = arith.mulf %gradient, %gradient : f32
    %sum = arith.addf %slot, %square : f32
    linalg.yield %sum : f32
  } -> tensor<20x7xf32>
  %r = linalg.generic {indexing_maps = [#matrix, #matrix], iterator_types = ["parallel", "parallel"]} ins(%a1 : tensor<20x7xf32>) outs(%e : tensor<20x7xf32>) {
  ^bb0(%slot: f32, %out: f32):
    %root = math.sqrt %slot : f32
    linalg.yield %root : f32
  } -> tensor<20x7xf32>
  %w1 = linalg.generic {indexing_maps = [#matrix, #matrix, #matrix, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%w, %g, %r : tensor<20x7xf32>, tensor<20x7xf32>, tensor<20x7xf32>) outs(%e : tensor<20x7xf32>) {
  ^bb0(%value: f32, %gradient: f32, %root: f32, %out: f32):
    %step = arith.divf %gradient, %root : f32
    %next = arith.subf %value, %step : f32
    linalg.yield %next : f32
  } -> tensor<20x7xf32>
  return %w1, %a1 : tensor<20x7xf32>, tensor<20x7xf32>
}

// An operand that is read twice is read once: a chain of squares stays as long as it is, it does not double at every link.
// CHECK-LABEL: @squares
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{[a-z0-9]+}} : tensor<?xf32>)
// CHECK-COUNT-3: arith.mulf
// CHECK-NOT: arith.mulf
// CHECK: return
func.func @squares(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %a = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %p = arith.mulf %left, %right : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %b = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%a, %a : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %p = arith.mulf %left, %right : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %c = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]} ins(%b, %b : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%left: f32, %right: f32, %out: f32):
    %p = arith.mulf %left, %right : f32
    linalg.yield %p : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// The factor of a sparse gradient goes into the update of its rows; where every row is updated, the others keep their zeros.
// CHECK-LABEL: @every_row
// CHECK-NOT: linalg.generic
// CHECK: kern.update_rows every_row
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %[[D:[^:]*]]: f32, %[[PRESENT:[^:]*]]: i1, %[[F:[^:]*]]: f32):
// CHECK: %[[S:.*]] = arith.mulf %[[D]], %[[F]]
// CHECK: %[[G:.*]] = arith.select %[[PRESENT]], %[[S]], %{{.*}} : f32
// CHECK-NEXT: arith.subf %{{.*}}, %[[G]]
func.func @every_row(%w: tensor<9x2xf32>, %ids: tensor<?xi64>, %g: tensor<?x2xf32>, %n: tensor<i64>, %f: tensor<f32>) -> tensor<9x2xf32> {
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %g, %c0 : tensor<?x2xf32>
  %e = tensor.empty(%rows) : tensor<?x2xf32>
  %s = linalg.generic {indexing_maps = [#matrix, #scalar, #matrix], iterator_types = ["parallel", "parallel"]}
      ins(%g, %f : tensor<?x2xf32>, tensor<f32>) outs(%e : tensor<?x2xf32>) {
  ^bb0(%gradient: f32, %factor: f32, %out: f32):
    %scaled = arith.mulf %gradient, %factor : f32
    linalg.yield %scaled : f32
  } -> tensor<?x2xf32>
  %u = kern.update_rows every_row ids(%ids, %n : tensor<?xi64>, tensor<i64>) values(%s : tensor<?x2xf32>) outs(%w : tensor<9x2xf32>) -> tensor<9x2xf32> {
  ^bb0(%row: f32, %d: f32, %present: i1):
    %next = arith.subf %row, %d : f32
    kern.yield %next : f32
  }
  return %u : tensor<9x2xf32>
}
