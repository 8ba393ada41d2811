// Bulk copies between global and shared memory: linear ones and boxes of tensors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/OpsBulk.h"
#include "test/lib/ptxemu/Lanes.h"
#include "test/lib/ptxemu/TensorMap.h"

namespace ptxemu {

namespace {

// To shared memory: a is the destination, b the source (a tensor map or an address), c the mbarrier. To global memory:
// a is the source in shared memory, b the destination. d is the size of a linear copy. Coordinates:
// Kernel::operands[first], count of them. flag: to shared memory; flag2: of a tensor.

/// A piece of at most 16 bytes of a copy.
struct Piece {
  uint64_t shared, global;
  unsigned bytes; ///< 0: lies outside of the tensor
};

bool readMap(Warp &warp, const Inst &inst, unsigned lane, TensorMap &map) {
  const uint64_t address = warp.addressAt(inst.b, lane);
  uint8_t bytes[128];
  for (unsigned part = 0; part < 2; ++part) {
    const uint8_t *from = warp.access(inst, lane, Space::Generic, address + 64 * part, 64, 64, Use::Load);
    if (!from)
      return false;
    memcpy(bytes + 64 * part, from, 64);
  }
  memcpy(&map, bytes, sizeof map);
  if (map.magic == TensorMap::kMagic && map.rank == inst.count)
    return true;
  return warp.report(Mistake::Invalid, inst, lane,
                     map.magic == TensorMap::kMagic ? "a tensor map of " + std::to_string(map.rank) +
                                                          " dimensions, expected " + std::to_string(inst.count)
                                                    : "no tensor map stands there");
}

/// The pieces of the box at the coordinates of `lane`.
bool boxPieces(Warp &warp, const Inst &inst, unsigned lane, uint64_t shared, TensorMap &map,
               std::vector<Piece> &pieces) {
  if (!readMap(warp, inst, lane, map))
    return false;
  const unsigned alignment = map.swizzle ? 128u << map.swizzle : 128;
  if (shared % 128 || (inst.flag && map.swizzle && shared % alignment))
    return warp.report(Mistake::Misaligned, inst, lane,
                       "a box at " + std::to_string(shared) + " in shared memory, expected a multiple of " +
                           std::to_string(map.swizzle ? alignment : 128));
  int64_t at[5] = {};
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  uint64_t rows = 1;
  for (unsigned i = 0; i < map.rank; ++i) {
    at[i] = static_cast<int32_t>(warp.lanes<uint32_t>(places[i])[lane]);
    if (i)
      rows *= map.box[i];
  }
  const unsigned rowBytes = map.box[0] * map.elementSize;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t rest = row, address = map.address;
    bool inside = true;
    for (unsigned i = 1; i < map.rank; ++i) {
      const int64_t index = at[i] + static_cast<int64_t>(rest % map.box[i]);
      rest /= map.box[i];
      inside = inside && index >= 0 && static_cast<uint64_t>(index) < map.sizes[i];
      address += static_cast<uint64_t>(index) * map.strides[i - 1];
    }
    for (unsigned byte = 0; byte < rowBytes; byte += map.elementSize) {
      const int64_t index = at[0] + byte / map.elementSize;
      Piece piece;
      const uint64_t linear = shared + row * rowBytes + byte;
      piece.shared = swizzled(linear & ~15ull, map.swizzle) | (linear & 15);
      piece.global = address + static_cast<uint64_t>(index) * map.elementSize;
      piece.bytes = inside && index >= 0 && static_cast<uint64_t>(index) < map.sizes[0] ? map.elementSize : 0;
      // Elements that lie side by side go together.
      if (!pieces.empty()) {
        Piece &last = pieces.back();
        if (last.bytes && piece.bytes && last.bytes + piece.bytes <= 16 && last.shared + last.bytes == piece.shared &&
            last.global + last.bytes == piece.global && piece.shared % 16) {
          last.bytes += piece.bytes;
          continue;
        }
      }
      pieces.push_back(piece);
    }
  }
  return true;
}

bool linearPieces(Warp &warp, const Inst &inst, unsigned lane, uint64_t shared, std::vector<Piece> &pieces) {
  const uint64_t global = warp.addressAt(inst.b, lane);
  const uint32_t size = warp.lanes<uint32_t>(inst.d)[lane];
  if (size % 16 || shared % 16 || global % 16)
    return warp.report(Mistake::Misaligned, inst, lane,
                       "a bulk copy of " + std::to_string(size) +
                           " bytes, expected size and addresses to be multiples of 16");
  for (uint32_t i = 0; i < size; i += 16)
    pieces.push_back({shared + i, global + i, 16});
  return true;
}

bool toShared(Warp &warp, const Inst &inst, unsigned lane) {
  Block &block = warp.block();
  const uint64_t shared = sharedAddress(warp, inst, Space::Shared, inst.a, inst.offset, lane);
  const uint64_t address = sharedAddress(warp, inst, Space::Shared, inst.c, static_cast<int64_t>(inst.imm), lane);
  if (!barrierAt(warp, inst, lane, address))
    return false;
  auto pieces = std::make_shared<std::vector<Piece>>();
  TensorMap map = {};
  if (inst.flag2 ? !boxPieces(warp, inst, lane, shared, map, *pieces)
                 : !linearPieces(warp, inst, lane, shared, *pieces))
    return false;
  const unsigned whole = map.elementSize;
  uint64_t total = 0;
  for (const Piece &piece : *pieces) {
    const unsigned bytes = piece.bytes ? piece.bytes : whole;
    total += bytes;
    if (!warp.access(inst, lane, Space::Shared, piece.shared, bytes, 1, Use::Store))
      return false;
  }
  // Pieces of the same copy may share a word.
  for (const Piece &piece : *pieces) {
    const unsigned bytes = piece.bytes ? piece.bytes : whole;
    // It is no thread's any more: what reads it by the same proxy needs no fence.
    block.async.generic.note(block.shared.size(), piece.shared, bytes, {});
    block.async.addWrites(block.shared.size(), static_cast<uint32_t>(piece.shared), bytes);
  }
  ++block.grid.result.counters.asyncCopies;
  const bool fillNaN = map.fillNaN;
  block.async.landings.push_back([&warp, &inst, lane, pieces, whole, total, address, fillNaN] {
    Block &block = warp.block();
    for (const Piece &piece : *pieces) {
      const unsigned bytes = piece.bytes ? piece.bytes : whole;
      block.async.removeWrites(static_cast<uint32_t>(piece.shared), bytes);
      uint8_t *to = block.shared.data() + piece.shared;
      if (piece.bytes) {
        const uint8_t *from = warp.access(inst, lane, Space::Global, piece.global, bytes, 1, Use::Load);
        if (!from)
          return false;
        memcpy(to, from, bytes);
      } else {
        memset(to, fillNaN ? 0xff : 0, bytes);
      }
      block.sharedInit.set(piece.shared, bytes);
    }
    MemoryBarrier *barrier = barrierAt(warp, inst, lane, address);
    if (!barrier)
      return false;
    barrier->bytes -= static_cast<int64_t>(total);
    block.clocks.release(warp.first() + lane, barrier->arriving);
    block.update(*barrier);
    return true;
  });
  return true;
}

bool toGlobal(Warp &warp, const Inst &inst, unsigned lane) {
  Block &block = warp.block();
  const uint64_t shared = sharedAddress(warp, inst, Space::Shared, inst.a, inst.offset, lane);
  auto pieces = std::make_shared<std::vector<Piece>>();
  TensorMap map = {};
  if (inst.flag2 ? !boxPieces(warp, inst, lane, shared, map, *pieces)
                 : !linearPieces(warp, inst, lane, shared, *pieces))
    return false;
  for (const Piece &piece : *pieces)
    if (piece.bytes)
      warp.crossProxies(inst, lane, piece.shared, piece.bytes);
  ++block.grid.result.counters.asyncCopies;
  block.async.stores[warp.first() + lane].open.push_back([&warp, &inst, lane, pieces] {
    for (const Piece &piece : *pieces) {
      if (!piece.bytes)
        continue;
      const uint8_t *from = warp.access(inst, lane, Space::Shared, piece.shared, piece.bytes, 1, Use::Load);
      uint8_t *to = from ? warp.access(inst, lane, Space::Global, piece.global, piece.bytes, 1, Use::Store) : nullptr;
      if (!to)
        return false;
      memcpy(to, from, piece.bytes);
    }
    return true;
  });
  return true;
}

bool bulkCopy(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (inst.flag ? !toShared(warp, inst, lane) : !toGlobal(warp, inst, lane))
      return false;
  }
  return true;
}

