//===- SchemaDocs.h - What the schema says of its fields -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H
#define LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H

#include "lib/Frontend/EstimatorSpec/SpecDocument.h"

#include <string>

namespace mlc::frontend {

/// The comment above a field in estimator.proto, on one line; empty if it has none.
std::string fieldDoc(const ProtoField &field);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_SCHEMADOCS_H
