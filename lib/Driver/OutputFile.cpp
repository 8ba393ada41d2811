//===- OutputFile.cpp - Writes a file as a whole --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Driver/OutputFile.h"

#include "mlc/Support/UnfinishedFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Writes all and closes; a stream that is left with an error would end the process.
static std::error_code writeAndClose(raw_fd_ostream &stream, StringRef bytes) {
  stream << bytes;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

std::error_code mlc::writeOutputFile(const std::string &path, StringRef bytes) {
  sys::fs::file_status status;
  bool exists = !sys::fs::status(path, status) && sys::fs::exists(status);
  if (exists && !sys::fs::is_regular_file(status)) {
    std::error_code error;
    raw_fd_ostream stream(path, error, sys::fs::CD_OpenExisting, sys::fs::FA_Write, sys::fs::OF_None);
    return error ? error : writeAndClose(stream, bytes);
  }
  SmallString<256> target(path), temporary;
  if (exists)
    if (std::error_code error = sys::fs::real_path(path, target))
      return error;
  int descriptor = -1;
  if (std::error_code error = sys::fs::createUniqueFile(target + ".tmp-%%%%%%", descriptor, temporary))
    return error;
  const UnfinishedFile unfinished(temporary); // not there any more after the rename
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  if (std::error_code error = writeAndClose(stream, bytes))
    return error;
  if (exists)
    if (std::error_code error = sys::fs::setPermissions(temporary, status.permissions()))
      return error;
  return sys::fs::rename(temporary, target);
}
