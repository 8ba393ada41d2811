// Moves: registers, vectors of them, addresses.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"
#include "test/lib/ptxemu/LocalCopy.h"

#include <chrono>

namespace ptxemu {

template <typename Slot> static bool copySlots(Warp &warp, const Inst &inst, uint32_t active) {
  Slot *dst = warp.lanes<Slot>(inst.dst);
  const Slot *a = warp.lanes<Slot>(inst.a);
  forLanes(active, [&](unsigned i) { dst[i] = a[i]; });
  return true;
}
bool copyNarrow(Warp &warp, const Inst &inst, uint32_t active) { return copySlots<uint32_t>(warp, inst, active); }
bool copyWide(Warp &warp, const Inst &inst, uint32_t active) { return copySlots<uint64_t>(warp, inst, active); }
bool copyPredicate(Warp &warp, const Inst &inst, uint32_t active) {
  uint32_t &dst = warp.predicate(inst.dst);
  dst = (dst & ~active) | (warp.predicate(inst.a) & active);
  return true;
}
bool copyLocal(Warp &warp, const Inst &inst, uint32_t active) {
  Block &block = warp.block();
  forLanes(active, [&](unsigned lane) {
    const uint64_t frame = (warp.first() + lane) * block.kernel.localBytes;
    memcpy(block.local.data() + frame + inst.dst, block.local.data() + frame + inst.a, inst.imm);
    for (uint64_t i = 0; i < inst.imm; ++i)
      block.localInit.set(frame + inst.dst + i, 1, block.localInit.test(frame + inst.a + i, 1));
  });
  return true;
}

namespace {

/// {a, b, ...} to one register; type is that of the whole, count the number of parts.
bool pack(Warp &warp, const Inst &inst, uint32_t active) {
  const unsigned bits = 8 * sizeOf(inst.type) / inst.count;
  const uint64_t mask = (1ull << bits) - 1; // parts have at most 32 bits
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  forLanes(active, [&](unsigned lane) {
    uint64_t value = 0;
    for (unsigned k = 0; k < inst.count; ++k)
      value |= (warp.lanes<uint32_t>(places[k])[lane] & mask) << (k * bits);
    if (sizeOf(inst.type) == 8)
      warp.lanes<uint64_t>(inst.dst)[lane] = value;
    else
      warp.lanes<uint32_t>(inst.dst)[lane] = static_cast<uint32_t>(value);
  });
  return true;
}
bool unpack(Warp &warp, const Inst &inst, uint32_t active) {
  const unsigned bits = 8 * sizeOf(inst.type) / inst.count;
  const uint64_t mask = (1ull << bits) - 1;
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  forLanes(active, [&](unsigned lane) {
    const uint64_t value =
        sizeOf(inst.type) == 8 ? warp.lanes<uint64_t>(inst.a)[lane] : warp.lanes<uint32_t>(inst.a)[lane];
    for (unsigned k = 0; k < inst.count; ++k)
      warp.lanes<uint32_t>(places[k])[lane] = static_cast<uint32_t>(value >> (k * bits) & mask);
  });
  return true;
}

/// Time, which is the number of instructions so far (mode 0) or nanoseconds (mode 1).
bool readClock(Warp &warp, const Inst &inst, uint32_t active) {
  uint64_t now = warp.block().grid.result.counters.warpInstructions + ++warp.block().effects;
  if (inst.mode == 1)
    now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  if (inst.flag)
    now >>= 32;
  forLanes(active, [&](unsigned lane) {
    if (sizeOf(inst.type) == 8)
      warp.lanes<uint64_t>(inst.dst)[lane] = now;
    else
      warp.lanes<uint32_t>(inst.dst)[lane] = static_cast<uint32_t>(now);
  });
  return true;
}

/// The address of `a` in another space: Inst::imm is added (or taken away with flag), where it is the window.
bool convertAddress(Warp &warp, const Inst &inst, uint32_t active) {
  const uint64_t *a = warp.lanes<uint64_t>(inst.a);
  uint64_t *dst = warp.lanes<uint64_t>(inst.dst);
  forLanes(active, [&](unsigned lane) { dst[lane] = inst.flag ? a[lane] - inst.imm : a[lane] + inst.imm; });
  return true;
}

bool isInSpace(Warp &warp, const Inst &inst, uint32_t active) {
  const uint64_t *a = warp.lanes<uint64_t>(inst.a);
  uint32_t &dst = warp.predicate(inst.dst);
  DeviceMemory &memory = warp.block().grid.memory;
  forLanes(active, [&](unsigned lane) {
    const Space real = spaceOf(a[lane]);
    bool holds = real == inst.space;
    if (inst.space == Space::Const) {
      Allocation *found = memory.find(a[lane]);
      holds = real == Space::Global && found && found->readOnly && found->contains(a[lane], 1);
    }
    dst = (dst & ~(1u << lane)) | static_cast<uint32_t>(holds) << lane;
  });
  return true;
}

bool dynamicSpecial(Decoder &d, const std::string &name, Type type) {
  if (name != "%clock" && name != "%clock64" && name != "%clock_hi" && name != "%globaltimer" &&
      name != "%globaltimer_lo" && name != "%globaltimer_hi")
    return false;
  const bool wide = name == "%clock64" || name == "%globaltimer";
  if (wide != (sizeOf(type) == 8))
    d.fail("special register '" + name + "' as ." + std::string(nameOf(type)));
  d.inst.mode = name[1] == 'g';
  d.inst.flag = name.size() > 3 && name.substr(name.size() - 3) == "_hi";
  d.inst.type = type;
  d.inst.dst = d.destination(0, type);
  d.inst.run = readClock;
  return true;
}

void decodeMove(Decoder &d) {
  const Type type = d.type();
  d.expectOperands(2, 2);
  const Operand &to = d.operand(0), &from = d.operand(1);
  if (from.kind == Operand::Special && dynamicSpecial(d, from.name, type))
    return;
  d.inst.type = type;
  if (type == Type::Pred) {
    d.inst.dst = d.predicateDestination(to);
    if (from.kind == Operand::Special)
      d.inst.a = d.source(from, type);
    else
      d.inst.a = d.predicate(from);
    d.inst.run = copyPredicate;
    return;
  }
  const bool packs = from.kind == Operand::Vector, unpacks = to.kind == Operand::Vector;
  if (packs || unpacks) {
    const std::vector<Operand> &parts = packs ? from.parts : to.parts;
    const unsigned count = static_cast<unsigned>(parts.size());
    if ((count != 2 && count != 4) || !isBits(type) || sizeOf(type) / count < 1 || (packs && unpacks))
      return d.fail("vector of " + std::to_string(count) + " elements in 'mov." + std::string(nameOf(type)) + "'");
    const Type part = sizeOf(type) / count == 1 ? Type::B8 : sizeOf(type) / count == 2 ? Type::B16 : Type::B32;
    std::vector<uint32_t> places;
    for (const Operand &operand : parts) {
      // Bytes lie in registers of 16 bits, or wider.
      places.push_back(packs ? d.source(operand, part, part == Type::B8, true)
                             : d.destination(operand, part, part == Type::B8));
    }
    d.inst.count = static_cast<uint8_t>(count);
    d.inst.first = d.addOperands(places);
    if (packs)
      d.inst.dst = d.destination(to, type);
    else
      d.inst.a = d.source(from, type, false, true);
    d.inst.run = packs ? pack : unpack;
    return;
  }
  d.inst.dst = d.destination(to, type);
  d.inst.a = d.source(from, type, false, true);
  d.inst.run = sizeOf(type) == 8 ? copyWide : copyNarrow;
}

void decodeConvertAddress(Decoder &d) {
  d.inst.flag = d.has("to");
  const Space space = d.space();
  const Type type = d.type();
  if (space == Space::Generic || type != Type::U64)
    return d.fail("expected 'cvta' with a space and of type .u64");
  d.expectOperands(2, 2);
  d.inst.imm = windowOf(space);
  d.inst.dst = d.destination(0, type);
  d.inst.a = d.source(1, type);
  d.inst.run = convertAddress;
}

} // namespace

void addMoveOps(OpTable &table) {
  table["mov"] = decodeMove;
  table["cvta"] = decodeConvertAddress;
  table["isspacep"] = [](Decoder &d) {
    d.inst.space = d.space();
    d.expectOperands(2, 2);
    d.inst.dst = d.predicateDestination(d.operand(0));
    d.inst.a = d.source(1, Type::U64);
    d.inst.run = isInSpace;
  };
}

} // namespace ptxemu
