//===- NamePatterns.h - Ranges and globs in lists of names -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_ESTIMATORSPEC_NAMEPATTERNS_H
#define LIB_FRONTEND_ESTIMATORSPEC_NAMEPATTERNS_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlc::frontend {

/// Expands `I[1-13]` to I1 ... I13 (`[01-13]` keeps the width) and `[[` to a bracket, appending to `names`. On a
/// malformed range returns what is wrong, else the empty text.
std::string expandRanges(llvm::StringRef text, std::vector<std::string> &names);

/// Whether `text` has a `*` or `?`.
bool isGlob(llvm::StringRef text);

/// Whether `name` matches `pattern`, where `*` is any text and `?` any one byte.
bool matchesGlob(llvm::StringRef pattern, llvm::StringRef name);

/// Expands `${VAR}` and `${VAR:-default}` (default if VAR is unset or empty) from the environment into `result`.
/// Returns what is wrong (an unset variable without default, a missing brace), else the empty text.
std::string expandVariables(llvm::StringRef text, std::string &result);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_ESTIMATORSPEC_NAMEPATTERNS_H
