// Remarks tell what passes of code generation did and left undone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: mlc-opt %s --mlc-fuse --remarks-filter=fused --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=FUSED
// RUN: mlc-opt %s --codegen-bufferize --remarks-filter=in_place --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=COPY

#map = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d0)>

// FUSED: remarks.mlir:[[@LINE+5]]:{{[0-9]+}}: remark: [Passed] fuse | Category:fused | Remark="'linalg.generic' of mulf computes 'linalg.generic' of addf"
// The sum is read by a reduction, too.
// FUSED: remarks.mlir:{{[0-9]+}}:{{[0-9]+}}: remark: [Missed] fuse | Category:fused | Remark="'linalg.generic' of exp is not computed in 'linalg.generic' of addf: others read it, too, and one loop cannot serve them all"
func.func @fuse(%x: tensor<8x16xf32>, %e: tensor<8x16xf32>, %f: tensor<8xf32>) -> (tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>) {
  %0 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) { ^bb0(%a: f32, %o: f32): %r = arith.addf %a, %a : f32 linalg.yield %r : f32 } -> tensor<8x16xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) { ^bb0(%a: f32, %o: f32): %r = arith.mulf %a, %a : f32 linalg.yield %r : f32 } -> tensor<8x16xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) { ^bb0(%a: f32, %o: f32): %r = math.exp %a : f32 linalg.yield %r : f32 } -> tensor<8x16xf32>
  %3 = linalg.generic {indexing_maps = [#map, #column], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<8x16xf32>) outs(%f : tensor<8xf32>) { ^bb0(%a: f32, %o: f32): %r = arith.addf %a, %o : f32 linalg.yield %r : f32 } -> tensor<8xf32>
  return %1, %3, %2 : tensor<8x16xf32>, tensor<8xf32>, tensor<8x16xf32>
}

// The argument is read after it is changed.
func.func @copy(%x: tensor<8xf32>, %v: f32) -> (tensor<8xf32>, f32) {
  %c0 = arith.constant 0 : index
  %0 = tensor.insert %v into %x[%c0] : tensor<8xf32>
  // COPY: remarks.mlir:[[@LINE-1]]:{{[0-9]+}}: remark: [Missed] copy | Category:in_place | Remark="a value is copied, because it is read again after it is changed or has to end in another buffer: memref<8xf32>"
  %1 = tensor.extract %x[%c0] : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, f32
}
