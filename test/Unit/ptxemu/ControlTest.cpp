// Kernels with branches, calls, barriers, shuffles and atomics.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include <numeric>

using namespace ptxemu;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Runs a test in all orders.
class InOrders : public testing::TestWithParam<Order> {
protected:
  void SetUp() override { device.options.order = GetParam(); }
  Device device;
};
INSTANTIATE_TEST_SUITE_P(Orders, InOrders, testing::Values(Order::Forward, Order::Reverse, Order::Random));

TEST_P(InOrders, LoopsOfDifferentLengthMeetAgain) {
  device.load(kernelText(R"(
  mov.u32 %r0, 0; mov.u32 %r1, 0;
loop:
  setp.ge.u32 %p0, %r1, %t;
  @%p0 bra done;
  add.u32 %r0, %r0, %r1;
  add.u32 %r1, %r1, 1;
  bra.uni loop;
done:
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r0;)"));
  const uint64_t out = device.allocate(4 * 64);
  const LaunchResult result = device.run("k", {out, 0, 0}, 64);
  EXPECT_THAT(textsOf(result), IsEmpty());
  const std::vector<uint32_t> sums = device.download<uint32_t>(out, 64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(sums[i], i ? i * (i - 1) / 2 : 0) << i;
  EXPECT_GT(result.counters.divergentBranches, 0u);
}

TEST_P(InOrders, CallsReturnToWhereTheyCameFrom) {
  const std::string functions = R"(
.func (.param .b32 r) square(.param .b32 a) {
  .reg .b32 %v;
  ld.param.b32 %v, [a];
  mul.lo.s32 %v, %v, %v;
  st.param.b32 [r], %v;
  ret;
}
.func (.reg .b32 r) twice(.reg .b32 a) {
  add.s32 r, a, a;
  ret;
}
)";
  device.load(kernelText(R"(
  and.b32 %r0, %t, 1;
  setp.eq.u32 %p0, %r0, 0;
  @%p0 bra even;
  {
  .param .b32 a0; .param .b32 r0;
  st.param.b32 [a0], %t;
  call.uni (r0), square, (a0);
  ld.param.b32 %r1, [r0];
  }
  bra.uni done;
even:
  call (%r1), twice, (%t);
done:
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r1;)",
                         "sm_80", "8.0", functions));
  const uint64_t out = device.allocate(4 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  const std::vector<uint32_t> values = device.download<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(values[i], i % 2 ? i * i : 2 * i);
}

TEST_P(InOrders, IndexedBranches) {
  device.load(kernelText(R"(
  and.b32 %r0, %t, 3;
targets: .branchtargets l0, l1, l2, l0;
  brx.idx %r0, targets;
l0: mov.u32 %r1, 10; bra done;
l1: mov.u32 %r1, 11; bra done;
l2: mov.u32 %r1, 12;
done:
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r1;)"));
  const uint64_t out = device.allocate(4 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 5), ElementsAre(10, 11, 12, 10, 10));
}

TEST_P(InOrders, BarrierOrdersSharedMemory) {
  device.load(kernelText(R"(
  .shared .align 4 .b32 s[256];
  mov.u32 %r0, s;
  shl.b32 %r1, %t, 2;
  add.u32 %r2, %r0, %r1;
  st.shared.u32 [%r2], %t;
  bar.sync 0;
  xor.b32 %r3, %r1, 1020;
  add.u32 %r3, %r0, %r3;
  ld.shared.u32 %r4, [%r3];
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r4;)"));
  const uint64_t out = device.allocate(4 * 256);
  const LaunchResult result = device.run("k", {out, 0, 0}, 256);
  EXPECT_THAT(textsOf(result), IsEmpty());
  const std::vector<uint32_t> values = device.download<uint32_t>(out, 256);
  for (uint32_t i = 0; i < 256; ++i)
    EXPECT_EQ(values[i], 255 - i);
  EXPECT_EQ(result.counters.barriers, 1u);
  EXPECT_EQ(result.counters.bankConflicts, 0u);
  EXPECT_EQ(result.counters.globalSectors, 32u);
}

TEST_P(InOrders, NamedBarriersOfSomeWarps) {
  // Warp 0 produces, warp 1 consumes; warp 2 takes no part.
  device.load(kernelText(R"(
  .shared .align 4 .b32 s[32];
  mov.u32 %r0, s;
  and.b32 %r1, %t, 31;
  shl.b32 %r1, %r1, 2;
  add.u32 %r2, %r0, %r1;
  shr.u32 %r3, %t, 5;
  setp.eq.u32 %p0, %r3, 0;
  setp.eq.u32 %p1, %r3, 1;
  @%p0 bra produce;
  @%p1 bra consume;
  bra.uni done;
produce:
  add.u32 %r4, %t, 100;
  st.shared.u32 [%r2], %r4;
  bar.arrive 1, 64;
  bra.uni done;
consume:
  bar.sync 1, 64;
  ld.shared.u32 %r5, [%r2];
  mul.wide.u32 %d0, %r1, 1;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r5;
done:)"));
  const uint64_t out = device.allocate(4 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 96)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 3), ElementsAre(100, 101, 102));
}

TEST_P(InOrders, BarrierReductions) {
  device.load(kernelText(R"(
  setp.lt.u32 %p0, %t, 40;
  barrier.cta.red.popc.aligned.u32 %r0, 0, %p0;
  barrier.cta.red.and.aligned.pred %p1, 1, %p0;
  barrier.cta.red.or.aligned.pred %p2, 2, !%p0;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 2, 0, %p2;
  add.u32 %r1, %r1, %r2;
  mul.wide.u32 %d0, %t, 8;
  add.u64 %d1, %x, %d0;
  st.global.v2.u32 [%d1], {%r0, %r1};)"));
  const uint64_t out = device.allocate(8 * 64);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 64)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 4), ElementsAre(40, 2, 40, 2));
}

