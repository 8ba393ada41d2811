// Passes of the CPU target, in the order they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CPU_PASSES_TD
#define MLC_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def WidenOperands : Pass<"cpu-widen-operands", "::mlir::func::FuncOp"> {
  let summary = "Widens operands of products where they are computed";
  let description = [{
    An element of the left side of a `kern.contract` is broadcast for each panel of columns, and one that is narrower than the accumulator would be converted each time: it is
    widened before, by a `linalg.generic` that fuses into what computes it. A right side is widened so where it is computed element by element; one that lies in memory is, by
    its packing. Where a device does the other products, `on-host` leaves these. Precondition: on tensors, before fusion. Postcondition: the left side of a product with several columns has the accumulator's type.
  }];
  let options = [Option<"onHost", "on-host", "bool", "false", "Segments that the host runs where there is a device (df.on_host), and no others">];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect"];
}

def AttachTarget : Pass<"cpu-attach-target", "::mlir::ModuleOp"> {
  let summary = "Says which CPU code is made for";
  let description = [{
    Sets `dlti.target_system_spec` of the module: the device "CPU" with `name`, `vector_bits` and `vector_registers`, in the place of what was there. Lowerings ask the module and nothing else.
    Postcondition: the attribute.
  }];
  let options = [Option<"cpu", "cpu", "std::string", "\"x86-64-v3\"", "LLVM's name of the CPU">,
                 Option<"vectorBits", "vector-bits", "int64_t", "256", "Bits of a vector register: 256 or 512">,
                 Option<"vectorRegisters", "vector-registers", "int64_t", "16", "Vector registers">];
  let dependentDialects = ["::mlir::DLTIDialect"];
}

def PlanContracts : Pass<"cpu-plan-contracts", "::mlir::func::FuncOp"> {
  let summary = "Gives products their tilings";
  let description = [{
    Chooses how each `kern.contract` runs (`#kern.tiling`), from types, shapes and strides: the registers of a tile of 8 or 16 lanes, blocks of an inner dimension that is long or unknown, the size of a task. A
    product that has a tiling keeps it. Types that the CPU has no code for are errors. Precondition: bufferized; the module says which CPU (cpu-attach-target). Postcondition: each `kern.contract` has a tiling.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def PackContracts : Pass<"cpu-pack-contracts", "::mlir::func::FuncOp"> {
  let summary = "Packs the right sides of products";
  let description = [{
    The right side of each product that is tiled by `panels` becomes panels that a `kern.pack` fills: temporaries like others, which the workspace is planned with. A right side that no iteration of a
    loop around writes is packed before the loop; packs of a block that are equal, of a right side that is not written between them, are one. Precondition: products have tilings.
    Postcondition: right sides of products that are tiled by `panels` are panels.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect"];
}

def LowerKernels : Pass<"cpu-lower-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lowers kernels on memrefs to loops over vectors";
  let description = [{
    Precondition: bufferized; the module says which CPU (cpu-attach-target); products have tilings, and right sides in panels where these say so. Postcondition: no linalg and no kern op but `kern.launch` and calls of services, loops over elements of a device's memory are launches; other loops are scf, vectors are one-dimensional, every access goes through a flat
    memref and index arithmetic. How work is cut into tasks is a function of shapes. A reduction of floats is computed in the order that its body says (`kern.interleaved`), whatever else the body computes.
  }];
  let dependentDialects = ["::mlc::kern::KernDialect", "::mlir::vector::VectorDialect", "::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def MoveBrainFloats : Pass<"cpu-move-bf16", "::mlir::ModuleOp"> {
  let summary = "Loads, stores and moves bf16 as integers of 16 bits";
  let description = [{
    A target that has no instructions on bf16 would move single elements of a masked vector through f32, and call a library to come back. Conversions are
    integer ops already, which then stand between moves of integers. Vectors of narrow elements that are stored past the caches become words. Precondition: only LLVM ops. Postcondition: no load or store of
    bf16, and no op that moves or chooses elements of it.
  }];
}

#endif // MLC_CPU_PASSES_TD
