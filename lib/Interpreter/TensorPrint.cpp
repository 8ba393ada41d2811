// Text of the interpreter's values, stable enough for FileCheck.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Interpreter/Tensor.h"

#include "llvm/ADT/StringExtras.h"

#include <charconv>
#include <cmath>

using namespace mlir;
using namespace mlc::interp;

template <typename T> static void printShortest(raw_ostream &os, T value) {
  if (std::isnan(value)) {
    os << "nan"; // the sign and payload of a NaN mean nothing
    return;
  }
  char text[64];
  auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  os << StringRef(text, end - text);
}

void mlc::interp::printElement(raw_ostream &os, const Tensor &tensor, int64_t i) {
  switch (tensor.getKind()) {
  case ElementKind::String:
    os << '"';
    llvm::printEscapedString(tensor.getString(i), os);
    os << '"';
    return;
  case ElementKind::I1:
    os << (tensor.getInteger(i) ? "true" : "false");
    return;
  case ElementKind::F64:
    return printShortest(os, tensor.getFloat(i));
  case ElementKind::F16:
  case ElementKind::BF16:
  case ElementKind::F32:
    return printShortest(os, static_cast<float>(tensor.getFloat(i)));
  case ElementKind::UI64:
    os << static_cast<uint64_t>(tensor.getInteger(i));
    return;
  default:
    os << tensor.getInteger(i);
  }
}

/// Prints the elements from `index` on that the dimensions from `dimension` on span, in brackets; moves `index` on.
static void printElements(raw_ostream &os, const Tensor &tensor, int64_t dimension, int64_t &index) {
  if (dimension == tensor.getRank()) {
    printElement(os, tensor, index++);
    return;
  }
  os << '[';
  for (int64_t i = 0; i < tensor.getDimSize(dimension); ++i) {
    if (i)
      os << ", ";
    printElements(os, tensor, dimension + 1, index);
  }
  os << ']';
}

raw_ostream &mlc::interp::operator<<(raw_ostream &os, const Tensor &tensor) {
  os << "tensor<";
  for (int64_t size : tensor.getShape())
    os << size << 'x';
  os << kindName(tensor.getKind()) << "> ";
  int64_t index = 0;
  printElements(os, tensor, 0, index);
  return os;
}

raw_ostream &mlc::interp::operator<<(raw_ostream &os, const Rows &rows) {
  os << "rows {";
  int64_t index = 0;
  for (int64_t k = 0; k < rows.count; ++k) {
    if (k)
      os << ", ";
    os << rows.ids.getInteger(k) << ": ";
    // One row's elements: the dimensions after the first.
    printElements(os, rows.rows, 1, index);
  }
  return os << '}';
}

raw_ostream &mlc::interp::operator<<(raw_ostream &os, const RuntimeValue &value) {
  std::visit([&](const auto &held) { os << held; }, value);
  return os;
}
