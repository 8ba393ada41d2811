//===- PackedFile.cpp - The bytes of a file, unpacked --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lib/Frontend/SpecInit/PackedFile.h"

#include "common/parquet/ParquetText.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>
#include <zlib.h>
#include <zstd.h>

using namespace mlc;
using namespace mlc::frontend;

static constexpr size_t kBufferBytes = size_t{1} << 18;

namespace {
struct CloseFile {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using OwnedFile = std::unique_ptr<std::FILE, CloseFile>;
} // namespace

struct PackedFile::Stream {
  virtual ~Stream() = default;
  virtual llvm::StringRef next(std::string &problem) = 0;
};

struct PackedFile::PlainStream : Stream {
  explicit PlainStream(OwnedFile opened) : file(std::move(opened)), buffer(kBufferBytes) {}
  llvm::StringRef next(std::string &problem) override {
    size_t size = std::fread(buffer.data(), 1, buffer.size(), file.get());
    if (size < buffer.size() && std::ferror(file.get()))
      problem = std::strerror(errno);
    return {buffer.data(), size};
  }
  OwnedFile file;
  std::vector<char> buffer;
};

struct PackedFile::GzipStream : Stream {
  explicit GzipStream(const std::string &path) : file(gzopen(path.c_str(), "rb"), gzclose), buffer(kBufferBytes) {}
  llvm::StringRef next(std::string &problem) override {
    int size = file ? gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size())) : -1;
    int code = Z_OK;
    // An end within the packed data is told by gzclose or gzerror alone.
    if (const char *text = file ? gzerror(file.get(), &code) : std::strerror(errno); size < 0 || code != Z_OK)
      problem = text;
    return {buffer.data(), static_cast<size_t>(std::max(size, 0))};
  }
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file;
  std::vector<char> buffer;
};

struct PackedFile::ZstdStream : Stream {
  explicit ZstdStream(OwnedFile opened)
      : packed(std::move(opened)), decoder(ZSTD_createDStream(), ZSTD_freeDStream), buffer(kBufferBytes) {}
  llvm::StringRef next(std::string &problem) override {
    ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
    while (out.pos == 0) {
      if (in.pos == in.size && !full) {
        llvm::StringRef bytes = packed.next(problem);
        in = {bytes.data(), bytes.size(), 0};
        if (bytes.empty()) {
          if (problem.empty() && left != 0)
            problem = "the packed data end too soon";
          return {};
        }
      }
      left = ZSTD_decompressStream(decoder.get(), &out, &in);
      if (ZSTD_isError(left)) {
        problem = ZSTD_getErrorName(left);
        return {};
      }
      full = out.pos == out.size;
    }
    return {buffer.data(), out.pos};
  }
  PlainStream packed;
  std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> decoder;
  ZSTD_inBuffer in = {nullptr, 0, 0};
  size_t left = 0;   ///< 0 after a frame that is whole
  bool full = false; ///< there may be more without more input
  std::vector<char> buffer;
};

struct PackedFile::ParquetStream : Stream {
  ParquetStream(const std::string &path, std::string &problem) {
    auto mapped = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!mapped) {
      problem = mapped.getError().message();
      return;
    }
    bytes = std::move(*mapped);
    common::parquet::Problem wrong;
    common::parquet::TextOptions options;
    options.isLenient = true;
    text = common::parquet::ParquetText::open(bytes->getBuffer(), options, wrong);
    problem = textOf(wrong);
  }
  llvm::StringRef next(std::string &problem) override {
    if (!text)
      return {};
    common::parquet::Problem wrong;
    llvm::StringRef piece = text->next(wrong);
    problem = textOf(wrong);
    return piece;
  }
  static std::string textOf(const common::parquet::Problem &problem) {
    std::string text = problem.row > 0 ? "row " + std::to_string(problem.row) + ": " + problem.what : problem.what;
    if (!problem.expected.empty())
      text += "; expected " + problem.expected;
    return text;
  }
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::unique_ptr<common::parquet::ParquetText> text;
};

PackedFile::PackedFile(const std::string &path, llvm::function_ref<bool(llvm::StringRef)> isPlain) {
  OwnedFile file(std::fopen(path.c_str(), "rbe"));
  if (!file) {
    problem_ = std::strerror(errno);
    return;
  }
  char bytes[16];
  llvm::StringRef start(bytes, std::fread(bytes, 1, sizeof(bytes), file.get()));
  std::rewind(file.get());
  const bool plain = isPlain && isPlain(start);
  isParquet_ = common::parquet::isParquet(start);
  if (isParquet_) {
    auto table = std::make_unique<ParquetStream>(path, problem_);
    if (table->text)
      for (const common::parquet::Column *column : table->text->leftOut())
        leftOut_.emplace_back(column->name, column->unsupported);
    stream_ = std::move(table);
  } else if (!plain && start.starts_with("\x28\xB5\x2F\xFD")) {
    stream_ = std::make_unique<ZstdStream>(std::move(file));
  } else if (!plain && start.starts_with("\x1F\x8B")) {
    stream_ = std::make_unique<GzipStream>(path);
  } else {
    stream_ = std::make_unique<PlainStream>(std::move(file));
  }
}

PackedFile::~PackedFile() = default;

llvm::StringRef PackedFile::next() { return stream_ && problem_.empty() ? stream_->next(problem_) : llvm::StringRef(); }