bool commitStores(Warp &warp, const Inst &, uint32_t active) {
  forLanes(active, [&](unsigned lane) {
    AsyncState::Stores &stores = warp.block().async.stores[warp.first() + lane];
    stores.groups.push_back(std::move(stores.open));
    stores.open.clear();
  });
  return true;
}

bool waitStores(Warp &warp, const Inst &inst, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    AsyncState::Stores &stores = warp.block().async.stores[warp.first() + static_cast<unsigned>(__builtin_ctz(rest))];
    while (stores.groups.size() > inst.imm) {
      for (AsyncState::Landing &landing : stores.groups.front())
        if (!landing())
          return false;
      stores.groups.pop_front();
    }
  }
  return true;
}

void decodeCoordinates(Decoder &d, const Operand &operand) {
  const Operand *list = operand.kind == Operand::Memory && operand.parts.size() > 1 ? &operand.parts[1] : nullptr;
  if (!list || list->kind != Operand::Vector || list->parts.size() != d.inst.count)
    return d.fail("expected a tensor map with " + std::to_string(d.inst.count) + " coordinates");
  std::vector<uint32_t> places;
  for (const Operand &part : list->parts)
    places.push_back(d.source(part, Type::B32));
  d.inst.first = d.addOperands(places);
}

} // namespace

