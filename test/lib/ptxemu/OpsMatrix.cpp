// Products of small matrices by a warp (mma.sync), and the loads and stores of their fragments.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Block.h"
#include "test/lib/ptxemu/Lanes.h"
#include "test/lib/ptxemu/Matrix.h"

namespace ptxemu {

double elementOf(Type type, const uint32_t *words, unsigned index) {
  switch (type) {
  case Type::F16:
    return toFloat(Half{static_cast<uint16_t>(words[index / 2] >> (16 * (index % 2)))});
  case Type::BF16:
    return toFloat(BFloat{static_cast<uint16_t>(words[index / 2] >> (16 * (index % 2)))});
  case Type::TF32: // the low 13 bits are not looked at
    return bitCast<float>(words[index] & ~0x1fffu);
  case Type::E4M3:
    return valueOf(kE4M3, words[index / 4] >> (8 * (index % 4)) & 0xff);
  case Type::E5M2:
    return valueOf(kE5M2, words[index / 4] >> (8 * (index % 4)) & 0xff);
  case Type::S8:
    return static_cast<int8_t>(words[index / 4] >> (8 * (index % 4)));
  case Type::U8:
    return static_cast<uint8_t>(words[index / 4] >> (8 * (index % 4)));
  default:
    return 0;
  }
}

namespace {

bool isWhole(Warp &warp, const Inst &inst, uint32_t active) {
  if (active == ~0u)
    return true;
  warp.report(Mistake::Invalid, inst, static_cast<unsigned>(__builtin_ctz(active)),
              "an instruction for all 32 lanes of a warp, of which " + std::to_string(__builtin_popcount(active)) +
                  " come to it");
  return false;
}

// Inst::type is that of A, type2 that of D and C; mode rows (8 or 16), mode2 columns of A; flag: clamps.
// Kernel::operands[first]: places of D, A, B, C.
bool mma(Warp &warp, const Inst &inst, uint32_t active) {
  if (!isWhole(warp, inst, active))
    return false;
  const unsigned rows = inst.mode, depth = inst.mode2, each = 4 / sizeOf(inst.type);
  const unsigned countA = rows * depth / 32 / each, countB = depth * 8 / 32 / each;
  const bool packed = inst.type2 == Type::F16;
  const unsigned countD = rows * 8 / 32 / (packed ? 2 : 1);
  const uint32_t *d = warp.block().kernel.operands.data() + inst.first, *a = d + countD, *b = a + countA,
                 *c = b + countB;
  double A[16][32], B[32][8];
  const Type typeB = inst.negate ? static_cast<Type>(inst.negate) : inst.type;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned group = lane / 4, within = lane % 4;
    for (unsigned i = 0; i < countA; ++i) {
      const uint32_t word = warp.lanes<uint32_t>(a[i])[lane];
      const unsigned half = rows == 16 ? i % 2 : 0, part = rows == 16 ? i / 2 : i;
      for (unsigned k = 0; k < each; ++k)
        A[group + 8 * half][within * each + k + part * 4 * each] = elementOf(inst.type, &word, k);
    }
    for (unsigned i = 0; i < countB; ++i) {
      const uint32_t word = warp.lanes<uint32_t>(b[i])[lane];
      for (unsigned k = 0; k < each; ++k)
        B[within * each + k + i * 4 * each][group] = elementOf(typeB, &word, k);
    }
  }
  ++warp.block().grid.result.counters.matrixOps;
  auto product = [&](unsigned row, unsigned column) {
    double sum = 0;
    for (unsigned k = 0; k < depth; ++k)
      sum += A[row][k] * B[k][column];
    return sum;
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < countD; ++i) {
      const unsigned row = lane / 4 + 8 * (packed ? i : i / 2), column = lane % 4 * 2 + (packed ? 0 : i % 2);
      const uint32_t old = warp.lanes<uint32_t>(c[i])[lane];
      uint32_t result;
      if (packed) {
        result = 0;
        for (unsigned k = 0; k < 2; ++k)
          result |= static_cast<uint32_t>(toHalf(elementOf(Type::F16, &old, k) + product(row, column + k)).bits)
                    << (16 * k);
      } else if (inst.type2 == Type::S32) {
        const int64_t sum = static_cast<int32_t>(old) + static_cast<int64_t>(product(row, column));
        result =
            static_cast<uint32_t>(inst.flag ? std::min<int64_t>(std::max<int64_t>(sum, INT32_MIN), INT32_MAX) : sum);
      } else {
        result = bitCast<uint32_t>(canonical(static_cast<float>(bitCast<float>(old) + product(row, column))));
      }
      warp.lanes<uint32_t>(d[i])[lane] = result;
    }
  return true;
}

/// m8n8k4 of f64: one element of A and B a lane, two of C and D.
bool mmaDouble(Warp &warp, const Inst &inst, uint32_t active) {
  if (!isWhole(warp, inst, active))
    return false;
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  double results[32][2];
  const double *a = warp.lanes<double>(places[2]), *b = warp.lanes<double>(places[3]);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      double sum = warp.lanes<double>(places[4 + i])[lane];
      for (unsigned k = 0; k < 4; ++k)
        sum = std::fma(a[lane / 4 * 4 + k], b[(lane % 4 * 2 + i) * 4 + k], sum);
      results[lane][i] = sum;
    }
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 2; ++i)
      warp.lanes<double>(places[i])[lane] = results[lane][i];
  ++warp.block().grid.result.counters.matrixOps;
  return true;
}

