//===- PathFrom.cpp - Paths as a spec writes them -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/PathFrom.h"

#include <filesystem>

namespace fs = std::filesystem;

std::string mlc::frontend::pathFrom(const std::string &spec, const std::string &file) {
  if (spec.empty())
    return fs::absolute(file).lexically_normal().string();
  std::error_code error;
  // A directory is what its links lead to: "..", which a reader resolves, is that one's parent.
  fs::path from = fs::absolute(spec).parent_path();
  fs::path to = fs::absolute(file);
  fs::path relative = (fs::weakly_canonical(to.parent_path(), error) / to.filename())
                          .lexically_relative(fs::weakly_canonical(from, error));
  return (relative.empty() ? to : relative).string();
}
