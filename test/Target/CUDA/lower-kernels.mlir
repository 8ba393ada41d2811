// Kernels on the device's memory become launches of threads; those on the host's stay.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cuda-lower-kernels --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A thread strides over the elements; the loops of contiguous buffers are one.
// CHECK-LABEL: func.func @elementwise(
// CHECK:         %[[BLOCKS:.*]] = arith.maxui
// CHECK:         kern.launch %[[BLOCKS]] cost {{[0-9]+}} grid <threads = 256, shared_bytes = 0> {
// CHECK-NEXT:    ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index):
// CHECK:           %[[BASE:.*]] = arith.muli %[[BLOCK]], %c256
// CHECK:           %[[FIRST:.*]] = arith.addi %[[BASE]], %[[THREAD]]
// CHECK:           nvvm.read.ptx.sreg.nctaid.x
// CHECK:           scf.for %[[I:.*]] = %[[FIRST]] to %{{.*}} step %{{.*}} {
// CHECK:             %[[X:.*]] = memref.load %{{.*}}[%[[I]]] : memref<{{.*}}xf32{{.*}}, 1>
// CHECK:             %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:             memref.store %[[Y]], %{{.*}}[%[[I]]] : memref<{{.*}}xf32{{.*}}, 1>
// CHECK-NOT:     linalg.generic
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : memref<4xf32>)
func.func @elementwise(%x: memref<?x4xf32, 1 : i64>, %y: memref<?x4xf32, 1 : i64>, %h: memref<4xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x4xf32, 1 : i64>) outs(%y : memref<?x4xf32, 1 : i64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%h : memref<4xf32>) outs(%h : memref<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Of large buffers a thread has neighbours, as many as 16 bytes of the largest elements: of a batch whose size is not known, too.
// CHECK-LABEL: func.func @neighbours(
// CHECK:         kern.launch
// CHECK:           scf.for
// CHECK-DAG:         %[[X:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-DAG:         %[[V:.*]] = vector.load %{{.*}} {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-NOT:         memref.load
// CHECK-COUNT-4:     arith.truncf
// CHECK:             vector.store %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<4xbf16>
func.func @neighbours(%x: memref<?x1024xf32, 1 : i64>, %v: memref<1024xf32, 1 : i64>, %y: memref<?x1024xbf16, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : memref<?x1024xf32, 1 : i64>, memref<1024xf32, 1 : i64>) outs(%y : memref<?x1024xbf16, 1 : i64>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %c = arith.mulf %a, %b : f32
    %d = arith.truncf %c : f32 to bf16
    linalg.yield %d : bf16
  }
  return
}

// -----

