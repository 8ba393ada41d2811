// Errors found in data files: where they are and how they leave the library. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_INPUT_DATAERROR_H
#define MLCRT_INPUT_DATAERROR_H

#include "absl/status/status.h"
#include "common/cli/Message.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace mlcrt {

/// Payload of a status: the finding as common::messageToJson text.
inline constexpr std::string_view kMessagePayload = "mlc/message";

/// Place of a cell in a data file. `line` is the line of the file (of the unpacked text for packed files) on which the
/// record begins, `field` the number of the field in the record, `record` the number of a record in a file without
/// lines; all count from 1, 0 = unknown.
struct Origin {
  std::string_view file;
  int64_t line = 0;
  int64_t field = 0;
  int64_t record = 0;
};

/// "file:line:field" or "file: record 7", as far as known.
std::string toText(const Origin &origin);

/// Takes one line of text for the user: undeclared columns, a cache that was rebuilt, rows that were dropped. Called
/// from the thread that opens a data set only.
using NoteSink = std::function<void(std::string_view)>;

/// A data error (exit code 3, "corrupt or unreadable data"): status kDataLoss with the text
/// "file:line:field: what, expected ...; help". `what` is the finding, `expected` and `help` may be empty. `code` is
/// the number of the message, E0301 and on. The parts are in the payload kMessagePayload.
absl::Status dataError(const Origin &origin, std::string_view code, std::string_view what,
                       std::string_view expected = {}, std::string_view help = {});

/// A wrong request (exit code 2, "usage or spec"): status kInvalidArgument, else as dataError.
absl::Status usageError(std::string_view file, std::string_view code, std::string_view what,
                        std::string_view expected = {}, std::string_view help = {});

/// Codes of the messages of this library.
namespace data_code {
inline constexpr std::string_view kNoSuchFile = "E0310"; ///< missing file, glob without a match
inline constexpr std::string_view kUnreadable = "E0311"; ///< read error, bad gzip or zstd stream
inline constexpr std::string_view kEmpty = "E0312";      ///< no header or no record
inline constexpr std::string_view kRecord = "E0313";     ///< quotes, NUL bytes
inline constexpr std::string_view kRagged = "E0314";     ///< another number of fields
inline constexpr std::string_view kValue = "E0315";      ///< a cell that does not parse
inline constexpr std::string_view kMissing = "E0316";    ///< a missing value where one is needed
inline constexpr std::string_view kHeader = "E0317";     ///< a declared column that the file lacks
inline constexpr std::string_view kFormat = "E0318";     ///< the input part of the manifest
inline constexpr std::string_view kFeature = "E0319";    ///< a requested feature that does not fit
inline constexpr std::string_view kBadRows = "E0320";    ///< more bad rows than max_bad_rows
} // namespace data_code

} // namespace mlcrt

#endif // MLCRT_INPUT_DATAERROR_H