void beginAligned(Decoder &d) {
  if (!d.has("sync") || !d.has("aligned"))
    d.fail("expected '.sync.aligned' in '" + d.statement().opcode + "'");
  d.inst.control = Control::WarpSync;
  d.inst.d = d.constant(~0u, 4);
}

void decodeMma(Decoder &d) {
  beginAligned(d);
  const int shape = d.oneOf({"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m8n8k16", "m8n8k4"});
  static constexpr uint8_t rows[] = {16, 16, 16, 16, 8, 8}, depths[] = {4, 8, 16, 32, 16, 4};
  d.oneOf({"row"});
  d.oneOf({"col"});
  d.inst.flag = d.has("satfinite");
  const Type typeD = d.type(), typeA = d.type(), typeB = d.type(), typeC = d.type();
  if (shape < 0 || d.failed())
    return;
  const std::string name = "'mma." + std::string(nameOf(typeD)) + "." + std::string(nameOf(typeA)) + "' of this shape";
  d.expectOperands(4, 4);
  std::vector<uint32_t> places;
  auto add = [&](size_t operand, unsigned count, Type type, bool writes) {
    const Operand &given = d.operand(operand);
    const std::vector<Operand> one{given};
    const std::vector<Operand> &parts = given.kind == Operand::Vector ? given.parts : one;
    if (parts.size() != count)
      d.fail("a fragment of " + std::to_string(parts.size()) + " registers, expected " + std::to_string(count));
    for (const Operand &part : parts)
      places.push_back(writes ? d.destination(part, type) : d.source(part, type));
  };
  if (typeA == Type::F64) {
    if (shape != 5 || typeB != Type::F64 || typeC != Type::F64 || typeD != Type::F64)
      return d.fail(name + " is not supported");
    add(0, 2, Type::F64, true);
    add(1, 1, Type::F64, false);
    add(2, 1, Type::F64, false);
    add(3, 2, Type::F64, false);
    d.inst.first = d.addOperands(places);
    d.inst.run = mmaDouble;
    return;
  }
  const bool isHalf = typeA == Type::F16 || typeA == Type::BF16, isByte = typeA == Type::S8 || typeA == Type::U8,
             isEighth = typeA == Type::E4M3 || typeA == Type::E5M2;
  const bool fits = isHalf                ? shape == 1 || shape == 2
                    : typeA == Type::TF32 ? shape == 0 || shape == 1
                    : isByte              ? shape == 2 || shape == 3 || shape == 4
                    : isEighth            ? shape == 3
                                          : false;
  const bool sums = isByte ? typeD == Type::S32 : typeD == Type::F32 || (typeD == Type::F16 && typeA == Type::F16);
  if (!fits || !sums || typeC != typeD || sizeOf(typeA) != sizeOf(typeB) || (isHalf && typeA != typeB))
    return d.fail(name + " is not supported");
  d.inst.type = typeA;
  d.inst.type2 = typeD;
  d.inst.negate = static_cast<uint8_t>(typeB);
  d.inst.mode = rows[shape];
  d.inst.mode2 = depths[shape];
  const unsigned each = 4 / sizeOf(typeA), countD = d.inst.mode * 8u / 32 / (typeD == Type::F16 ? 2 : 1);
  const Type registerD = typeD == Type::F16 ? Type::B32 : typeD;
  add(0, countD, registerD, true);
  add(1, d.inst.mode * d.inst.mode2 / 32u / each, Type::B32, false);
  add(2, d.inst.mode2 * 8u / 32 / each, Type::B32, false);
  add(3, countD, registerD, false);
  d.inst.first = d.addOperands(places);
  d.inst.run = mma;
}

