// The parsed columns of a data set.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ColumnStore.h"

#include "runtime/src/input/CellGather.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace mlcrt {

void ColumnStore::Free::operator()(char *data) const { std::free(data); }

absl::Status ColumnStore::allocate(const std::vector<BoundColumn> &columns, int64_t rows) {
  rows_ = rows;
  for (const BoundColumn &bound : columns) {
    Column column;
    column.rowBytes = bound.parser.rowBytes();
    if (bound.parser.isList()) {
      column.ends.resize(static_cast<size_t>(rows));
      for (int64_t first = 0; first < rows; first += kChunk)
        column.chunks.push_back(bound.parser.makeList());
    } else {
      const size_t bytes = static_cast<size_t>(rows * column.rowBytes);
      column.cells.reset(static_cast<char *>(std::malloc(std::max<size_t>(bytes, 1))));
      if (!column.cells)
        return absl::ResourceExhaustedError(
            absl::StrCat("no memory for ", rows, " rows of column '", bound.parser.column().name, "'"));
    }
    columns_.push_back(std::move(column));
  }
  return absl::OkStatus();
}

std::vector<RowTarget> ColumnStore::chunk(int64_t chunk) {
  std::vector<RowTarget> targets;
  for (Column &column : columns_) {
    RowTarget target;
    if (column.cells) {
      target.cells = column.cells.get() + chunk * kChunk * column.rowBytes;
      target.pitch = column.rowBytes;
    } else {
      target.ends = column.ends.data() + chunk * kChunk;
      target.values = &column.chunks[static_cast<size_t>(chunk)];
    }
    targets.push_back(target);
  }
  return targets;
}

void ColumnStore::finish() {
  for (Column &column : columns_) {
    if (column.cells || column.chunks.empty())
      continue;
    ValueList &all = column.chunks.front();
    int64_t total = 0;
    for (const ValueList &list : column.chunks)
      total += list.size();
    all.reserve(total);
    for (size_t chunk = 1; chunk < column.chunks.size(); ++chunk) {
      const int64_t base = all.size(), first = static_cast<int64_t>(chunk) * kChunk;
      for (int64_t row = first; row < std::min(first + kChunk, rows_); ++row)
        column.ends[static_cast<size_t>(row)] += base;
      all.append(column.chunks[chunk], 0, column.chunks[chunk].size());
      column.chunks[chunk] = ValueList();
    }
    column.chunks.resize(1);
  }
}

void ColumnStore::keep(const std::vector<int64_t> &kept) {
  for (Column &column : columns_)
    for (size_t i = 0; i < kept.size(); ++i) {
      if (column.cells)
        std::memmove(column.cells.get() + static_cast<int64_t>(i) * column.rowBytes,
                     column.cells.get() + kept[i] * column.rowBytes, static_cast<size_t>(column.rowBytes));
      else
        column.ends[i] = column.ends[static_cast<size_t>(kept[i])];
    }
  rows_ = static_cast<int64_t>(kept.size());
}

void ColumnStore::gather(const std::vector<int64_t> &rows, const std::vector<RowTarget> &out) const {
  for (size_t k = 0; k < columns_.size(); ++k) {
    const Column &column = columns_[k];
    if (column.cells) {
      gatherCells(column.cells.get(), column.rowBytes, rows.data(), static_cast<int64_t>(rows.size()), /*firstRow=*/0,
                  out[k].cells, out[k].pitch);
      continue;
    }
    ValueList &values = *out[k].values;
    values.shrink(0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<size_t>(rows[i]);
      values.append(column.chunks.front(), row > 0 ? column.ends[row - 1] : 0, column.ends[row]);
      out[k].ends[i] = values.size();
    }
  }
}

} // namespace mlcrt
