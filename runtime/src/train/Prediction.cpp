// The predict entry in a loop.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/train/Prediction.h"

#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace mlcrt {

/// Indices of the outputs to write, in the entry's order.
static absl::StatusOr<std::vector<int32_t>> selectOutputs(const mlcrt_entry &entry, const PredictionRequest &request) {
  const std::vector<std::string> &keys = request.keys;
  std::vector<std::string> names;
  for (int32_t i = 0; i < entry.num_outputs; ++i)
    names.push_back(entry.outputs[i].name);
  for (const PredictionConstant &constant : request.constants)
    names.push_back(constant.name);
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

/// A text as a cell of a CSV file.
static std::string quoted(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string cell = "\"";
  for (char c : text)
    cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + "\"";
}

/// An element without quotes.
static std::string plainText(const TensorView &buffer, int64_t i) {
  if (buffer.dtype == MLCRT_STRING) {
    const mlcrt_string &cell = static_cast<const mlcrt_string *>(buffer.data)[i];
    return std::string(cell.data, static_cast<size_t>(cell.size));
  }
  std::string text = jsonElement(buffer, i);
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end()); // of "NaN"
  return text;
}

namespace {

/// One thing that every row of the output has: some elements of a buffer.
struct Field {
  std::string name;
  const TensorView *buffer = nullptr;
  const TensorView *ends = nullptr; ///< of a multi-valued column
  char separator = '|';
  bool single = false;   ///< one element, not a list of one
  bool constant = false; ///< the buffer has one row, which is that of all

  int64_t rowElements() const { return elementsOfRow(*buffer); }
  int64_t begin(int64_t row) const {
    if (constant)
      return 0;
    if (!ends)
      return row * rowElements();
    return row > 0 ? static_cast<const int64_t *>(ends->data)[row - 1] : 0;
  }
  int64_t end(int64_t row) const {
    return ends ? static_cast<const int64_t *>(ends->data)[row] : begin(row) + rowElements();
  }

  void appendHeader(std::string &text) const {
    const int64_t columns = ends ? 1 : rowElements();
    for (int64_t c = 0; c < columns; ++c)
      text += (c ? "," : "") + quoted(columns == 1 ? name : name + "_" + std::to_string(c));
  }
  void appendCells(int64_t row, std::string &text) const {
    if (ends) { // all values in one cell, as in the input
      std::string values;
      for (int64_t i = begin(row); i < end(row); ++i)
        values += (i > begin(row) ? std::string(1, separator) : "") + plainText(*buffer, i);
      text += quoted(std::move(values));
      return;
    }
    for (int64_t i = begin(row); i < end(row); ++i)
      text += (i > begin(row) ? "," : "") + quoted(plainText(*buffer, i));
  }
  std::string json(int64_t row) const {
    if (single)
      return jsonElement(*buffer, begin(row));
    if (!ends)
      return jsonValue(*buffer, constant ? 0 : row);
    std::string text = "[";
    for (int64_t i = begin(row); i < end(row); ++i)
      text += (i > begin(row) ? "," : "") + jsonElement(*buffer, i);
    return text + "]";
  }
};

/// A constant that is asked for, as a buffer of one row.
struct ConstantRow {
  explicit ConstantRow(PredictionConstant given) : value(std::move(given)) {
    for (const std::string &text : value.texts)
      strings.push_back({text.data(), static_cast<int64_t>(text.size())});
    const bool isText = !strings.empty();
    buffer.data = isText ? static_cast<void *>(strings.data()) : value.numbers.data();
    buffer.dtype = isText ? MLCRT_STRING : MLCRT_I64;
    buffer.dims = {1, static_cast<int64_t>(isText ? strings.size() : value.numbers.size())};
  }
  ConstantRow(const ConstantRow &) = delete;
  ConstantRow &operator=(const ConstantRow &) = delete;

  PredictionConstant value;
  std::vector<mlcrt_string> strings;
  TensorView buffer;
};

} // namespace

/// The fields of a row: forwarded columns, then outputs, then constants.
static std::vector<Field> fieldsOf(const EntryData &data, const Batch &batch, const EntryRunner &runner,
                                   const std::vector<int32_t> &outputs, const std::deque<ConstantRow> &constants) {
  std::vector<Field> fields;
  auto column = [&](int32_t index) { return index >= 0 ? &batch.columns()[index] : nullptr; };
  for (const ForwardColumn &forward : data.forward) {
    fields.push_back({forward.name, column(std::max(forward.cells, forward.values)), column(forward.ends),
                      forward.separator, forward.single});
    if (forward.weights >= 0)
      fields.push_back({forward.name + MLCRT_WEIGHT_SUFFIX, column(forward.weights), column(forward.ends),
                        forward.separator, false});
  }
  for (int32_t i : outputs)
    fields.push_back({runner.entry().outputs[i].name, &runner.output(i), nullptr, '|', false});
  for (const ConstantRow &row : constants)
    fields.push_back({row.value.name, &row.buffer, nullptr, '|', false, /*constant=*/true});
  return fields;
}

/// Two fields of one name could not be told apart.
static absl::Status checkNames(const EntryData &data, const mlcrt_entry &entry, const std::vector<int32_t> &outputs,
                               const std::deque<ConstantRow> &constants) {
  const auto isForwarded = [&](std::string_view key) {
    return std::any_of(data.forward.begin(), data.forward.end(),
                       [&](const ForwardColumn &forward) { return forward.name == key; });
  };
  std::string both;
  for (int32_t i : outputs)
    if (isForwarded(entry.outputs[i].name))
      both = entry.outputs[i].name;
  for (const ConstantRow &row : constants)
    if (isForwarded(row.value.name))
      both = row.value.name;
  if (both.empty())
    return absl::OkStatus();
  return messageStatus(absl::StatusCode::kInvalidArgument,
                       mlc::common::makeError("E0220", "'" + both + "' is a forwarded column and a prediction key",
                                              "--keys with the others, or another name for the column"));
}

