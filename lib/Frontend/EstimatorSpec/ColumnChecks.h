//===- ColumnChecks.h - What a spec says of the values of columns -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_COLUMNCHECKS_H
#define LIB_FRONTEND_ESTIMATORSPEC_COLUMNCHECKS_H

#include "common/data/ColumnCheck.h"
#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"

#include <vector>

namespace mlc::frontend {

/// At least one check for each column of the input that the model reads.
std::vector<common::ColumnCheck> columnChecks(const SpecDocument &document, const ResolvedSpec &resolved);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_COLUMNCHECKS_H
