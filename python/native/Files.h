// Data files of a run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_FILES_H
#define PYTHON_NATIVE_FILES_H

#include "runtime/src/input/BatchSource.h"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace mlc::python {

/// Files that the runtime reads, and how.
class Files {
public:
  /// `format`: what they look like, as a manifest's "input" tells (docs/manifest.md). `passes` and `dropRemainder` are
  /// those of mlcrt::BatchSource. Raises NativeError.
  Files(std::vector<std::string> globs, const std::string &format, int64_t passes, bool dropRemainder);

  const mlcrt::BatchSource &source() const { return source_; }

private:
  mlcrt::BatchSource source_;
};

void addFiles(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_FILES_H
