// Data files of a run, and their first rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Files.h"

#include "python/native/Errors.h"
#include "python/native/Process.h"
#include "runtime/src/input/FileData.h"
#include "runtime/src/input/FileList.h"
#include "runtime/src/input/FirstRows.h"
#include "runtime/src/input/TfRecord.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>

namespace nb = nanobind;

namespace mlc::python {

static mlcrt::InputFormat readFormat(const std::string &text) {
  absl::StatusOr<mlcrt::InputFormat> format = mlcrt::parseInputFormat(text);
  if (!format.ok())
    raise(format.status());
  return *std::move(format);
}

Files::Files(std::vector<std::string> globs, const std::string &format, int64_t passes, bool dropRemainder) {
  source_.globs = std::move(globs);
  source_.format = std::make_shared<const mlcrt::InputFormat>(readFormat(format));
  source_.passes = passes;
  source_.dropRemainder = dropRemainder;
}

namespace {
/// The records of TFRecord files, one after the other. Packed files are told by their first bytes.
class Records {
public:
  explicit Records(const std::vector<std::string> &globs) {
    checkProcess();
    absl::StatusOr<std::vector<mlcrt::DataFile>> files = mlcrt::resolveFiles(globs);
    if (!files.ok())
      raise(files.status());
    files_ = *std::move(files);
  }

  /// The bytes of the next record; none after the last one.
  std::optional<nb::bytes> following() {
    while (true) {
      absl::Status status;
      if (scanner_ && scanner_->next(status))
        return nb::bytes(data_.bytes().data() + scanner_->begin(), static_cast<size_t>(scanner_->size()));
      // What was read of a mapped file that changed since is no record of it.
      if (scanner_ && status.ok())
        status = data_.check();
      scanner_.reset();
      if (status.ok() && next_ == files_.size())
        return std::nullopt;
      if (status.ok())
        status = open(files_[next_++]);
      if (!status.ok())
        raise(status);
    }
  }

private:
  absl::Status open(const mlcrt::DataFile &file) {
    mlcrt::FileDataOptions options;
    options.isPlain = mlcrt::startsWithRecord;
    std::error_code error;
    options.spillDir = std::filesystem::temp_directory_path(error).string();
    absl::StatusOr<mlcrt::FileData> data = mlcrt::FileData::open(file, options);
    if (!data.ok())
      return data.status();
    data_ = *std::move(data);
    scanner_.emplace(file.path, data_.bytes());
    return absl::OkStatus();
  }

  std::vector<mlcrt::DataFile> files_;
  size_t next_ = 0;
  mlcrt::FileData data_;
  std::optional<mlcrt::TfRecordScanner> scanner_;
};
} // namespace

/// Names of the fields, and rows of bytes.
static nb::tuple firstRows(const std::vector<std::string> &globs, const std::string &formatText, int64_t count) {
  checkProcess();
  const mlcrt::InputFormat format = readFormat(formatText);
  const absl::StatusOr<mlcrt::FirstRows> found = [&] {
    const GilRelease release;
    return mlcrt::readFirstRows(globs, format.csv, count);
  }();
  if (!found.ok())
    raise(found.status());
  const auto listOf = [](const std::vector<std::string> &texts) {
    nb::list list;
    for (const std::string &text : texts)
      list.append(nb::bytes(text.data(), text.size()));
    return list;
  };
  nb::list rows;
  for (const std::vector<std::string> &row : found->rows)
    rows.append(listOf(row));
  return nb::make_tuple(listOf(found->names), rows);
}

void addFiles(nb::module_ &module) {
  nb::class_<Files>(module, "Files", "Data files that the runtime reads, and what they look like.")
      .def(nb::init<std::vector<std::string>, const std::string &, int64_t, bool>(), nb::arg("globs"),
           nb::arg("format"), nb::arg("passes"), nb::arg("drop_remainder"));
  nb::class_<Records>(module, "Records", "The records of TFRecord files.")
      .def(nb::init<const std::vector<std::string> &>(), nb::arg("globs"))
      .def("following", &Records::following);
  module.def("first_rows", firstRows, nb::arg("globs"), nb::arg("format"), nb::arg("count"));
}

} // namespace mlc::python
