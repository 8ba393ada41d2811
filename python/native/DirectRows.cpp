// Rows of a call, read straight from what a caller passes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/DirectRows.h"

#include "python/native/Arrays.h"
#include "runtime/src/input/NpyHeader.h"
#include "runtime/src/input/NumberCheck.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

namespace nb = nanobind;

namespace mlc::python {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Whether an integer stays what it is as a `To`, which it becomes.
template <typename To, typename From> static bool holds(From value, To &to) {
  to = static_cast<To>(value);
  return static_cast<From>(to) == value && (to < 0) == (value < 0);
}

template <typename To, typename From> static bool castAll(const void *values, int64_t count, To *to) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>)
    return false; // which of them are whole, Python finds out
  for (int64_t i = 0; i < count; ++i) {
    From value;
    std::memcpy(&value, static_cast<const char *>(values) + i * static_cast<int64_t>(sizeof(From)), sizeof(From));
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
      if (!holds(value, to[i]))
        return false;
    } else {
      to[i] = static_cast<To>(value);
    }
  }
  return true;
}

/// Casts `count` numbers, which need not be aligned. False: not all are a `To`.
template <typename To> static bool castNumbers(mlcrt_dtype from, const void *values, int64_t count, To *to) {
  switch (from) {
  case MLCRT_F32:
    return castAll<To, float>(values, count, to);
  case MLCRT_F64:
    return castAll<To, double>(values, count, to);
  case MLCRT_I8:
    return castAll<To, int8_t>(values, count, to);
  case MLCRT_I16:
    return castAll<To, int16_t>(values, count, to);
  case MLCRT_I32:
    return castAll<To, int32_t>(values, count, to);
  case MLCRT_I64:
    return castAll<To, int64_t>(values, count, to);
  case MLCRT_BOOL:
  case MLCRT_U8:
    return castAll<To, uint8_t>(values, count, to);
  case MLCRT_U16:
    return castAll<To, uint16_t>(values, count, to);
  case MLCRT_U32:
    return castAll<To, uint32_t>(values, count, to);
  case MLCRT_U64:
    return castAll<To, uint64_t>(values, count, to);
  default:
    return false;
  }
}

static bool castNumbers(mlcrt_dtype from, const void *values, const mlcrt::Tensor &to) {
  switch (to.dtype()) {
  case MLCRT_F32:
    return castNumbers(from, values, to.elements(), to.as<float>());
  case MLCRT_F64:
    return castNumbers(from, values, to.elements(), to.as<double>());
  case MLCRT_I32:
    return castNumbers(from, values, to.elements(), to.as<int32_t>());
  case MLCRT_I64:
    return castNumbers(from, values, to.elements(), to.as<int64_t>());
  default:
    return false;
  }
}

static bool isFloat(mlcrt_dtype dtype) { return dtype == MLCRT_F32 || dtype == MLCRT_F64; }

