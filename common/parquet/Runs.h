// Integers as Parquet packs them: runs, bits and differences. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers give one value after the other and keep none: what a file claims costs no memory.
#ifndef MLC_COMMON_PARQUET_RUNS_H
#define MLC_COMMON_PARQUET_RUNS_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mlc::common::parquet {

/// Takes a varint off the front of `bytes`; false if it does not end.
bool takeVarint(std::string_view &bytes, uint64_t &value);

/// RLE, the hybrid of runs of one value and of bit-packed ones, of `width` bits (at most 32) each.
class RunReader {
public:
  RunReader() = default;
  RunReader(std::string_view bytes, int width) : bytes_(bytes), width_(width) {}

  /// False: there is no further value.
  bool next(uint32_t &value) {
    if (left_ == 0 && !begin())
      return false;
    --left_;
    value = isPacked_ ? takeBits() : repeated_;
    return true;
  }

private:
  bool begin();
  uint32_t takeBits();

  std::string_view bytes_; ///< after the run that is read
  std::string_view packed_;
  int width_ = 0;
  bool isPacked_ = false;
  uint32_t repeated_ = 0;
  uint64_t left_ = 0, bit_ = 0;
};

/// Levels of a page, 0 to a most one.
class LevelReader {
public:
  /// Every level is 0.
  LevelReader() = default;
  /// Levels up to `most` > 0 as runs, or else (BIT_PACKED, of old writers) as bits from the highest of each byte on.
  LevelReader(std::string_view bytes, int most, bool areRuns);

  /// False: there is none, or one above the most.
  bool next(int &level);

private:
  int most_ = 0, width_ = 0;
  bool areRuns_ = true;
  RunReader runs_;
  std::string_view bits_;
  uint64_t bit_ = 0;
};

/// Bits of a level up to `most`.
int levelWidth(int most);

/// DELTA_BINARY_PACKED.
class DeltaReader {
public:
  DeltaReader() = default;
  /// Reads the head. !isGood(): it is damaged.
  explicit DeltaReader(std::string_view bytes);

  bool isGood() const { return isGood_; }
  /// Values in all.
  uint64_t size() const { return size_; }
  /// The next of size() values, modulo 2^64; false: damaged, or there is none.
  bool next(int64_t &value);
  /// What stands after the values, once all were taken.
  std::string_view rest() const { return bytes_; }

private:
  bool beginMiniblock();

  std::string_view bytes_;           ///< after the miniblock that is read
  std::string_view widths_, packed_; ///< of the block; of the miniblock
  uint64_t miniblockValues_ = 0, miniblocks_ = 0, size_ = 0;
  uint64_t taken_ = 0;          ///< of all values
  uint64_t left_ = 0, bit_ = 0; ///< of the miniblock
  int width_ = 0;
  uint64_t value_ = 0, least_ = 0;
  bool isGood_ = false;
};

} // namespace mlc::common::parquet

#endif // MLC_COMMON_PARQUET_RUNS_H
