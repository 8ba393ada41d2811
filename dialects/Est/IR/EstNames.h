// Names of attributes that ops of est may have besides their own. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_EST_IR_ESTNAMES_H
#define DIALECTS_EST_IR_ESTNAMES_H

#include "llvm/ADT/StringRef.h"

namespace mlc::est::names {

/// Of an estimator: where variables begin whose rows or columns a warm start finds by term, in the place of their own
/// initializers: a dictionary of initializers by the names of variables.
inline constexpr llvm::StringLiteral kBackupInitializers = "est.backup_initializers";

/// Of an estimator, a unit: eval_update gives the loss of each batch, with what regularizers add, as its output
/// "fetch/loss".
inline constexpr llvm::StringLiteral kTellsLoss = "est.tells_loss";

/// Of an estimator with one head, a unit attribute: metrics are called <metric>/<head>, as those of several heads.
inline constexpr llvm::StringLiteral kNamesInMetrics = "est.names_in_metrics";

} // namespace mlc::est::names

#endif // DIALECTS_EST_IR_ESTNAMES_H
