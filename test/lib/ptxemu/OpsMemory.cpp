// Loads and stores.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"

#include <algorithm>

namespace ptxemu {

namespace {

// Inst::a and offset are the address, count the elements. Places of elements stand at Kernel::operands[first]; their
// lowest bit says that the register has 8 bytes. flag: strong; flag2: through the non-coherent path.

void count(Warp &warp, const Inst &inst, const uint64_t *addresses, uint32_t active, unsigned size) {
  if (!warp.block().grid.options.countAccesses || inst.space == Space::Param || inst.space == Space::Local)
    return;
  Space space = inst.space;
  uint64_t shifted[32];
  if (space == Space::Generic) {
    space = spaceOf(addresses[__builtin_ctz(active)]);
    for (uint32_t rest = active; rest; rest &= rest - 1)
      shifted[__builtin_ctz(rest)] = addresses[__builtin_ctz(rest)] - windowOf(space);
    addresses = shifted;
  }
  if (space == Space::Shared)
    warp.countShared(addresses, active, size);
  else if (space == Space::Global)
    warp.countGlobal(addresses, active, size);
}

template <typename T> bool load(Warp &warp, const Inst &inst, uint32_t active) {
  const unsigned size = sizeof(T) * inst.count;
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  uint64_t addresses[32];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = warp.addressAt(inst.a, lane) + static_cast<uint64_t>(inst.offset);
    addresses[lane] = address;
    const uint8_t *bytes = warp.access(inst, lane, inst.space, address, size, size, Use::Load, inst.flag, inst.flag2);
    if (!bytes)
      return false;
    for (unsigned k = 0; k < inst.count; ++k) {
      T value;
      memcpy(&value, bytes + k * sizeof(T), sizeof(T));
      // A signed one fills its register with its sign.
      const uint64_t wide = static_cast<uint64_t>(static_cast<int64_t>(value));
      if (places[k] & 1)
        warp.lanes<uint64_t>(places[k] & ~1u)[lane] = wide;
      else
        warp.lanes<uint32_t>(places[k])[lane] = static_cast<uint32_t>(wide);
    }
  }
  count(warp, inst, addresses, active, size);
  return true;
}
template <typename T> struct Load {
  static constexpr Handler run = load<T>;
};

template <typename T> bool store(Warp &warp, const Inst &inst, uint32_t active) {
  const unsigned size = sizeof(T) * inst.count;
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  uint64_t addresses[32];
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    const uint64_t address = warp.addressAt(inst.a, lane) + static_cast<uint64_t>(inst.offset);
    addresses[lane] = address;
    uint8_t *bytes = warp.access(inst, lane, inst.space, address, size, size, Use::Store, inst.flag);
    if (!bytes)
      return false;
    for (unsigned k = 0; k < inst.count; ++k) {
      const T value = static_cast<T>(places[k] & 1 ? warp.lanes<uint64_t>(places[k] & ~1u)[lane]
                                                   : warp.lanes<uint32_t>(places[k])[lane]);
      memcpy(bytes + k * sizeof(T), &value, sizeof(T));
    }
  }
  count(warp, inst, addresses, active, size);
  return true;
}
template <typename T> struct Store {
  static constexpr Handler run = store<T>;
};

/// The type of the integer that holds the bits of `type`, signed where that matters.
Type carrier(Type type) {
  if (isSigned(type))
    return type;
  switch (sizeOf(type)) {
  case 1:
    return Type::U8;
  case 2:
    return Type::U16;
  case 4:
    return Type::U32;
  case 8:
    return Type::U64;
  default:
    return Type::None;
  }
}

/// .v2, .v4 or .v8, and the type; elements of `operand` in Inst::first.
Type decodeElements(Decoder &d, const Operand &operand, bool isLoad) {
  const int vector = d.oneOf({"v2", "v4", "v8"}, true);
  const unsigned count = vector < 0 ? 1 : 2u << vector;
  const Type type = d.type();
  if (type == Type::Pred || sizeOf(type) * count > 32 || sizeOf(type) > 8)
    d.fail("'" + d.statement().opcode + "' of " + std::to_string(count) + " elements of type ." +
           std::string(nameOf(type)));
  std::vector<const Operand *> parts;
  if (operand.kind == Operand::Vector) {
    for (const Operand &part : operand.parts)
      parts.push_back(&part);
  } else {
    parts.push_back(&operand);
  }
  if (parts.size() != count || (count > 1) != (operand.kind == Operand::Vector))
    d.fail("a vector of " + std::to_string(parts.size()) + " elements, expected " + std::to_string(count));
  std::vector<uint32_t> places;
  for (const Operand *part : parts) {
    const uint32_t place = isLoad ? d.destination(*part, type, true) : d.source(*part, type, true);
    const bool wide = part->kind == Operand::Register ? d.isWide(*part) : sizeOf(type) == 8;
    places.push_back(place | (wide ? 1 : 0));
  }
  d.inst.count = static_cast<uint8_t>(count);
  d.inst.first = d.addOperands(places);
  return type;
}

void decodeLoad(Decoder &d) {
  d.orderModifiers();
  d.inst.space = d.space();
  const bool hint = d.cacheModifiers();
  d.inst.flag2 = d.has("nc");
  d.has("unified");
  d.expectOperands(2, hint ? 3 : 2);
  const Type type = decodeElements(d, d.operand(0), true);
  d.inst.space = d.address(d.operand(1), d.inst.space, d.inst.a, d.inst.offset);
  d.inst.run =
      handlerFor<Load, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>(carrier(type));
}

void decodeStore(Decoder &d) {
  d.orderModifiers();
  d.inst.space = d.space();
  const bool hint = d.cacheModifiers();
  d.expectOperands(2, hint ? 3 : 2);
  const Type type = decodeElements(d, d.operand(1), false);
  d.inst.space = d.address(d.operand(0), d.inst.space, d.inst.a, d.inst.offset);
  d.inst.run =
      handlerFor<Store, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t>(carrier(type));
}

bool nothing(Warp &, const Inst &, uint32_t) { return true; }

/// A hint: its address is decoded, and nothing is done.
void decodePrefetch(Decoder &d) {
  d.has("tensormap");
  const Space space = d.space();
  for (const char *name : {"L1", "L2", "L2::evict_last", "L2::evict_normal"})
    d.has(name);
  d.cacheModifiers();
  d.expectOperands(1, 2);
  d.address(d.operand(0), space, d.inst.a, d.inst.offset);
  d.inst.run = nothing;
}

} // namespace

void addMemoryOps(OpTable &table) {
  table["ld"] = decodeLoad;
  table["ldu"] = decodeLoad;
  table["st"] = decodeStore;
  table["prefetch"] = decodePrefetch;
  table["prefetchu"] = decodePrefetch;
  table["applypriority"] = decodePrefetch;
  table["discard"] = decodePrefetch;
}

} // namespace ptxemu
