// Texts and fills of cases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpCases.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>
#include <cmath>
#include <limits>

using namespace mlc;
using namespace mlc::execute;
using interp::ElementKind;
using interp::Tensor;

std::string mlc::execute::typeText(ElementKind kind, llvm::ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += (size == kRows ? "?" : std::to_string(size)) + "x";
  return text + interp::kindName(kind).str() + ">";
}

Tolerance mlc::execute::toleranceOf(const Bound &bound, int64_t rows, ElementKind kind,
                                    const interp::Tensor *magnitudes) {
  const double epsilon = kind == ElementKind::F64 ? 0x1p-52 : 0x1p-23;
  Tolerance tolerance;
  tolerance.ulps = bound.ulps;
  tolerance.absolute = bound.absolute * epsilon;
  if (int64_t terms = bound.terms + bound.termsOfRow * rows) {
    assert(magnitudes && "a bound of sums needs magnitudes");
    tolerance.magnitudes = magnitudes;
    tolerance.perMagnitude = static_cast<double>(terms) * epsilon;
  }
  return tolerance;
}

EntryCall mlc::execute::magnitudesOf(const EntryCall &call) {
  EntryCall result = call;
  for (auto &[name, value] : result.features)
    if (interp::isFloatKind(value.getKind()))
      for (int64_t i = 0, n = value.getNumElements(); i < n; ++i)
        value.setFloat(i, std::abs(value.getFloat(i)));
  return result;
}

EntryCall mlc::execute::callOf(const OpCase &which, int64_t rows, uint32_t seed) {
  RandomValues random(seed);
  EntryCall call;
  call.entry = which.name;
  call.rows = rows;
  call.context.seed = 0x123456789abcdef0 + seed;
  call.context.step = (int64_t(7) << 32) + seed;
  call.context.firstRow = 5 * rows;
  for (auto [i, argument] : llvm::enumerate(which.arguments)) {
    std::vector<int64_t> shape = argument.shape;
    for (int64_t &size : shape)
      size = size == kRows ? rows : size;
    call.features[which.name + "/x" + std::to_string(i)] = argument.fill(random, argument.kind, shape);
  }
  return call;
}

std::string mlc::execute::textOf(const OpCase &which) {
  std::string arguments, results;
  for (auto [i, argument] : llvm::enumerate(which.arguments)) {
    std::string number = std::to_string(i);
    arguments += (i ? ", %x" : "%x") + number + ": " + typeText(argument.kind, argument.shape) + " {df.name = \"" +
                 which.name + "/x" + number + "\"}";
  }
  for (auto [i, type] : llvm::enumerate(which.results))
    results += (i ? ", " : "") + type + " {df.name = \"y" + std::to_string(i) + "\"}";
  return which.state + "\ndf.function @" + which.name + "(" + arguments + ") -> (" + results + ") {\n" + which.body +
         "\n}\n";
}

OpCase mlc::execute::caseOfOp(const std::string &op, const std::string &name, const std::vector<Argument> &arguments,
                              const std::string &use, const std::vector<std::string> &results) {
  OpCase which;
  which.ops = {op};
  which.name = op + "_" + name;
  which.arguments = arguments;
  std::string types, yielded, to;
  for (auto [i, argument] : llvm::enumerate(arguments))
    types += (i ? ", " : "") + typeText(argument.kind, argument.shape);
  for (auto [i, type] : llvm::enumerate(results)) {
    yielded += (i ? ", %y#" : "%y#") + std::to_string(i);
    to += (i ? ", " : "") + type;
  }
  which.body = "  %y:" + std::to_string(results.size()) + " = df." + op + " " + use + " : (" + types + ") -> (" + to +
               ")\n  df.return " + yielded + " : " + to;
  which.results = results;
  return which;
}

OpCase mlc::execute::caseOfLines(const std::string &op, const std::string &variant, ElementKind kind,
                                 std::vector<Argument> arguments, std::string lines, std::string result) {
  OpCase which;
  which.ops = {op};
  std::string name = kind == ElementKind::String ? "string" : interp::kindName(kind).str();
  which.name = op + "_" + variant + "_" + name;
  for (std::string *text : {&lines, &result})
    for (size_t at; (at = text->find("$T")) != std::string::npos;)
      text->replace(at, 2, interp::kindName(kind).str());
  bool isDynamic = false;
  for (const Argument &argument : arguments)
    isDynamic |= llvm::is_contained(argument.shape, kRows);
  if (!isDynamic)
    which.rows = {1};
  which.arguments = std::move(arguments);
  which.body = lines + "\n  df.return %y : " + result;
  which.results = {result};
  return which;
}

Fill mlc::execute::between(double low, double high) {
  return [=](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    if (interp::isFloatKind(kind))
      return random.floats(kind, shape, low, high);
    return random.integers(kind, shape, static_cast<int64_t>(low), static_cast<int64_t>(high));
  };
}