// Pieces begin at multiples of their bytes: rows of 1,026 elements at those of 8, a view from 4 bytes on nowhere.
// CHECK-LABEL: func.func @pieces(
// CHECK:         kern.launch
// CHECK:           vector.load %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
// CHECK:           vector.store %{{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
// CHECK:         kern.launch
// CHECK-NOT:       vector
// CHECK:           memref.load
// CHECK-NOT:       vector
// CHECK:         return
func.func @pieces(%x: memref<?x1026xf32, 1 : i64>, %y: memref<?x1026xf32, 1 : i64>, %v: memref<?x1024xf32, strided<[2048, 1], offset: 1>, 1 : i64>, %w: memref<?x1024xf32, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<?x1026xf32, 1 : i64>) outs(%y : memref<?x1026xf32, 1 : i64>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.mulf %a, %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%v : memref<?x1024xf32, strided<[2048, 1], offset: 1>, 1 : i64>) outs(%w : memref<?x1024xf32, 1 : i64>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.mulf %a, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Of a sum over rows that stay apart a block has a stripe of columns, as many as 32 bytes. One warp adds the rows that the
// others have brought in the round before, in their order; these evaluate the next ones, the last row for those past it.
// CHECK-LABEL: func.func @column_sums(
// CHECK:         kern.launch %c1 cost {{[0-9]+}} grid <threads = 256, shared_bytes = 0> {
// CHECK-NEXT:    ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index):
// CHECK:           %[[CELLS:.*]] = memref.alloca() {alignment = 16 : i64} : memref<16384xi8, 3>
// CHECK:           %[[SHARED:.*]] = memref.view %[[CELLS]][%c0][] : memref<16384xi8, 3> to memref<3584xf32, 3>
// CHECK:           arith.remui %[[THREAD]], %c8
// CHECK:           %[[ADDS:.*]] = arith.cmpi ult, %[[THREAD]], %c32
// CHECK:           %[[OLD:.*]] = memref.load
// CHECK:           %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[CARRIED:.*]] = %[[OLD]]) -> (f32)
// CHECK:             scf.if %[[ADDS]]
// CHECK:               scf.for %{{.*}} step %c16{{.*}} iter_args(%[[S0:.*]] = %[[CARRIED]])
// CHECK:                 %[[X0:.*]] = memref.load %[[SHARED]]
// CHECK:                 %[[S1:.*]] = arith.addf %[[S0]], %[[X0]]
// CHECK:                 %[[X1:.*]] = memref.load %[[SHARED]]
// CHECK:                 arith.addf %[[S1]], %[[X1]]
// CHECK-COUNT-14:        memref.load %[[SHARED]]
// CHECK:               scf.for %{{.*}} step %c1{{.*}} iter_args
// CHECK:             } else {
// CHECK:               scf.if
// CHECK:                 %[[LAST:.*]] = arith.subi %{{.*}}, %c1
// CHECK-COUNT-8:         arith.minui %{{.*}}, %[[LAST]]
// CHECK-COUNT-8:         memref.store %{{.*}}, %[[SHARED]]
// CHECK:             nvvm.barrier0 {of_block}
// CHECK:           %[[STORES:.*]] = arith.cmpi ult, %[[THREAD]], %c8
// CHECK:           scf.if %[[STORES]]
// CHECK-NEXT:        memref.store %[[SUM]]
func.func @column_sums(%x: memref<?x8xf32, 1 : i64>, %y: memref<8xf32, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<?x8xf32, 1 : i64>) outs(%y : memref<8xf32, 1 : i64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// Two results have memory of their own each, and half as many rows at a time. Of halves a stripe has twice the columns,
// of which the last one may have fewer: threads past them do what the last column's does, and store nothing.
// CHECK-LABEL: func.func @moments(
// CHECK:         kern.launch %c3 cost
// CHECK:           memref.view %[[CELLS:.*]][%c0][] : memref<16384xi8, 3> to memref<1792xf32, 3>
// CHECK:           memref.view %[[CELLS]][%c7168][] : memref<16384xi8, 3> to memref<1792xf32, 3>
// CHECK:           arith.remui %{{.*}}, %c16
// CHECK:           arith.minui %{{.*}}, %c39
// CHECK:           scf.for %{{.*}} iter_args(%{{.*}}, %{{.*}}) -> (f32, f32)
// CHECK:           nvvm.barrier0
// CHECK:           %[[STORES:.*]] = arith.andi
// CHECK:           scf.if %[[STORES]]
// CHECK-COUNT-2:     memref.store %{{.*}} : memref<{{.*}}xf32, strided<[1]>, 1>
func.func @moments(%x: memref<4096x40xf16, 1 : i64>, %sum: memref<40xf32, 1 : i64>, %squares: memref<40xf32, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4096x40xf16, 1 : i64>) outs(%sum, %squares : memref<40xf32, 1 : i64>, memref<40xf32, 1 : i64>) {
  ^bb0(%a: f16, %s: f32, %q: f32):
    %f = arith.extf %a : f16 to f32
    %ff = arith.mulf %f, %f : f32
    %t = arith.addf %s, %f : f32
    %r = arith.addf %q, %ff : f32
    linalg.yield %t, %r : f32, f32
  }
  return
}

// -----

// A thread has a column of few rows, and of so many columns that these keep a GPU busy.
// CHECK-LABEL: func.func @threads(
// CHECK-NOT:     memref.alloca
// CHECK:         return
func.func @threads(%x: memref<63x8xf32, 1 : i64>, %y: memref<8xf32, 1 : i64>, %v: memref<?x65537xf32, 1 : i64>, %w: memref<65537xf32, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<63x8xf32, 1 : i64>) outs(%y : memref<8xf32, 1 : i64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%v : memref<?x65537xf32, 1 : i64>) outs(%w : memref<65537xf32, 1 : i64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// A sum along neighbours has the interleaved partials of its order: each thread of a warp has one. The first one gets
// what they combine to.
// CHECK-LABEL: func.func @row_sums(
// CHECK:         kern.launch %{{.*}} grid <threads = 256, shared_bytes = 0> {
// CHECK-NEXT:    ^bb0(%[[BLOCK:.*]]: index, %[[THREAD:.*]]: index):
// CHECK:           arith.divui %[[THREAD]], %c32
// CHECK:           %[[LANE:.*]] = arith.remui %[[THREAD]], %c32
// CHECK:           %[[PARTIAL:.*]] = scf.for %{{.*}} = %[[LANE]] to %c100{{.*}} step %c32{{.*}} iter_args
// CHECK:             arith.addf
// CHECK:           %[[BITS:.*]] = arith.bitcast %[[PARTIAL]] : f32 to i32
// CHECK:           nvvm.shfl.sync down %{{.*}}, %[[BITS]], %c16_i32, %c31_i32
// CHECK:           nvvm.shfl.sync down %{{.*}}, %{{.*}}, %c1_i32, %c31_i32
// CHECK:           %[[ALL:.*]] = arith.addf
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
// CHECK:           scf.if %[[IS_FIRST]] {
// CHECK:             arith.addf %{{.*}}, %[[ALL]]
// CHECK:             memref.store
func.func @row_sums(%x: memref<8x100xf32, 1 : i64>, %y: memref<8xf32, 1 : i64>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x100xf32, 1 : i64>) outs(%y : memref<8xf32, 1 : i64>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %b, %a {kern.interleaved} : f32
    linalg.yield %c : f32
  }
  return
}

// -----

// An element of a product of few columns is one thread's: FMAs in ascending order, then the epilogue.
// CHECK-LABEL: func.func @product(
// CHECK:         kern.launch
// CHECK:           %[[SUM:.*]] = scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} iter_args
// CHECK:             math.fma
// CHECK:           arith.addf %[[SUM]], %{{.*}} : f32
// CHECK:           memref.store
func.func @product(%x: memref<?x16xf32, 1 : i64>, %w: memref<16x8xf32, 1 : i64>, %b: memref<8xf32, 1 : i64>, %y: memref<?x8xf32, 1 : i64>) {
  kern.contract ins(%x, %w : memref<?x16xf32, 1 : i64>, memref<16x8xf32, 1 : i64>) extras(%b : memref<8xf32, 1 : i64>) outs(%y : memref<?x8xf32, 1 : i64>) {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    kern.yield %s : f32
  } {extra_maps = [affine_map<(m, n) -> (n)>]}
  return
}

// -----

// A tile of a product is a block's, which has no other: copies bring chunks of both factors to shared memory, three of
// them while one is multiplied. Past the end of the inner dimension -0 and 1 are multiplied, which leaves a sum as it is;
// of rows that are not there a copy reads no byte.
// CHECK-LABEL: func.func @tiles(
// CHECK-DAG:     %[[NOTHING:.*]] = arith.constant -0.000000e+00 : f32
// CHECK-DAG:     %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<2xf32>
// CHECK:         kern.launch
// CHECK:           memref.alloca() {alignment = 16 : i64} : memref<4352xf32, 3>
// CHECK-NOT:       scf.for
// CHECK-COUNT-3:   nvvm.cp.async.commit.group
// CHECK:           scf.for %{{.*}} = %{{.*}} to %c100{{.*}} step %c16{{.*}} iter_args
// CHECK:             nvvm.cp.async.wait.group 2
// CHECK-NEXT:        nvvm.barrier0
// CHECK:             scf.if
// CHECK:               nvvm.cp.async.shared.global {{.*}}, 4, cache = ca, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK-NEXT:        } else {
// CHECK-NEXT:          memref.store %[[NOTHING]], %{{.*}} : memref<4352xf32, 3>
// CHECK:               nvvm.cp.async.shared.global {{.*}}, 8, cache = ca
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.store %[[ONE]], %{{.*}} : memref<4352xf32, 3>, vector<2xf32>
// CHECK:             nvvm.cp.async.commit.group
// CHECK:             vector.load {{.*}} : memref<4352xf32, 3>, vector<2xf32>
// CHECK:             vector.load {{.*}} : memref<4352xf32, 3>, vector<2xf32>
// CHECK:             math.fma
// CHECK:           scf.if
// CHECK-NEXT:        memref.load
// CHECK:             arith.addf
// CHECK:             memref.store
func.func @tiles(%x: memref<?x100xf32, 1 : i64>, %w: memref<100x40xf32, 1 : i64>, %b: memref<40xf32, 1 : i64>, %y: memref<?x40xf32, 1 : i64>) {
  kern.contract ins(%x, %w : memref<?x100xf32, 1 : i64>, memref<100x40xf32, 1 : i64>) extras(%b : memref<40xf32, 1 : i64>) outs(%y : memref<?x40xf32, 1 : i64>) {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    kern.yield %s : f32
  } {extra_maps = [affine_map<(m, n) -> (n)>]}
  return
}

// -----

// Loops over elements: what is written goes by the second one, whose iterations are threads. Each runs the first one, for
// the rows that it owns of 1,024 such shares.
// CHECK-LABEL: func.func @scatter(
// CHECK-NOT:     scf.for
// CHECK:         kern.launch
// CHECK:           scf.for %[[POINT:.*]] = %{{.*}} to %c8192
// CHECK:             %[[OWNER:.*]] = arith.divui %[[POINT]], %c8
// CHECK:             scf.for %{{.*}} = %c0{{.*}} to
// CHECK:               %[[ROW:.*]] = memref.load %{{.*}} : memref<{{.*}}xi64{{.*}}, 1>
// CHECK:               %[[AT:.*]] = arith.index_cast %[[ROW]]
// CHECK:               %[[SHARE:.*]] = arith.andi %[[AT]], %c1023
// CHECK:               %[[OWNS:.*]] = arith.cmpi eq, %[[SHARE]], %[[OWNER]]
// CHECK:               scf.if %[[OWNS]] {
// CHECK:                 memref.store
func.func @scatter(%rows: memref<?xi64, 1 : i64>, %x: memref<?x8xf32, 1 : i64>, %t: memref<9x8xf32, 1 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?x8xf32, 1 : i64>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c8 step %c1 {
      %row = memref.load %rows[%i] : memref<?xi64, 1 : i64>
      %at = arith.index_cast %row : i64 to index
      %a = memref.load %x[%i, %j] : memref<?x8xf32, 1 : i64>
      %b = memref.load %t[%at, %j] : memref<9x8xf32, 1 : i64>
      %c = arith.addf %a, %b : f32
      memref.store %c, %t[%at, %j] : memref<9x8xf32, 1 : i64>
    }
  }
  return
}

