// Arrays of Python as data of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Arrays.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>

namespace nb = nanobind;

namespace mlc::python {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void Texts::add(nb::handle value) {
  const char *data = nullptr;
  Py_ssize_t size = 0;
  if (PyUnicode_Check(value.ptr())) {
    data = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (!data)
      throw nb::python_error(); // a surrogate alone
  } else if (PyBytes_Check(value.ptr())) {
    data = PyBytes_AsString(value.ptr());
    size = PyBytes_Size(value.ptr());
  } else {
    const std::string text = "text " + std::to_string(cells_.size()) + " is " +
                             nb::cast<std::string>(nb::str(value.type().attr("__name__"))) + "; expected str or bytes";
    throw nb::type_error(text.c_str());
  }
  // An address is known when all texts are there.
  cells_.push_back({reinterpret_cast<const char *>(bytes_.size()), size});
  bytes_.append(data, static_cast<size_t>(size));
}

Texts::Texts(nb::handle values) {
  const nb::object rows = nb::steal(PySequence_Fast(values.ptr(), "texts: expected a sequence"));
  if (!rows.is_valid())
    throw nb::python_error();
  const auto count = static_cast<int64_t>(nb::len(rows));
  shape_.push_back(count);
  cells_.reserve(static_cast<size_t>(count));
  for (int64_t row = 0; row < count; ++row) {
    const nb::object value = rows[row];
    const bool isText = PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr());
    if (row == 0 && !isText && PySequence_Check(value.ptr()))
      shape_.push_back(static_cast<int64_t>(nb::len(value)));
    if (shape_.size() == 1) {
      add(value);
      continue;
    }
    const nb::object row_ = nb::steal(PySequence_Fast(value.ptr(), "texts: expected a sequence in each row"));
    if (!row_.is_valid())
      throw nb::python_error();
    if (static_cast<int64_t>(nb::len(row_)) != shape_[1]) {
      const std::string text = "row " + std::to_string(row) + " has " + std::to_string(nb::len(row_)) +
                               " texts; expected " + std::to_string(shape_[1]) + ", as row 0 has";
      throw nb::value_error(text.c_str());
    }
    for (int64_t k = 0; k < shape_[1]; ++k)
      add(row_[k]);
  }
  for (mlcrt_string &cell : cells_)
    cell.data = bytes_.data() + reinterpret_cast<size_t>(cell.data);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
/// What arrays refer to.
struct Owner {
  std::vector<Py_buffer> buffers;
  std::vector<nb::object> texts;

  ~Owner() {
    // The last one to let go may be a thread of a run, or nobody that Python knows.
    if (!Py_IsInitialized())
      return;
    nb::gil_scoped_acquire gil;
    for (Py_buffer &buffer : buffers)
      PyBuffer_Release(&buffer);
    texts.clear();
  }
};
} // namespace

[[noreturn]] static void refuse(const std::string &name, const std::string &found) {
  const std::string text = "column '" + name + "' is " + found +
                           "; expected a C-contiguous little-endian array of numbers, bool, 'S' or 'U', or Texts";
  throw nb::type_error(text.c_str());
}

/// The dtype of numbers of the struct module's format, or -1.
static int32_t numberDtype(char format, int64_t bytes) {
  switch (format) {
  case '?':
    return MLCRT_BOOL;
  case 'e':
    return MLCRT_F16;
  case 'f':
    return MLCRT_F32;
  case 'd':
    return MLCRT_F64;
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
    return bytes == 1 ? MLCRT_I8 : bytes == 2 ? MLCRT_I16 : bytes == 4 ? MLCRT_I32 : MLCRT_I64;
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
    return bytes == 1 ? MLCRT_U8 : bytes == 2 ? MLCRT_U16 : bytes == 4 ? MLCRT_U32 : MLCRT_U64;
  default:
    return -1;
  }
}

