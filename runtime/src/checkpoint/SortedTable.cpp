// Reader and writer of sorted tables.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/SortedTable.h"

#include "common/checkpoint/Crc32c.h"
#include "common/data/Snappy.h"
#include "runtime/src/checkpoint/AtomicFile.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/ProtoWire.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace mlcrt {

using mlc::common::maskedCrc32c;

static constexpr int64_t kMaxTable = int64_t{1} << 30;
static constexpr uint64_t kFooterBytes = 48, kTrailerBytes = 5, kMagicBytes = 8;
/// Of the writer, as TensorFlow's has them.
static constexpr size_t kBlockBytes = 256 << 10, kRestartInterval = 16;
/// Bytes of all keys that a file of so many bytes may have: packed and with prefixes that are shared, names take far
/// less than a file made to fill the memory would.
static constexpr uint64_t kKeyBytesPerByte = 64, kKeyBytesAtLeast = 1 << 20;

static uint32_t load32(const char *data) {
  uint32_t value;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

static std::string hexText(uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

namespace {

/// Where a block lies.
struct BlockHandle {
  uint64_t offset = 0, size = 0;

  bool read(const char *&at, const char *end) { return readVarint(at, end, offset) && readVarint(at, end, size); }
};

/// Reads a table that is in memory.
class TableReader {
public:
  TableReader(const std::string &path, std::string_view file) : path_(path), file_(file) {}

  absl::Status run(const TableVisitor &visit) {
    if (file_.size() < kFooterBytes)
      return damaged(0, "a file of " + std::to_string(file_.size()) + " bytes", "at least 48");
    const uint64_t footer = file_.size() - kFooterBytes, magicAt = file_.size() - kMagicBytes;
    uint64_t magic;
    std::memcpy(&magic, file_.data() + magicAt, sizeof(magic));
    if (magic != kSortedTableMagic)
      return damaged(magicAt, "the file ends with " + hexText(magic) + ": truncated, or no index of a checkpoint",
                     hexText(kSortedTableMagic));
    const char *at = file_.data() + footer, *const end = file_.data() + magicAt;
    BlockHandle unused, index;
    if (!unused.read(at, end) || !index.read(at, end))
      return damaged(footer, "the places of blocks do not end", "four varints");
    keyBytesLeft_ = kKeyBytesAtLeast + kKeyBytesPerByte * file_.size();
    std::string lastKey;
    bool isFirst = true;
    const auto visitData = [&](std::string_view key, std::string_view value) {
      if (!isFirst && key <= lastKey)
        return damaged(at_, "a key that is not after the one before", "ascending keys");
      isFirst = false;
      lastKey = key;
      return visit(key, value);
    };
    return visitBlock(index, [&](std::string_view key, std::string_view value) {
      const char *at = value.data();
      BlockHandle data;
      if (!data.read(at, value.data() + value.size()))
        return damaged(at_, "the place of a block does not end", "two varints");
      const uint64_t indexAt = at_;
      if (data.offset < dataEnd_)
        return damaged(at_, "a block at byte " + std::to_string(data.offset) + ", within the one before",
                       "at least " + std::to_string(dataEnd_));
      absl::Status status = visitBlock(data, visitData);
      dataEnd_ = data.offset + data.size;
      if (status.ok() && !isFirst && lastKey > key)
        return damaged(indexAt, "a block has keys after the one that the index tells", "its last key, or one after it");
      return status;
    });
  }

private:
  absl::Status damaged(uint64_t byte, std::string what, std::string expected = {}) const {
    mlc::common::Message message = mlc::common::makeError("E0403", "byte " + std::to_string(byte) + ": " + what);
    message.place.file = path_;
    message.expected = std::move(expected);
    return messageStatus(absl::StatusCode::kDataLoss, message);
  }

  /// Proves a block and visits its entries.
  absl::Status visitBlock(const BlockHandle &block, const TableVisitor &visit) {
    const uint64_t room = file_.size() - kFooterBytes;
    if (block.offset > room || block.size > room - block.offset || room - block.offset - block.size < kTrailerBytes)
      return damaged(at_,
                     "a block of " + std::to_string(block.size) + " bytes at byte " + std::to_string(block.offset) +
                         " reaches into the footer or beyond it",
                     "blocks before byte " + std::to_string(room));
    const std::string_view stored = file_.substr(block.offset, block.size);
    const char *trailer = stored.data() + stored.size();
    const uint32_t crc = maskedCrc32c(mlc::common::crc32c(stored.data(), stored.size() + 1));
    if (load32(trailer + 1) != crc)
      return damaged(block.offset, "the checksum of the block's " + std::to_string(block.size) + " bytes is wrong",
                     hexText(load32(trailer + 1)) + ", found " + hexText(crc));
    if (*trailer == 0)
      return visitEntries(block.offset, /*isPacked=*/false, stored, visit);
    if (*trailer != 1)
      return damaged(block.offset + block.size,
                     "a block packed by method " + std::to_string(static_cast<uint8_t>(*trailer)), "0 or 1 (Snappy)");
    std::string unpacked, problem;
    if (!mlc::common::unpackSnappy(stored, unpacked, problem))
      return damaged(block.offset, problem);
    return visitEntries(block.offset, /*isPacked=*/true, unpacked, visit);
  }

  absl::Status visitEntries(uint64_t offset, bool isPacked, std::string_view block, const TableVisitor &visit) {
    const auto fail = [&](size_t at, const std::string &what, const std::string &expected = {}) {
      // Bytes of a packed block are nowhere in the file.
      return isPacked ? damaged(offset, "unpacked byte " + std::to_string(at) + " of the block: " + what, expected)
                      : damaged(offset + at, what, expected);
    };
    if (block.size() < 4)
      return fail(0, "a block of " + std::to_string(block.size()) + " bytes", "at least 4");
    const uint64_t restarts = load32(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4)
      return fail(block.size() - 4, std::to_string(restarts) + " restarts, for which the block has no room");
    const char *at = block.data(), *const end = at + block.size() - 4 - 4 * restarts;
    std::string key;
    while (at != end) {
      const size_t begin = static_cast<size_t>(at - block.data());
      at_ = isPacked ? offset : offset + begin;
      uint64_t shared = 0, more = 0, size = 0;
      if (!readVarint(at, end, shared) || !readVarint(at, end, more) || !readVarint(at, end, size))
        return fail(begin, "an entry that does not end in the block");
      const auto left = static_cast<uint64_t>(end - at);
      if (more > left || size > left - more)
        return fail(begin, "an entry of " + std::to_string(more) + " and " + std::to_string(size) +
                               " bytes, of which " + std::to_string(left) + " are in the block");
      if (shared > key.size())
        return fail(begin,
                    "a key that shares " + std::to_string(shared) + " bytes with one of " + std::to_string(key.size()));
      if (shared + more > keyBytesLeft_)
        return fail(begin, "the keys take more than " + std::to_string(kKeyBytesPerByte) + " times the file's " +
                               std::to_string(file_.size()) + " bytes");
      keyBytesLeft_ -= shared + more;
      key.resize(shared);
      key.append(at, more);
      at += more;
      const std::string_view value(at, size);
      at += size;
      if (absl::Status status = visit(key, value); !status.ok())
        return status;
    }
    return absl::OkStatus();
  }

  const std::string &path_;
  const std::string_view file_;
  uint64_t at_ = 0; ///< of the entry that is visited; of a packed block its own
  uint64_t keyBytesLeft_ = 0;
  uint64_t dataEnd_ = 0; ///< of the data blocks that were visited
};

} // namespace

absl::Status readSortedTable(const std::string &path, const TableVisitor &visit) {
  absl::StatusOr<std::string> file = readWholeFile(path, kMaxTable);
  return file.ok() ? TableReader(path, *file).run(visit) : file.status();
}

//===-- Writing ---------------------------------------------------------------------------------------------------===//

static void append32(std::string &out, uint32_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

void SortedTableWriter::Block::add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (entries > 0 && entries % kRestartInterval == 0)
    append32(restarts, static_cast<uint32_t>(bytes.size()));
  else
    shared = std::mismatch(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(std::min(key.size(), lastKey.size())),
                           lastKey.begin())
                 .first -
             key.begin();
  ++entries;
  appendVarint(bytes, shared);
  appendVarint(bytes, key.size() - shared);
  appendVarint(bytes, value.size());
  bytes.append(key.substr(shared)).append(value);
  lastKey = key;
}

std::string SortedTableWriter::append(Block &block) {
  std::string stored = std::move(block.bytes) + block.restarts;
  append32(stored, static_cast<uint32_t>(block.restarts.size() / 4));
  std::string handle;
  appendVarint(handle, file_.size());
  appendVarint(handle, stored.size());
  stored.push_back(0); // not packed
  file_.append(stored);
  append32(file_, maskedCrc32c(mlc::common::crc32c(stored.data(), stored.size())));
  block = Block();
  return handle;
}

void SortedTableWriter::endDataBlock() {
  const std::string lastKey = data_.lastKey;
  index_.add(lastKey, append(data_));
}

void SortedTableWriter::add(std::string_view key, std::string_view value) {
  data_.add(key, value);
  if (data_.bytes.size() >= kBlockBytes)
    endDataBlock();
}

std::string SortedTableWriter::finish() {
  if (data_.entries > 0)
    endDataBlock();
  Block unused;
  std::string footer = append(unused);
  footer += append(index_);
  footer.resize(kFooterBytes - kMagicBytes, '\0');
  footer.append(reinterpret_cast<const char *>(&kSortedTableMagic), sizeof(kSortedTableMagic));
  return std::move(file_) + footer;
}

} // namespace mlcrt
