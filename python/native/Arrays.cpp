// Arrays of Python as data of a run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python/native/Arrays.h"

#include "python/native/Process.h"
#include "runtime/src/input/NpyHeader.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <utility>

namespace nb = nanobind;

namespace mlc::python {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

void TextPool::expect(int64_t count) {
  constexpr int64_t kFew = 1024; // a batch
  isShared_ = count > kFew;
}

mlcrt_string TextPool::keep(std::string_view text) {
  // More than the common terms of a large vocabulary: above, looking up costs more than caches give.
  constexpr size_t kMostShared = 4096;
  const auto size = static_cast<int64_t>(text.size());
  if (isShared_)
    if (const auto found = shared_.find(text); found != shared_.end())
      return {found->data(), size};
  char *copy = bytes_.allocate(size);
  std::copy(text.begin(), text.end(), copy);
  if (isShared_ && shared_.size() < kMostShared)
    shared_.insert({copy, text.size()});
  return {copy, size};
}

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
  cells_.push_back(pool_.keep({data, static_cast<size_t>(size)}));
}

std::unique_ptr<Texts> Texts::ofArray(const Py_buffer &array, bool isWide) {
  std::unique_ptr<Texts> texts(new Texts());
  texts->shape_.assign(array.shape, array.shape + array.ndim);
  const auto size = static_cast<size_t>(array.itemsize);
  const int64_t count = mlcrt::elementCount(array.shape, array.ndim);
  texts->pool_.expect(count);
  texts->cells_.reserve(static_cast<size_t>(count));
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text.clear();
    if (!mlcrt::appendNpyText({static_cast<const char *>(array.buf) + i * array.itemsize, size}, isWide, text))
      return nullptr;
    texts->cells_.push_back(texts->pool_.keep(text));
  }
  return texts;
}

Texts::Texts(nb::handle values, std::optional<std::vector<int64_t>> shape) {
  const nb::object rows = nb::steal(PySequence_Fast(values.ptr(), "texts: expected a sequence"));
  if (!rows.is_valid())
    throw nb::python_error();
  const auto count = static_cast<int64_t>(nb::len(rows));
  shape_.push_back(count);
  pool_.expect(count);
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
  if (!shape)
    return;
  if (shape->empty() || mlcrt::elementCount(shape->data(), static_cast<int32_t>(shape->size())) != count ||
      shape_.size() > 1)
    throw nb::value_error("texts: expected a flat sequence of as many texts as the shape has");
  shape_ = *std::move(shape);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
/// What arrays refer to.
struct Owner {
  std::vector<Py_buffer> buffers;
  std::vector<nb::object> texts;
  std::vector<std::unique_ptr<Texts>> ofArrays;

  ~Owner() {
    // The last one to let go may be a thread of a run, or nobody that Python knows.
    if (!canTakeGil())
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

std::optional<BufferType> bufferType(const Py_buffer &buffer) {
  const std::string_view format = buffer.format ? buffer.format : "B";
  const char kind = format.back();
  if (format[0] == '>' || format[0] == '!')
    return std::nullopt;
  if (kind == 's' || kind == 'w')
    return BufferType{MLCRT_STRING, /*isWide=*/kind == 'w'};
  if (format == "O")
    return BufferType{MLCRT_STRING, /*isWide=*/false, /*isObjects=*/true};
  const bool isPlain = format.size() == 1 || (format.size() == 2 && std::strchr("<=@", format[0]));
  const int32_t dtype = isPlain ? numberDtype(kind, buffer.itemsize) : -1;
  if (dtype < 0)
    return std::nullopt;
  return BufferType{static_cast<mlcrt_dtype>(dtype)};
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
  const std::optional<BufferType> type = bufferType(buffer);
  if (!type || type->isObjects)
    refuse(name, std::string("an array of format '") + (buffer.format ? buffer.format : "B") + "'");
  array.dtype = type->dtype;
  array.isWide = type->isWide;
  if (array.dtype != MLCRT_STRING)
    return array;
  // Once, not for each batch. What cannot be read is told with its row, when that is read.
  if (std::unique_ptr<Texts> texts = Texts::ofArray(buffer, type->isWide)) {
    array.texts = texts->cells();
    array.bytes = {};
    owner.ofArrays.push_back(std::move(texts));
  }
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

/// The name of numpy's dtype for values of `dtype`: "f4" for f32, and for bf16, which numpy has not.
static std::string numpyName(mlcrt_dtype dtype) {
  switch (dtype) {
  case MLCRT_STRING:
    return "O";
  case MLCRT_BF16:
    return "f4";
  case MLCRT_BOOL:
    return "bool";
  default:
    return mlcrt::dtypeName(dtype).substr(0, 1) + std::to_string(mlcrt::dtypeSize(dtype));
  }
}

/// numpy.empty(shape, dtype). What it takes of numpy is looked up once and kept: there is one numpy in a process.
static nb::object emptyArray(const mlcrt::TensorView &tensor) {
  static PyObject *empty = nullptr, *dtypes[MLCRT_STRING + 1] = {}; // the GIL guards them
  PyObject *&dtype = dtypes[tensor.dtype];
  if (!dtype) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    empty = nb::object(numpy.attr("empty")).release().ptr();
    dtype = numpy.attr("dtype")(numpyName(static_cast<mlcrt_dtype>(tensor.dtype))).release().ptr();
  }
  const nb::object shape = nb::steal(PyTuple_New(tensor.rank()));
  for (int32_t i = 0; i < tensor.rank(); ++i)
    PyTuple_SetItem(shape.ptr(), i, PyLong_FromLongLong(tensor.dims[i]));
  return nb::handle(empty)(shape, nb::handle(dtype));
}

nb::object toNumpy(const mlcrt::TensorView &tensor) {
  nb::object array = emptyArray(tensor);
  Py_buffer buffer;
  if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE) != 0)
    throw nb::python_error();
  const int64_t count = mlcrt::elementCount(tensor);
  if (tensor.dtype == MLCRT_STRING) {
    const auto *cells = static_cast<const mlcrt_string *>(tensor.data);
    auto **objects = static_cast<PyObject **>(buffer.buf);
    for (int64_t i = 0; i < count; ++i)
      Py_XDECREF(std::exchange(objects[i], PyBytes_FromStringAndSize(cells[i].data, cells[i].size)));
  } else if (tensor.dtype == MLCRT_BF16) {
    const auto *halves = static_cast<const uint16_t *>(tensor.data);
    for (int64_t i = 0; i < count; ++i)
      static_cast<uint32_t *>(buffer.buf)[i] = uint32_t{halves[i]} << 16;
  } else {
    mlcrt::copyDense(tensor, buffer.buf);
  }
  PyBuffer_Release(&buffer);
  return array;
}

void addArrays(nb::module_ &module) {
  nb::class_<Texts>(module, "Texts", "Texts of any length: one for each row, or as many for each.")
      .def(nb::init<nb::handle, std::optional<std::vector<int64_t>>>(), nb::arg("values"),
           nb::arg("shape") = nb::none())
      .def("__len__", [](const Texts &texts) { return texts.shape()[0]; })
      .def_prop_ro("shape", [](const Texts &texts) { return nb::tuple(nb::cast(texts.shape())); });
  nb::class_<Arrays>(module, "Arrays", "Columns of equal length under the names of features.")
      .def(nb::init<const nb::dict &, std::string>(), nb::arg("columns"), nb::arg("what"));
}

} // namespace mlc::python
