// Rows of a call, read straight from what a caller passes. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PYTHON_NATIVE_DIRECTROWS_H
#define PYTHON_NATIVE_DIRECTROWS_H

#include "runtime/src/core/Artifact.h"
#include "runtime/src/core/EntryRunner.h"
#include "runtime/src/input/Batch.h"
#include "runtime/src/input/InputFormat.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

namespace mlc::python {

/// The columns that an entry reads, of arrays of numpy and flat lists that need no more than a cast: a row takes less
/// time than to look at it in Python. What anything is wrong with, or unusual about, is not read at all: Python, which
/// knows how to convert it or what to say, has to look.
class DirectRows {
public:
  /// `columns` are tuples (key, name, kind): the key of the caller's dict, None if there is one column and no dict, and
  /// the name of the feature. What is read for each kind:
  ///   "numbers": finite numbers that the feature's dtype holds, floats rounded;
  ///   "ids": integers;
  ///   "texts": str and bytes;
  ///   "array": the feature's dtype, whatever the values are, or float64 for float32;
  ///   "other": rows may do without it, and rows with it are not read.
  /// Null: the entry reads a feature that is none of them, or one whose rows have sizes of their own, or does not read
  /// one of them. Raises TypeError and ValueError for columns that are none.
  static std::unique_ptr<DirectRows> create(const mlcrt::Artifact &artifact, const mlcrt_entry &entry,
                                            const mlcrt::InputFormat *format, nanobind::handle columns);

  /// Copies the rows, one at least. False: Python has to look at them. Needs the GIL, runs no code of Python.
  bool read(nanobind::handle features);
  /// The rows that were read last, until they are read again.
  const mlcrt::BatchView &view() const { return view_; }

private:
  enum class Kind { Numbers, Ids, Texts, Array };
  struct Column {
    nanobind::object key;
    Kind kind;
    int32_t feature;
    mlcrt::TensorSpec type;
    mlcrt::Tensor values;
  };
  DirectRows() = default;
  bool readColumn(Column &column, nanobind::handle value);
  bool readArray(Column &column, const Py_buffer &buffer);
  bool readList(Column &column, nanobind::handle list);
  bool readText(nanobind::handle value, mlcrt_string &cell);
  bool takeRows(int64_t rows);
  bool hasKnownKeys(nanobind::handle features) const;

  nanobind::object arrayType_; ///< numpy.ndarray; masked arrays and others like them are another thing
  std::vector<Column> columns_;
  std::vector<nanobind::object> others_; ///< keys
  mlcrt::StringArena texts_;
  mlcrt::BatchView view_;
};

} // namespace mlc::python

#endif // PYTHON_NATIVE_DIRECTROWS_H
