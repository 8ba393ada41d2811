// The pages of a column in a row group.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/parquet/PageReader.h"

#include "common/data/Snappy.h"

#include <algorithm>
#include <zlib.h>
#include <zstd.h>

namespace mlc::common::parquet {

/// Numbers of the format.
enum Codec : int32_t { Uncompressed = 0, Snappy = 1, Gzip = 2, Zstd = 6 };

/// A byte of deflate gives at most 1032.
static constexpr size_t kMostPerGzipByte = 1032;
/// Room that a page of zstd gets first; where it gives more, twice as much.
static constexpr size_t kFirstRoom = size_t{1} << 20;

void PageUnpacker::FreeContext::operator()(ZSTD_DCtx_s *context) const { ZSTD_freeDCtx(context); }

PageUnpacker::PageUnpacker() = default;
PageUnpacker::~PageUnpacker() = default;

std::string PageUnpacker::unsupported(int32_t codec) {
  static constexpr std::string_view names[] = {"", "", "", "LZO", "BROTLI", "LZ4", "", "LZ4_RAW"};
  if (codec < 0 || static_cast<size_t>(codec) >= std::size(names))
    return "number " + std::to_string(codec);
  return std::string(names[codec]);
}

static bool unpackGzip(std::string_view packed, size_t size, std::string &bytes, std::string &why) {
  if (size > kMostPerGzipByte * (packed.size() + 1)) {
    why = std::to_string(packed.size()) + " packed bytes cannot give " + std::to_string(size);
    return false;
  }
  bytes.resize(size);
  z_stream stream{};
  constexpr int kGzipOrZlib = 32;
  if (inflateInit2(&stream, MAX_WBITS + kGzipOrZlib) != Z_OK) {
    why = "no memory for unpacking";
    return false;
  }
  Bytef none = 0;
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size()); // below 2 GiB, as all sizes of pages
  stream.next_out = size > 0 ? reinterpret_cast<Bytef *>(bytes.data()) : &none;
  stream.avail_out = static_cast<uInt>(size);
  const int result = inflate(&stream, Z_FINISH);
  const bool isWhole = result == Z_STREAM_END && stream.avail_out == 0;
  if (!isWhole)
    why = std::string("the gzip stream ") +
          (stream.msg ? "is damaged (" + std::string(stream.msg) + ")" : "does not give the bytes of the page");
  inflateEnd(&stream);
  return isWhole;
}

bool PageUnpacker::unpackZstd(std::string_view packed, size_t size, std::string &bytes, std::string &why) {
  if (!zstd_)
    zstd_.reset(ZSTD_createDCtx());
  if (!zstd_) {
    why = "no memory for unpacking";
    return false;
  }
  ZSTD_DCtx_reset(zstd_.get(), ZSTD_reset_session_only);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  bytes.clear();
  size_t left = 1;
  for (size_t have = 0; left != 0;) {
    bytes.resize(std::min(size, std::max(2 * have, kFirstRoom)));
    ZSTD_outBuffer out{bytes.data(), bytes.size(), have};
    const size_t before = in.pos;
    left = ZSTD_decompressStream(zstd_.get(), &out, &in);
    if (ZSTD_isError(left)) {
      why = std::string("the zstd stream is damaged (") + ZSTD_getErrorName(left) + ")";
      return false;
    }
    // Neither bytes taken nor given: it ends early, or gives more than the page.
    if (left != 0 && out.pos == have && in.pos == before && (in.pos == in.size || have == size))
      break;
    have = out.pos;
    if (left == 0)
      bytes.resize(have);
  }
  if (left == 0 && in.pos == in.size && bytes.size() == size)
    return true;
  why = "the zstd stream does not give the bytes of the page";
  return false;
}

bool PageUnpacker::unpack(int32_t codec, std::string_view packed, size_t size, std::string &bytes, std::string &why) {
  switch (codec) {
  case Codec::Snappy:
    if (!unpackSnappy(packed, bytes, why))
      return false;
    if (bytes.size() == size)
      return true;
    why = "the Snappy block gives " + std::to_string(bytes.size()) + " bytes";
    return false;
  case Codec::Gzip:
    return unpackGzip(packed, size, bytes, why);
  case Codec::Zstd:
    return unpackZstd(packed, size, bytes, why);
  default:
    bytes.assign(packed);
    if (bytes.size() == size)
      return true;
    why = "it is not packed and has " + std::to_string(bytes.size()) + " bytes";
    return false;
  }
}

PageReader::PageReader(std::string_view file, const Chunk &chunk)
    : bytes_(file.substr(0, static_cast<size_t>(chunk.begin + chunk.size))), begin_(chunk.begin), end_(chunk.begin),
      codec_(chunk.codec) {}

bool PageReader::next(PageUnpacker &unpacker, Page &page, std::string &why) {
  while (true) {
    begin_ = end_;
    std::string_view rest = bytes_.substr(static_cast<size_t>(begin_));
    if (rest.empty())
      return false;
    size_t size = 0;
    PageHeader &header = page.header = {};
    if (!readPageHeader(rest, header, size)) {
      why = "its header is damaged";
      return false;
    }
    rest.remove_prefix(size);
    if (static_cast<size_t>(header.packedSize) > rest.size()) {
      why = "it has " + std::to_string(header.packedSize) + " bytes, of which " + std::to_string(rest.size()) +
            " lie in the chunk of its column";
      return false;
    }
    rest = rest.substr(0, static_cast<size_t>(header.packedSize));
    end_ = begin_ + static_cast<int64_t>(size) + header.packedSize;
    if (header.kind != PageHeader::Data && header.kind != PageHeader::DataV2 && header.kind != PageHeader::Dictionary)
      continue; // an index, or what a newer format has
    if (header.values < 0) {
      why = "its header does not say how many values it has";
      return false;
    }
    if (header.crc && static_cast<uint32_t>(*header.crc) !=
                          ::crc32(0, reinterpret_cast<const Bytef *>(rest.data()), static_cast<uInt>(rest.size()))) {
      why = "its checksum is wrong";
      return false;
    }
    size_t levels = 0;
    if (header.kind == PageHeader::DataV2) {
      const int64_t bytes = int64_t{header.repetitionBytes} + header.definitionBytes;
      if (header.repetitionBytes < 0 || header.definitionBytes < 0 || bytes > header.packedSize ||
          bytes > header.unpackedSize) {
        why = "its levels do not lie in it";
        return false;
      }
      levels = static_cast<size_t>(bytes);
    }
    page.levels = rest.substr(0, levels);
    rest.remove_prefix(levels);
    page.isOwned = codec_ != Codec::Uncompressed && (header.kind != PageHeader::DataV2 || header.isPacked);
    const size_t unpacked = static_cast<size_t>(header.unpackedSize) - levels;
    if (page.isOwned && !(rest.empty() && unpacked == 0))
      return unpacker.unpack(codec_, rest, unpacked, page.unpacked, why);
    page.unpacked.clear();
    page.stored = rest;
    return true;
  }
}

} // namespace mlc::common::parquet