TEST_P(InOrders, Shuffles) {
  device.load(kernelText(R"(
  mul.wide.u32 %d0, %t, 16;
  add.u64 %d1, %x, %d0;
  shfl.sync.bfly.b32 %r0|%p0, %t, 1, 31, -1;
  shfl.sync.up.b32 %r1, %t, 2, 0, -1;
  shfl.sync.down.b32 %r2|%p1, %t, 3, 31, -1;
  shfl.sync.idx.b32 %r3, %t, 5, 0x1807, -1;
  selp.u32 %r4, 1000, 0, %p1;
  add.u32 %r2, %r2, %r4;
  st.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3};)"));
  const uint64_t out = device.allocate(16 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  const std::vector<uint32_t> values = device.download<uint32_t>(out, 128);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(values[4 * i], i ^ 1);
    EXPECT_EQ(values[4 * i + 1], i < 2 ? i : i - 2);
    EXPECT_EQ(values[4 * i + 2], i + 3 > 31 ? i : i + 3 + 1000);
    EXPECT_EQ(values[4 * i + 3], (i & 24) + 5); // within segments of 8 lanes
  }
}

TEST_P(InOrders, VotesMatchesAndReductions) {
  device.load(kernelText(R"(
  setp.lt.u32 %p0, %t, 7;
  vote.sync.ballot.b32 %r0, %p0, -1;
  vote.sync.any.pred %p1, %p0, -1;
  vote.sync.all.pred %p2, %p0, -1;
  vote.sync.uni.pred %p3, !%p0, -1;
  selp.u32 %r1, 1, 0, %p1;
  selp.u32 %r2, 2, 0, %p2;
  selp.u32 %r3, 4, 0, %p3;
  or.b32 %r1, %r1, %r2;
  or.b32 %r1, %r1, %r3;
  and.b32 %r4, %t, 3;
  match.any.sync.b32 %r5, %r4, -1;
  match.all.sync.b32 %r6|%p4, %r4, -1;
  redux.sync.add.u32 %r7, %t, -1;
  sub.s32 %r8, 5, %t;
  redux.sync.min.s32 %r9, %r8, -1;
  activemask.b32 %r10;
  mul.wide.u32 %d0, %t, 32;
  add.u64 %d1, %x, %d0;
  st.global.v4.u32 [%d1], {%r0, %r1, %r5, %r6};
  st.global.v4.u32 [%d1+16], {%r7, %r9, %r10, %r10};)"));
  const uint64_t out = device.allocate(32 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 7),
              ElementsAre(0x7f, 1, 0x11111111, 0, 496, static_cast<uint32_t>(-26), ~0u));
}

