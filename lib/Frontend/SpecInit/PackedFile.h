//===- PackedFile.h - The bytes of a file, unpacked -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LIB_FRONTEND_SPECINIT_PACKEDFILE_H
#define LIB_FRONTEND_SPECINIT_PACKEDFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mlc::frontend {

/// Reads a file from its beginning: plain, gzip or zstd, as its first bytes tell, or the CSV text of a Parquet file.
class PackedFile {
public:
  /// `isPlain` says of the first bytes (at most 16) that no packer made them, whatever they look like.
  explicit PackedFile(const std::string &path, llvm::function_ref<bool(llvm::StringRef)> isPlain = nullptr);
  ~PackedFile();

  /// The next bytes, valid until the next call; empty at the end, and where problem() says why.
  llvm::StringRef next();
  /// Whether it is a Parquet file.
  bool isParquet() const { return isParquet_; }
  /// Of a Parquet file, the columns that its text lacks, and what they are: "a map".
  const std::vector<std::pair<std::string, std::string>> &leftOut() const { return leftOut_; }
  /// What is wrong with the file, or the empty text.
  const std::string &problem() const { return problem_; }

private:
  struct Stream;
  struct PlainStream;
  struct GzipStream;
  struct ZstdStream;
  struct ParquetStream;
  std::unique_ptr<Stream> stream_;
  std::string problem_;
  bool isParquet_ = false;
  std::vector<std::pair<std::string, std::string>> leftOut_;
};

} // namespace mlc::frontend

#endif // LIB_FRONTEND_SPECINIT_PACKEDFILE_H
