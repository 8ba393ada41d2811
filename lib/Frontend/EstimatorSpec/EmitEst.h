//===- EmitEst.h - A resolved spec as est IR -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_EMITEST_H
#define LIB_FRONTEND_ESTIMATORSPEC_EMITEST_H

#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlc::frontend {

/// The module of a spec that was resolved without errors. What is wrong with functions that the spec gives as text is
/// added to `messages`; the module is of no use then.
mlir::OwningOpRef<mlir::ModuleOp> emitEst(const SpecDocument &document, const ResolvedSpec &resolved,
                                          mlir::MLIRContext *context, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_EMITEST_H