/// Inst::count matrices of 8 rows of 16 bytes; flag: transposed; flag2: a store.
bool moveMatrix(Warp &warp, const Inst &inst, uint32_t active) {
  if (!isWhole(warp, inst, active))
    return false;
  const uint32_t *places = warp.block().kernel.operands.data() + inst.first;
  uint8_t *rows[32];
  uint64_t addresses[32];
  const unsigned used = 8u * inst.count;
  for (unsigned lane = 0; lane < used; ++lane) {
    uint64_t address = warp.addressAt(inst.a, lane) + static_cast<uint64_t>(inst.offset);
    if (inst.space == Space::Generic && spaceOf(address) != Space::Shared) {
      warp.report(Mistake::Invalid, inst, lane, "a matrix that lies not in shared memory");
      return false;
    }
    if (inst.space == Space::Generic)
      address -= windowOf(Space::Shared);
    addresses[lane] = address;
    rows[lane] = warp.access(inst, lane, Space::Shared, address, 16, 16, inst.flag2 ? Use::Store : Use::Load);
    if (!rows[lane])
      return false;
  }
  if (warp.block().grid.options.countAccesses)
    warp.countShared(addresses, used == 32 ? ~0u : (1u << used) - 1, 16);
  for (unsigned m = 0; m < inst.count; ++m)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned row = inst.flag ? lane % 4 * 2 + k : lane / 4, column = inst.flag ? lane / 4 : lane % 4 * 2 + k;
        uint8_t *element = rows[8 * m + row] + 2 * column;
        uint32_t &word = warp.lanes<uint32_t>(places[m])[lane];
        if (inst.flag2) {
          const uint16_t half = static_cast<uint16_t>(word >> (16 * k));
          memcpy(element, &half, 2);
        } else {
          uint16_t half;
          memcpy(&half, element, 2);
          word = (word & ~(0xffffu << (16 * k))) | static_cast<uint32_t>(half) << (16 * k);
        }
      }
  return true;
}

void decodeMoveMatrix(Decoder &d, bool isStore) {
  beginAligned(d);
  d.oneOf({"m8n8"});
  const int count = d.oneOf({"x1", "x2", "x4"});
  d.inst.count = static_cast<uint8_t>(1u << std::max(0, count));
  d.inst.flag = d.has("trans");
  d.inst.flag2 = isStore;
  d.inst.space = d.space();
  d.oneOf({"b16"});
  d.expectOperands(2, 2);
  const Operand &given = d.operand(isStore ? 1 : 0);
  const std::vector<Operand> one{given};
  const std::vector<Operand> &parts = given.kind == Operand::Vector ? given.parts : one;
  if (parts.size() != d.inst.count)
    d.fail("a vector of " + std::to_string(parts.size()) + " registers, expected " + std::to_string(d.inst.count));
  std::vector<uint32_t> places;
  for (const Operand &part : parts)
    places.push_back(isStore ? d.source(part, Type::B32) : d.destination(part, Type::B32));
  d.inst.first = d.addOperands(places);
  d.inst.space = d.address(d.operand(isStore ? 0 : 1), d.inst.space, d.inst.a, d.inst.offset);
  d.inst.run = moveMatrix;
}

/// A matrix of 8 by 8 halves across the warp, transposed.
bool transpose(Warp &warp, const Inst &inst, uint32_t active) {
  if (!isWhole(warp, inst, active))
    return false;
  uint16_t elements[8][8];
  const uint32_t *a = warp.lanes<uint32_t>(inst.a);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned k = 0; k < 2; ++k)
      elements[lane / 4][lane % 4 * 2 + k] = static_cast<uint16_t>(a[lane] >> (16 * k));
  uint32_t *dst = warp.lanes<uint32_t>(inst.dst);
  for (unsigned lane = 0; lane < 32; ++lane)
    dst[lane] = elements[lane % 4 * 2][lane / 4] | static_cast<uint32_t>(elements[lane % 4 * 2 + 1][lane / 4]) << 16;
  return true;
}

} // namespace

void addMatrixOps(OpTable &table) {
  table["mma"] = decodeMma;
  table["ldmatrix"] = [](Decoder &d) { decodeMoveMatrix(d, false); };
  table["stmatrix"] = [](Decoder &d) { decodeMoveMatrix(d, true); };
  table["movmatrix"] = [](Decoder &d) {
    beginAligned(d);
    d.oneOf({"m8n8"});
    d.oneOf({"trans"});
    d.oneOf({"b16"});
    d.expectOperands(2, 2);
    d.inst.dst = d.destination(0, Type::B32);
    d.inst.a = d.source(1, Type::B32);
    d.inst.run = transpose;
  };
}

} // namespace ptxemu
