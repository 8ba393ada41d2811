// Predictions of an exported model, for programs that embed it. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mlcrt::Expected<mlcrt::Predictor> model = mlcrt::Predictor::load("m/export/census/1700000000");
//   mlcrt::Rows rows = model->rows();
//   rows.add().set("age", 39).set("workclass", "State-gov");
//   mlcrt::Predictions predictions;
//   if (mlcrt::Status status = model->predict(rows, predictions); !status.ok())
//     ... status.message()
//   float p = predictions.get<float>("probabilities", /*row=*/0)[1];
//
// C++17, the standard library alone; link with mlcrt::mlcrt (find_package(mlcrt)). Nothing here throws but
// std::bad_alloc.
#ifndef MLCRT_PREDICTOR_H
#define MLCRT_PREDICTOR_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(_WIN32)
#define MLCRT_EXPORT
#else
#define MLCRT_EXPORT __attribute__((visibility("default")))
#endif

namespace mlcrt {

/// What went wrong; the values are the exit codes of mlc.
enum class ErrorCode {
  None = 0,
  Internal = 1, ///< a bug of mlc
  Invalid = 2,  ///< a wrong request: no such directory, input or output, a value that cannot be read
  Corrupt = 3,  ///< damaged files, golden rows that give something else, a value or row that the model refuses
  Mismatch = 4, ///< the export needs a newer runtime or another processor, or there is no GPU that was asked for
};

/// Success, or an error with a message for people.
class Status {
public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == ErrorCode::None; }
  ErrorCode code() const { return code_; }
  const std::string &message() const { return message_; }

private:
  ErrorCode code_ = ErrorCode::None;
  std::string message_;
};

/// A value, or the status that tells why there is none. * and -> need ok().
template <typename T> class Expected {
public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return status_; }
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

/// Types of elements.
enum class Type { Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Bool, String };

/// A size in the shape of an input or output that each call tells, one for all of its rows.
inline constexpr int64_t kSizeOfCall = -1;

/// An input of a row.
struct Input {
  std::string name;
  Type type = Type::Float32;
  std::vector<int64_t> shape; ///< of a row's value, row-major, with kSizeOfCall; empty: one number or text
  bool multiValued = false;   ///< a row has any number of values
  bool weighted = false;      ///< of a multi-valued input: its values have weights
  bool optional = false;      ///< a row may do without it
};

/// An output of a row.
struct Output {
  std::string name;
  Type type = Type::Float32;
  std::vector<int64_t> shape; ///< of a row's value, with kSizeOfCall
};

/// Elements of a row, one after the other.
template <typename T> class View {
public:
  View() = default;
  View(const T *data, size_t size) : data_(data), size_(size) {}

  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T &operator[](size_t i) const { return data_[i]; }

private:
  const T *data_ = nullptr;
  size_t size_ = 0;
};

/// Rows to predict. Values mean what they mean in data files: texts are read as cells are (a number, a vector "1|2|3",
/// the values of a multi-valued input, its missing marks), and an input that is not set is missing. Setting one again
/// replaces it. A wrong value is an error of the predict call that tells row and input. Made by Predictor::rows; for
/// one thread at a time; clear() keeps the memory, so that a loop over batches does not allocate.
class MLCRT_EXPORT Rows {
public:
  Rows(Rows &&other) noexcept;
  Rows &operator=(Rows &&other) noexcept;
  ~Rows();

  /// Begins a row, which set() is about.
  Rows &add();
  void clear();
  int64_t size() const;