TEST_P(InOrders, LanesOfADivergedWarpVoteByTheirMask) {
  device.load(kernelText(R"(
  setp.lt.u32 %p0, %t, 16;
  mov.u32 %r1, 0xffff0000;
  @%p0 mov.u32 %r1, 0x0000ffff;
  @%p0 bra low;
  shfl.sync.idx.b32 %r0, %t, 20, 31, 0xffff0000;
  bra.uni done;
low:
  shfl.sync.idx.b32 %r0, %t, 4, 31, 0xffff;
done:
  bar.warp.sync -1;
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r0;)"));
  const uint64_t out = device.allocate(4 * 32);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  const std::vector<uint32_t> values = device.download<uint32_t>(out, 32);
  EXPECT_EQ(values[3], 4u);
  EXPECT_EQ(values[31], 20u);
}

TEST_P(InOrders, Atomics) {
  device.load(kernelText(R"(
  .shared .align 8 .b32 s[2];
  setp.eq.u32 %p0, %t, 0;
  @%p0 st.shared.u32 [s], 0;
  bar.sync 0;
  red.global.add.u32 [%x], 1;
  atom.global.add.f32 %f0, [%x+4], 0f3F800000;
  atom.global.max.s32 %r0, [%x+8], %t;
  atom.global.or.b32 %r1, [%x+12], 0x80;
  atom.global.inc.u32 %r2, [%x+16], 9;
  atom.shared.add.u32 %r3, [s], 2;
  cvt.u64.u32 %d0, %t;
  atom.global.min.u64 %d1, [%x+24], %d0;
  red.global.add.f64 [%x+32], 0d3FE0000000000000;
  atom.global.exch.b32 %r4, [%x+20], %t;
  bar.sync 0;
  ld.shared.u32 %r5, [s];
  @%p0 st.global.u32 [%x+40], %r5;)"));
  const uint64_t out = device.upload(std::vector<uint64_t>(8, 0));
  reinterpret_cast<uint64_t *>(device.memory.find(out)->data)[3] = 77;
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 64, 2)),
              testing::Contains(HasSubstr("race")).Times(1)); // the last store
  const std::vector<uint32_t> words = device.download<uint32_t>(out, 11);
  EXPECT_EQ(words[0], 128u);
  EXPECT_EQ(fromBits<float>(words[1]), 128.0f);
  EXPECT_EQ(words[2], 63u);
  EXPECT_EQ(words[3], 0x80u);
  EXPECT_EQ(words[4], 128u % 10);
  EXPECT_EQ(device.download<uint64_t>(out, 5)[3], 0u);
  EXPECT_EQ(device.download<double>(out, 5)[4], 64.0);
  EXPECT_EQ(words[10], 128u);
}