void decodeBulk(Decoder &d) {
  Inst &inst = d.inst;
  if (d.has("commit_group")) {
    d.expectOperands(0, 0);
    inst.run = commitStores;
    return;
  }
  if (d.has("wait_group")) {
    d.has("read");
    d.expectOperands(1, 1);
    inst.imm = d.immediate(0);
    inst.run = waitStores;
    return;
  }
  if (d.has("prefetch")) {
    d.cacheModifiers();
    return d.fail("'cp.async.bulk.prefetch' is not supported");
  }
  inst.flag2 = d.has("tensor");
  if (inst.flag2) {
    const int rank = d.oneOf({"1d", "2d", "3d", "4d", "5d"});
    inst.count = static_cast<uint8_t>(rank + 1);
    d.has("tile");
  }
  // The space that is named first is the destination.
  const size_t first = inst.flag2 ? 4 : 2;
  const std::string_view destination = d.modifier(first);
  inst.flag = destination.substr(0, 6) == "shared";
  const bool spaces = d.oneOf({"shared::cluster", "shared::cta"}) >= 0;
  if (!spaces || !d.has("global"))
    return d.fail("expected a bulk copy between .global and .shared");
  const bool hint = d.cacheModifiers();
  if (d.has("multicast::cluster"))
    return d.fail("'.multicast::cluster' is not supported");
  int64_t offset = 0;
  if (inst.flag) {
    d.oneOf({"mbarrier::complete_tx::bytes"});
    const size_t barrier = inst.flag2 ? 2 : 3;
    d.expectOperands(barrier + 1, barrier + 1 + hint);
    d.address(d.operand(0), Space::Shared, inst.a, inst.offset);
    d.address(d.operand(1), inst.flag2 ? Space::Generic : Space::Global, inst.b, offset);
    int64_t barrierOffset = 0;
    d.address(d.operand(barrier), Space::Shared, inst.c, barrierOffset);
    inst.imm = static_cast<uint64_t>(barrierOffset);
    if (inst.flag2)
      decodeCoordinates(d, d.operand(1));
    else
      inst.d = d.source(2, Type::B32);
  } else {
    d.oneOf({"bulk_group"});
    d.expectOperands(inst.flag2 ? 2 : 3, (inst.flag2 ? 2 : 3) + hint);
    d.address(d.operand(0), inst.flag2 ? Space::Generic : Space::Global, inst.b, offset);
    d.address(d.operand(1), Space::Shared, inst.a, inst.offset);
    if (inst.flag2)
      decodeCoordinates(d, d.operand(0));
    else
      inst.d = d.source(2, Type::B32);
  }
  if (offset)
    return d.fail("an offset at an address of a bulk copy is not supported");
  inst.run = bulkCopy;
}

} // namespace ptxemu