  Rows &set(std::string_view input, std::string_view text);
  Rows &set(std::string_view input, const char *text) { return set(input, std::string_view(text)); }
  Rows &set(std::string_view input, bool value) { return set(input, value ? "true" : "false"); }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> Rows &set(std::string_view input, T value) {
    // An integer that int64_t does not hold goes the way of a float: a column of integers refuses it.
    if constexpr (std::is_floating_point_v<T>)
      return setNumber(input, value);
    else if (value > T(0) && static_cast<uint64_t>(value) > static_cast<uint64_t>(INT64_MAX))
      return setNumber(input, static_cast<double>(value));
    else
      return setInteger(input, static_cast<int64_t>(value));
  }
  /// The elements of a vector, or the values of a multi-valued input, which are not cut; with weights, if the input has
  /// them, one for each value.
  Rows &set(std::string_view input, const std::vector<std::string> &values, const std::vector<float> &weights = {});
  Rows &set(std::string_view input, const std::vector<float> &values);
  Rows &set(std::string_view input, const std::vector<int64_t> &values, const std::vector<float> &weights = {});
  /// A value of this shape, row-major, of an input with sizes that each call tells (kSizeOfCall): these are those of
  /// the first row. set() is enough where one size is of the call: it follows from the number of values. Within such a
  /// value '' is a text and NaN a number.
  Rows &setArray(std::string_view input, const std::vector<std::string> &values, const std::vector<int64_t> &shape);
  Rows &setArray(std::string_view input, const std::vector<float> &values, const std::vector<int64_t> &shape);
  Rows &setArray(std::string_view input, const std::vector<int64_t> &values, const std::vector<int64_t> &shape);

private:
  friend class Predictor;
  struct Impl;
  explicit Rows(std::unique_ptr<Impl> impl);
  Rows &setNumber(std::string_view input, double value);
  Rows &setInteger(std::string_view input, int64_t value);
  std::unique_ptr<Impl> impl_;
};

/// What a predict call gave; used again, it keeps its memory. For one thread at a time.
class MLCRT_EXPORT Predictions {
public:
  Predictions();
  Predictions(Predictions &&other) noexcept;
  Predictions &operator=(Predictions &&other) noexcept;
  ~Predictions();

  int64_t rows() const;
  /// The elements of `output` in `row`, until the next call with this object. T: float, double, int64_t or another
  /// integer of the output's width, std::string_view, or bool. Empty if there is no such output or row, or if T is not
  /// its type.
  template <typename T> View<T> get(std::string_view output, int64_t row) const;
  /// The shape that the values of `output` have in each row, without kSizeOfCall. Empty if there is no such output,
  /// too.
  std::vector<int64_t> shape(std::string_view output) const;

private:
  friend class Predictor;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

#define MLCRT_GET(T) template <> MLCRT_EXPORT View<T> Predictions::get<T>(std::string_view output, int64_t row) const;
MLCRT_GET(float)
MLCRT_GET(double)
MLCRT_GET(int8_t)
MLCRT_GET(int16_t)
MLCRT_GET(int32_t)
MLCRT_GET(int64_t)
MLCRT_GET(uint8_t)
MLCRT_GET(uint16_t)
MLCRT_GET(uint32_t)
MLCRT_GET(uint64_t)
MLCRT_GET(bool)
MLCRT_GET(std::string_view)
#undef MLCRT_GET

/// How a model is loaded.
struct LoadOptions {
  /// Threads that a call may use. Calls of several threads run side by side whatever this is; results do not depend on
  /// it.
  int threads = 1;
  /// Run the golden rows of the export and compare: a model that predicts something else than its trainer did is not
  /// served.
  bool replayGolden = true;
  /// What runs of a model that was compiled for GPUs, too: "cpu"; "auto": an NVIDIA GPU, or the CPU where there is none
  /// that it has code for (Predictor::device); "gpu": a GPU, and an error where there is none. Results are the same but
  /// for models of a precision whose sums are the chip's.
  std::string device = "cpu";
};

/// A loaded model. Copies share it.
class MLCRT_EXPORT Predictor {
public:
  /// Loads what `TRAINER export` or `mlc export` wrote. Every file is proven by its checksum before it is used.
  static Expected<Predictor> load(const std::string &directory, const LoadOptions &options = {});

  const std::string &name() const;
  const std::vector<Input> &inputs() const;
  const std::vector<Output> &outputs() const;
  /// "gpu"; "cpu"; or, where "auto" found no GPU, "cpu: " and why.
  std::string device() const;
  /// Names of a classifier's classes, by id; empty for another model, and for one of several heads.
  const std::vector<std::string> &classes() const;

  /// No rows, to be filled.
  Rows rows() const;
  /// Predicts rows that rows() of this model made, any number of them. Any number of threads may call at once, each
  /// with its own objects; once buffers have grown to the largest batch a call allocates nothing. Invalid: an unknown
  /// input or rows of another model; Corrupt: a value that cannot be read or is missing, with row and input.
  Status predict(Rows &rows, Predictions &predictions) const;

private:
  struct Impl;
  explicit Predictor(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

} // namespace mlcrt

#endif // MLCRT_PREDICTOR_H
