// Unpacking of gzip and zstd streams.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/Unpack.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <zlib.h>
#include <zstd.h>

namespace mlcrt {

static constexpr size_t kPiece = size_t{1} << 18;

Compression detectCompression(std::string_view start) {
  if (start.substr(0, 2) == std::string_view("\x1f\x8b", 2))
    return Compression::Gzip;
  if (start.substr(0, 4) == std::string_view("\x28\xb5\x2f\xfd", 4))
    return Compression::Zstd;
  return Compression::None;
}

static absl::Status streamError(std::string_view path, std::string_view kind, size_t byte, std::string_view what) {
  return dataError({path}, data_code::kUnreadable,
                   absl::StrCat(absl::string_view(kind.data(), kind.size()), " stream ",
                                absl::string_view(what.data(), what.size()), " at byte ", byte));
}

static absl::Status unpackGzip(std::string_view path, std::string_view packed, const UnpackSink &sink) {
  z_stream stream{};
  constexpr int kGzipOnly = 16;
  if (inflateInit2(&stream, MAX_WBITS + kGzipOnly) != Z_OK)
    return absl::ResourceExhaustedError("no memory for unpacking");
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  const auto buffer = std::make_unique<char[]>(kPiece);
  size_t position = 0; // of the bytes handed to zlib
  while (true) {
    if (stream.avail_in == 0) {
      const size_t count = std::min<size_t>(packed.size() - position, std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + position));
      stream.avail_in = static_cast<uInt>(count);
      position += count;
    }
    stream.next_out = reinterpret_cast<Bytef *>(buffer.get());
    stream.avail_out = kPiece;
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (absl::Status status = sink({buffer.get(), kPiece - stream.avail_out}); !status.ok())
      return status;
    const size_t consumed = position - stream.avail_in;
    if (result == Z_STREAM_END) {
      if (consumed == packed.size())
        return absl::OkStatus();
      inflateReset(&stream); // the next member
    } else if (result == Z_BUF_ERROR || (result == Z_OK && consumed == packed.size() && stream.avail_out > 0)) {
      return streamError(path, "gzip", packed.size(), "ends early");
    } else if (result != Z_OK) {
      return streamError(path, "gzip", consumed,
                         stream.msg ? absl::StrCat("is damaged (", stream.msg, ")") : std::string("is damaged"));
    }
  }
}

static absl::Status unpackZstd(std::string_view path, std::string_view packed, const UnpackSink &sink) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
  if (!stream)
    return absl::ResourceExhaustedError("no memory for unpacking");
  const auto buffer = std::make_unique<char[]>(kPiece);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1; // 0 at the end of a frame
  bool full = false;
  while (in.pos < in.size || full) {
    ZSTD_outBuffer out{buffer.get(), kPiece, 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left))
      return streamError(path, "zstd", in.pos, absl::StrCat("is damaged (", ZSTD_getErrorName(left), ")"));
    full = out.pos == out.size && left != 0;
    if (absl::Status status = sink({buffer.get(), out.pos}); !status.ok())
      return status;
  }
  if (left != 0)
    return streamError(path, "zstd", packed.size(), "ends early");
  return absl::OkStatus();
}

absl::Status unpack(std::string_view path, std::string_view packed, Compression compression, const UnpackSink &sink) {
  switch (compression) {
  case Compression::Gzip:
    return unpackGzip(path, packed, sink);
  case Compression::Zstd:
    return unpackZstd(path, packed, sink);
  default:
    return sink(packed);
  }
}

} // namespace mlcrt
