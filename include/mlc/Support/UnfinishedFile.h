// Files that are being written. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_SUPPORT_UNFINISHEDFILE_H
#define MLC_SUPPORT_UNFINISHEDFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"

namespace mlc {

/// For a program, at its start: from here on a signal that ends the process removes unfinished files, by LLVM's
/// handlers, and a limit on the size of files is an error of the write, as a full disk is. A library changes no
/// handler: without this, what a signal leaves is a file with ".tmp-" in its name.
void removeUnfinishedFilesOnSignals();

/// Removes a file, if it is still there, when its time is over.
class UnfinishedFile {
public:
  explicit UnfinishedFile(llvm::StringRef path);
  UnfinishedFile(UnfinishedFile &&other) : path_(std::move(other.path_)) { other.path_.clear(); }
  UnfinishedFile &operator=(UnfinishedFile &&) = delete;
  ~UnfinishedFile();

  llvm::StringRef path() const { return path_; }

private:
  llvm::SmallString<128> path_;
};

} // namespace mlc

#endif // MLC_SUPPORT_UNFINISHEDFILE_H
