// The pages of a column in a row group. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_PARQUET_PAGEREADER_H
#define MLC_COMMON_PARQUET_PAGEREADER_H

#include "common/parquet/Footer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct ZSTD_DCtx_s;

namespace mlc::common::parquet {

/// A page: its header, and its bytes unpacked.
struct Page {
  PageHeader header;
  /// Of DataV2: repetition levels, then definition levels.
  std::string_view levels;
  std::string_view body() const { return isOwned ? std::string_view(unpacked) : stored; }

  /// What body() is: bytes of the page's own, or of the file.
  std::string unpacked;
  std::string_view stored;
  bool isOwned = false;
};

/// Unpacks pages of one codec.
class PageUnpacker {
public:
  PageUnpacker();
  ~PageUnpacker();

  /// The name of a codec that is not read: "BROTLI"; empty: it is.
  static std::string unsupported(int32_t codec);
  /// Unpacks `packed` into `bytes`, which are `size` then. False: damaged, and `why` says how. Memory is bound by what
  /// `packed` can give, not by what it claims.
  bool unpack(int32_t codec, std::string_view packed, size_t size, std::string &bytes, std::string &why);

private:
  bool unpackZstd(std::string_view packed, size_t size, std::string &bytes, std::string &why);

  struct FreeContext {
    void operator()(ZSTD_DCtx_s *context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, FreeContext> zstd_;
};

/// Goes through the pages of a chunk.
class PageReader {
public:
  PageReader() = default;
  /// `file` is the whole file, in which the chunk lies.
  PageReader(std::string_view file, const Chunk &chunk);

  /// Reads the next data or dictionary page into `page`, over what it held; its checksum, if it has one, is right.
  /// False at the end, or damaged: then `why` says how.
  bool next(PageUnpacker &unpacker, Page &page, std::string &why);
  /// Where the page that next read begins in the file.
  int64_t begin() const { return begin_; }

private:
  std::string_view bytes_;
  int64_t begin_ = 0, end_ = 0;
  int32_t codec_ = 0;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_PAGEREADER_H
