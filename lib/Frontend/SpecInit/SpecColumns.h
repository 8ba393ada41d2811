//===- SpecColumns.h - Data read as a spec says, for their statistics -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_SPECCOLUMNS_H
#define LIB_FRONTEND_SPECINIT_SPECCOLUMNS_H

#include "lib/Frontend/EstimatorSpec/ResolvedSpec.h"
#include "lib/Frontend/SpecInit/ColumnStatistics.h"

namespace mlc::frontend {

/// For each input column of a spec, the statistics that count its values; several columns may share one.
using StatisticsOfInputs = std::vector<std::vector<ColumnStatistics *>>;

/// Counts the values of the rows of `files`, read in the form, and with the marks of missing values, that the spec
/// declares: rows that SKIP_ROW drops and missing cells do not count, a cell of several values counts as those.
/// `rows`: how many to read, 0: all. Errors: files that cannot be read, a declared column that one lacks (at its place
/// in the spec), a row of another length.
bool countInputs(const SpecDocument &document, const ResolvedSpec &resolved, const std::vector<std::string> &files,
                 int64_t rows, const StatisticsOfInputs &statistics, common::MessageList &messages);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_SPECCOLUMNS_H