// -----

// An element that depends on what other iterations write is nobody's own: one thread runs all.
// CHECK-LABEL: func.func @chased(
// CHECK:         kern.launch
// CHECK-NOT:       arith.andi
// CHECK:           memref.store
func.func @chased(%t: memref<9xi64, 1 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %from = memref.load %t[%i] : memref<9xi64, 1 : i64>
    %at = arith.index_cast %from : i64 to index
    memref.store %from, %t[%at] : memref<9xi64, 1 : i64>
  }
  return
}

// -----

// Two results at places of their own: a thread would need to own both.
// CHECK-LABEL: func.func @two_places(
// CHECK:         kern.launch
// CHECK-NOT:       arith.andi
// CHECK:           memref.store
// CHECK:           memref.store
func.func @two_places(%p: memref<?x2xi64, 1 : i64>, %s: memref<9xi64, 1 : i64>, %t: memref<9xi64, 1 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %p, %c0 : memref<?x2xi64, 1 : i64>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %p[%i, %c0] : memref<?x2xi64, 1 : i64>
    %b = memref.load %p[%i, %c1] : memref<?x2xi64, 1 : i64>
    %at = arith.index_cast %a : i64 to index
    %to = arith.index_cast %b : i64 to index
    memref.store %a, %s[%at] : memref<9xi64, 1 : i64>
    memref.store %b, %t[%to] : memref<9xi64, 1 : i64>
  }
  return
}

