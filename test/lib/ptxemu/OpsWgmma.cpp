// Products of matrices by a warpgroup (wgmma), asynchronous: operands are read, and results written, when a group is
// waited for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"
#include "test/lib/ptxemu/Matrix.h"
#include "test/lib/ptxemu/TensorMap.h"

namespace ptxemu {

namespace {

// Inst::type is that of A and B, type2 that of D; count is N / 8. a: descriptor of A, b: that of B, c: predicate of the
// accumulation. Kernel::operands[first]: places and numbers of D, and of A where flag says that it lies in registers.
// mode: 1 A is negated, 2 B is; mode2: 1 A is transposed, 2 B is. negate: the predicate is.

/// A matrix in shared memory, as a descriptor tells of it.
struct Descriptor {
  explicit Descriptor(uint64_t bits)
      : base((bits & 0x3fff) << 4), leading((bits >> 16 & 0x3fff) << 4), stride((bits >> 32 & 0x3fff) << 4),
        baseOffset(static_cast<unsigned>(bits >> 49 & 7)), layout(static_cast<unsigned>(bits >> 62)) {}
  /// 0 none, 1 rows of 32 bytes, 2 of 64, 3 of 128: as tensor maps have it.
  unsigned swizzle() const { return layout == 0 ? 0 : 4 - layout; }
  /// Where 16 bytes lie: of row `row` and chunk `chunk` along K; or, transposed, of row `row` of K and chunk `chunk` of
  /// the other dimension.
  uint64_t at(unsigned row, unsigned chunk, bool transposed) const {
    const uint64_t width = 16u << swizzle();
    if (!transposed) {
      if (!layout)
        return base + row / 8 * stride + row % 8 * 16 + chunk * leading;
      return swizzled(base + row / 8 * stride + row % 8 * width + chunk * 16, swizzle());
    }
    if (!layout)
      return base + chunk * stride + row / 8 * leading + row % 8 * 16;
    const uint64_t perRow = width / 16;
    return swizzled(base + chunk / perRow * leading + row / 8 * stride + row % 8 * width + chunk % perRow * 16,
                    swizzle());
  }
  uint64_t base, leading, stride;
  unsigned baseOffset, layout;
};

unsigned depthOf(Type type) { return 32 / sizeOf(type); }

/// The 16-byte pieces of an operand of `rows` rows: their addresses, by row and piece (or piece of the rows and K).
template <typename Visit>
void forPieces(const Descriptor &descriptor, Type type, unsigned first, unsigned rows, bool transposed,
               const Visit &visit) {
  if (!transposed) {
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned chunk = 0; chunk < 2; ++chunk)
        visit(descriptor.at(first + row, chunk, false), row, chunk);
    return;
  }
  const unsigned each = 16 / sizeOf(type);
  for (unsigned k = 0; k < depthOf(type); ++k)
    for (unsigned chunk = 0; chunk < rows / each; ++chunk)
      visit(descriptor.at(k, first / each + chunk, true), k, chunk);
}

/// Looks at what will be read, and notes that it will be.
bool checkOperand(Warp &warp, const Inst &inst, uint64_t bits, unsigned first, unsigned rows, bool transposed) {
  Block &block = warp.block();
  const Descriptor descriptor(bits);
  if (descriptor.baseOffset)
    return warp.report(Mistake::Invalid, inst, 0, "a base offset in a matrix descriptor is not supported");
  bool good = true;
  forPieces(descriptor, inst.type, first, rows, transposed, [&](uint64_t address, unsigned, unsigned) {
    good = good && warp.glance(inst, 0, address, 16);
    if (good)
      block.async.addReads(block.shared.size(), static_cast<uint32_t>(address));
  });
  return good;
}

/// Elements of an operand, [row * K + k].
void readOperand(Warp &warp, const Inst &inst, uint64_t bits, unsigned first, unsigned rows, bool transposed,
                 std::vector<double> &values) {
  Block &block = warp.block();
  const unsigned depth = depthOf(inst.type), each = 16 / sizeOf(inst.type);
  values.resize(rows * depth);
  forPieces(Descriptor(bits), inst.type, first, rows, transposed, [&](uint64_t address, unsigned row, unsigned chunk) {
    uint32_t words[4];
    memcpy(words, block.shared.data() + address, 16);
    block.async.removeReads(static_cast<uint32_t>(address));
    for (unsigned i = 0; i < each; ++i) {
      const double value = elementOf(inst.type, words, i);
      if (transposed)
        values[(chunk * each + i) * depth + row] = value;
      else
        values[row * depth + chunk * each + i] = value;
    }
  });
}

/// What the group of a warp does at last.
bool multiply(Warp &warp, const Inst &inst, uint64_t a, uint64_t b, uint32_t accumulates) {
  Block &block = warp.block();
  const unsigned columns = inst.count * 8u, depth = depthOf(inst.type);
  const unsigned firstRow = warp.index() % 4 * 16;
  const bool packed = inst.type2 == Type::F16;
  const unsigned registers = columns / (packed ? 4 : 2);
  const uint32_t *places = block.kernel.operands.data() + inst.first;
  std::vector<double> A, B;
  if (inst.flag) {
    A.resize(16 * depth);
    const unsigned each = 4 / sizeOf(inst.type);
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i)
        for (unsigned k = 0; k < each; ++k)
          A[(lane / 4 + 8 * (i % 2)) * depth + lane % 4 * each + k + i / 2 * 4 * each] =
              elementOf(inst.type, &warp.lanes<uint32_t>(places[2 * registers + i])[lane], k);
  } else {
    readOperand(warp, inst, a, firstRow, 16, inst.mode2 & 1, A);
  }
  readOperand(warp, inst, b, 0, columns, inst.mode2 & 2, B);
  const double sign = inst.mode == 1 || inst.mode == 2 ? -1 : 1;
  auto product = [&](unsigned row, unsigned column) {
    double sum = 0;
    for (unsigned k = 0; k < depth; ++k)
      sum += A[row * depth + k] * B[column * depth + k];
    return sign * sum;
  };
  AsyncState::Products &products = block.async.products[warp.index()];
  for (unsigned i = 0; i < registers; ++i) {
    uint32_t *d = warp.lanes<uint32_t>(places[2 * i]);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const bool adds = accumulates >> lane & 1;
      const unsigned row = lane / 4 + 8 * (packed ? i % 2 : i / 2 % 2);
      const unsigned column = (packed ? i / 2 : i / 4) * 8 + lane % 4 * 2 + (packed ? 0 : i % 2);
      if (packed) {
        uint32_t result = 0;
        for (unsigned k = 0; k < 2; ++k)
          result |= static_cast<uint32_t>(
                        toHalf((adds ? elementOf(Type::F16, &d[lane], k) : 0) + product(row, column + k)).bits)
                    << (16 * k);
        d[lane] = result;
      } else if (inst.type2 == Type::S32) {
        d[lane] = (adds ? d[lane] : 0) + static_cast<uint32_t>(static_cast<int64_t>(product(row, column)));
      } else {
        d[lane] = bitCast<uint32_t>(
            canonical(static_cast<float>((adds ? bitCast<float>(d[lane]) : 0) + product(row, column))));
      }
    }
    const uint32_t number = places[2 * i + 1];
    if (number != ~0u && --products.registers[number] == 0)
      warp.setDefined(number, ~0u, true);
  }
  ++block.effects;
  return true;
}

