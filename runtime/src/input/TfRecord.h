// Framing of TFRecord files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record is: u64 length, u32 masked CRC-32C of those 8 bytes, the data, u32 masked CRC-32C of the data, all little-
// endian (maskedCrc32c).
#ifndef MLCRT_INPUT_TFRECORD_H
#define MLCRT_INPUT_TFRECORD_H

#include "absl/status/status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace mlcrt {

/// Goes from record to record of a file and checks every checksum.
class TfRecordScanner {
public:
  /// `text` is the whole unpacked file `path` (for messages).
  TfRecordScanner(std::string_view path, std::string_view text) : path_(path), text_(text) {}

  /// Goes to the next record; false at the end of the file. Data errors name the record and the byte where it begins: a
  /// file that ends within it, a checksum that is not that of the bytes, a record above 2 GiB.
  bool next(absl::Status &status);
  /// Of the record next() found: where its data begin in the text, and their size.
  int64_t begin() const { return begin_; }
  int64_t size() const { return size_; }

private:
  absl::Status damaged(std::string_view what, std::string_view expected) const;

  std::string_view path_, text_;
  size_t position_ = 0;
  int64_t number_ = 0, begin_ = 0, size_ = 0;
};

/// Whether a file that begins with `start` (at least 12 bytes of it) begins with a record: 12 bytes that hold a length
/// and its checksum are never those of a compressed stream.
bool startsWithRecord(std::string_view start);

/// `data` framed as a record, for files that tests and tools make.
std::string frameRecord(std::string_view data);

} // namespace mlcrt

#endif // MLCRT_INPUT_TFRECORD_H
