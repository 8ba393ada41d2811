// Passes of the CPU target, in the order they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CPU_PASSES_TD
#define MLC_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerKernels : Pass<"cpu-lower-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lowers kernels on memrefs to loops over vectors";
  let description = [{
    Precondition: bufferized. Postcondition: no linalg and no kern op but `kern.launch` and calls of services; loops are scf, vectors are one-dimensional, every access goes through a flat
    memref and index arithmetic. How work is cut into tasks is a function of shapes. A reduction of floats is computed in the order that its body says (`kern.interleaved`), whatever else the body computes.
  }];
  let options = [Option<"lanes", "lanes", "int64_t", "8", "f32 lanes of a vector register">];
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
