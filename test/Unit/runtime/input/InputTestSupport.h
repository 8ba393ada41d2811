// What the tests of the input library share: temporary files, formats, features. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_RUNTIME_INPUT_INPUTTESTSUPPORT_H
#define MLC_TEST_UNIT_RUNTIME_INPUT_INPUTTESTSUPPORT_H

#include "absl/status/statusor.h"
#include "runtime/src/input/BatchReader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt::test {

/// A directory that goes away with the test.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "mlc-input-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  /// Writes a file and returns its path.
  std::string write(std::string_view name, std::string_view text) const {
    const std::string path = file(name);
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

inline std::string readText(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

/// A file of the test data, or empty if there is none.
inline std::string testData(std::string_view name) {
  std::string root;
  if (const char *data = std::getenv("MLC_TEST_DATA"); data && *data)
    root = data;
  else if (const char *source = std::getenv("MLC_SOURCE_DIR"); source && *source)
    root = std::string(source) + "/../shared/data";
  const std::string path = root + "/" + std::string(name);
  return !root.empty() && std::filesystem::exists(path) ? path : std::string();
}

inline InputColumn column(std::string name, mlcrt_dtype dtype, bool categorical = false) {
  InputColumn result;
  result.name = std::move(name);
  result.dtype = dtype;
  result.categorical = categorical;
  return result;
}

/// The columns as features of shape [rows] or [rows, elements]; multi-valued ones as values, ends and weights.
inline std::vector<TensorSpec> featuresOf(const InputFormat &format) {
  static std::deque<std::string> names; // features point to their names
  std::vector<TensorSpec> features;
  int32_t symbol = MLCRT_SYMBOL_BATCH;
  for (const InputColumn &column : format.columns) {
    const char *name = names.emplace_back(column.name).c_str();
    if (column.multiValue) {
      const int64_t values = MLCRT_DIM_SYMBOL(++symbol);
      features.emplace_back(name, column.dtype, Dims{values});
      features.emplace_back(names.emplace_back(column.name + MLCRT_ENDS_SUFFIX).c_str(), MLCRT_I64, Dims{-1});
      if (column.multiValue->weightSeparator)
        features.emplace_back(names.emplace_back(column.name + MLCRT_WEIGHT_SUFFIX).c_str(), MLCRT_F32, Dims{values});
      continue;
    }
    Dims dims = {MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH)};
    dims.insert(dims.end(), column.shape.begin(), column.shape.end());
    features.emplace_back(name, column.dtype, std::move(dims));
  }
  return features;
}

inline InputColumn multiColumn(std::string name, mlcrt_dtype dtype, char separator = '|', char weightSeparator = 0,
                               int64_t maxValues = 0) {
  InputColumn result = column(std::move(name), dtype, true);
  result.multiValue = MultiValue{separator, maxValues, weightSeparator, {}};
  return result;
}

/// Opens the files of `globs` with all columns of `format` as features.
inline absl::StatusOr<std::unique_ptr<Dataset>> openAll(const std::vector<std::string> &globs,
                                                        const InputFormat &format, const DatasetOptions &options = {}) {
  absl::StatusOr<std::vector<DataFile>> files = resolveFiles(globs);
  if (!files.ok())
    return files.status();
  return Dataset::open(*std::move(files), format, featuresOf(format), options);
}

/// All rows of a data set in file order, as one batch.
inline std::unique_ptr<Batch> readAll(const Dataset &dataset) {
  BatchOptions options;
  options.batchSize = dataset.size();
  BatchReader reader(dataset, options);
  auto batch = std::make_unique<Batch>();
  reader.prepare(*batch);
  const absl::Status status = reader.read({0, 0}, *batch);
  EXPECT_TRUE(status.ok()) << status;
  return batch;
}

template <typename T> const T *values(const Batch &batch, size_t column) {
  return static_cast<const T *>(batch.columns()[column].data);
}

inline std::string text(const Batch &batch, size_t column, int64_t row) {
  const mlcrt_string &cell = values<mlcrt_string>(batch, column)[row];
  return std::string(cell.data, static_cast<size_t>(cell.size));
}

/// The values of each row of the multi-valued column whose values are feature `column` and whose ends are the next,
/// as text: "a,b;;c".
template <typename T> std::string rowsOf(const Batch &batch, size_t column) {
  std::string result;
  const int64_t *ends = values<int64_t>(batch, column + 1);
  for (int64_t row = 0, k = 0; row < batch.rows(); ++row) {
    result += row > 0 ? ";" : "";
    for (const int64_t first = k; k < ends[row]; ++k) {
      result += k > first ? "," : "";
      if constexpr (std::is_same_v<T, mlcrt_string>)
        result += text(batch, column, k);
      else
        result += testing::PrintToString(values<T>(batch, column)[k]);
    }
  }
  return result;
}

inline std::string message(const absl::Status &status) { return std::string(status.message()); }

/// The first error, a loss of data, of opening a dataset or of reading all of it.
inline std::string firstError(const absl::StatusOr<std::unique_ptr<Dataset>> &dataset) {
  absl::Status status = dataset.status();
  if (dataset.ok()) {
    BatchReader reader(**dataset, {(*dataset)->size()});
    Batch batch;
    reader.prepare(batch);
    status = reader.read({0, 0}, batch);
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  return message(status);
}

/// The same of files in `dir`, without the directory's name.
inline std::string firstError(const absl::StatusOr<std::unique_ptr<Dataset>> &dataset, const TemporaryDirectory &dir) {
  std::string result = firstError(dataset);
  if (const size_t at = result.find(dir.path() + "/"); at != std::string::npos)
    result.erase(at, dir.path().size() + 1);
  return result;
}

} // namespace mlcrt::test

#endif // MLC_TEST_UNIT_RUNTIME_INPUT_INPUTTESTSUPPORT_H
