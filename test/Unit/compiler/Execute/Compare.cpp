// Comparison of tensors within a stated bound.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compare.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>
#include <limits>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;

/// Position of a float in the order of all floats of its format, zeros being one.
template <typename Float, typename Integer> static int64_t positionOf(Float value) {
  auto bits = llvm::bit_cast<Integer>(value);
  return bits < 0 ? -static_cast<int64_t>(bits & std::numeric_limits<Integer>::max()) : static_cast<int64_t>(bits);
}

/// `absolute` is the whole absolute error allowed.
static bool isWithin(double expected, double found, ElementKind kind, const Tolerance &tolerance, double absolute) {
  if (std::isnan(expected))
    return std::isnan(found) || tolerance.undefinedElements;
  if (expected == found)
    return std::signbit(expected) == std::signbit(found) || tolerance.ulps || absolute > 0;
  if (std::isnan(found) || std::isinf(expected) || std::isinf(found))
    return false;
  if (absolute > 0 && std::abs(expected - found) <= absolute)
    return true;
  int64_t distance = kind == ElementKind::F64
                         ? positionOf<double, int64_t>(expected) - positionOf<double, int64_t>(found)
                         : positionOf<float, int32_t>(static_cast<float>(expected)) -
                               positionOf<float, int32_t>(static_cast<float>(found));
  // Numbers of halves lie among those of f32.
  const int64_t unit = kind == ElementKind::F16 ? 1 << 13 : kind == ElementKind::BF16 ? 1 << 16 : 1;
  return std::abs(distance) <= tolerance.ulps * unit;
}

static void print(llvm::raw_ostream &os, const Tensor &tensor, int64_t i) {
  if (tensor.getKind() == ElementKind::String) {
    os << '\'' << tensor.getString(i) << '\'';
  } else if (interp::isFloatKind(tensor.getKind())) {
    char text[64];
    double value = tensor.getFloat(i);
    os << llvm::StringRef(text, std::to_chars(text, text + sizeof(text), value).ptr - text);
    os << " ("
       << llvm::StringRef(text, std::to_chars(text, text + sizeof(text), value, std::chars_format::hex).ptr - text)
       << ')';
  } else {
    os << tensor.getInteger(i);
  }
}

std::string mlc::execute::differenceOf(const Tensor &expected, const Tensor &found, const Tolerance &tolerance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (expected.getKind() != found.getKind() || expected.getShape() != found.getShape()) {
    auto describe = [&](const Tensor &tensor) {
      for (int64_t size : tensor.getShape())
        os << size << 'x';
      os << kindName(tensor.getKind());
    };
    os << "is ";
    describe(found);
    os << ", expected ";
    describe(expected);
    return text;
  }
  int64_t count = 0;
  for (int64_t i = 0, n = expected.getNumElements(); i < n; ++i) {
    bool same;
    double absolute = tolerance.absolute;
    if (tolerance.magnitudes)
      absolute += tolerance.perMagnitude * tolerance.magnitudes->getFloat(i);
    if (expected.getKind() == ElementKind::String)
      same = expected.getString(i) == found.getString(i);
    else if (interp::isFloatKind(expected.getKind()))
      same = isWithin(expected.getFloat(i), found.getFloat(i), expected.getKind(), tolerance, absolute);
    else
      same = expected.getInteger(i) == found.getInteger(i) ||
             (tolerance.undefinedElements && expected.getInteger(i) == std::numeric_limits<int64_t>::max());
    if (same)
      continue;
    if (++count <= 5) {
      os << (count == 1 ? "" : "; ") << "element " << i << " is ";
      print(os, found, i);
      os << ", expected ";
      print(os, expected, i);
    }
  }
  if (count > 5)
    os << "; " << count << " of " << expected.getNumElements() << " elements in all";
  return text;
}

std::string mlc::execute::differenceOf(const TensorMap &expected, const TensorMap &found, const Tolerance &tolerance) {
  for (const auto &[name, value] : expected) {
    auto it = found.find(name);
    if (it == found.end())
      return "'" + name + "' is missing";
    if (std::string difference = differenceOf(value, it->second, tolerance); !difference.empty())
      return "'" + name + "': " + difference;
  }
  return expected.size() == found.size() ? "" : "there are more values than expected";
}
