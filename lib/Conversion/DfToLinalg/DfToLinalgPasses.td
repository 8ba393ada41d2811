// The conversion of df to linalg and kern.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CONVERSION_DFTOLINALG_PASSES_TD
#define MLC_CONVERSION_DFTOLINALG_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertDfToLinalg : Pass<"convert-df-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lowers df segments to linalg on tensors and kern";
  let description = [{
    Precondition: df functions are segments (after `df-outline-features`): tensors only, every argument and result has a `df.binding`.
    Postcondition: each is a func.func of tensors with the same argument and result attributes, whose ops are linalg, tensor, scf, arith, math and kern.
    `i1` tensors become `i8` tensors of 0 and 1 (a vector of i1 would be packed in memory), string tensors get a trailing dimension of {pointer, length}
    as i64. Math functions become the expansions of mlc/Support. df.vocabulary and df.dimension remain: the artifact lists them.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::func::FuncDialect", "::mlc::kern::KernDialect"];
}

#endif // MLC_CONVERSION_DFTOLINALG_PASSES_TD
