// Names of types and spaces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Types.h"

#include <iterator>

namespace ptxemu {

static constexpr std::string_view kTypes[] = {
    "none", "pred", "b8",  "b16",   "b32",  "b64",    "b128", "u8",  "u16",  "u32",  "u64",  "s8",     "s16",
    "s32",  "s64",  "f16", "f16x2", "bf16", "bf16x2", "f32",  "f64", "tf32", "e4m3", "e5m2", "e4m3x2", "e5m2x2"};

Type typeNamed(std::string_view name) {
  for (size_t i = 1; i < std::size(kTypes); ++i)
    if (kTypes[i] == name)
      return static_cast<Type>(i);
  return Type::None;
}

std::string_view nameOf(Type type) { return kTypes[static_cast<size_t>(type)]; }

std::string_view nameOf(Space space) {
  static constexpr std::string_view names[] = {"generic", "global", "shared", "local", "param", "const"};
  return names[static_cast<size_t>(space)];
}

} // namespace ptxemu