bool start(Warp &warp, const Inst &inst, uint32_t active) {
  Block &block = warp.block();
  const unsigned groupOfWarps = warp.index() / 4 * 4;
  if (active != ~0u || groupOfWarps + 4 > block.warps.size())
    return warp.report(Mistake::Invalid, inst, static_cast<unsigned>(__builtin_ctz(active)),
                       "wgmma needs all lanes of four warps");
  AsyncState::Products &products = block.async.products[warp.index()];
  if (!products.fenced)
    return warp.report(Mistake::Invalid, inst, 0,
                       "the first wgmma, or that after a wait, comes without a wgmma.fence before it");
  const uint64_t a = inst.flag ? 0 : warp.lanes<uint64_t>(inst.a)[0], b = warp.lanes<uint64_t>(inst.b)[0];
  const uint32_t accumulates = inst.negate ? ~warp.predicate(inst.c) : warp.predicate(inst.c);
  if ((!inst.flag && !checkOperand(warp, inst, a, warp.index() % 4 * 16, 16, inst.mode2 & 1)) ||
      !checkOperand(warp, inst, b, 0, inst.count * 8u, inst.mode2 & 2))
    return false;
  // Results are undefined until they are waited for; only further products may add to them.
  const unsigned registers = inst.count * 8u / (inst.type2 == Type::F16 ? 4 : 2);
  const uint32_t *places = block.kernel.operands.data() + inst.first;
  for (unsigned i = 0; i < registers; ++i) {
    const uint32_t number = places[2 * i + 1];
    if (number == ~0u)
      continue;
    unsigned &inFlight = products.registers[number];
    if (accumulates && !inFlight && warp.definedLanes(number) != ~0u && block.grid.options.findUndefined &&
        !warp.report(Mistake::Undefined, inst, 0,
                     "register '" + block.kernel.registerNames[number] + "' is added to, which nothing wrote", false))
      return false;
    ++inFlight;
    warp.setDefined(number, ~0u, false);
  }
  products.open.push_back([&warp, &inst, a, b, accumulates] { return multiply(warp, inst, a, b, accumulates); });
  if (warp.index() % 4 == 0)
    ++block.grid.result.counters.matrixOps;
  return true;
}

bool commit(Warp &warp, const Inst &, uint32_t) {
  AsyncState::Products &products = warp.block().async.products[warp.index()];
  products.groups.push_back(std::move(products.open));
  products.open.clear();
  ++products.committed;
  ++warp.block().effects;
  return true;
}

bool fence(Warp &warp, const Inst &, uint32_t) {
  warp.block().async.products[warp.index()].fenced = true;
  return true;
}

