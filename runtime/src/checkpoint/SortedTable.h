// Files of keys and values in the order of the keys, as LevelDB lays them out. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks, each followed by a byte that says how it is packed (0: not, 1: Snappy) and the masked CRC-32C of both. An
// entry of a block is varints of how many bytes of the key it shares with the one before, of how many follow and of the
// value's size, then these bytes and the value; a block ends with u32 places of entries that share nothing, and their
// number. The index block has for each data block a key that is not below its last one and, as two varints, its place
// and size. The last 48 bytes are the places of an unused block and of the index, padding, and kSortedTableMagic.
#ifndef MLCRT_CHECKPOINT_SORTEDTABLE_H
#define MLCRT_CHECKPOINT_SORTEDTABLE_H

#include "absl/status/status.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mlcrt {

/// The last 8 bytes of a table, little-endian.
inline constexpr uint64_t kSortedTableMagic = 0xdb4775248b80fb57;

/// Gets an entry; both are valid during the call.
using TableVisitor = std::function<absl::Status(std::string_view key, std::string_view value)>;

/// Visits the entries of a file in the order of their keys. kNotFound: no file; kDataLoss names the file and the byte
/// where something else stands than what is expected: truncated, another checksum, keys that do not ascend, names that
/// are far longer than the file. Ends with the first error of `visit`.
absl::Status readSortedTable(const std::string &path, const TableVisitor &visit);

/// Makes the bytes of a table.
class SortedTableWriter {
public:
  /// Keys have to ascend.
  void add(std::string_view key, std::string_view value);
  /// All of the file; nothing may be added after it.
  std::string finish();

private:
  /// A block that grows.
  struct Block {
    std::string bytes, lastKey;
    std::string restarts = std::string(4, '\0'); ///< u32 places of entries that share nothing
    int64_t entries = 0;

    void add(std::string_view key, std::string_view value);
  };
  /// Appends the block to the file; returns its place and size as the index has them.
  std::string append(Block &block);
  void endDataBlock();

  std::string file_;
  Block data_, index_;
};

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_SORTEDTABLE_H
