// Files that are being written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Support/UnfinishedFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include <atomic>
#include <csignal>

using namespace llvm;
using namespace mlc;

static std::atomic<bool> removesOnSignals{false};

void mlc::removeUnfinishedFilesOnSignals() {
  // LLVM's handlers, which come with the first file, would take the signal of a limit for a crash: they are installed
  // here, and this one is taken back.
  sys::RemoveFileOnSignal("");
  sys::DontRemoveFileOnSignal("");
  std::signal(SIGXFSZ, SIG_IGN);
  removesOnSignals = true;
}

UnfinishedFile::UnfinishedFile(StringRef path) : path_(path) {
  if (removesOnSignals)
    sys::RemoveFileOnSignal(path_);
}

UnfinishedFile::~UnfinishedFile() {
  if (path_.empty())
    return;
  sys::fs::remove(path_);
  if (removesOnSignals)
    sys::DontRemoveFileOnSignal(path_);
}
