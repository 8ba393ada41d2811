// Functions with a grid become PTX; the parameters are addresses and numbers.
// RUN: mlc-opt %s --split-input-file --verify-diagnostics --cuda-emit-kernels=chips=sm_80,sm_90a | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK:      module attributes {mlc.images = [
// CHECK-SAME: {chip = "sm_80", data =
// CHECK-SAME: .version 8.0{{.*}}.target sm_80
// CHECK-SAME: .visible .entry scale(
// CHECK-SAME: .maxntid 128
// CHECK-SAME: ld.global.b32
// CHECK-SAME: mul.rn.f32
// CHECK-SAME: add.rn.f32
// CHECK-SAME: st.global.b32
// CHECK-SAME: device_kind = "cuda"
// CHECK-SAME: kind = "ptx"
// CHECK-NOT:  chip = "sm_90a"
// CHECK-NOT:  func.func
module {
  func.func private @scale(%x: memref<?xf32, 1 : i64>, %f: f32, %n: index, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>} {
    %c128 = arith.constant 128 : index
    %base = arith.muli %block, %c128 : index
    %i = arith.addi %base, %thread : index
    %in = arith.cmpi ult, %i, %n : index
    scf.if %in {
      %a = memref.load %x[%i] : memref<?xf32, 1 : i64>
      %b = arith.mulf %a, %f : f32
      %c = arith.addf %b, %f : f32
      memref.store %c, %x[%i] : memref<?xf32, 1 : i64>
    }
    return
  }
}

// -----

module {
  // expected-error @+1 {{takes a value of type 'memref<?x?xf32, 1>'; expected flat buffers and numbers}}
  func.func private @matrix(%x: memref<?x?xf32, 1 : i64>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>} {
    return
  }
}

// -----

// Images whose kernels add by tensor cores say that the order is the chip's.
// CHECK:      module attributes {mlc.images = [{chip = "sm_80", chip_sums, data =
// CHECK-SAME: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
module {
  func.func private @multiply(%y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 32, shared_bytes = 0>} {
    %x = arith.constant 1065353216 : i32
    %zero = arith.constant 0.0 : f32
    %sums = nvvm.mma.sync A[%x, %x, %x, %x] B[%x, %x] C[%zero, %zero, %zero, %zero] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>,
      multiplicandAPtxType = #nvvm.mma_type<tf32>, multiplicandBPtxType = #nvvm.mma_type<tf32>, shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
    %sum = llvm.extractvalue %sums[0] : !llvm.struct<(f32, f32, f32, f32)>
    memref.store %sum, %y[%thread] : memref<?xf32, 1>
    return
  }
}

// -----

