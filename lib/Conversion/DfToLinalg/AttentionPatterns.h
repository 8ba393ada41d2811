// The patterns of attention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_ATTENTIONPATTERNS_H
#define LIB_CONVERSION_DFTOLINALG_ATTENTIONPATTERNS_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlc {

/// Of df.attention and df.attention_grad, which become kern ops of the same name.
void populateAttentionPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_ATTENTIONPATTERNS_H
