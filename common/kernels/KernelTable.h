// Tables of tiles: which one multiplies products of which shapes, on which GPUs. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_KERNELTABLE_H
#define MLC_COMMON_KERNELTABLE_H

#include "common/cli/Message.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// How products are added: by FMAs of numbers of up to 32 bits and of 64, and by tensor cores, whose factors are of the
/// type. Results of tensor cores are f32.
inline constexpr std::string_view kKernelKinds[] = {"f32", "f64", "tf32", "f16", "bf16"};

/// How the factors of a product lie, as BLAS names it: x * w of matrices whose rows are in one piece (nn), x * w^T, as
/// gradients of inputs (nt), x^T * y, as gradients of weights (tn), and both (tt).
inline constexpr std::string_view kProductForms[] = {"nn", "nt", "tn", "tt"};

/// The chip of lines that are for all those that have none of their own.
inline constexpr std::string_view kAnyChip = "any";

/// Parts of the inner dimension of a product at most.
inline constexpr int64_t kMostSplits = 64;

/// Numbers from `least` to `most`.
struct Bounds {
  static constexpr int64_t kNoMost = INT64_MAX;
  int64_t least = 1, most = kNoMost;

  bool has(int64_t number) const { return least <= number && number <= most; }
  bool operator==(const Bounds &other) const { return least == other.least && most == other.most; }
};

/// A product of `batches` matrices m x k by matrices k x n.
struct ProductShape {
  int64_t m = 1, n = 1, k = 1, batches = 1;
  size_t form = 0; ///< of kProductForms
};

/// What a block multiplies: `rows` x `columns` elements of the result, `depth` of the inner dimension at a time.
struct Tile {
  int64_t rows = 0, columns = 0, depth = 0;

  /// Tiles of a result.
  int64_t blocksOf(const ProductShape &shape) const;
  bool operator==(const Tile &other) const {
    return rows == other.rows && columns == other.columns && depth == other.depth;
  }
};

/// "64x64x16"; with `splits` above 1 "64x64x16/4".
std::string tileText(const Tile &tile, int64_t splits = 1);

/// A line: products of a shape within all bounds have this tile, if no line before has them.
struct TileLine {
  int64_t number = 0;         ///< of the line in its file, from 1
  std::string chip;           ///< its class, as chipClass() names it, or kAnyChip
  std::string kind;           ///< one of kKernelKinds
  std::optional<size_t> form; ///< of kProductForms; absent: all
  Bounds m, n, k, batches;
  Bounds blocks; ///< tiles of the result that there are of this size
  Tile tile;
  /// Parts of the inner dimension that blocks of their own add, and another kernel then adds up, in order.
  int64_t splits = 1;
  /// What was measured, of which no code depends: microseconds of a product of shape `of`, of this tile and of the
  /// next best one. 0: nothing was.
  double microseconds = 0, nextMicroseconds = 0;
  ProductShape of;
  Tile next;
  int64_t nextSplits = 1;

  bool has(const ProductShape &shape) const;
};

/// A text of lines, which is a function of a GPU and so a file of its own:
///
///     mlc-kernel-table 1
///     # a comment
///     device sm_90 NVIDIA H100 80GB HBM3: how the figures below were measured
///     tile sm_90 f32 m=1..64 k=129.. blocks=128.. 32x32x16 us=12.25 of=32x128x1024x1 next=64x64x16:13.5
///     tile any bf16 form=tn k=4096.. splits=8 32x32x32
///
/// Bounds that a line does not have hold for all numbers. Of each chip and kind that it has, each shape has a line, and
/// each line a shape.
struct KernelTable {
  std::vector<std::string> devices; ///< what stands after the word, in the order of the file
  std::vector<TileLine> lines;

  /// The lines that a chip's products of a kind have: those of its class, else those of any. Empty: there are none.
  std::vector<TileLine> linesFor(std::string_view chipClass, std::string_view kind) const;
};

/// The class of a chip whose code is alike: "sm_90" of sm_90 and sm_90a. Empty: this is no name of a chip.
std::string chipClass(std::string_view chip);

/// Reads a table. False: `messages` has got what is wrong (E0228), with its place in `file`.
bool parseKernelTable(const std::string &file, std::string_view text, KernelTable &table, MessageList &messages);

/// The table as text, in its order; with or without what was measured, and devices.
std::string kernelTableText(const KernelTable &table, bool withFigures = true);

} // namespace mlc::common

#endif // MLC_COMMON_KERNELTABLE_H
