// Arrays of Python as data of a run. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_ARRAYS_H
#define PYTHON_NATIVE_ARRAYS_H

#include "absl/container/flat_hash_set.h"
#include "runtime/src/core/Tensor.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/BatchSource.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::python {

/// Copies of texts. Of many those that are alike are one, as long as these are few: what categories point to stays in
/// caches. Few texts do so anyway.
class TextPool {
public:
  /// Before the first: how many there will be.
  void expect(int64_t count);
  mlcrt_string keep(std::string_view text);

private:
  bool isShared_ = false;
  mlcrt::StringArena bytes_;
  absl::flat_hash_set<std::string_view> shared_;
};

/// Texts of any length, which Python's own arrays have as objects only: one for each row, or as many for each.
class Texts {
public:
  /// `values`: a sequence of str (as UTF-8) and bytes, or of sequences of equal length of them; with `shape` a flat one
  /// of so many. TypeError, ValueError.
  explicit Texts(nanobind::handle values, std::optional<std::vector<int64_t>> shape = std::nullopt);
  /// The texts of an array of 'S' or, if `isWide`, 'U'; null: one has a character that is none.
  static std::unique_ptr<Texts> ofArray(const Py_buffer &array, bool isWide);
  Texts(const Texts &) = delete;
  Texts &operator=(const Texts &) = delete;

  const std::vector<int64_t> &shape() const { return shape_; }
  const mlcrt_string *cells() const { return cells_.data(); }

private:
  Texts() = default;
  void add(nanobind::handle value);
  TextPool pool_;
  std::vector<mlcrt_string> cells_;
  std::vector<int64_t> shape_;
};

/// What the elements of an array of numpy are.
struct BufferType {
  mlcrt_dtype dtype;      ///< MLCRT_STRING of 'S', 'U' and objects
  bool isWide = false;    ///< 'U'
  bool isObjects = false; ///< which may be anything
};

/// The type of a buffer that was asked for with its format; none: big-endian, or no type that the runtime has.
std::optional<BufferType> bufferType(const Py_buffer &buffer);

/// Columns of equal length under the names of features. Arrays of numbers are referred to, not copied.
class Arrays {
public:
  /// `columns`: arrays of numpy, C-contiguous, little-endian, of a dtype that the runtime has, 'S' and 'U' included, or
  /// Texts. `what` is the name of all in messages. TypeError names column and dtype.
  Arrays(const nanobind::dict &columns, std::string what);

  std::shared_ptr<const mlcrt::MemoryArrays> arrays() const { return arrays_; }

private:
  std::shared_ptr<const mlcrt::MemoryArrays> arrays_;
};

/// A copy of a tensor as an array of numpy; texts are bytes in an array of objects, bf16 becomes float32. Needs the
/// GIL.
nanobind::object toNumpy(const mlcrt::TensorView &tensor);

void addArrays(nanobind::module_ &module);

} // namespace mlc::python

#endif // PYTHON_NATIVE_ARRAYS_H
