//===- EntrySymbols.cpp - Dimension symbols of a batch ------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/EntryRunner.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace mlcrt {

Dims resolveDims(const mlcrt_value &value, const Symbols &symbols) {
  Dims dims(static_cast<size_t>(value.rank));
  for (int32_t i = 0; i < value.rank; ++i)
    dims[i] = value.dims[i] >= 0 ? value.dims[i] : symbols[-1 - value.dims[i]];
  return dims;
}

/// Ends of rows ascend from >= 0 to the number of values.
static absl::Status checkEnds(const char *name, const TensorView &ends, int64_t rows, int64_t values) {
  const int64_t *end = static_cast<const int64_t *>(ends.data);
  int64_t last = 0;
  for (int64_t row = 0; row < rows; last = end[row++])
    if (end[row] < last)
      return absl::InvalidArgumentError(absl::StrCat("feature '", name, "': row ", row, " ends at ", end[row],
                                                     ", expected at least ", last, ", where the row before it ends"));
  if (last != values)
    return absl::InvalidArgumentError(absl::StrCat("feature '", name, "': the last of ", rows, " rows ends at ", last,
                                                   ", expected ", values, ", the number of values"));
  return absl::OkStatus();
}

/// What is wrong where dimension `d` of feature `f` has another size than a dimension of the same symbol of a feature
/// before it; OK if none has another size.
static absl::Status otherSize(const mlcrt_artifact &table, const std::vector<bool> &used, const BatchView &batch,
                              int32_t f, int32_t d) {
  const mlcrt_value &value = table.features[f];
  const int64_t size = batch.features[f].dims[d];
  for (int32_t other = 0; other <= f; ++other)
    for (int32_t i = 0; used[other] && i < table.features[other].rank; ++i)
      if (const int64_t otherSize = batch.features[other].dims[i];
          table.features[other].dims[i] == value.dims[d] && otherSize != size)
        return absl::InvalidArgumentError(absl::StrCat(
            "feature '", value.name, "': dimension ", d, " is ", size, ", expected ", otherSize, ", which dimension ",
            i, " of feature '", table.features[other].name, "' is: both are dimension symbol ", -1 - value.dims[d]));
  return absl::OkStatus();
}

absl::Status EntryRunner::bindSymbols(const BatchView &batch, Symbols &symbols) const {
  const mlcrt_artifact &table = program_.artifact().table();
  if (batch.rows < 0)
    return absl::InvalidArgumentError(absl::StrCat("a batch of ", batch.rows, " rows"));
  symbols.assign(symbols_.size(), -1);
  symbols[MLCRT_SYMBOL_BATCH] = batch.rows;
  for (int32_t f = 0; f < table.num_features; ++f) {
    if (!usedFeatures_[f])
      continue;
    const mlcrt_value &value = table.features[f];
    const bool multi = firstSymbol(value) > MLCRT_SYMBOL_BATCH;
    // No elements need no memory: those of a batch, or of any batch by the type.
    const bool mayBeEmpty = multi || std::count(value.dims, value.dims + value.rank, 0) != 0;
    if (static_cast<size_t>(f) >= batch.features.size() ||
        (!batch.features[f].data && batch.rows > 0 && (!mayBeEmpty || elementCount(batch.features[f]) != 0)))
      return absl::InvalidArgumentError(
          absl::StrCat("the batch lacks feature '", value.name, "', which entry '", entry_.name, "' reads"));
    const TensorView &buffer = batch.features[f];
    bool fits = buffer.dtype == value.dtype && buffer.rank() == value.rank;
    for (int32_t i = 0; fits && i < value.rank; ++i) {
      if (value.dims[i] >= 0) {
        fits = buffer.dims[i] == value.dims[i];
        continue;
      }
      int64_t &symbol = symbols[-1 - value.dims[i]];
      if (symbol < 0)
        symbol = buffer.dims[i];
      fits = symbol == buffer.dims[i];
      if (!fits && i > 0)
        if (absl::Status status = otherSize(table, usedFeatures_, batch, f, i); !status.ok())
          return status;
    }
    if (fits)
      continue;
    const TensorView expected = {nullptr, value.dtype, resolveDims(value, symbols)};
    return absl::InvalidArgumentError(absl::StrCat("feature '", value.name, "': found ", describe(buffer),
                                                   ", expected ", describe(expected), " in a batch of ", batch.rows,
                                                   " rows"));
  }
  for (int32_t k = MLCRT_SYMBOL_BATCH + 1; k < program_.artifact().symbolCount(); ++k) {
    const int32_t ends = program_.artifact().endsOfSymbol(k);
    if (ends < 0 || !usedFeatures_[ends] || symbols[k] < 0)
      continue;
    if (absl::Status status = checkEnds(table.features[ends].name, batch.features[ends], batch.rows, symbols[k]);
        !status.ok())
      return status;
  }
  // Symbols of features that this entry does not read are in none of its shapes.
  for (int64_t &symbol : symbols)
    symbol = std::max<int64_t>(symbol, 0);
  return deriveSymbols(batch, symbols);
}

/// More than memory holds; sizes in bytes do not overflow.
static constexpr int64_t kMostValues = int64_t{1} << 40;

int64_t EntryRunner::countProducts(const mlcrt_dimension &dimension, const BatchView &batch) const {
  auto endsOf = [&](int64_t t) { return program_.artifact().endsOfSymbol(static_cast<int32_t>(dimension.terms[t])); };
  for (int64_t t = 0; t < dimension.num_terms; ++t)
    if (endsOf(t) < 0 || !usedFeatures_[endsOf(t)])
      return 0; // as other symbols of features that this entry does not read
  int64_t total = 0;
  for (int64_t row = 0; row < batch.rows; ++row) {
    int64_t product = 1;
    for (int64_t t = 0; t < dimension.num_terms; ++t) {
      const int64_t *end = static_cast<const int64_t *>(batch.features[endsOf(t)].data);
      if (__builtin_mul_overflow(product, end[row] - (row ? end[row - 1] : 0), &product))
        return -1;
    }
    if (__builtin_add_overflow(total, product, &total))
      return -1;
  }
  return total;
}

absl::Status EntryRunner::deriveSymbols(const BatchView &batch, Symbols &symbols) const {
  const mlcrt_artifact &table = program_.artifact().table();
  for (int64_t d = 0; d < table.num_dimensions; ++d) {
    const mlcrt_dimension &dimension = table.dimensions[d];
    int64_t value = 0;
    if (dimension.kind == MLCRT_DIMENSION_PRODUCT)
      value = countProducts(dimension, batch);
    for (int64_t k = 0, part; dimension.kind == MLCRT_DIMENSION_SUM && k < dimension.num_terms && value >= 0; ++k)
      if (__builtin_mul_overflow(dimension.terms[k], symbols[k], &part) || __builtin_add_overflow(value, part, &value))
        value = -1;
    if (value < 0 || value > kMostValues)
      return absl::InvalidArgumentError(absl::StrCat("a batch of ", batch.rows, " rows makes more than ", kMostValues,
                                                     " combinations of the values of multi-valued features"));
    symbols[dimension.symbol] = value;
  }
  return absl::OkStatus();
}

} // namespace mlcrt
