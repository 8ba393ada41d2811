// Compiled code that is kept, without the values that do not change it. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_CODECACHE_H
#define LIB_DRIVER_CODECACHE_H

#include "mlc/Target/CPU/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlc {

/// 128 bits of `text`, of what code is made for, and of this compiler, as hex.
std::string cacheKey(llvm::StringRef text, const CpuTarget &target, bool optimize);

/// What code is generated of, as text: a module after convert-df-to-linalg without what the artifact's table alone
/// tells: the manifest (paths, input format, settings), the values of settings, the terms of vocabularies, names.
std::string codeText(mlir::ModuleOp module);

/// Objects of compiled code in DIRECTORY/code. A file there is whole: each is written beside its place and renamed.
class CodeCache {
public:
  CodeCache(std::string directory, const std::string &key) : path_(std::move(directory) + "/code/" + key) {}

  /// What is kept for this key; none if it is not there, or not readable as objects, or lacks the object of the predict
  /// entry that `needsPredict` asks for.
  std::optional<CodeObjects> load(bool needsPredict) const;
  /// Keeps code. A cache that cannot be written costs time and nothing else.
  void store(const CodeObjects &code) const;

private:
  std::string path_;
};

} // namespace mlc

#endif // LIB_DRIVER_CODECACHE_H
