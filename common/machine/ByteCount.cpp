// Bytes as people write them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/machine/ByteCount.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

namespace mlc::common {

std::optional<int64_t> parseByteCount(std::string_view text) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string number(text.substr(0, digits));
  std::string_view unit = digits == text.npos ? std::string_view() : text.substr(digits);
  while (!unit.empty() && unit.front() == ' ')
    unit.remove_prefix(1);
  char *end = nullptr;
  const double count = std::strtod(number.c_str(), &end);
  if (number.empty() || *end)
    return std::nullopt;
  static constexpr std::pair<std::string_view, double> units[] = {
      {"", 1},      {"B", 1},        {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
      {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  for (const auto &[name, factor] : units)
    if (name == unit && count * factor < 0x1p62)
      return static_cast<int64_t>(std::floor(count * factor));
  return std::nullopt;
}

} // namespace mlc::common
