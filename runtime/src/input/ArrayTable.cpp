// Examples that lie in arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/ArrayTable.h"

#include "absl/strings/str_cat.h"
#include "common/checkpoint/Crc32c.h"
#include "common/cli/NearestMatch.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/CellGather.h"
#include "runtime/src/input/NpyHeader.h"
#include "runtime/src/input/NumberCheck.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

namespace mlcrt {

static bool fits(const StoredArray &array, const TensorSpec &value, ArrayPart::Kind kind) {
  if (kind != ArrayPart::Kind::Cells) // some cells for each example
    return array.dtype == value.dtype && array.shape.size() == 2;
  return array.dtype == value.dtype && static_cast<int32_t>(array.shape.size()) == value.rank() &&
         std::equal(array.shape.begin() + 1, array.shape.end(), value.dims.begin() + 1,
                    [](int64_t size, int64_t dim) { return dim < 0 || size == dim; });
}

/// The name that a file of feature `name` has: '/' cannot be part of it.
static std::string fileStem(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

absl::StatusOr<ArrayTable> ArrayTable::open(std::vector<DataFile> files, const FileDataOptions &options) {
  if (files.empty())
    return usageError("", data_code::kNoSuchFile, "no data file is given");
  ArrayTable table;
  table.list_ = std::move(files);
  FileDataOptions left = options;
  for (const DataFile &file : table.list_) {
    absl::StatusOr<ArrayFile> opened = ArrayFile::open(file, left);
    if (!opened.ok())
      return opened.status();
    left.memoryLimit = std::max<int64_t>(0, left.memoryLimit - opened->memory());
    table.files_.push_back(*std::move(opened));
  }
  return table;
}

ArrayTable ArrayTable::ofMemory(const MemoryArrays &arrays, Checksum checksum) {
  ArrayTable table;
  DataFile &entry = table.list_.emplace_back();
  entry.path = arrays.name;
  table.files_.push_back(ArrayFile::ofMemory(arrays.arrays, arrays.owner));
  if (checksum == Checksum::None)
    return table;
  for (const StoredArray &array : arrays.arrays) {
    entry.crc = mlc::common::crc32c(array.name.data(), array.name.size(), entry.crc);
    entry.crc = mlc::common::crc32c(array.bytes.data(), array.bytes.size(), entry.crc);
    entry.size += static_cast<int64_t>(array.bytes.size());
    for (int64_t k = 0; array.texts && k < array.rows() * array.rowElements(); ++k) {
      entry.crc = mlc::common::crc32c(array.texts[k].data, static_cast<size_t>(array.texts[k].size), entry.crc);
      entry.size += array.texts[k].size;
    }
  }
  return table;
}

const StoredArray *ArrayTable::find(std::string_view name) const {
  for (const ArrayFile &file : files_)
    if (const StoredArray *array = file.find(name))
      return array;
  return nullptr;
}

static bool isOfBatch(const TensorSpec &value) {
  return value.rank() > 0 && value.dims[0] == MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
}

/// Index of the feature of that name, or -1.
static int64_t indexOf(const std::vector<TensorSpec> &features, const std::string &name) {
  for (size_t i = 0; i < features.size(); ++i)
    if (features[i].name == name)
      return static_cast<int64_t>(i);
  return -1;
}

absl::StatusOr<std::vector<ArrayPart>> arrayParts(const std::vector<TensorSpec> &features) {
  std::vector<ArrayPart> parts(features.size());
  for (size_t i = 0; i < features.size(); ++i) {
    const TensorSpec &value = features[i];
    if (value.rank() != 1 || value.dims[0] >= 0 || isOfBatch(value) || parts[i].kind != ArrayPart::Kind::Cells)
      continue;
    // The values of a multi-valued feature, or their weights.
    const std::string_view name = value.name, suffix = MLCRT_WEIGHT_SUFFIX;
    const bool isWeight = name.size() > suffix.size() && name.substr(name.size() - suffix.size()) == suffix;
    const int64_t values = isWeight ? indexOf(features, std::string(name.substr(0, name.size() - suffix.size()))) : -1;
    if (values >= 0 && features[static_cast<size_t>(values)].dims == value.dims) {
      parts[i].kind = ArrayPart::Kind::Weights;
      parts[static_cast<size_t>(values)].weights = static_cast<int64_t>(i);
      continue;
    }
    const int64_t ends = indexOf(features, std::string(name) + MLCRT_ENDS_SUFFIX);
    if (ends < 0)
      return usageError("", data_code::kFeature,
                        absl::StrCat("feature '", value.name, "' has any number of values for each example, and no '",
                                     value.name, MLCRT_ENDS_SUFFIX, "' is read"));
    parts[i].kind = ArrayPart::Kind::Values;
    parts[i].ends = ends;
    parts[static_cast<size_t>(ends)].kind = ArrayPart::Kind::Ends;
  }
  const int64_t rows = MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
  for (size_t i = 0; i < features.size(); ++i) {
    const TensorSpec &value = features[i];
    const bool isColumn =
        isOfBatch(value) && std::find(value.dims.begin() + 1, value.dims.end(), rows) == value.dims.end();
    if (parts[i].kind == ArrayPart::Kind::Cells && !isColumn)
      return usageError("", data_code::kFeature, absl::StrCat("feature '", value.name, "' is ", typeText(value)),
                        "a first dimension '?', the examples, and others after it");
  }
  return parts;
}

/// Takes from `array` the sizes of the dimension symbols of `value` after the examples.
absl::Status ArrayTable::addSizes(const StoredArray &array, size_t file, const TensorSpec &value) {
  for (int32_t d = 1; d < value.rank(); ++d) {
    if (value.dims[d] >= 0)
      continue;
    const auto [it, isNew] = sizes_.try_emplace(-1 - value.dims[d], Size{array.shape[d], array.name, file});
    const Size &known = it->second;
    if (known.size != array.shape[d])
      return dataError(
          {list_[file].path}, data_code::kFeature,
          absl::StrCat("array '", array.name, "' is ", array.typeText(), ": its dimension ", d, " is ", array.shape[d]),
          absl::StrCat(known.size, ", as in array '", known.array, "' of ", list_[known.file].path));
  }
  return absl::OkStatus();
}

absl::Status ArrayTable::bind(const std::vector<TensorSpec> &features, const InputFormat *format) {
  absl::StatusOr<std::vector<ArrayPart>> parts = arrayParts(features);
  if (!parts.ok())
    return parts.status();
  parts_ = *std::move(parts);
  for (const TensorSpec &value : features) {
    const InputColumn *column = format ? format->find(value.name) : nullptr;
    numbers_.push_back(column ? Numbers{column->finite, column->role == ColumnRole::Weight} : Numbers());
  }
  // Shards, each a list of files.
  std::vector<std::vector<size_t>> shards;
  bool byName = true;
  const auto isNamed = [&](const ArrayFile &file) {
    return !file.isSingle() || file.arrays().front().name == fileStem(features.front().name);
  };
  if (features.size() == 1 && std::none_of(files_.begin(), files_.end(), isNamed))
    byName = false;
  std::map<std::string, size_t> directories;
  for (size_t i = 0; i < files_.size(); ++i) {
    if (!files_[i].isSingle() || !byName) {
      shards.push_back({i});
      continue;
    }
    const std::string directory = std::filesystem::path(list_[i].path).parent_path().string();
    const auto [it, isNew] = directories.emplace(directory, shards.size());
    if (isNew)
      shards.emplace_back();
    shards[it->second].push_back(i);
  }
  for (const std::vector<size_t> &files : shards)
    if (absl::Status status = addShard(files, features, byName); !status.ok())
      return status;
  if (rows_ == 0)
    return dataError({list_.front().path}, data_code::kEmpty, "the arrays have no example", "at least one example");
  features_ = features;
  for (TensorSpec &value : features_)
    for (int32_t d = 1; d < value.rank(); ++d)
      if (value.dims[d] < 0)
        value.dims[d] = sizes_.at(-1 - value.dims[d]).size;
  return absl::OkStatus();
}

std::vector<std::string> ArrayTable::unread() const {
  std::vector<std::string> names;
  for (const ArrayFile &file : files_)
    for (const StoredArray &array : file.arrays()) {
      const bool isRead = std::any_of(shards_.begin(), shards_.end(), [&](const Shard &shard) {
        return std::find(shard.features.begin(), shard.features.end(), &array) != shard.features.end();
      });
      if (!isRead && std::find(names.begin(), names.end(), array.name) == names.end())
        names.push_back(array.name);
    }
  return names;
}

absl::Status ArrayTable::addShard(const std::vector<size_t> &files, const std::vector<TensorSpec> &features,
                                  bool byName) {
  Shard shard;
  shard.firstRow = rows_;
  const StoredArray *first = nullptr;
  for (size_t f = 0; f < features.size(); ++f) {
    const TensorSpec &value = features[f];
    if (parts_[f].kind == ArrayPart::Kind::Ends) {
      shard.features.push_back(nullptr);
      shard.files.push_back(files.front());
      continue;
    }
    const bool isList = parts_[f].kind != ArrayPart::Kind::Cells;
    const auto expected = [&] {
      return isList ? absl::StrCat(mlcrt::dtypeName(value.dtype), "[?, ?]: some cells for each example")
                    : typeText(value);
    };
    const StoredArray *found = byName ? nullptr : &files_[files.front()].arrays().front();
    size_t file = files.front();
    std::vector<std::string> names;
    for (const size_t i : files)
      for (const StoredArray &array : files_[i].arrays()) {
        names.push_back(array.name);
        if (!found && array.name == (files_[i].isSingle() ? fileStem(value.name) : std::string(value.name))) {
          found = &array;
          file = i;
        }
      }
    if (!found) {
      std::string all;
      for (const std::string &name : names)
        absl::StrAppend(&all, all.empty() ? "" : ", ", name);
      // Those of other features are not what was meant.
      for (const TensorSpec &other : features)
        names.erase(std::remove(names.begin(), names.end(), other.name), names.end());
      const bool single = files_[files.front()].isSingle();
      const std::string directory = std::filesystem::path(list_[files.front()].path).parent_path().string();
      return dataError({single ? (directory.empty() ? "." : directory) : list_[files.front()].path}, data_code::kHeader,
                       single ? absl::StrCat("there is no file '", fileStem(value.name), ".npy' among those given")
                              : absl::StrCat("there is no array '", value.name, "'"),
                       absl::StrCat(expected(), "; found ", all.empty() ? "none" : all),
                       mlc::common::didYouMean(value.name, names));
    }
    if (!fits(*found, value, parts_[f].kind))
      return dataError({list_[file].path}, data_code::kFeature,
                       absl::StrCat("array '", found->name, "' is ", found->typeText()), expected());
    if (!isList)
      if (absl::Status status = addSizes(*found, file, value); !status.ok())
        return status;
    shard.features.push_back(found);
    shard.files.push_back(file);
    if (!first)
      first = found;
    if (found->rows() != first->rows())
      return dataError({list_[file].path}, data_code::kRagged,
                       absl::StrCat("array '", found->name, "' has ", found->rows(), " examples"),
                       absl::StrCat(first->rows(), ", as array '", first->name, "' has"));
  }
  if (!first)
    return usageError("", data_code::kFeature, "the entry has no features: it reads no data");
  for (size_t f = 0; f < features.size(); ++f)
    if (parts_[f].weights >= 0)
      if (absl::Status status = checkWeights(shard, f); !status.ok())
        return status;
  shard.rows = first->rows();
  rows_ += shard.rows;
  shards_.push_back(std::move(shard));
  return absl::OkStatus();
}

const ArrayTable::Shard &ArrayTable::shardOf(int64_t record) const {
  const auto after = std::upper_bound(shards_.begin(), shards_.end(), record,
                                      [](int64_t row, const Shard &shard) { return row < shard.firstRow; });
  return *(after - 1);
}

absl::Status ArrayTable::gatherTexts(const Shard &shard, size_t feature, int64_t row, mlcrt_string &out,
                                     StringArena &arena) const {
  const StoredArray &array = *shard.features[feature];
  const int64_t rowElements = array.rowElements();
  std::string text;
  for (int64_t k = 0; k < rowElements; ++k) {
    const std::string_view cell = array.bytes.substr(static_cast<size_t>((row * rowElements + k) * array.elementBytes),
                                                     static_cast<size_t>(array.elementBytes));
    text.clear();
    if (!appendNpyText(cell, array.isWide, text)) {
      const Origin origin{list_[shard.files[feature]].path, 0, 0, row + 1};
      return dataError(origin, data_code::kValue,
                       absl::StrCat("array '", array.name, "' has a character that is none"));
    }
    char *copy = arena.allocate(static_cast<int64_t>(text.size()));
    std::copy(text.begin(), text.end(), copy);
    (&out)[k] = {copy, static_cast<int64_t>(text.size())};
  }
  return absl::OkStatus();
}

absl::Status ArrayTable::gather(size_t feature, const std::vector<int64_t> &records, char *out,
                                StringArena &arena) const {
  const char *const values = out;
  const auto count = static_cast<int64_t>(records.size());
  for (int64_t begin = 0, end = 0; begin < count; begin = end) {
    // The records of one shard that follow one another.
    const Shard &shard = shardOf(records[begin]);
    const auto isHere = [&](int64_t record) {
      return record >= shard.firstRow && record < shard.firstRow + shard.rows;
    };
    while (end < count && isHere(records[end]))
      ++end;
    const StoredArray &array = *shard.features[feature];
    const int64_t bytes = array.rowElements() * dtypeSize(array.dtype);
    const char *const cells = array.texts ? reinterpret_cast<const char *>(array.texts) : array.bytes.data();
    if (array.dtype != MLCRT_STRING || array.texts)
      gatherCells(cells, bytes, records.data() + begin, end - begin, shard.firstRow, out, bytes);
    else
      for (int64_t i = begin; i < end; ++i)
        if (absl::Status status = gatherTexts(shard, feature, records[i] - shard.firstRow,
                                              *reinterpret_cast<mlcrt_string *>(out + (i - begin) * bytes), arena);
            !status.ok())
          return status;
    out += (end - begin) * bytes;
    // What was copied counts only if the file is still what it was.
    if (absl::Status status = files_[shard.files[feature]].check(); !status.ok())
      return status;
  }
  return checkNumbers(feature, records, values);
}

/// Weights stand beside their values.
absl::Status ArrayTable::checkWeights(const Shard &shard, size_t feature) const {
  const auto weights = static_cast<size_t>(parts_[feature].weights);
  const StoredArray &values = *shard.features[feature], &array = *shard.features[weights];
  if (array.shape == values.shape)
    return absl::OkStatus();
  return dataError({list_[shard.files[weights]].path}, data_code::kFeature,
                   absl::StrCat("array '", array.name, "' is ", array.typeText()),
                   absl::StrCat("a weight for each cell of array '", values.name, "', which is ", values.typeText()));
}

/// Whether a cell of a multi-valued feature is a value.
static bool isValue(mlcrt_dtype dtype, const char *cell) {
  switch (dtype) {
  case MLCRT_I32:
    return *reinterpret_cast<const int32_t *>(cell) != -1;
  case MLCRT_I64:
    return *reinterpret_cast<const int64_t *>(cell) != -1;
  case MLCRT_STRING:
    return reinterpret_cast<const mlcrt_string *>(cell)->size > 0;
  case MLCRT_F32:
    return !std::isnan(*reinterpret_cast<const float *>(cell));
  case MLCRT_F64:
    return !std::isnan(*reinterpret_cast<const double *>(cell));
  default:
    return true;
  }
}

absl::Status ArrayTable::gatherList(size_t feature, const std::vector<int64_t> &records, ValueList &values,
                                    int64_t *ends, StringArena &arena) const {
  const int64_t weights = parts_[feature].weights;
  std::vector<int64_t> one(1);
  std::vector<char> cells;
  std::vector<float> weightCells;
  values.shrink(0);
  for (size_t row = 0; row < records.size(); ++row) {
    const StoredArray &array = *shardOf(records[row]).features[feature];
    const int64_t width = array.rowElements(), bytes = dtypeSize(array.dtype);
    one[0] = records[row];
    cells.resize(static_cast<size_t>(std::max<int64_t>(width * bytes, 1)));
    weightCells.resize(static_cast<size_t>(width), 1);
    if (absl::Status status = gather(feature, one, cells.data(), arena); !status.ok())
      return status;
    if (weights >= 0)
      if (absl::Status status =
              gather(static_cast<size_t>(weights), one, reinterpret_cast<char *>(weightCells.data()), arena);
          !status.ok())
        return status;
    for (int64_t k = 0; k < width; ++k)
      if (const char *cell = cells.data() + k * bytes; isValue(array.dtype, cell))
        std::memcpy(values.push(weightCells[static_cast<size_t>(k)]), cell, static_cast<size_t>(bytes));
    ends[row] = values.size();
  }
  return absl::OkStatus();
}

absl::Status ArrayTable::checkNumbers(size_t feature, const std::vector<int64_t> &records, const char *values) const {
  if (records.empty())
    return absl::OkStatus();
  const Shard &first = shardOf(records.front());
  const StoredArray &array = *first.features[feature];
  const int64_t elements = array.rowElements();
  const auto [finite, isWeight] = numbers_[feature];
  const int64_t count = elements * static_cast<int64_t>(records.size()), bytes = dtypeSize(array.dtype);
  RefusedNumber refused = refusedNumber(array.dtype, values, count, finite, isWeight);
  // A cell of a multi-valued feature may be no value.
  while (refused.fault != NumberFault::None && parts_[feature].kind == ArrayPart::Kind::Values &&
         !isValue(array.dtype, values + refused.index * bytes)) {
    const int64_t next = refused.index + 1;
    refused = refusedNumber(array.dtype, values + next * bytes, count - next, finite, isWeight);
    refused.index += next;
  }
  const auto [fault, index] = refused;
  if (fault == NumberFault::None)
    return absl::OkStatus();
  const int64_t record = records[static_cast<size_t>(index / elements)];
  const Shard &shard = shardOf(record);
  const Origin origin{list_[shard.files[feature]].path, 0, 0, record - shard.firstRow + 1};
  const std::string which = elements > 1 ? absl::StrCat(", value ", index % elements + 1, " of ", elements) : "";
  const std::string number = absl::StrCat(numberAt(array.dtype, values, index));
  return dataError(origin, data_code::kValue,
                   fault == NumberFault::Negative
                       ? absl::StrCat("negative weight ", number, " in array '", array.name, "'")
                       : absl::StrCat("number ", number, which, " in array '", array.name, "' is not finite"),
                   fault == NumberFault::Negative ? "a weight >= 0" : "a finite number: arrays have no missing values");
}

Origin ArrayTable::where(int64_t record) const {
  const Shard &shard = shardOf(record);
  return {list_[shard.files.front()].path, 0, 0, record - shard.firstRow + 1};
}

} // namespace mlcrt
