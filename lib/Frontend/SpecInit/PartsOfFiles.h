//===- PartsOfFiles.h - Parts of files, read by several threads -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_PARTSOFFILES_H
#define LIB_FRONTEND_SPECINIT_PARTSOFFILES_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlc::frontend {

/// Whole rows, or records, of a file.
struct FilePart {
  /// Through all files, from 0.
  int64_t number = 0;
  size_t file = 0;
  bool isFirst = false, isLast = false; ///< of its file
  std::string text;
};

/// How files are cut, and who reads the parts.
struct PartReader {
  /// Of the first bytes of a file (at most 16): no packer made them, whatever they look like. May be empty.
  llvm::function_ref<bool(llvm::StringRef)> isPlain;
  /// How many bytes of a text that begins with a row are whole rows.
  llvm::function_ref<size_t(llvm::StringRef)> wholeRows;
  /// Reads a part on thread `thread`; false: no more parts are wanted. Parts before the one that says so are read, too.
  llvm::function_ref<bool(unsigned thread, const FilePart &part)> read;
};

/// A file that cannot be read, and why.
struct FileProblem {
  size_t file = 0;
  std::string what;
};

/// Cuts files into parts of about 1 MiB, the same ones whatever the number of threads, and has them read. Returns what
/// is wrong with a file; its parts before that are read.
FileProblem readParts(const std::vector<std::string> &files, unsigned threads, const PartReader &reader);

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_PARTSOFFILES_H