// A constant that kernels alone read is one of theirs.
// CHECK:      module attributes {mlc.images = [
// CHECK-SAME: .global .align 16 .b8 weights[16] = {0, 0, 128, 63,
// CHECK-SAME: .entry reads(
// CHECK-NOT:  memref.global
module {
  memref.global "private" constant @weights : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  func.func private @reads(%y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 4, shared_bytes = 0>} {
    %global = memref.get_global @weights : memref<4xf32>
    %w = memref.memory_space_cast %global : memref<4xf32> to memref<4xf32, 1>
    %a = memref.load %w[%thread] : memref<4xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
}

// -----

// What a block's threads share is a variable of the kernel's module.
// CHECK:      module attributes {mlc.images = [
// CHECK-SAME: .entry turn(
// CHECK-SAME: .shared .align 16 .b8 turn$shared0[32]
// CHECK-SAME: st.shared.b32
// CHECK-SAME: bar{{[a-z.]*}}.sync
// CHECK-SAME: ld.shared.b32
module {
  func.func private @turn(%y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 8, shared_bytes = 0>} {
    %c7 = arith.constant 7 : index
    %cells = memref.alloca() {alignment = 16 : i64} : memref<8xf32, 3>
    %a = memref.load %y[%thread] : memref<?xf32, 1>
    memref.store %a, %cells[%thread] : memref<8xf32, 3>
    nvvm.barrier0
    %from = arith.subi %c7, %thread : index
    %b = memref.load %cells[%from] : memref<8xf32, 3>
    memref.store %b, %y[%thread] : memref<?xf32, 1>
    return
  }
}

// -----

// What has no instruction would be a call of a library.
// expected-error @+1 {{kernels call 'llvm.sin.f32', which nothing defines}}
module {
  func.func private @wave(%x: memref<?xf32, 1 : i64>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>} {
    %a = memref.load %x[%thread] : memref<?xf32, 1 : i64>
    %b = math.sin %a : f32
    memref.store %b, %x[%thread] : memref<?xf32, 1 : i64>
    return
  }
}

// -----

// Exports get a text of the kernels alone that predict asks for by their names, and of the constants that these read.
// CHECK:      module attributes {mlc.images = [{chip = "sm_80", data =
// CHECK-SAME: .b8 weights[
// CHECK-SAME: .entry forward(
// CHECK-SAME: .entry backward(
// CHECK-SAME: kind = "ptx", predict = "
// CHECK-NOT:  backward
// CHECK-SAME: .b8 weights[
// CHECK-NOT:  biases
// CHECK-SAME: .entry forward(
// CHECK-NOT:  backward
// CHECK-SAME: }]}
module {
  memref.global "private" constant @weights : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  memref.global "private" constant @biases : memref<4xf32> = dense<[5.0, 6.0, 7.0, 8.0]>
  llvm.mlir.global internal constant @name_forward("forward\00")
  llvm.mlir.global internal constant @name_backward("backward\00")
  func.func private @forward(%y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 4, shared_bytes = 0>} {
    %global = memref.get_global @weights : memref<4xf32>
    %w = memref.memory_space_cast %global : memref<4xf32> to memref<4xf32, 1>
    %a = memref.load %w[%thread] : memref<4xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
  func.func private @backward(%y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 4, shared_bytes = 0>} {
    %global = memref.get_global @biases : memref<4xf32>
    %w = memref.memory_space_cast %global : memref<4xf32> to memref<4xf32, 1>
    %a = memref.load %w[%thread] : memref<4xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
  func.func @predict(%frame: !llvm.ptr) -> !llvm.ptr attributes {df.role = #df.role<predict>} {
    %name = llvm.mlir.addressof @name_forward : !llvm.ptr
    return %name : !llvm.ptr
  }
  func.func @train(%frame: !llvm.ptr) -> !llvm.ptr attributes {df.role = #df.role<train>} {
    %name = llvm.mlir.addressof @name_backward : !llvm.ptr
    return %name : !llvm.ptr
  }
}

// -----

// Where an image for an earlier chip has all kernels, that for sm_90a has those alone that ask for what it has, and is none of an export that launches no such kernel.
// CHECK:      module attributes {mlc.images = [{chip = "sm_80", data =
// CHECK-SAME: .target sm_80
// CHECK-SAME: .entry asks(
// CHECK-NOT:  90;
// CHECK-SAME: {{[ ,]}}80;
// CHECK-SAME: .entry plain(
// CHECK-SAME: predict = "
// CHECK-NOT:  .entry asks(
// CHECK-SAME: .entry plain(
// CHECK-SAME: {chip = "sm_90a", data =
// CHECK-SAME: .target sm_90a
// CHECK-SAME: .entry asks(
// CHECK-NOT:  plain
// CHECK-SAME: {{[ ,]}}90;
// CHECK-NOT:  plain
// CHECK-SAME: predict = ""
module {
  llvm.mlir.global internal constant @name_plain("plain\00")
  func.func private @asks(%y: memref<?xi32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 4, shared_bytes = 0>} {
    %zero = arith.constant 0 : i32
    %early = arith.constant 80 : i32
    %late = arith.constant 90 : i32
    %chip = nvvm.read.ptx.sreg.envreg0 : i32
    %has = arith.cmpi ne, %chip, %zero : i32
    %number = arith.select %has, %late, %early : i32
    memref.store %number, %y[%thread] : memref<?xi32, 1>
    return
  }
  func.func private @plain(%y: memref<?xi32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 4, shared_bytes = 0>} {
    %seven = arith.constant 7 : i32
    memref.store %seven, %y[%thread] : memref<?xi32, 1>
    return
  }
  func.func @predict(%frame: !llvm.ptr) -> !llvm.ptr attributes {df.role = #df.role<predict>} {
    %name = llvm.mlir.addressof @name_plain : !llvm.ptr
    return %name : !llvm.ptr
  }
}

// -----

// Pointers say that buffers begin at multiples of 16 bytes. What the kernel only reads, and what no buffer that it writes may be (`may_alias`), is read past the coherent caches; where nothing is known nothing is.
// CHECK:      module attributes {mlc.images = [{chip = "sm_80", data =
// CHECK-SAME: .param .u64 .ptr .global .align 16 known_param_0
// CHECK-SAME: ld.global.nc.b32
// CHECK-SAME: st.global.b32
// CHECK-SAME: .entry same(
// CHECK-NOT:  ld.global.nc
// CHECK-SAME: .entry unknown(
// CHECK-NOT:  ld.global.nc
// CHECK-SAME: .entry chosen(
// CHECK-SAME: ld.global.nc.b32
// CHECK-SAME: device_kind
module {
  func.func private @known(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>, may_alias = array<i64>} {
    %a = memref.load %x[%thread] : memref<?xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
  func.func private @same(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>, may_alias = array<i64: 0, 1>} {
    %a = memref.load %x[%thread] : memref<?xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
  func.func private @unknown(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>} {
    %a = memref.load %x[%thread] : memref<?xf32, 1>
    memref.store %a, %y[%thread] : memref<?xf32, 1>
    return
  }
  // Of what a branch gives, each value is what it yields there: the second is written, the first is not.
  func.func private @chosen(%x: memref<?xf32, 1>, %y: memref<?xf32, 1>, %v: memref<?xf32, 1>, %w: memref<?xf32, 1>, %block: index, %thread: index) attributes {kern.grid = #kern.grid<threads = 128, shared_bytes = 0>, may_alias = array<i64>} {
    %c1 = arith.constant 1 : index
    %first = arith.cmpi ult, %block, %c1 : index
    %from, %to = scf.if %first -> (memref<?xf32, 1>, memref<?xf32, 1>) {
      scf.yield %x, %v : memref<?xf32, 1>, memref<?xf32, 1>
    } else {
      scf.yield %y, %w : memref<?xf32, 1>, memref<?xf32, 1>
    }
    %a = memref.load %from[%thread] : memref<?xf32, 1>
    memref.store %a, %to[%thread] : memref<?xf32, 1>
    return
  }
}