/// Groups are those of four warps: who waits waits for all of them to have begun theirs.
bool wait(Warp &warp, const Inst &inst, uint32_t) {
  Block &block = warp.block();
  const uint64_t committed = block.async.products[warp.index()].committed;
  // Registers of the results may be read and written from now on, which only a fence orders before the next products.
  block.async.products[warp.index()].fenced = false;
  const uint64_t target = committed > inst.imm ? committed - inst.imm : 0;
  const unsigned first = warp.index() / 4 * 4;
  for (unsigned i = first; i < first + 4 && i < block.warps.size(); ++i)
    if (block.async.products[i].committed < target) {
      warp.retry = true;
      return true;
    }
  for (unsigned i = first; i < first + 4 && i < block.warps.size(); ++i) {
    AsyncState::Products &products = block.async.products[i];
    for (; products.landed < target; ++products.landed) {
      const std::vector<AsyncState::Landing> group = std::move(products.groups.front());
      products.groups.pop_front();
      for (const AsyncState::Landing &landing : group)
        if (!landing())
          return false;
    }
  }
  return true;
}

void decodeProduct(Decoder &d) {
  Inst &inst = d.inst;
  unsigned columns = 0, depth = 0;
  for (size_t i = 0; i < 8; ++i) {
    const std::string shape(d.modifier(i));
    if (shape.compare(0, 4, "m64n") == 0 && d.has(shape)) {
      columns = static_cast<unsigned>(std::strtoul(shape.c_str() + 4, nullptr, 10));
      const size_t at = shape.find('k');
      depth = at == std::string::npos ? 0 : static_cast<unsigned>(std::strtoul(shape.c_str() + at + 1, nullptr, 10));
    }
  }
  const bool clamps = d.has("satfinite");
  inst.type2 = d.type();
  inst.type = d.type();
  const Type typeB = d.type();
  if (columns < 8 || columns > 256 || columns % 8 || depth != depthOf(inst.type) || typeB != inst.type || clamps)
    return d.fail("'wgmma' of this shape is not supported");
  const bool isHalf = inst.type == Type::F16 || inst.type == Type::BF16,
             isByte = inst.type == Type::S8 || inst.type == Type::U8;
  inst.count = static_cast<uint8_t>(columns / 8);
  const unsigned registers = columns / (inst.type2 == Type::F16 ? 4 : 2);
  const Operand &result = d.operand(0), &left = d.operand(1);
  if (result.kind != Operand::Vector || result.parts.size() != registers)
    return d.fail("'wgmma' with a result of " + std::to_string(result.parts.size()) + " registers, expected " +
                  std::to_string(registers));
  std::vector<uint32_t> places;
  for (const Operand &part : result.parts) {
    uint32_t number = ~0u;
    places.push_back(d.quietPlace(part, inst.type2 == Type::F16 ? Type::B32 : inst.type2, number));
    places.push_back(number);
  }
  inst.flag = left.kind == Operand::Vector;
  if (inst.flag) {
    if (left.parts.size() != 4)
      return d.fail("'wgmma' with a fragment of " + std::to_string(left.parts.size()) + " registers, expected 4");
    for (const Operand &part : left.parts)
      places.push_back(d.source(part, Type::B32));
  } else {
    inst.a = d.source(left, Type::B64);
  }
  inst.first = d.addOperands(places);
  inst.b = d.source(2, Type::B64);
  bool negated = false;
  inst.c = d.predicate(d.operand(3), &negated);
  inst.negate = negated;
  const size_t expected = isByte ? 4 : isHalf ? (inst.flag ? 7 : 8) : 6;
  d.expectOperands(expected, expected);
  if (isByte)
    return;
  auto scale = [&](size_t operand) {
    const int64_t value = static_cast<int64_t>(d.immediate(operand));
    if (value != 1 && value != -1)
      d.fail("a scale of " + std::to_string(value) + ", expected 1 or -1");
    return value == -1;
  };
  inst.mode = static_cast<uint8_t>(scale(4) | scale(5) << 1);
  if (isHalf && !inst.flag)
    inst.mode2 = static_cast<uint8_t>((d.immediate(6) & 1) | (d.immediate(7) & 1) << 1);
  else if (isHalf)
    inst.mode2 = static_cast<uint8_t>((d.immediate(6) & 1) << 1);
}

} // namespace

void addWgmmaOps(OpTable &table) {
  table["wgmma"] = [](Decoder &d) {
    const int which = d.oneOf({"mma_async", "fence", "commit_group", "wait_group"});
    if (!d.has("sync") || !d.has("aligned"))
      d.fail("expected '.sync.aligned' in 'wgmma'");
    d.inst.d = d.constant(~0u, 4);
    d.inst.control = Control::WarpSync;
    switch (which) {
    case 0:
      d.inst.run = start;
      decodeProduct(d);
      break;
    case 1:
      d.inst.run = fence;
      break;
    case 2:
      d.inst.run = commit;
      break;
    default:
      d.expectOperands(1, 1);
      d.inst.imm = d.immediate(0);
      d.inst.control = Control::Yield;
      d.inst.run = wait;
    }
  };
}

} // namespace ptxemu
