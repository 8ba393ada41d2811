// The rows at the beginning of CSV files. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_FIRSTROWS_H
#define MLCRT_INPUT_FIRSTROWS_H

#include "absl/status/statusor.h"
#include "runtime/src/input/InputFormat.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlcrt {

/// Rows as texts, of which quotes are taken away, and the names of their fields.
struct FirstRows {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
};

/// The names of the fields and the first `count` rows of the files that match `globs`, in the order of a data set. Of a
/// packed file no more is unpacked than that takes, and none is read to its end if the rows before are enough. Data
/// errors: as matchFiles; an unreadable or damaged file, one without a header, one whose header is another than that of
/// the first, a row with another number of fields, text after a closing quote, a quote that is not closed.
absl::StatusOr<FirstRows> readFirstRows(const std::vector<std::string> &globs, const CsvFormat &format, int64_t count);

} // namespace mlcrt

#endif // MLCRT_INPUT_FIRSTROWS_H
