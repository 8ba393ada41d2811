//===- OtherFiles.h - What a file or directory is that is no spec -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_FRONTEND_ESTIMATORSPEC_OTHERFILES_H
#define MLC_FRONTEND_ESTIMATORSPEC_OTHERFILES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlc::frontend {

/// A kind of thing that is given where a spec belongs.
struct OtherFile {
  std::string what; ///< "delimited text, no spec"
  std::string help; ///< how it is used instead, as it should be typed
};

/// What `content` of the file `path` is, if that can be told and it is no text of a spec: data (delimited text, arrays,
/// compressed files), a module, a checkpoint's tensors, compiled code, JSON, other binary files.
std::optional<OtherFile> otherFileKind(llvm::StringRef path, llvm::StringRef content);

/// Whether the text of a file, or its bytecode, is a module: it begins as one. Where neither that nor the beginning of
/// a spec can be seen, the ending .mlir decides.
bool isModuleContent(llvm::StringRef path, llvm::StringRef content);

/// What a directory is: a model_dir, a checkpoint, an exported model, or just a directory.
OtherFile directoryKind(llvm::StringRef path);

} // namespace mlc::frontend

#endif // MLC_FRONTEND_ESTIMATORSPEC_OTHERFILES_H
