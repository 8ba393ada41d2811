//===- SpecChanges.h - Changes a spec by path: --set and --unset -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SPECCHANGES_H
#define LIB_FRONTEND_ESTIMATORSPEC_SPECCHANGES_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"
#include "mlc/Frontend/EstimatorSpec/SpecChange.h"

namespace mlc::frontend {

/// Applies one --set PATH=VALUE, --set PATH+=VALUE or --unset PATH. PATH is dotted; elements of lists of messages go by
/// name or index. A feature column or input column that is defined together with others is taken out of its message
/// first, so that it alone changes. Strings take the rest as it is, lists split at commas, messages take text format.
/// Returns false after an error.
bool applyChange(SpecDocument &document, const SpecChange &change, common::MessageList &messages);

/// Every path that a change of this spec may name: all fields of the schema, with the elements that lists have.
std::vector<std::string> settablePaths(const mlc::spec::v1::Estimator &spec);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SPECCHANGES_H
