// Recurrent bodies: from sequences to logits. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_RECURRENT_H
#define LIB_CONVERSION_ESTTODF_RECURRENT_H

#include "lib/Conversion/EstToDf/Columns.h"
#include "lib/Conversion/EstToDf/Logits.h"

namespace mlc::est2df {

/// The logits of `op`. Its variables, whose names are those of Keras' layers in
/// tf.estimator.experimental.RNNEstimator, are added to `part`.
Logits lowerRnn(est::RnnOp op, Entry &entry, Columns &columns, Part &part, llvm::SmallVectorImpl<Output> *summaries);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_RECURRENT_H
