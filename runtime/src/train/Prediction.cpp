// The predict entry in a loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Prediction.h"

#include "common/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/train/Signals.h"

#include <algorithm>

namespace mlcrt {

/// Indices of the outputs to write, in the entry's order.
static absl::StatusOr<std::vector<int32_t>> selectOutputs(const mlcrt_entry &entry,
                                                          const std::vector<std::string> &keys) {
  std::vector<std::string> names;
  for (int32_t i = 0; i < entry.num_outputs; ++i)
    names.push_back(entry.outputs[i].name);
  for (const std::string &key : keys) {
    if (std::find(names.begin(), names.end(), key) != names.end())
      continue;
    mlc::common::Message message = mlc::common::makeError("E0217", "no prediction key is called '" + key + "'",
                                                          mlc::common::didYouMean(key, names));
    for (const std::string &name : names)
      message.expected += (message.expected.empty() ? "one of " : ", ") + name;
    return messageStatus(absl::StatusCode::kInvalidArgument, message);
  }
  std::vector<int32_t> selected;
  for (int32_t i = 0; i < entry.num_outputs; ++i)
    if (keys.empty() || std::find(keys.begin(), keys.end(), names[i]) != keys.end())
      selected.push_back(i);
  return selected;
}

/// A cell of a CSV file.
static std::string csvCell(const mlcrt_buffer &buffer, int64_t i) {
  std::string text;
  if (buffer.dtype == MLCRT_STRING) {
    const mlcrt_string &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
    text.assign(cell.data, static_cast<size_t>(cell.size));
    if (text.find_first_of(",\"\r\n") == std::string::npos)
      return text;
    std::string quoted = "\"";
    for (char c : text)
      quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }
  text = jsonElement(buffer, i);
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end()); // of "NaN"
  return text;
}

/// Elements of one row.
static int64_t rowElements(const mlcrt_buffer &buffer) { return elementCount(buffer.dims + 1, buffer.rank - 1); }

static void appendCsvHeader(const EntryRunner &runner, const std::vector<int32_t> &outputs, std::string &text) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    const std::string name = runner.entry().outputs[outputs[k]].name;
    int64_t columns = rowElements(runner.output(outputs[k]));
    for (int64_t c = 0; c < columns; ++c)
      text += (k || c ? "," : "") + (columns == 1 ? name : name + "_" + std::to_string(c));
  }
  text += '\n';
}

static void appendCsvRow(const EntryRunner &runner, const std::vector<int32_t> &outputs, int64_t row,
                         std::string &text) {
  for (size_t k = 0; k < outputs.size(); ++k) {
    const mlcrt_buffer &output = runner.output(outputs[k]);
    int64_t columns = rowElements(output);
    for (int64_t c = 0; c < columns; ++c)
      text += (k || c ? "," : "") + csvCell(output, row * columns + c);
  }
  text += '\n';
}

absl::Status predict(Program &program, ThreadPool &pool, const EntryData &data, const PredictionRequest &request,
                     const TextSink &sink) {
  const Artifact &artifact = program.artifact();
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  const mlcrt_entry &entry = *artifact.entry(MLCRT_ROLE_PREDICT);
  absl::StatusOr<std::vector<int32_t>> outputs = selectOutputs(entry, request.keys);
  if (!outputs.ok())
    return outputs.status();
  CallContext context;
  context.seed = request.seed;
  context.step = request.step;
  EntryFeed feed(program, entry, pool, data, request.batchSize, -1, context);
  std::string text;
  for (bool first = true;; first = false) {
    if (SignalWatch::received())
      return absl::CancelledError("stopped by a signal");
    absl::StatusOr<const Batch *> batch = feed.next();
    if (!batch.ok())
      return batch.status();
    if (!*batch)
      return absl::OkStatus();
    const EntryRunner &runner = feed.runner();
    for (int32_t i : *outputs)
      if (runner.output(i).rank < 1 || runner.output(i).dims[0] != (*batch)->rows())
        return absl::InternalError("prediction '" + std::string(entry.outputs[i].name) + "' is " +
                                   describe(runner.output(i)) + " for " + std::to_string((*batch)->rows()) + " rows");
    text.clear();
    if (first && request.format == PredictionFormat::Csv)
      appendCsvHeader(runner, *outputs, text);
    for (int64_t row = 0; row < (*batch)->rows(); ++row) {
      if (request.format == PredictionFormat::Csv) {
        appendCsvRow(runner, *outputs, row, text);
        continue;
      }
      JsonObject object;
      for (int32_t i : *outputs)
        object.raw(entry.outputs[i].name, jsonValue(runner.output(i), row));
      text += object.str();
      text += '\n';
    }
    if (absl::Status status = sink(text); !status.ok())
      return status;
  }
}

} // namespace mlcrt
