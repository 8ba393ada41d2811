// The unpacked bytes of a data file. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_FILEDATA_H
#define MLCRT_INPUT_FILEDATA_H

#include "absl/status/statusor.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/InputFormat.h"
#include "runtime/src/input/MappedFile.h"
#include "runtime/src/input/Unpack.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace mlcrt {

/// Gives the text that the bytes of the Parquet file `path` stand for to a sink.
using ParquetReader =
    std::function<absl::Status(const std::string &path, std::string_view bytes, const UnpackSink &sink)>;

/// How `FileData` keeps a file.
struct FileDataOptions {
  Compression compression = Compression::Auto;
  /// Whether a file that begins with these bytes (up to 16) is a plain one, whatever they look like to Auto; may be
  /// null.
  bool (*isPlain)(std::string_view start) = nullptr;
  /// Unpacks Parquet files; without it they are an error.
  ParquetReader parquet;
  /// Unpacked bytes that may be held in memory. A plain file above it is mapped; a packed one is unpacked into an
  /// unnamed file of `spillDir` and mapped.
  int64_t memoryLimit = int64_t{1} << 30;
  std::string spillDir;
};

/// Read-only bytes of one file. In memory: what happens to the file later changes nothing. Mapped: who writes to the
/// file changes them, and what is lost reads as zeros; `check` tells.
class FileData {
public:
  /// Reads, unpacks or maps `file`. Data errors: the file changed since it was listed, a truncated or damaged gzip or
  /// zstd stream (with the byte), a compression other than the one asked for.
  static absl::StatusOr<FileData> open(const DataFile &file, const FileDataOptions &options);

  /// The bytes that `produce` gives to a sink, kept as those of a packed file. `path` is for messages. Errors of
  /// `produce`, and of what there is no room for.
  static absl::StatusOr<FileData> collect(const std::string &path, const FileDataOptions &options,
                                          const std::function<absl::Status(const UnpackSink &)> &produce);

  /// No bytes.
  FileData() = default;
  FileData(FileData &&) = default;
  FileData &operator=(FileData &&) = default;

  std::string_view bytes() const { return bytes_; }
  /// Whether the bytes lie in this process's own memory.
  bool inMemory() const { return !mapped_; }
  /// Data error if what was read up to now may not be what the file held when it was opened: it is mapped, and was
  /// written to since.
  absl::Status check() const;

private:
  struct Free {
    void operator()(char *data) const;
  };

  std::unique_ptr<char, Free> owned_;
  MappedFile mapped_;
  std::string_view bytes_;
  /// The file behind the mapping, for `check`; without a path: nobody else can write to it.
  DataFile source_;
  uint64_t inode_ = 0;
};

} // namespace mlcrt

#endif // MLCRT_INPUT_FILEDATA_H
