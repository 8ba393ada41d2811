// Bytes as zlib and zstd pack them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_INPUT_PACKED_H
#define MLC_TEST_UNIT_RUNTIME_INPUT_PACKED_H

#include "gtest/gtest.h"

#include <memory>
#include <string>
#include <string_view>
#include <zlib.h>
#include <zstd.h>

namespace mlcrt::test {

/// `windowBits` as of deflateInit2: MAX_WBITS + 16 for a gzip file, -MAX_WBITS for a bare stream.
inline std::string deflated(std::string_view bytes, int windowBits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A gzip file.
inline std::string gzip(std::string_view text) { return deflated(text, MAX_WBITS + 16); }

/// One frame with a checksum, as the zstd program writes it.
inline std::string zstd(std::string_view text) {
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context.get(), out.data(), out.size(), text.data(), text.size()));
  return out;
}

} // namespace mlcrt::test

#endif // MLC_TEST_UNIT_RUNTIME_INPUT_PACKED_H
