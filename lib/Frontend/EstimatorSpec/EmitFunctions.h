//===- EmitFunctions.h - Functions that a spec gives as text, in its module -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_EMITFUNCTIONS_H
#define LIB_FRONTEND_ESTIMATORSPEC_EMITFUNCTIONS_H

#include "dialects/Est/IR/Est.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlc::frontend {

/// Puts the one function of the df module `text` into `module`, as the normalizer `symbol` of numbers of `feature`.
/// What is wrong with it, or an empty text.
std::string addNormalizer(mlir::ModuleOp module, llvm::StringRef text, mlir::StringAttr symbol,
                          est::FeatureType feature);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_EMITFUNCTIONS_H