// -----

// The host reads the count of rows; a thread has an element of a row.
// CHECK-LABEL: func.func @rows(
// CHECK:         %[[COUNT:.*]] = memref.load %{{.*}} : memref<{{.*}}xi64
// CHECK:         kern.launch
// CHECK:           arith.divui
// CHECK:           arith.subf
func.func @rows(%ids: memref<?xi64, 1 : i64>, %n: memref<i64>, %g: memref<?x4xf32, 1 : i64>, %t: memref<9x4xf32, 1 : i64>) {
  kern.update_rows ids(%ids, %n : memref<?xi64, 1 : i64>, memref<i64>) values(%g : memref<?x4xf32, 1 : i64>) outs(%t : memref<9x4xf32, 1 : i64>) {
  ^bb0(%w: f32, %d: f32):
    %s = arith.subf %w, %d : f32
    kern.yield %s : f32
  }
  return
}

// -----

// Where the count is on the device, a launch is for all ids that there can be, and its threads read it.
// CHECK-LABEL: func.func @count_there(
// CHECK-NOT:     memref.load
// CHECK:         kern.launch
// CHECK:           %[[COUNT:.*]] = memref.load %{{.*}} : memref<{{.*}}xi64{{.*}}, 1>
// CHECK:           %[[LAST:.*]] = arith.index_cast %[[COUNT]]
// CHECK:           scf.for
// CHECK:             %[[IS_THERE:.*]] = arith.cmpi ult, %{{.*}}, %[[LAST]]
// CHECK:             scf.if %[[IS_THERE]] {
// CHECK:               arith.subf
func.func @count_there(%ids: memref<?xi64, 1 : i64>, %n: memref<i64, 1 : i64>, %g: memref<?x4xf32, 1 : i64>, %t: memref<9x4xf32, 1 : i64>) {
  kern.update_rows ids(%ids, %n : memref<?xi64, 1 : i64>, memref<i64, 1 : i64>) values(%g : memref<?x4xf32, 1 : i64>) outs(%t : memref<9x4xf32, 1 : i64>) {
  ^bb0(%w: f32, %d: f32):
    %s = arith.subf %w, %d : f32
    kern.yield %s : f32
  }
  return
}

