// Patterns of ops on strings and of files of variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_DFTOLINALG_STRINGPATTERNS_H
#define LIB_CONVERSION_DFTOLINALG_STRINGPATTERNS_H

#include "Patterns.h"

namespace mlc {

void populateStringPatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
void populateSavePatterns(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);

} // namespace mlc

#endif // LIB_CONVERSION_DFTOLINALG_STRINGPATTERNS_H