/// A number of a list, which numpy makes a float64 if any of them is a float, and an int64 otherwise.
template <typename To> static bool castItem(PyObject *item, bool areFloats, To *to) {
  if (areFloats) {
    const double value = PyFloat_AsDouble(item);
    if (value == -1 && PyErr_Occurred()) { // an int beyond all floats
      PyErr_Clear();
      return false;
    }
    return castAll<To, double>(&value, 1, to);
  }
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(item, &overflow);
  return overflow == 0 && castAll<To, int64_t>(&value, 1, to);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

std::unique_ptr<DirectRows> DirectRows::create(const mlcrt::Artifact &artifact, const mlcrt_entry &entry,
                                               const mlcrt::InputFormat *format, nb::handle columns) {
  std::unique_ptr<DirectRows> rows(new DirectRows());
  const std::vector<bool> used = artifact.usedFeatures(entry);
  std::vector<bool> isMissing = used;
  for (nb::handle given : columns) {
    const auto column = nb::cast<nb::tuple>(given);
    const auto name = nb::cast<std::string>(column[1]), kindName = nb::cast<std::string>(column[2]);
    if (kindName == "other") {
      rows->others_.push_back(column[0]);
      continue;
    }
    static constexpr const char *kKinds[] = {"numbers", "ids", "texts", "array"};
    const char *const *kind = std::find(std::begin(kKinds), std::end(kKinds), kindName);
    if (kind == std::end(kKinds))
      throw nb::value_error(("column '" + name + "' is of kind '" + kindName + "'").c_str());
    const int32_t feature = artifact.featureIndex(name);
    if (feature < 0 || !used[feature])
      return nullptr; // it has to be there, and to be right, all the same
    const mlcrt_value &value = artifact.table().features[feature];
    const bool isColumn = value.rank > 0 && value.dims[0] == MLCRT_DIM_SYMBOL(MLCRT_SYMBOL_BATCH) &&
                          std::all_of(value.dims + 1, value.dims + value.rank, [](int64_t dim) { return dim >= 0; });
    const mlcrt::InputColumn *declared = format ? format->find(name) : nullptr;
    if (!isColumn || (declared && declared->role != mlcrt::ColumnRole::Feature))
      return nullptr;
    isMissing[feature] = false;
    rows->columns_.push_back({column[0], static_cast<Kind>(kind - kKinds), feature, value, {}});
  }
  if (std::find(isMissing.begin(), isMissing.end(), true) != isMissing.end() || rows->columns_.empty())
    return nullptr;
  rows->arrayType_ = nb::module_::import_("numpy").attr("ndarray");
  rows->view_.features.resize(isMissing.size());
  return rows;
}

/// All columns have as many rows.
bool DirectRows::takeRows(int64_t rows) {
  if (view_.rows == 0)
    view_.rows = rows;
  return rows > 0 && rows == view_.rows;
}

bool DirectRows::readText(nb::handle value, mlcrt_string &cell) {
  const char *data = nullptr;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(value.ptr())) {
    data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (!data) { // a surrogate alone
      PyErr_Clear();
      return false;
    }
  } else if (PyBytes_Check(value.ptr())) {
    data = PyBytes_AsString(value.ptr());
    size = PyBytes_Size(value.ptr());
  } else {
    return false;
  }
  // A copy: what the caller passed may be gone while the rows are predicted.
  char *copy = texts_.allocate(size);
  std::copy_n(data, size, copy);
  cell = {copy, size};
  return true;
}

bool DirectRows::readList(Column &column, nb::handle list) {
  const Py_ssize_t count = PyList_Size(list.ptr());
  if (column.type.rank() != 1 || !takeRows(count))
    return false;
  column.values.resize(column.type.dtype, {count});
  const mlcrt::Tensor &values = column.values;
  if (values.dtype() == MLCRT_STRING) {
    for (Py_ssize_t i = 0; i < count; ++i)
      if (!readText(PyList_GetItem(list.ptr(), i), values.as<mlcrt_string>()[i]))
        return false;
    return true;
  }
  bool areFloats = false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyList_GetItem(list.ptr(), i);
    areFloats = areFloats || PyFloat_CheckExact(item);
    if (!PyFloat_CheckExact(item) && !PyLong_CheckExact(item))
      return false;
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *item = PyList_GetItem(list.ptr(), i);
    const bool isRead = values.dtype() == MLCRT_F32   ? castItem(item, areFloats, values.as<float>() + i)
                        : values.dtype() == MLCRT_F64 ? castItem(item, areFloats, values.as<double>() + i)
                        : values.dtype() == MLCRT_I32 ? castItem(item, areFloats, values.as<int32_t>() + i)
                        : values.dtype() == MLCRT_I64 ? castItem(item, areFloats, values.as<int64_t>() + i)
                                                      : false;
    if (!isRead)
      return false;
  }
  return true;
}

