// Data files of a run, and their first rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Files.h"

#include "python/native/Errors.h"
#include "runtime/src/input/FirstRows.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

/// Names of the fields, and rows of bytes.
static nb::tuple firstRows(const std::vector<std::string> &globs, const std::string &formatText, int64_t count) {
  checkProcess();
  const mlcrt::InputFormat format = readFormat(formatText);
  const absl::StatusOr<mlcrt::FirstRows> found = [&] {
    nb::gil_scoped_release release;
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
  module.def("first_rows", firstRows, nb::arg("globs"), nb::arg("format"), nb::arg("count"));
}

} // namespace mlc::python
