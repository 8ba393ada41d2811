// Golden rows.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/export/Golden.h"

#include "runtime/src/checkpoint/SealedJson.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/core/JsonText.h"
#include "runtime/src/core/Tensor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mlcrt {

static bool isFloat(int32_t dtype) {
  return dtype == MLCRT_F32 || dtype == MLCRT_F64 || dtype == MLCRT_F16 || dtype == MLCRT_BF16;
}

/// The element as JSON from which the same bits can be read: floats in the digits of a double.
static std::string exactElement(const TensorView &buffer, int64_t i) {
  if (!isFloat(buffer.dtype))
    return jsonElement(buffer, i);
  const double value = numberElement(buffer, i);
  return value == 0 && std::signbit(value) ? "-0.0" : jsonNumber(value);
}

/// Elements [begin, end) as a list, or the only one of a column of single values.
static std::string exactElements(const TensorView &buffer, int64_t begin, int64_t end, bool single) {
  if (single)
    return exactElement(buffer, begin);
  std::string text = "[";
  for (int64_t i = begin; i < end; ++i)
    text += (i > begin ? "," : "") + exactElement(buffer, i);
  return text + "]";
}

static int64_t valuesPerRow(const TensorView &buffer) { return elementsOfRow(buffer); }

static bool hasSizesOfCall(const mlcrt_value &value) {
  return std::any_of(value.dims + std::min(1, value.rank), value.dims + value.rank,
                     [](int64_t dim) { return dim < 0; });
}

std::string goldenText(const Artifact &artifact, const BatchView &batch, const EntryRunner &runner, int64_t &rows) {
  const mlcrt_artifact &table = artifact.table();
  const std::vector<bool> used = artifact.usedFeatures(runner.entry());
  // As long as the longest row, say: without one of them other rows may have other shapes.
  const mlcrt_entry &entry = runner.entry();
  const bool dependsOnOthers = std::any_of(entry.outputs, entry.outputs + entry.num_outputs, hasSizesOfCall);
  std::string text;
  rows = 0;
  for (int64_t row = 0; row < batch.rows; ++row) {
    JsonObject inputs, outputs;
    for (int32_t f = 0; f < table.num_features; ++f) {
      if (!used[f])
        continue;
      const TensorView &buffer = batch.features[f];
      const int32_t symbol = firstSymbol(table.features[f]);
      int64_t begin, end;
      if (symbol > MLCRT_SYMBOL_BATCH) {
        const auto *ends = static_cast<const int64_t *>(batch.features[artifact.endsOfSymbol(symbol)].data);
        begin = row > 0 ? ends[row - 1] : 0;
        end = ends[row];
      } else {
        bool isEnds = false;
        for (int32_t k = MLCRT_SYMBOL_BATCH + 1; k < artifact.symbolCount(); ++k)
          isEnds |= artifact.endsOfSymbol(k) == f;
        if (isEnds)
          continue; // the lists have their lengths
        begin = row * valuesPerRow(buffer);
        end = begin + valuesPerRow(buffer);
      }
      std::string value = exactElements(buffer, begin, end, table.features[f].rank == 1 && symbol == 0);
      if (hasSizesOfCall(table.features[f]))
        value = JsonObject()
                    .raw("shape", Json(Dims(buffer.dims.begin() + 1, buffer.dims.end())).dump())
                    .raw("values", value)
                    .str();
      inputs.raw(table.features[f].name, value);
    }
    for (int32_t i = 0; i < runner.numOutputs(); ++i) {
      const TensorView &buffer = runner.output(i);
      const int64_t count = valuesPerRow(buffer);
      outputs.raw(runner.entry().outputs[i].name, exactElements(buffer, row * count, (row + 1) * count, false));
    }
    const std::string line = JsonObject().raw("inputs", inputs.str()).raw("outputs", outputs.str()).str();
    // What is no UTF-8 was replaced: the row would not be the same.
    if (line.find("\xef\xbf\xbd") != std::string::npos) {
      if (!dependsOnOthers)
        continue;
      rows = 0;
      return "";
    }
    text += line + "\n";
    ++rows;
  }
  return text;
}