TEST_P(InOrders, LastBlockSumsWhatOthersWrote) {
  // Every block writes a number, says so after a fence; the last one adds all of them.
  device.load(kernelText(R"(
  .shared .align 4 .b32 s[1];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %nctaid.x;
  sub.u32 %r2, %r1, 1;
  setp.ne.u32 %p0, %t, 0;
  @%p0 bra wait;
  mul.wide.u32 %d0, %r0, 4;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r0;
  membar.gl;
  atom.global.add.u32 %r3, [%y], 1;
  membar.gl;
  st.shared.u32 [s], %r3;
wait:
  bar.sync 0;
  ld.shared.u32 %r4, [s];
  setp.ne.u32 %p1, %r4, %r2;
  @%p1 ret;
  @%p0 ret;
  mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u64 %d2, %x;
sum:
  ld.global.u32 %r7, [%d2];
  add.u32 %r5, %r5, %r7;
  add.u64 %d2, %d2, 4;
  add.u32 %r6, %r6, 1;
  setp.lt.u32 %p2, %r6, %r1;
  @%p2 bra sum;
  st.global.u32 [%y+4], %r5;)"));
  const uint64_t parts = device.allocate(4 * 10), out = device.upload(std::vector<uint32_t>(2, 0));
  EXPECT_THAT(textsOf(device.run("k", {parts, out, 0}, 32, 10)), IsEmpty());
  EXPECT_EQ(device.download<uint32_t>(out, 2)[1], 45u);
}

TEST_P(InOrders, BlocksThatWaitForOneAnother) {
  // A barrier of the grid by a counter: all blocks must be there at the same time.
  device.load(kernelText(R"(
  mov.u32 %r1, %nctaid.x;
  fence.acq_rel.gpu;
  atom.global.add.u32 %r3, [%y], 1;
spin:
  ld.acquire.gpu.global.u32 %r4, [%y];
  setp.lt.u32 %p1, %r4, %r1;
  @%p1 bra spin;
  setp.eq.u32 %p2, %r3, 0;
  @%p2 st.global.u32 [%x], %r4;)"));
  const uint64_t out = device.allocate(4), counter = device.upload(std::vector<uint32_t>(1, 0));
  device.options.processors = 8;
  EXPECT_THAT(textsOf(device.run("k", {out, counter, 0}, 1, 8)), IsEmpty());
  EXPECT_EQ(device.download<uint32_t>(out, 1)[0], 8u);
}

TEST_P(InOrders, LocalMemoryAndGenericAddresses) {
  device.load(kernelText(R"(
  .local .align 8 .b8 stack[32];
  .shared .align 4 .b32 s[64];
  mov.u64 %d0, stack;
  cvta.local.u64 %d1, %d0;
  st.u32 [%d1+4], %t;
  ld.local.u32 %r0, [stack+4];
  isspacep.local %p0, %d1;
  mov.u64 %d2, s;
  cvta.shared.u64 %d3, %d2;
  isspacep.shared %p1, %d3;
  isspacep.global %p2, %x;
  mul.wide.u32 %d4, %t, 4;
  add.u64 %d3, %d3, %d4;
  st.u32 [%d3], %r0;
  cvta.to.shared.u64 %d5, %d3;
  ld.shared.u32 %r1, [%d5];
  and.pred %p0, %p0, %p1;
  and.pred %p0, %p0, %p2;
  @!%p0 trap;
  add.u64 %d6, %x, %d4;
  st.u32 [%d6], %r1;)"));
  const uint64_t out = device.allocate(4 * 64);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 64)), IsEmpty());
  EXPECT_EQ(device.download<uint32_t>(out, 64)[63], 63u);
}

TEST_P(InOrders, VariablesOfAModule) {
  device.load(kernelText(R"(
  ld.const.u32 %r0, [table+4];
  ld.global.u64 %d0, [pointer];
  ld.global.u32 %r1, [%d0];
  ld.global.f32 %f0, [values+4];
  setp.eq.u32 %p0, %t, 0;
  @%p0 st.global.u32 [%x], %r0;
  @%p0 st.global.u32 [%x+4], %r1;
  @%p0 st.global.f32 [%x+8], %f0;)",
                         "sm_80", "8.0", R"(
.const .align 4 .u32 table[3] = {5, 6, 7};
.global .align 4 .f32 values[3] = {0f3F800000, 0f40490FDB, 0f00000000};
.visible .global .align 4 .u32 word = 42;
.global .align 8 .u64 pointer = generic(word);
)"));
  const uint64_t out = device.allocate(12);
  EXPECT_THAT(textsOf(device.run("k", {out, 0, 0}, 32)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 3), ElementsAre(6, 42, 0x40490fdb));
}

TEST_P(InOrders, WidthsOfLoadsAndStores) {
  device.load(kernelText(R"(
  ld.global.s8 %r0, [%x];
  ld.global.u8 %r1, [%x];
  ld.global.s16 %r2, [%x+2];
  ld.global.nc.v2.u16 {%h0, %h1}, [%x+4];
  ld.volatile.global.u64 %d0, [%x+8];
  st.global.u8 [%y], %r0;
  st.global.v2.b32 [%y+8], {%r0, %r1};
  st.global.v2.b16 [%y+4], {%h1, %h0};
  st.global.cs.u64 [%y+16], %d0;
  st.global.b32 [%y+24], %r2;)"));
  const uint64_t in = device.upload(std::vector<uint8_t>{0x80, 1, 0xfe, 0xff, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8}),
                 out = device.upload(std::vector<uint8_t>(28, 0));
  EXPECT_THAT(textsOf(device.run("k", {in, out, 0}, 1)), IsEmpty());
  EXPECT_THAT(device.download<uint32_t>(out, 7),
              ElementsAre(0x80, 0x02010403, 0xffffff80, 0x80, 0x04030201, 0x08070605, 0xfffffffe));
}

} // namespace
