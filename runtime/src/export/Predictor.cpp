// The public interface over an exported model.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlcrt/predictor.h"

#include "common/cli/NearestMatch.h"
#include "runtime/src/checkpoint/StatusMessage.h"
#include "runtime/src/device/cuda/CudaKind.h"
#include "runtime/src/export/CallPool.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace mlcrt {

static Status statusOf(const absl::Status &status) {
  if (status.ok())
    return {};
  ErrorCode code = ErrorCode::Internal;
  switch (exitCodeOf(status)) {
  case mlc::common::ExitCode::Usage:
    code = ErrorCode::Invalid;
    break;
  case mlc::common::ExitCode::Corrupt:
    code = ErrorCode::Corrupt;
    break;
  case mlc::common::ExitCode::Mismatch:
    code = ErrorCode::Mismatch;
    break;
  default:
    break;
  }
  return {code, std::string(status.message())};
}

static Type typeOf(int32_t dtype) {
  switch (dtype) {
  case MLCRT_F64:
    return Type::Float64;
  case MLCRT_I8:
    return Type::Int8;
  case MLCRT_I16:
    return Type::Int16;
  case MLCRT_I32:
    return Type::Int32;
  case MLCRT_I64:
    return Type::Int64;
  case MLCRT_U8:
    return Type::UInt8;
  case MLCRT_U16:
    return Type::UInt16;
  case MLCRT_U32:
    return Type::UInt32;
  case MLCRT_U64:
    return Type::UInt64;
  case MLCRT_BOOL:
    return Type::Bool;
  case MLCRT_STRING:
    return Type::String;
  default:
    return Type::Float32;
  }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Room for the text of a number.
static constexpr size_t kNumberText = 32;

struct Rows::Impl {
  explicit Impl(std::shared_ptr<const RowLayout> l) : layout(l), buffer(std::move(l)) {}

  std::shared_ptr<const RowLayout> layout;
  RowBuffer buffer;
  absl::Status error; ///< the first
  // Kept from call to call.
  std::vector<std::string_view> views;
  std::string texts;

  /// The input of a call that sets a value, or -1 after an error.
  int find(std::string_view input) {
    const int column = layout->find(input);
    if (buffer.rows() == 0)
      fail(absl::InvalidArgumentError("set() without a row; add() begins one"));
    else if (column < 0)
      fail(usageError("", data_code::kFeature, "no input is called '" + std::string(input) + "'", "",
                      mlc::common::didYouMean(std::string(input), layout->names())));
    else
      return column;
    return -1;
  }
  void fail(const absl::Status &status) {
    if (!status.ok() && error.ok())
      error = status;
  }
  void setValues(std::string_view input, size_t count, const std::vector<float> &weights,
                 const std::vector<int64_t> *shape = nullptr) {
    const int column = find(input);
    if (column < 0)
      return;
    if (!weights.empty() && weights.size() != count)
      return fail(absl::InvalidArgumentError("input '" + std::string(input) + "' has " + std::to_string(count) +
                                             " values and " + std::to_string(weights.size()) + " weights"));
    if (shape && !layout->column(column).hasSizesOfCall())
      return fail(usageError("", data_code::kFeature, "input '" + std::string(input) + "' has no size of a call",
                             "set() without a shape"));
    fail(buffer.setValues(column, views.data(), count, weights.empty() ? nullptr : weights.data(), shape));
  }
  /// Sets numbers by their texts, as they would stand in a file.
  template <typename T>
  void setNumbers(std::string_view input, const std::vector<T> &values, const std::vector<float> &weights,
                  const std::vector<int64_t> *shape = nullptr) {
    texts.resize(values.size() * kNumberText);
    views.clear();
    char *at = texts.data();
    for (T value : values) {
      char *end = numberText(at, value);
      views.emplace_back(at, static_cast<size_t>(end - at));
      at = end;
    }
    setValues(input, values.size(), weights, shape);
  }

  /// The shortest text that reads back to the value; to_chars writes nan and inf as cells have them.
  template <typename T> static char *numberText(char *out, T value) {
    return std::to_chars(out, out + kNumberText, value).ptr;
  }
};

Rows::Rows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Rows::Rows(Rows &&other) noexcept = default;
Rows &Rows::operator=(Rows &&other) noexcept = default;
Rows::~Rows() = default;

Rows &Rows::add() {
  impl_->buffer.addRow();
  return *this;
}

void Rows::clear() {
  impl_->buffer.clear();
  impl_->error = absl::OkStatus();
}

int64_t Rows::size() const { return impl_->buffer.rows(); }

Rows &Rows::set(std::string_view input, std::string_view text) {
  if (int column = impl_->find(input); column >= 0)
    impl_->fail(impl_->buffer.setCell(column, text));
  return *this;
}

Rows &Rows::setNumber(std::string_view input, double value) {
  char text[kNumberText];
  return set(input, std::string_view(text, static_cast<size_t>(Impl::numberText(text, value) - text)));
}

Rows &Rows::setInteger(std::string_view input, int64_t value) {
  char text[kNumberText];
  return set(input, std::string_view(text, static_cast<size_t>(Impl::numberText(text, value) - text)));
}

Rows &Rows::set(std::string_view input, const std::vector<std::string> &values, const std::vector<float> &weights) {
  impl_->views.assign(values.begin(), values.end());
  impl_->setValues(input, values.size(), weights);
  return *this;
}

Rows &Rows::set(std::string_view input, const std::vector<float> &values) {
  impl_->setNumbers(input, values, {});
  return *this;
}

Rows &Rows::set(std::string_view input, const std::vector<int64_t> &values, const std::vector<float> &weights) {
  impl_->setNumbers(input, values, weights);
  return *this;
}

Rows &Rows::setArray(std::string_view input, const std::vector<std::string> &values,
                     const std::vector<int64_t> &shape) {
  impl_->views.assign(values.begin(), values.end());
  impl_->setValues(input, values.size(), {}, &shape);
  return *this;
}

Rows &Rows::setArray(std::string_view input, const std::vector<float> &values, const std::vector<int64_t> &shape) {
  impl_->setNumbers(input, values, {}, &shape);
  return *this;
}

Rows &Rows::setArray(std::string_view input, const std::vector<int64_t> &values, const std::vector<int64_t> &shape) {
  impl_->setNumbers(input, values, {}, &shape);
  return *this;
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

struct Predictions::Impl {
  std::shared_ptr<const Artifact> artifact; ///< keeps texts of vocabularies alive
  const mlcrt_entry *entry = nullptr;
  int64_t rows = 0;
  std::vector<Tensor> outputs;
  /// Texts of the outputs of strings, and the views on them that callers see.
  std::vector<std::string> texts;
  std::vector<std::vector<std::string_view>> views;

  void take(const EntryRunner &runner, int64_t count) {
    entry = &runner.entry();
    rows = count;
    outputs.resize(runner.numOutputs());
    texts.resize(runner.numOutputs());
    views.resize(runner.numOutputs());
    for (int32_t i = 0; i < runner.numOutputs(); ++i) {
      const TensorView &from = runner.output(i);
      if (from.dtype == MLCRT_STRING)
        takeTexts(i, from);
      outputs[i].resize(from.dtype, from.dims);
      if (const int64_t bytes = byteCount(from); bytes > 0)
        std::memcpy(outputs[i].data(), from.data, static_cast<size_t>(bytes));
    }
  }

  /// The bytes may be the call's own.
  void takeTexts(int32_t i, const TensorView &from) {
    const auto *cells = static_cast<const mlcrt_string *>(from.data);
    const int64_t count = elementCount(from);
    texts[i].clear();
    for (int64_t k = 0; k < count; ++k)
      texts[i].append(cells[k].data, static_cast<size_t>(cells[k].size));
    views[i].clear();
    size_t at = 0;
    for (int64_t k = 0; k < count; ++k) {
      views[i].emplace_back(texts[i].data() + at, static_cast<size_t>(cells[k].size));
      at += static_cast<size_t>(cells[k].size);
    }
  }

  /// Index of the output if it has elements of one of `dtypes` in `row`, or -1.
  int32_t find(std::string_view name, int64_t row, std::initializer_list<int32_t> dtypes) const {
    for (int32_t i = 0; entry && row >= 0 && row < rows && i < entry->num_outputs; ++i)
      if (name == entry->outputs[i].name)
        for (int32_t dtype : dtypes)
          if (outputs[i].dtype() == dtype)
            return i;
    return -1;
  }
  int64_t rowElements(int32_t i) const { return elementsOfRow(outputs[i].buffer()); }
  template <typename T>
  View<T> elements(std::string_view name, int64_t row, std::initializer_list<int32_t> dtypes) const {
    const int32_t i = find(name, row, dtypes);
    if (i < 0)
      return {};
    return View<T>(outputs[i].as<T>() + row * rowElements(i), static_cast<size_t>(rowElements(i)));
  }
};

Predictions::Predictions() : impl_(std::make_unique<Impl>()) {}
Predictions::Predictions(Predictions &&other) noexcept = default;
Predictions &Predictions::operator=(Predictions &&other) noexcept = default;
Predictions::~Predictions() = default;

int64_t Predictions::rows() const { return impl_->rows; }

std::vector<int64_t> Predictions::shape(std::string_view output) const {
  for (int32_t i = 0; impl_->entry && i < impl_->entry->num_outputs; ++i)
    if (output == impl_->entry->outputs[i].name) {
      const Dims &dims = impl_->outputs[i].buffer().dims;
      return {dims.begin() + 1, dims.end()};
    }
  return {};
}

#define MLCRT_GET(T, ...)                                                                                              \
  template <> View<T> Predictions::get<T>(std::string_view output, int64_t row) const {                                \
    return impl_->elements<T>(output, row, {__VA_ARGS__});                                                             \
  }
MLCRT_GET(float, MLCRT_F32)
MLCRT_GET(double, MLCRT_F64)
MLCRT_GET(int8_t, MLCRT_I8)
MLCRT_GET(int16_t, MLCRT_I16)
MLCRT_GET(int32_t, MLCRT_I32)
MLCRT_GET(int64_t, MLCRT_I64)
MLCRT_GET(uint8_t, MLCRT_U8)
MLCRT_GET(uint16_t, MLCRT_U16)
MLCRT_GET(uint32_t, MLCRT_U32)
MLCRT_GET(uint64_t, MLCRT_U64)
MLCRT_GET(bool, MLCRT_BOOL)
#undef MLCRT_GET

template <> View<std::string_view> Predictions::get<std::string_view>(std::string_view output, int64_t row) const {
  const int32_t i = impl_->find(output, row, {MLCRT_STRING});
  if (i < 0)
    return {};
  const int64_t count = impl_->rowElements(i);
  return {impl_->views[i].data() + row * count, static_cast<size_t>(count)};
}

//===----------------------------------------------------------------------===//
// Predictor
//===----------------------------------------------------------------------===//

struct Predictor::Impl {
  ExportedModel model;
  CallPool calls; ///< refers to the model
  std::vector<Input> inputs;
  std::vector<Output> outputs;

  Impl(ExportedModel m, int threads) : model(std::move(m)), calls(model, threads) {
    for (const InputSignature &input : model.signature.inputs)
      inputs.push_back(
          {input.name, typeOf(input.dtype), input.shape, input.multiValued, input.weighted, input.optional});
    for (const OutputSignature &output : model.signature.outputs)
      outputs.push_back({output.name, typeOf(output.dtype), output.shape});
  }
};

Predictor::Predictor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Expected<Predictor> Predictor::load(const std::string &directory, const LoadOptions &options) {
  registerCudaDevices();
  ExportLoadOptions loading;
  loading.replay = options.replayGolden;
  loading.device = options.device;
  absl::StatusOr<ExportedModel> model = loadExport(directory, loading);
  if (!model.ok())
    return statusOf(model.status());
  for (const OutputSignature &output : model->signature.outputs)
    if (output.dtype == MLCRT_F16 || output.dtype == MLCRT_BF16)
      return Status(ErrorCode::Invalid, directory + ": output '" + output.name + "' is " + dtypeName(output.dtype) +
                                            ", which C++ has no type for");
  return Predictor(std::make_shared<Impl>(*std::move(model), options.threads));
}

const std::string &Predictor::name() const { return impl_->model.signature.name; }
const std::vector<Input> &Predictor::inputs() const { return impl_->inputs; }
const std::vector<Output> &Predictor::outputs() const { return impl_->outputs; }
std::string Predictor::device() const { return deviceText(impl_->model); }
const std::vector<std::string> &Predictor::classes() const { return impl_->model.signature.classes; }
Rows Predictor::rows() const { return Rows(std::make_unique<Rows::Impl>(impl_->model.layout)); }

Status Predictor::predict(Rows &rows, Predictions &predictions) const {
  Rows::Impl &input = *rows.impl_;
  if (input.layout != impl_->model.layout)
    return {ErrorCode::Invalid, "the rows are of another model"};
  if (!input.error.ok())
    return statusOf(input.error);
  const CallPool::Taken call = impl_->calls.take();
  absl::Status status = input.buffer.finish(call->view);
  if (status.ok())
    status = call->runner.run(call->view, impl_->model.context());
  if (status.ok()) {
    predictions.impl_->artifact = impl_->model.artifact;
    predictions.impl_->take(call->runner, input.buffer.rows());
  }
  return statusOf(status);
}

} // namespace mlcrt