static void appendRow(const std::vector<Field> &fields, int64_t row, PredictionFormat format, std::string &text) {
  if (format == PredictionFormat::Csv) {
    for (size_t k = 0; k < fields.size(); ++k) {
      text += k ? "," : "";
      fields[k].appendCells(row, text);
    }
  } else {
    JsonObject object;
    for (const Field &field : fields)
      object.raw(field.name, field.json(row));
    text += object.str();
  }
  text += '\n';
}

namespace {

/// The shape of the output, known without a row.
class Layout {
public:
  Layout(const EntryData &data, const EntryRunner &runner, const std::vector<int32_t> &outputs,
         const std::deque<ConstantRow> &constants) {
    data.dataset->prepare(batch_, 0);
    buffers_.reserve(outputs.size());
    const mlcrt_entry &entry = runner.entry();
    for (int32_t i : outputs) {
      const TensorSpec output = entry.outputs[i];
      buffers_.push_back({nullptr, output.dtype, output.dims});
    }
    fields_ = fieldsOf(data, batch_, runner, outputs, constants);
    for (size_t k = 0; k < outputs.size(); ++k)
      fields_[fields_.size() - constants.size() - outputs.size() + k].buffer = &buffers_[k];
  }

  std::string header() const {
    std::string text;
    for (size_t k = 0; k < fields_.size(); ++k) {
      text += k ? "," : "";
      fields_[k].appendHeader(text);
    }
    return text + "\n";
  }
  /// A row that is no example.
  std::string nullRow(PredictionFormat format) const {
    if (format == PredictionFormat::Csv) {
      const std::string names = header();
      bool isQuoted = false;
      std::string cells;
      for (char c : names) {
        isQuoted ^= c == '"';
        if (c == ',' && !isQuoted)
          cells += c;
      }
      return cells + "\n";
    }
    JsonObject object;
    for (const Field &field : fields_)
      object.raw(field.name, "null");
    return object.str() + "\n";
  }

private:
  Batch batch_;
  std::vector<TensorView> buffers_;
  std::vector<Field> fields_;
};

} // namespace

absl::Status predict(Program &program, ThreadPool &pool, const EntryData &data, const PredictionRequest &request,
                     const TextSink &sink) {
  const Artifact &artifact = program.artifact();
  if (absl::Status status = artifact.require({MLCRT_ROLE_PREDICT}); !status.ok())
    return status;
  const mlcrt_entry &entry = *artifact.entry(MLCRT_ROLE_PREDICT);
  absl::StatusOr<std::vector<int32_t>> outputs = selectOutputs(entry, request);
  if (!outputs.ok())
    return outputs.status();
  std::deque<ConstantRow> constants; // whose addresses stay
  for (const PredictionConstant &constant : request.constants)
    if (std::find(request.keys.begin(), request.keys.end(), constant.name) != request.keys.end())
      constants.emplace_back(constant);
  if (absl::Status status = checkNames(data, entry, *outputs, constants); !status.ok())
    return status;
  CallContext context;
  context.seed = request.seed;
  context.step = request.step;
  const Dataset &dataset = *data.dataset;
  const Layout layout(data, EntryRunner(program, entry, pool), *outputs, constants);
  if (request.format == PredictionFormat::Csv)
    if (absl::Status status = sink(layout.header()); !status.ok())
      return status;
  // Rows of the files that were dealt with.
  int64_t done = 0;
  const std::string nullRow = request.onBadRow == OnBadRow::Null ? layout.nullRow(request.format) : "";
  auto passTo = [&](int64_t row, std::string &text) {
    for (; done < row; ++done)
      text += nullRow;
  };
  std::string text;
  std::optional<EntryFeed> feed;
  if (dataset.size() > 0)
    feed.emplace(program, entry, pool, data, request.batchSize, -1, context, request.rows,
                 request.onBadRow != OnBadRow::Fail);
  while (feed) {
    if (request.stop && request.stop->isStopped())
      return absl::CancelledError("the predictions were stopped");
    absl::StatusOr<const Batch *> batch = feed->next();
    if (!batch.ok())
      return batch.status();
    if (!*batch)
      break;
    if ((*batch)->rows() == 0)
      continue;
    const EntryRunner &runner = feed->runner();
    for (int32_t i : *outputs)
      if (runner.output(i).rank() < 1 || runner.output(i).dims[0] != (*batch)->rows())
        return absl::InternalError("prediction '" + std::string(entry.outputs[i].name) + "' is " +
                                   describe(runner.output(i)) + " for " + std::to_string((*batch)->rows()) + " rows");
    text.clear();
    const std::vector<Field> fields = fieldsOf(data, **batch, runner, *outputs, constants);
    for (int64_t row = 0; row < (*batch)->rows(); ++row) {
      const int64_t fileRow = dataset.fileRow((*batch)->records()[row]);
      passTo(fileRow, text);
      appendRow(fields, row, request.format, text);
      done = fileRow + 1;
    }
    if (absl::Status status = sink(text); !status.ok())
      return status;
  }
  text.clear();
  passTo(dataset.fileRows(), text);
  if (feed && feed->droppedRows() > 0 && request.note)
    request.note("of " + std::to_string(dataset.fileRows()) + " rows " + std::to_string(feed->droppedRows()) +
                 " cannot be predicted; the first: " + feed->droppedTexts());
  return sink(text);
}

} // namespace mlcrt
