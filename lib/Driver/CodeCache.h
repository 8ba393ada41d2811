// Trainers and compiled code that are kept. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_DRIVER_CODECACHE_H
#define LIB_DRIVER_CODECACHE_H

#include "mlc/Target/CPU/CpuTarget.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlc {

/// A file of the cache in `directory`, of those of one `kind` ("trainers" or "code"). `name` begins with a key.
std::string cacheFile(const std::string &directory, llvm::StringRef kind, llvm::StringRef name);
/// Notes that a file of the cache is in use: it is not among the first to go.
void markUsed(const std::string &file);
/// Makes room before `file` is added: of its kind, those that nobody used for 30 days go, then, the longest unused ones
/// first, what is more than `mostBytes` or three quarters of what the disk has for them. Looks at the directory every
/// 20 minutes at most.
void pruneFor(const std::string &file, uint64_t mostBytes);

/// Of all trainers, which hold the runtime, too, and of all code.
inline constexpr uint64_t kMostTrainerBytes = 1'500'000'000, kMostCodeBytes = 500'000'000;

/// 128 bits of `text`, of what code is made for, and of the content of this compiler, as hex.
std::string cacheKey(llvm::StringRef text, const CpuTarget &target, bool optimize);

/// Sizes and times of the runtime's libraries, which trainers hold.
std::string runtimeStamp();

/// What code is generated of, as text: a module after convert-df-to-linalg without what the artifact's table alone
/// tells: the manifest (paths, input format, settings), the values of settings, the terms of vocabularies, names.
std::string codeText(mlir::ModuleOp module);

/// What is kept of a model.
struct KeptCode {
  CodeArchive code;
  std::string device; ///< of code for a device, too, what deviceTable gave
};

/// Archives of compiled code in DIRECTORY/code, and tables of devices beside them. A file there is whole: each is
/// written beside its place and renamed.
class CodeCache {
public:
  /// `hasDevice`: there is code for a device, too.
  CodeCache(const std::string &directory, const std::string &key, bool hasDevice)
      : path_(cacheFile(directory, "code", key)), hasDevice_(hasDevice) {}

  /// What is kept for this key; none if not all of it is there, or the code is not readable as an archive.
  std::optional<KeptCode> load() const;
  /// Keeps code. A cache that cannot be written costs time and nothing else.
  void store(const CodeArchive &code, llvm::StringRef device) const;

private:
  std::string path_; ///< without an ending
  bool hasDevice_;
};

} // namespace mlc

#endif // LIB_DRIVER_CODECACHE_H
