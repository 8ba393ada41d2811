// Loops over the lanes of a warp, for instructions that compute each lane on its own.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_LANES_H
#define MLC_TEST_LIB_PTXEMU_LANES_H

#include "test/lib/ptxemu/Decoder.h"
#include "test/lib/ptxemu/Warp.h"

#include <type_traits>

namespace ptxemu {

/// How a value of T lies in a lane of a register: 4 bytes, or 8 for types of 8 bytes.
template <typename T> using SlotOf = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> inline T fromSlot(SlotOf<T> slot) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(slot);
  } else if constexpr (sizeof(T) == sizeof(SlotOf<T>)) {
    return bitCast<T>(slot);
  } else {
    return T{static_cast<uint16_t>(slot)}; // Half and BFloat
  }
}

template <typename T> inline SlotOf<T> toSlot(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<std::make_unsigned_t<T>>(value);
  else if constexpr (sizeof(T) == sizeof(SlotOf<T>))
    return bitCast<SlotOf<T>>(value);
  else
    return value.bits;
}

/// The type of PTX whose values T holds, signs apart from bits.
template <typename T> constexpr Type typeOf() {
  if constexpr (std::is_same_v<T, uint8_t>)
    return Type::U8;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return Type::U16;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return Type::U32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return Type::U64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return Type::S8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return Type::S16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return Type::S32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Type::S64;
  else if constexpr (std::is_same_v<T, Half>)
    return Type::F16;
  else if constexpr (std::is_same_v<T, BFloat>)
    return Type::BF16;
  else if constexpr (std::is_same_v<T, float>)
    return Type::F32;
  else
    return Type::F64;
}

/// Runs `body(lane)` for each active lane; all lanes take a loop that a compiler can turn into vector code.
template <typename Body> inline void forLanes(uint32_t active, const Body &body) {
  if (active == ~0u) {
    for (unsigned lane = 0; lane < 32; ++lane)
      body(lane);
  } else {
    for (; active; active &= active - 1)
      body(static_cast<unsigned>(__builtin_ctz(active)));
  }
}

/// dst = F(inst)(a), per lane.
template <typename D, typename A, typename F> bool unaryOp(Warp &warp, const Inst &inst, uint32_t active) {
  SlotOf<D> *dst = warp.lanes<SlotOf<D>>(inst.dst);
  const SlotOf<A> *a = warp.lanes<SlotOf<A>>(inst.a);
  const F compute(inst);
  forLanes(active, [&](unsigned i) { dst[i] = toSlot<D>(compute(fromSlot<A>(a[i]))); });
  return true;
}

/// dst = F(inst)(a, b), per lane.
template <typename D, typename A, typename B, typename F> bool binaryOp(Warp &warp, const Inst &inst, uint32_t active) {
  SlotOf<D> *dst = warp.lanes<SlotOf<D>>(inst.dst);
  const SlotOf<A> *a = warp.lanes<SlotOf<A>>(inst.a);
  const SlotOf<B> *b = warp.lanes<SlotOf<B>>(inst.b);
  const F compute(inst);
  forLanes(active, [&](unsigned i) { dst[i] = toSlot<D>(compute(fromSlot<A>(a[i]), fromSlot<B>(b[i]))); });
  return true;
}

/// dst = F(inst)(a, b, c), per lane.
template <typename D, typename A, typename B, typename C, typename F>
bool ternaryOp(Warp &warp, const Inst &inst, uint32_t active) {
  SlotOf<D> *dst = warp.lanes<SlotOf<D>>(inst.dst);
  const SlotOf<A> *a = warp.lanes<SlotOf<A>>(inst.a);
  const SlotOf<B> *b = warp.lanes<SlotOf<B>>(inst.b);
  const SlotOf<C> *c = warp.lanes<SlotOf<C>>(inst.c);
  const F compute(inst);
  forLanes(active,
           [&](unsigned i) { dst[i] = toSlot<D>(compute(fromSlot<A>(a[i]), fromSlot<B>(b[i]), fromSlot<C>(c[i]))); });
  return true;
}

/// The handler that `Make<T>` has for the type among Ts that is `type` (bits: the unsigned one); nullptr if none is.
template <template <typename> class Make, typename... Ts> Handler handlerFor(Type type) {
  Handler found = nullptr;
  ((typeOf<Ts>() == arithmetic(type) ? (void)(found = Make<Ts>::run) : (void)0), ...);
  return found;
}

/// Decodes `dst, a` of `type`.
inline void decodeUnary(Decoder &d, Type type, Handler run) {
  d.expectOperands(2, 2);
  d.inst.dst = d.destination(0, type);
  d.inst.a = d.source(1, type);
  d.inst.run = run;
}
/// Decodes `dst, a, b` of `type`.
inline void decodeBinary(Decoder &d, Type type, Handler run) {
  d.expectOperands(3, 3);
  d.inst.dst = d.destination(0, type);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
  d.inst.run = run;
}
/// Decodes `dst, a, b, c` of `type`.
inline void decodeTernary(Decoder &d, Type type, Handler run) {
  d.expectOperands(4, 4);
  d.inst.dst = d.destination(0, type);
  d.inst.a = d.source(1, type);
  d.inst.b = d.source(2, type);
  d.inst.c = d.source(3, type);
  d.inst.run = run;
}

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_LANES_H
