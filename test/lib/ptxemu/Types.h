// Types of PTX, and the spaces its memory is divided in.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_TYPES_H
#define MLC_TEST_LIB_PTXEMU_TYPES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxemu {

/// A fundamental or packed type of PTX.
enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  TF32,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
};

/// Bytes of a value of `type` in memory; a predicate has 1.
inline unsigned sizeOf(Type type) {
  switch (type) {
  case Type::None:
    return 0;
  case Type::Pred:
  case Type::B8:
  case Type::U8:
  case Type::S8:
  case Type::E4M3:
  case Type::E5M2:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
  case Type::E4M3x2:
  case Type::E5M2x2:
    return 2;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
    return 8;
  case Type::B128:
    return 16;
  default:
    return 4;
  }
}

inline bool isSigned(Type type) { return type >= Type::S8 && type <= Type::S64; }
inline bool isFloat(Type type) { return type >= Type::F16; }
inline bool isBits(Type type) { return type >= Type::B8 && type <= Type::B128; }
inline bool isInteger(Type type) { return type >= Type::U8 && type <= Type::S64; }

/// The type that PTX calls `name` (without the dot); None if there is none.
Type typeNamed(std::string_view name);
/// What PTX calls `type`.
std::string_view nameOf(Type type);

/// A state space. Generic is an address whose value tells the space.
enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };
std::string_view nameOf(Space space);

// Windows of the generic address space. Global memory begins above all of them.
constexpr uint64_t kSharedWindow = 0x0100'0000'0000ull;
constexpr uint64_t kLocalWindow = 0x0200'0000'0000ull;
constexpr uint64_t kParamWindow = 0x0300'0000'0000ull;
constexpr uint64_t kWindowSize = 0x0100'0000'0000ull;

/// The space of a generic address.
inline Space spaceOf(uint64_t address) {
  switch (address / kWindowSize) {
  case 1:
    return Space::Shared;
  case 2:
    return Space::Local;
  case 3:
    return Space::Param;
  default:
    return Space::Global;
  }
}

/// What is added to an address in `space` to make it generic.
inline uint64_t windowOf(Space space) {
  switch (space) {
  case Space::Shared:
    return kSharedWindow;
  case Space::Local:
    return kLocalWindow;
  case Space::Param:
    return kParamWindow;
  default:
    return 0;
  }
}

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_TYPES_H
