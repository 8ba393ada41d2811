// Tensors on the host: element access, conversion between element types, comparison.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Tensor.h"
#include "dialects/Df/IR/Df.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlc::interp;

unsigned mlc::interp::integerWidth(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return 1;
  case ElementKind::I8:
  case ElementKind::UI8:
    return 8;
  case ElementKind::I16:
  case ElementKind::UI16:
    return 16;
  case ElementKind::I32:
  case ElementKind::UI32:
    return 32;
  default:
    return 64;
  }
}

StringRef mlc::interp::kindName(ElementKind kind) {
  static constexpr StringLiteral names[] = {"f16", "bf16", "f32", "f64",  "i1",   "i8",   "i16",
                                            "i32", "i64",  "ui8", "ui16", "ui32", "ui64", "!df.string"};
  return names[static_cast<size_t>(kind)];
}

FailureOr<ElementKind> mlc::interp::elementKindOf(Type elementType) {
  if (isa<df::StringType>(elementType))
    return ElementKind::String;
  if (elementType.isF16())
    return ElementKind::F16;
  if (elementType.isBF16())
    return ElementKind::BF16;
  if (elementType.isF32())
    return ElementKind::F32;
  if (elementType.isF64())
    return ElementKind::F64;
  for (ElementKind kind : {ElementKind::I1, ElementKind::I8, ElementKind::I16, ElementKind::I32, ElementKind::I64})
    if (elementType.isSignlessInteger(integerWidth(kind)))
      return kind;
  for (ElementKind kind : {ElementKind::UI8, ElementKind::UI16, ElementKind::UI32, ElementKind::UI64})
    if (elementType.isUnsignedInteger(integerWidth(kind)))
      return kind;
  return failure();
}

/// Bytes of an element in memory.
static int64_t sizeOf(ElementKind kind) {
  static constexpr int64_t sizes[] = {2, 2, 4, 8, 1, 1, 2, 4, 8, 1, 2, 4, 8, 0};
  return sizes[static_cast<size_t>(kind)];
}

static int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

Tensor::Tensor(ElementKind kind, ArrayRef<int64_t> shape) : kind(kind), shape(shape) {
  if (kind == ElementKind::String)
    strings.resize(product(shape));
  else
    bytes.resize(product(shape) * sizeOf(kind));
}

Tensor Tensor::ofFloats(ElementKind kind, ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Tensor result(kind, shape);
  result.assign(values);
  return result;
}

Tensor Tensor::ofIntegers(ElementKind kind, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  Tensor result(kind, shape);
  result.assign(values);
  return result;
}

Tensor Tensor::ofStrings(ArrayRef<int64_t> shape, std::vector<std::string> values) {
  Tensor result(ElementKind::String, shape);
  result.strings = std::move(values);
  return result;
}

int64_t Tensor::getNumElements() const { return product(shape); }
int64_t Tensor::getRowSize() const { return product(ArrayRef<int64_t>(shape).drop_front()); }
int64_t Tensor::getElementSize() const { return sizeOf(kind); }

template <typename T> static T load(const std::vector<char> &bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}
template <typename T> static void store(std::vector<char> &bytes, int64_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
}

/// The value of 16 bits of a format that f64 holds exactly.
static double fromBits(const llvm::fltSemantics &format, uint16_t bits) {
  APFloat value(format, APInt(16, bits));
  bool inexact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}
static uint16_t toBits(const llvm::fltSemantics &format, double number) {
  APFloat value(number);
  bool inexact;
  value.convert(format, APFloat::rmNearestTiesToEven, &inexact);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

double Tensor::getFloat(int64_t i) const {
  switch (kind) {
  case ElementKind::F16:
    return fromBits(APFloat::IEEEhalf(), load<uint16_t>(bytes, i));
  case ElementKind::BF16:
    return fromBits(APFloat::BFloat(), load<uint16_t>(bytes, i));
  case ElementKind::F32:
    return load<float>(bytes, i);
  default:
    return load<double>(bytes, i);
  }
}

void Tensor::setFloat(int64_t i, double value) {
  switch (kind) {
  case ElementKind::F16:
    return store(bytes, i, toBits(APFloat::IEEEhalf(), value));
  case ElementKind::BF16:
    return store(bytes, i, toBits(APFloat::BFloat(), value));
  case ElementKind::F32:
    return store(bytes, i, static_cast<float>(value));
  default:
    return store(bytes, i, value);
  }
}

int64_t Tensor::getInteger(int64_t i) const {
  switch (kind) {
  case ElementKind::I1:
  case ElementKind::I8:
    return load<int8_t>(bytes, i);
  case ElementKind::UI8:
    return load<uint8_t>(bytes, i);
  case ElementKind::I16:
    return load<int16_t>(bytes, i);
  case ElementKind::UI16:
    return load<uint16_t>(bytes, i);
  case ElementKind::I32:
    return load<int32_t>(bytes, i);
  case ElementKind::UI32:
    return load<uint32_t>(bytes, i);
  default:
    return load<int64_t>(bytes, i);
  }
}

void Tensor::setInteger(int64_t i, int64_t value) {
  switch (kind) {
  case ElementKind::I1:
    return store(bytes, i, static_cast<int8_t>(value & 1));
  case ElementKind::I8:
  case ElementKind::UI8:
    return store(bytes, i, static_cast<int8_t>(value));
  case ElementKind::I16:
  case ElementKind::UI16:
    return store(bytes, i, static_cast<int16_t>(value));
  case ElementKind::I32:
  case ElementKind::UI32:
    return store(bytes, i, static_cast<int32_t>(value));
  default:
    return store(bytes, i, value);
  }
}

void Tensor::copyElements(int64_t index, const Tensor &from, int64_t fromIndex, int64_t count) {
  if (kind == ElementKind::String) {
    std::copy_n(from.strings.begin() + fromIndex, count, strings.begin() + index);
    return;
  }
  int64_t size = sizeOf(kind);
  std::copy_n(from.bytes.begin() + fromIndex * size, count * size, bytes.begin() + index * size);
}

Tensor Tensor::reshaped(ArrayRef<int64_t> newShape) const {
  Tensor result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  return result;
}

bool Tensor::identical(const Tensor &other) const {
  if (kind != other.kind || shape != other.shape)
    return false;
  if (bytes == other.bytes)
    return strings == other.strings;
  if (!isFloatKind(kind))
    return false;
  for (int64_t i = 0, n = getNumElements(); i < n; ++i) {
    double a = getFloat(i), b = other.getFloat(i);
    bool same = std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
    if (!same)
      return false;
  }
  return true;
}

Tensor Rows::densify(int64_t numRows) const {
  SmallVector<int64_t> shape(rows.getShape());
  shape[0] = numRows;
  Tensor result(rows.getKind(), shape);
  int64_t width = rows.getRowSize();
  for (int64_t k = 0; k < count; ++k)
    result.copyElements(ids.getInteger(k) * width, rows, k * width, width);
  return result;
}