template <typename Float> static std::vector<double> specialFloats() {
  using Limits = std::numeric_limits<Float>;
  bool isDouble = sizeof(Float) == 8;
  std::vector<double> values = {0,
                                1,
                                2,
                                3,
                                0.5,
                                0.3,
                                1.5,
                                2.5,
                                10,
                                100.25,
                                Limits::infinity(),
                                Limits::denorm_min(),
                                Limits::denorm_min() * 12345,
                                Limits::min(),
                                Limits::max(),
                                Limits::epsilon(),
                                Float(1) + Limits::epsilon(),
                                Float(1) - Limits::epsilon() / 2,
                                isDouble ? 0x1.8p52 : 0x1.8p23,
                                isDouble ? 0x1p53 : 0x1p24,
                                isDouble ? 709.7 : 88.7,
                                isDouble ? 745.2 : 103.9,
                                isDouble ? 1e300 : 1e30,
                                isDouble ? 1e-300 : 1e-30,
                                127.5,
                                128,
                                32767.5,
                                0x1p31,
                                0x1p63,
                                1.5707963267948966,
                                1e5};
  for (size_t i = 0, n = values.size(); i < n; ++i)
    values.push_back(-values[i]);
  values.push_back(Limits::quiet_NaN());
  return values;
}

/// Element i of place p: of as many values v, value (i / v^p) mod v; elements after all pairs are random.
template <typename T, typename Fn>
static void setSpecial(Tensor &tensor, const std::vector<T> &values, int place, Fn setRandom) {
  auto count = static_cast<int64_t>(values.size());
  std::vector<T> chosen(tensor.getNumElements());
  for (int64_t i = 0, n = tensor.getNumElements(); i < n; ++i)
    chosen[i] = i < count * count ? values[(place ? i / count : i) % count] : setRandom();
  tensor.assign(llvm::ArrayRef(chosen));
}

Fill mlc::execute::special(int place) {
  return [place](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    Tensor result(kind, shape);
    if (interp::isFloatKind(kind)) {
      // Magnitudes of all sizes, some small integers.
      auto any = [&]() -> double {
        double sign = random.below(2) ? 1 : -1;
        if (random.below(4) == 0)
          return sign * static_cast<double>(random.below(20));
        return sign * std::exp2(random.uniform(-40, 40));
      };
      std::vector<double> values = kind == ElementKind::F64 ? specialFloats<double>() : specialFloats<float>();
      // Where f16 and bf16 overflow, become subnormal and tie.
      for (double value : {65504.0, 65519.0, 65520.0, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.ffep-15, 0x1.ffp-126,
                           0x1p-133, 0x1.8p-134, 0x1.fep127, 0x1.ffp127, 1 + 0x1p-11, 1 + 0x1.8p-10, 1 + 0x1p-8,
                           1 + 0x1.8p-7, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 - 0x1p-45})
        values.push_back(value);
      setSpecial(result, values, place, any);
      return result;
    }
    unsigned width = interp::integerWidth(kind);
    std::vector<int64_t> values = {0, 1};
    if (interp::isUnsignedKind(kind)) {
      uint64_t most = llvm::maxUIntN(width), half = uint64_t(1) << (width - 1);
      for (uint64_t value : {uint64_t(2), uint64_t(7), uint64_t(100), half - 1, half, half + 1, most, most - 1,
                             most - 7, uint64_t(16777217), uint64_t(9007199254740993), uint64_t(0x7fffffbfffffffff),
                             uint64_t(0x8000008000000001), uint64_t(0xfffffbfffffffff8)})
        if (llvm::isUIntN(width, value))
          values.push_back(static_cast<int64_t>(value));
    } else if (width > 1) {
      for (int64_t value : {int64_t(-1), int64_t(2), int64_t(7), int64_t(-7), int64_t(100), llvm::minIntN(width),
                            llvm::minIntN(width) + 1, llvm::maxIntN(width), llvm::maxIntN(width) - 1, int64_t(16777217),
                            int64_t(9007199254740993), int64_t(0x7fffffbfffffffff)})
        if (llvm::isIntN(width, value))
          values.push_back(value);
    }
    setSpecial(result, values, place, [&]() -> int64_t {
      return static_cast<int64_t>(static_cast<uint64_t>(random.below(INT64_MAX)) << (random.below(2) ? 1 : 0)) >>
             random.below(60);
    });
    return result;
  };
}

Fill mlc::execute::specialButZero(int place) {
  return [fill = special(place)](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    Tensor result = fill(random, kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      if (result.getInteger(i) == 0)
        result.setInteger(i, 3);
    return result;
  };
}

Fill mlc::execute::zeros() {
  return [](RandomValues &random, ElementKind kind, llvm::ArrayRef<int64_t> shape) {
    Tensor result(kind, shape);
    for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
      result.setFloat(i, random.below(2) ? -0.0 : 0.0);
    return result;
  };
}

Fill mlc::execute::words() {
  return [](RandomValues &random, ElementKind, llvm::ArrayRef<int64_t> shape) {
    return random.strings(shape, {"", "a", "b", "omar", "stringer", "0", "-7", "a text that is longer than a register",
                                  "\xc3\xa4\xc3\xb6", "A", "a ", "9223372036854775807"});
  };
}

Fill mlc::execute::truths() { return between(0, 2); }
