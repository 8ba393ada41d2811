//===- OutputFile.h - Writes a file as a whole -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_DRIVER_OUTPUTFILE_H
#define LIB_DRIVER_OUTPUTFILE_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace mlc {

/// Writes `bytes` to a file beside `path` and renames it: `path` is the old file or the whole new one, and nothing else
/// stays after an error or a signal. A symbolic link stays one: what it names is replaced, with its permissions. What
/// is there and no file (a device, a pipe) is written to.
std::error_code writeOutputFile(const std::string &path, llvm::StringRef bytes);

} // namespace mlc

#endif // LIB_DRIVER_OUTPUTFILE_H
