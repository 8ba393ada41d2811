// Predictions for every row of the input, written in its order. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_TRAIN_PREDICTION_H
#define MLCRT_TRAIN_PREDICTION_H

#include "absl/status/status.h"
#include "runtime/src/core/StopToken.h"
#include "runtime/src/train/BatchFeed.h"
#include "runtime/src/train/Configuration.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace mlcrt {

/// The form of predictions.
enum class PredictionFormat {
  JsonLines, ///< one object per row, the prediction keys in the order of the entry
  Csv,       ///< a header, then a line per row; a vector takes columns key_0, key_1, ...
};

/// A row that is no example ends the predictions, is left out, or has null (CSV: empty cells) for all of its fields.
enum class OnBadRow { Fail, Skip, Null };

/// What to predict.
struct PredictionRequest {
  PredictionFormat format = PredictionFormat::JsonLines;
  /// Keys to write; empty: all outputs of the entry. The columns that the data forwards come first.
  std::vector<std::string> keys;
  /// More keys, written where `keys` names them, after the outputs.
  std::vector<PredictionConstant> constants;
  int64_t batchSize = 128;
  int64_t seed = 0;
  int64_t step = 0;
  /// What becomes of a row that cannot be read, or that the model reports as bad.
  OnBadRow onBadRow = OnBadRow::Fail;
  /// Gets a line about rows that were dropped; may be empty.
  NoteSink note = {};
  RowSource *rows = nullptr; ///< as EntryFeed
  const StopToken *stop = nullptr;
};

/// Takes the next piece of the output.
using TextSink = std::function<absl::Status(std::string_view text)>;

/// kInvalidArgument: a key that the entry has not (E0217), or that is the name of a forwarded column (E0220);
/// kCancelled: `stop` asked for it; data errors.
absl::Status predict(Program &program, ThreadPool &pool, const EntryData &data, const PredictionRequest &request,
                     const TextSink &sink);

} // namespace mlcrt

#endif // MLCRT_TRAIN_PREDICTION_H