// -----

// Of groups with more rows than one block of a sum has (64), each block is summed first, by threads of its own, to one of
// two rows for each 64 places of the order. Then a thread adds the sums of its group's blocks, or the rows of a group
// that is one block.
// CHECK-LABEL: func.func @group_sum(
// CHECK:         %[[PLACES:.*]] = arith.addi %{{.*}}, %c63
// CHECK:         %[[CHUNKS:.*]] = arith.divui %[[PLACES]], %c64
// CHECK:         %[[SLOTS:.*]] = arith.muli %[[CHUNKS]], %c2
// CHECK:         %[[SUMS:.*]] = memref.alloc(%[[SLOTS]]) : memref<?x4xf32, 1>
// CHECK:         kern.launch
// CHECK:           scf.while
// CHECK:           arith.cmpi ugt, %{{.*}}, %c64
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:         kern.launch
// CHECK:           memref.alloca() : memref<32xf32>
// CHECK:           scf.for
// CHECK-NOT:         scf.for {{.*}} -> (f32)
// CHECK:             arith.addf
func.func @group_sum(%v: memref<?x4xf32, 1 : i64>, %e: memref<?xi64, 1 : i64>, %o: memref<?xi64, 1 : i64>, %n: memref<i64, 1 : i64>, %r: memref<?x4xf32, 1 : i64>) {
  kern.group_sum ins(%v, %e, %o, %n : memref<?x4xf32, 1 : i64>, memref<?xi64, 1 : i64>, memref<?xi64, 1 : i64>, memref<i64, 1 : i64>) outs(%r : memref<?x4xf32, 1 : i64>)
  return
}