/// A number of a golden row; those that JSON has not are texts. None: it is none.
static std::optional<double> numberOf(const Json &value) {
  if (value.is_number())
    return value.get<double>();
  if (value == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  if (value == "Infinity" || value == "-Infinity")
    return value == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// Appends a JSON value to `out` as an element of a column's dtype; a text points into `value`. False: it is none.
static bool appendElement(const Json &value, mlcrt_dtype dtype, std::string &out) {
  const auto append = [&](auto element) {
    out.append(reinterpret_cast<const char *>(&element), sizeof(element));
    return true;
  };
  switch (dtype) {
  case MLCRT_STRING: {
    if (!value.is_string())
      return false;
    const auto &text = value.get_ref<const std::string &>();
    return append(mlcrt_string{text.data(), static_cast<int64_t>(text.size())});
  }
  case MLCRT_F32:
  case MLCRT_F64: {
    const std::optional<double> number = numberOf(value);
    return number && (dtype == MLCRT_F64 ? append(*number) : append(static_cast<float>(*number)));
  }
  case MLCRT_BOOL:
    return value.is_boolean() && append(static_cast<uint8_t>(value.get<bool>()));
  case MLCRT_I32:
    return value.is_number_integer() && append(static_cast<int32_t>(value.get<int64_t>()));
  default:
    return value.is_number_integer() && append(value.get<int64_t>());
  }
}

/// Sets the inputs of the buffer's last row.
static absl::Status setInputs(const Json &inputs, RowBuffer &rows) {
  for (const auto &[name, value] : inputs.items()) {
    const int column = rows.layout().find(name);
    if (column < 0) {
      const size_t suffix = std::string_view(MLCRT_WEIGHT_SUFFIX).size();
      if (name.size() > suffix && rows.layout().find(name.substr(0, name.size() - suffix)) >= 0)
        continue; // goes with its values
      return absl::DataLossError("no input is called '" + name + "'");
    }
    // Of a value whose sizes are of the call they stand beside the elements.
    std::optional<std::vector<int64_t>> shape;
    const Json *elements = &value;
    if (value.is_object()) {
      JsonFields fields;
      fields.readShape(value, shape.emplace());
      elements = &fields.list(value, "values");
      if (!fields.good())
        return absl::DataLossError("input '" + name + "': bad value of '" + fields.bad() + "'");
    }
    std::string bytes;
    int64_t count = 0;
    const mlcrt_dtype dtype = rows.layout().column(column).dtype;
    const auto add = [&](const Json &element) {
      ++count;
      return appendElement(element, dtype, bytes);
    };
    if (!(elements->is_array() ? std::all_of(elements->begin(), elements->end(), add) : add(*elements)))
      return absl::DataLossError("input '" + name + "' has a value that is no " + std::string(columnDtypeName(dtype)));
    std::vector<float> weights;
    if (auto found = inputs.find(name + MLCRT_WEIGHT_SUFFIX); found != inputs.end() && found->is_array())
      for (const Json &weight : *found)
        weights.push_back(weight.is_number() ? weight.get<float>() : NAN);
    if (!weights.empty() && static_cast<int64_t>(weights.size()) != count)
      return absl::DataLossError("input '" + name + "' has another number of weights than values");
    if (absl::Status status = rows.setRaw(column, bytes.data(), count, weights.empty() ? nullptr : weights.data(),
                                          shape ? &*shape : nullptr);
        !status.ok())
      return status;
  }
  return absl::OkStatus();
}

/// Whether element `i` is the value that was expected.
static bool equals(const TensorView &buffer, int64_t i, const Json &expected) {
  if (buffer.dtype == MLCRT_STRING)
    return jsonElement(buffer, i) == jsonString(expected.is_string() ? expected.get<std::string>() : "");
  if (!isFloat(buffer.dtype))
    return jsonElement(buffer, i) == expected.dump();
  const double value = numberElement(buffer, i);
  return expected.is_number() ? value == expected.get<double>() : jsonNumber(value) == expected.dump();
}

static absl::Status compareRow(const Json &expected, const EntryRunner &runner, int64_t row) {
  for (int32_t i = 0; i < runner.numOutputs(); ++i) {
    const TensorView &buffer = runner.output(i);
    const char *name = runner.entry().outputs[i].name;
    const auto found = expected.find(name);
    const int64_t count = valuesPerRow(buffer);
    if (found == expected.end() || !found->is_array() || static_cast<int64_t>(found->size()) != count)
      return absl::DataLossError("output '" + std::string(name) + "' is not there with " + std::to_string(count) +
                                 " values");
    for (int64_t k = 0; k < count; ++k)
      if (!equals(buffer, row * count + k, (*found)[k]))
        return absl::DataLossError("output '" + std::string(name) + "' is " + exactElement(buffer, row * count + k) +
                                   ", expected " + (*found)[k].dump());
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> replayGolden(std::string_view text, const std::string &path,
                                     const std::shared_ptr<const RowLayout> &layout, EntryRunner &runner,
                                     const CallContext &context) {
  RowBuffer rows(layout);
  std::vector<Json> expected;
  auto fail = [&](int64_t row, const absl::Status &status) {
    return fileError(absl::StatusCode::kDataLoss, "E0408", path,
                     "golden row " + std::to_string(row + 1) + ": " + messageOf(status).what,
                     "the files or this machine's runtime are not those the model was exported with; export again");
  };
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    Json object = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
    const auto row = static_cast<int64_t>(expected.size());
    if (!object.is_object() || !object.contains("inputs") || !object["inputs"].is_object() ||
        !object.contains("outputs") || !object["outputs"].is_object())
      return fail(row, absl::DataLossError("not a line with inputs and outputs"));
    rows.addRow();
    if (absl::Status status = setInputs(object["inputs"], rows); !status.ok())
      return fail(row, status);
    expected.push_back(std::move(object["outputs"]));
  }
  BatchView view;
  if (absl::Status status = rows.finish(view); !status.ok())
    return fail(rows.rows() - 1, status);
  if (absl::Status status = runner.run(view, context); !status.ok())
    return status;
  for (int64_t row = 0; row < rows.rows(); ++row)
    if (absl::Status status = compareRow(expected[row], runner, row); !status.ok())
      return fail(row, status);
  return rows.rows();
}

} // namespace mlcrt
