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

/// The columns as features of shape [rows] or [rows, elements].
inline std::vector<mlcrt_value> featuresOf(const InputFormat &format) {
  std::vector<mlcrt_value> features;
  for (const InputColumn &column : format.columns) {
    mlcrt_value value{};
    value.name = column.name.c_str();
    value.dtype = column.dtype;
    value.rank = 1 + static_cast<int32_t>(column.shape.size());
    value.dims[0] = MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH);
    std::copy(column.shape.begin(), column.shape.end(), value.dims + 1);
    features.push_back(value);
  }
  return features;
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

inline std::string message(const absl::Status &status) { return std::string(status.message()); }

} // namespace mlcrt::test

#endif // MLC_TEST_UNIT_RUNTIME_INPUT_INPUTTESTSUPPORT_H