bool DirectRows::readArray(Column &column, const Py_buffer &buffer) {
  const std::optional<BufferType> type = bufferType(buffer);
  const int64_t *begin = buffer.shape, *end = buffer.shape + buffer.ndim;
  if (!type || buffer.ndim == 0 || !takeRows(buffer.shape[0]))
    return false;
  // One value for each row may be [rows, 1].
  if (column.kind != Kind::Array && column.type.rank() == 1 && buffer.ndim == 2 && buffer.shape[1] == 1)
    --end;
  if (!std::equal(begin + 1, end, column.type.dims.begin() + 1, column.type.dims.end()))
    return false;
  mlcrt::Dims dims = column.type.dims;
  dims[0] = view_.rows;
  column.values.resize(column.type.dtype, dims);
  const mlcrt::Tensor &values = column.values;
  if (values.dtype() == MLCRT_STRING) {
    if (type->dtype != MLCRT_STRING && !type->isObjects)
      return false;
    std::string text;
    for (int64_t i = 0; i < values.elements(); ++i) {
      mlcrt_string &cell = values.as<mlcrt_string>()[i];
      if (type->isObjects) {
        PyObject *item = static_cast<PyObject **>(buffer.buf)[i];
        if (!item || !readText(item, cell))
          return false;
        continue;
      }
      text.clear();
      const char *from = static_cast<const char *>(buffer.buf) + i * buffer.itemsize;
      if (!mlcrt::appendNpyText({from, static_cast<size_t>(buffer.itemsize)}, type->isWide, text))
        return false;
      char *copy = texts_.allocate(static_cast<int64_t>(text.size()));
      std::copy(text.begin(), text.end(), copy);
      cell = {copy, static_cast<int64_t>(text.size())};
    }
    return true;
  }
  if (type->isObjects || type->dtype == MLCRT_STRING)
    return false;
  if (type->dtype == values.dtype()) {
    if (const int64_t bytes = values.bytes())
      std::memcpy(values.data(), buffer.buf, static_cast<size_t>(bytes));
    return true;
  }
  if (column.kind == Kind::Array && !(type->dtype == MLCRT_F64 && values.dtype() == MLCRT_F32))
    return false;
  if (column.kind == Kind::Ids && type->dtype == MLCRT_BOOL)
    return false;
  return castNumbers(type->dtype, buffer.buf, values);
}

bool DirectRows::readColumn(Column &column, nb::handle value) {
  if (PyList_CheckExact(value.ptr())) {
    if (!readList(column, value))
      return false;
  } else {
    Py_buffer buffer;
    if (!value.type().is(arrayType_))
      return false;
    if (PyObject_GetBuffer(value.ptr(), &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
      PyErr_Clear();
      return false;
    }
    const bool isRead = readArray(column, buffer);
    PyBuffer_Release(&buffer);
    if (!isRead)
      return false;
  }
  const mlcrt::Tensor &values = column.values;
  const bool mustBeFinite = column.kind == Kind::Numbers && isFloat(values.dtype());
  if (mustBeFinite && mlcrt::refusedNumber(values.dtype(), values.data(), values.elements(), /*finite=*/true,
                                           /*isWeight=*/false)
                              .fault != mlcrt::NumberFault::None)
    return false;
  view_.features[column.feature] = values.buffer();
  return true;
}

/// Whether keys beside those of the columns are texts, and no column that Python has to look at.
bool DirectRows::hasKnownKeys(nb::handle features) const {
  PyObject *key = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(features.ptr(), &at, &key, nullptr);)
    if (!PyUnicode_Check(key))
      return false;
  return std::none_of(others_.begin(), others_.end(), [&](const nb::object &other) {
    const int isThere = PyDict_Contains(features.ptr(), other.ptr());
    if (isThere < 0)
      PyErr_Clear(); // of a key that cannot be compared
    return isThere != 0;
  });
}

bool DirectRows::read(nb::handle features) {
  view_.rows = 0;
  texts_.clear();
  if (columns_.front().key.is_none())
    return readColumn(columns_.front(), features);
  if (!PyDict_CheckExact(features.ptr()))
    return false;
  if (PyDict_Size(features.ptr()) != static_cast<Py_ssize_t>(columns_.size()) && !hasKnownKeys(features))
    return false;
  for (Column &column : columns_) {
    const nb::object value = nb::borrow(PyDict_GetItemWithError(features.ptr(), column.key.ptr()));
    if (!value.is_valid()) {
      PyErr_Clear(); // of a key that cannot be compared
      return false;
    }
    if (!readColumn(column, value))
      return false;
  }
  return true;
}

} // namespace mlc::python
