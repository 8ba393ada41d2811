// GPUs of NVIDIA that PTX is made for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Target/CUDA/Chips.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mlc;

static constexpr Chip kChips[] = {{"sm_80", "+ptx80"},  {"sm_86", "+ptx80"},   {"sm_87", "+ptx80"},
                                  {"sm_89", "+ptx80"},  {"sm_90", "+ptx80"},   {"sm_90a", "+ptx80", true},
                                  {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"}, {"sm_120", "+ptx87"},
                                  {"sm_120a", "+ptx87"}};

const Chip *mlc::findChip(StringRef name) {
  const auto *found = find_if(kChips, [&](const Chip &chip) { return chip.name == name; });
  return found == std::end(kChips) ? nullptr : found;
}

std::string mlc::checkChip(StringRef name) {
  if (findChip(name))
    return {};
  std::string known;
  for (const Chip &chip : kChips)
    known += (known.empty() ? "" : ", ") + chip.name.str();
  return ("unknown chip '" + name + "'; expected one of " + known).str();
}

std::vector<std::string> mlc::chipsOrDefault(ArrayRef<std::string> chips) {
  return chips.empty() ? std::vector<std::string>{"sm_80", "sm_90a"} : chips.vec();
}

bool mlc::haveWarpgroups(ArrayRef<std::string> chips) {
  return any_of(chips, [](StringRef name) {
    const Chip *chip = findChip(name);
    return chip && chip->hasWarpgroups;
  });
}

std::vector<std::string> mlc::latestFirst(std::vector<std::string> chips) {
  stable_sort(chips, [](StringRef a, StringRef b) { return findChip(a) > findChip(b); });
  return chips;
}