static mlcrt::StoredArray storedArray(const std::string &name, nb::handle value, Owner &owner) {
  mlcrt::StoredArray array;
  array.name = name;
  const Texts *texts = nullptr;
  if (nb::try_cast(value, texts)) {
    array.dtype = MLCRT_STRING;
    array.shape = texts->shape();
    array.texts = texts->cells();
    owner.texts.push_back(nb::borrow(value));
    return array;
  }
  Py_buffer buffer;
  if (PyObject_GetBuffer(value.ptr(), &buffer, PyBUF_FORMAT | PyBUF_C_CONTIGUOUS) != 0) {
    PyErr_Clear();
    refuse(name, nb::cast<std::string>(nb::repr(value.type())));
  }
  owner.buffers.push_back(buffer);
  array.shape.assign(buffer.shape, buffer.shape + buffer.ndim);
  array.elementBytes = buffer.itemsize;
  array.bytes = {static_cast<const char *>(buffer.buf), static_cast<size_t>(buffer.len)};
  const std::string format = buffer.format ? buffer.format : "B";
  const char kind = format.back();
  const bool isForeign = format[0] == '>' || format[0] == '!';
  int32_t dtype = -1;
  if (kind == 's' || kind == 'w') {
    dtype = MLCRT_STRING;
    array.isWide = kind == 'w';
  } else if (format.size() == 1 || (format.size() == 2 && std::strchr("<=@", format[0]))) {
    dtype = numberDtype(kind, buffer.itemsize);
  }
  if (dtype < 0 || isForeign)
    refuse(name, "an array of format '" + format + "'");
  array.dtype = static_cast<mlcrt_dtype>(dtype);
  return array;
}

Arrays::Arrays(const nb::dict &columns, std::string what) {
  auto arrays = std::make_shared<mlcrt::MemoryArrays>();
  auto owner = std::make_shared<Owner>();
  arrays->name = std::move(what);
  for (const auto &[name, value] : columns)
    arrays->arrays.push_back(storedArray(nb::cast<std::string>(name), value, *owner));
  arrays->owner = owner;
  arrays_ = std::move(arrays);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static nb::object textsToNumpy(const mlcrt::TensorView &tensor) {
  const auto *cells = static_cast<const mlcrt_string *>(tensor.data);
  const int64_t count = mlcrt::elementCount(tensor);
  nb::object numpy = nb::module_::import_("numpy");
  nb::object array = numpy.attr("empty")(count, nb::arg("dtype") = nb::module_::import_("builtins").attr("object"));
  for (int64_t i = 0; i < count; ++i)
    array[i] = nb::bytes(cells[i].data, static_cast<size_t>(cells[i].size));
  return array.attr("reshape")(nb::cast(std::vector<int64_t>(tensor.dims.begin(), tensor.dims.end())));
}

nb::object toNumpy(const mlcrt::TensorView &tensor) {
  using Code = nb::dlpack::dtype_code;
  if (tensor.dtype == MLCRT_STRING)
    return textsToNumpy(tensor);
  const auto bits = static_cast<uint8_t>(8 * mlcrt::dtypeSize(tensor.dtype));
  const bool isFloat = tensor.dtype >= MLCRT_F32 && tensor.dtype <= MLCRT_BF16;
  const bool isUnsigned =
      tensor.dtype == MLCRT_U8 || tensor.dtype == MLCRT_U16 || tensor.dtype == MLCRT_U32 || tensor.dtype == MLCRT_U64;
  const Code code = tensor.dtype == MLCRT_BOOL   ? Code::Bool
                    : tensor.dtype == MLCRT_BF16 ? Code::Bfloat
                    : isFloat                    ? Code::Float
                    : isUnsigned                 ? Code::UInt
                                                 : Code::Int;
  const int64_t bytes = std::max<int64_t>(mlcrt::byteCount(tensor), 1);
  auto *copy = new char[static_cast<size_t>(bytes)];
  nb::capsule owner(copy, [](void *data) noexcept { delete[] static_cast<char *>(data); });
  mlcrt::copyDense(tensor, copy);
  std::vector<size_t> shape(tensor.dims.begin(), tensor.dims.end());
  nb::ndarray<nb::numpy> array(copy, shape.size(), shape.data(), owner, nullptr,
                               nb::dlpack::dtype{static_cast<uint8_t>(code), bits, 1});
  return array.cast();
}

void addArrays(nb::module_ &module) {
  nb::class_<Texts>(module, "Texts", "Texts of any length: one for each row, or as many for each.")
      .def(nb::init<nb::handle>(), nb::arg("values"))
      .def("__len__", [](const Texts &texts) { return texts.shape()[0]; })
      .def_prop_ro("shape", [](const Texts &texts) { return nb::tuple(nb::cast(texts.shape())); });
  nb::class_<Arrays>(module, "Arrays", "Columns of equal length under the names of features.")
      .def(nb::init<const nb::dict &, std::string>(), nb::arg("columns"), nb::arg("what"));
}

} // namespace mlc::python
