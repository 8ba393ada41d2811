//===- EmitAttributes.h - Messages of a spec as est attributes -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_EMITATTRIBUTES_H
#define LIB_FRONTEND_ESTIMATORSPEC_EMITATTRIBUTES_H

#include "dialects/Est/IR/Est.h"
#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

#include "mlir/IR/Builders.h"

namespace mlc::frontend {

/// (x - mean) / stddev.
mlir::Attribute emitZScore(mlir::Builder &builder, const mlc::spec::v1::ZScore &message);
/// The normalizer of a numeric column; null if there is none, or a function.
mlir::Attribute emitNormalizer(mlir::Builder &builder, const mlc::spec::v1::Numeric &message);
mlir::Attribute emitNormalizer(mlir::Builder &builder, const mlc::spec::v1::SequenceNumeric &message);
/// The transform of a regression's label; null if there is none.
mlir::Attribute emitLabelTransform(mlir::Builder &builder, const mlc::spec::v1::Regression &message);
/// An initializer, whose kind is set.
mlir::Attribute emitInitializer(mlir::Builder &builder, const mlc::spec::v1::Initializer &message);
/// A regularizer; its strengths become settings under `path`, that of the message.
est::RegularizerAttr emitRegularizer(mlir::Builder &builder, const std::string &path,
                                     const mlc::spec::v1::Regularizer &message);
/// A head's weight; null if the spec gives none.
est::SettingAttr emitHeadWeight(mlir::Builder &builder, const SpecDocument &document,
                                const mlc::spec::v1::Head &message);
/// The rate of a network's dropout; null if it has none.
est::SettingAttr emitDropout(mlir::Builder &builder, const SpecDocument &document, const mlc::spec::v1::Dnn &message);
/// An optimizer with its schedule; its START fields become settings under their paths.
est::OptimizerAttr emitOptimizer(mlir::Builder &builder, const SpecDocument &document,
                                 const mlc::spec::v1::Optimizer &message);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_EMITATTRIBUTES_H