// -----

// Of 64 rows at most there is one block for each group, and one launch.
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT:     memref.alloc(
// CHECK-COUNT-1: kern.launch
// CHECK-NOT:     kern.launch
// CHECK:         return
func.func @few_rows(%v: memref<64x4xf32, 1 : i64>, %e: memref<64xi64, 1 : i64>, %o: memref<64xi64, 1 : i64>, %n: memref<i64, 1 : i64>, %r: memref<64x4xf32, 1 : i64>) {
  kern.group_sum ins(%v, %e, %o, %n : memref<64x4xf32, 1 : i64>, memref<64xi64, 1 : i64>, memref<64xi64, 1 : i64>, memref<i64, 1 : i64>) outs(%r : memref<64x4xf32, 1 : i64>)
  return
}

// -----

// Rows of 16 numbers are taken in pieces of 16 bytes, four to a thread, where threads enough are left.
// CHECK-LABEL: func.func @wide_gather(
// CHECK:         kern.launch
// CHECK:           arith.remui %{{.*}}, %c4
// CHECK:           memref.load %{{.*}} : memref<{{.*}}xi64
// CHECK:           scf.if {{.*}} -> (vector<4xf32>) {
// CHECK:             vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}>, vector<4xf32>
// CHECK:           vector.store {{.*}} {alignment = 16 : i64} : memref<{{.*}}>, vector<4xf32>
// Rows of 10 by two, which begin at multiples of 8 bytes; of 64-bit integers two are 16 bytes.
// CHECK-LABEL: func.func @pairs(
// CHECK:         vector.load {{.*}} {alignment = 8 : i64} : memref<{{.*}}>, vector<2xf32>
// CHECK:         vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}>, vector<2xi64>
// Rows of 3, few rows, and those of a table that begin anywhere, one by one.
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT:     vector
// CHECK:         return
func.func @wide_gather(%t: memref<99x16xf32, 1>, %ids: memref<?xi64, 1>, %r: memref<?x16xf32, 1>) {
  kern.take_rows ins(%t, %ids : memref<99x16xf32, 1>, memref<?xi64, 1>) outs(%r : memref<?x16xf32, 1>)
  return
}
func.func @pairs(%t: memref<99x10xf32, 1>, %n: memref<99x10xi64, 1>, %ids: memref<?xi64, 1>, %r: memref<?x10xf32, 1>, %s: memref<?x10xi64, 1>) {
  kern.take_rows ins(%t, %ids : memref<99x10xf32, 1>, memref<?xi64, 1>) outs(%r : memref<?x10xf32, 1>)
  kern.take_rows ins(%n, %ids : memref<99x10xi64, 1>, memref<?xi64, 1>) outs(%s : memref<?x10xi64, 1>)
  return
}
func.func @narrow(%t: memref<99x3xf32, 1>, %u: memref<99x16xf32, 1>, %v: memref<99x16xf32, strided<[16, 1], offset: ?>, 1>, %ids: memref<?xi64, 1>, %few: memref<64xi64, 1>, %r: memref<?x3xf32, 1>, %s: memref<64x16xf32, 1>, %q: memref<?x16xf32, 1>) {
  kern.take_rows ins(%t, %ids : memref<99x3xf32, 1>, memref<?xi64, 1>) outs(%r : memref<?x3xf32, 1>)
  kern.take_rows ins(%u, %few : memref<99x16xf32, 1>, memref<64xi64, 1>) outs(%s : memref<64x16xf32, 1>)
  kern.take_rows ins(%v, %ids : memref<99x16xf32, strided<[16, 1], offset: ?>, 1>, memref<?xi64, 1>) outs(%q : memref<?x16xf32, 1>)
  return
}

// -----

// Sums of groups, of which blocks are summed first, and the update of rows by them, do the same; partials of a group of
// many blocks are vectors, too.
// CHECK-LABEL: func.func @wide_update(
// CHECK:         kern.launch
// CHECK:           scf.for {{.*}} -> (vector<4xf32>) {
// CHECK:         kern.launch
// CHECK:           memref.alloca() {alignment = 16 : i64} : memref<128xf32>
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}, 1>, vector<4xf32>
// CHECK:           arith.divf {{.*}} : vector<4xf32>
// CHECK:           vector.store {{.*}} {alignment = 16 : i64} : memref<{{.*}}, 1>, vector<4xf32>
// CHECK:           vector.store {{.*}} {alignment = 16 : i64} : memref<{{.*}}, 1>, vector<4xf32>
func.func @wide_update(%ids: memref<?xi64, 1>, %n: memref<i64, 1>, %g: memref<?x16xf32, 1>, %e: memref<?xi64, 1>, %o: memref<?xi64, 1>, %t: memref<99x16xf32, 1>, %a: memref<99x16xf32, 1>) {
  kern.update_rows ids(%ids, %n : memref<?xi64, 1>, memref<i64, 1>) values(%g : memref<?x16xf32, 1>) grouping(%e, %o : memref<?xi64, 1>, memref<?xi64, 1>) outs(%t, %a : memref<99x16xf32, 1>, memref<99x16xf32, 1>) {
  ^bb0(%w: f32, %sum: f32, %d: f32):
    %dd = arith.mulf %d, %d : f32
    %s = arith.addf %sum, %dd : f32
    %r = math.sqrt %s : f32
    %q = arith.divf %d, %r : f32
    %x = arith.subf %w, %q : f32
    kern.yield %x, %s : f32, f32
  }
  return
}

// -----

func.func @unknown_dimension(%x: memref<?x8xi64, 1 : i64>, %y: memref<9xi64, 1 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.for %i = %c0 to %c2 step %c1 {
    %a = memref.load %x[%c0, %i] : memref<?x8xi64, 1 : i64>
    // expected-error @+1 {{asks for a dimension that is not constant}}
    %n = memref.dim %x, %i : memref<?x8xi64, 1 : i64>
    memref.store %a, %y[%n] : memref<9xi64, 1 : i64>
  }
  return
}

// -----

func.func @carried_buffer(%x: memref<9xi64, 1 : i64>, %y: memref<9xi64, 1 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %z:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %y) -> (memref<9xi64, 1 : i64>, memref<9xi64, 1 : i64>) {
    // expected-error @+1 {{touches a buffer that its loop makes; expected one that is there before it}}
    memref.store %one, %a[%i] : memref<9xi64, 1 : i64>
    scf.yield %b, %a : memref<9xi64, 1 : i64>, memref<9xi64, 1 : i64>
  }
  return
}
