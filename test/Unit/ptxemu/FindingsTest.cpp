// Each kind of mistake is told, with its place.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

using namespace ptxemu;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Runs `body` on a fresh device with 256 initialized bytes at x and 256 others at y.
struct Ran {
  Ran(const std::string &body, unsigned threads = 32, Order order = Order::Forward, unsigned blocks = 1) {
    device.load(kernelText(body));
    device.options.order = order;
    x = device.upload(std::vector<uint32_t>(64, 1));
    y = device.allocate(256);
    result = device.run("k", {x, y, 0}, threads, blocks);
    texts = textsOf(result);
  }
  Device device;
  uint64_t x, y;
  LaunchResult result;
  std::vector<std::string> texts;
};

TEST(Findings, OutOfBounds) {
  Ran r("  mul.wide.u32 %d0, %t, 4;\n  add.u64 %d1, %x, %d0;\n  ld.global.u32 %r0, [%d1];", 65);
  EXPECT_THAT(
      r.texts,
      ElementsAre(AllOf(HasSubstr("kernel 'k', line 13, block (0,0,0), thread (64,0,0): out of bounds: reads 4 bytes"),
                        HasSubstr("256 bytes after the begin of allocation 1 of 256 bytes"))));
  EXPECT_EQ(r.result.result(), kIllegalAddress);
  EXPECT_THAT(Ran("  st.global.u32 [%x+-4], %t;", 1).texts, ElementsAre(HasSubstr("4 bytes before allocation 1")));
  EXPECT_THAT(Ran("  mov.u64 %d0, 0;\n  ld.global.u32 %r0, [%d0];").texts, ElementsAre(HasSubstr("a null pointer")));
  EXPECT_THAT(Ran("  .shared .b32 s[4];\n  mov.u32 %r0, s;\n  ld.shared.u32 %r1, [%r0+16];").texts,
              ElementsAre(HasSubstr("of shared memory at 0x10, of which the block has 16")));
  EXPECT_THAT(Ran("  .local .b32 s[4];\n  mov.u64 %d0, s;\n  st.local.u32 [%d0+16], %t;").texts,
              ElementsAre(HasSubstr("of which a thread has 16")));
}

TEST(Findings, Misaligned) {
  Ran r("  ld.global.u32 %r0, [%x+2];");
  EXPECT_THAT(r.texts, ElementsAre(HasSubstr("misaligned: reads 4 bytes of global memory at 0x")));
  EXPECT_EQ(r.result.result(), kMisalignedAddress);
  EXPECT_THAT(Ran("  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%x+8];").texts,
              ElementsAre(HasSubstr("expected a multiple of 16")));
}

TEST(Findings, UseAfterFree) {
  Device device;
  device.load(kernelText("  st.global.u32 [%x], %t;"));
  const uint64_t x = device.allocate(64);
  device.memory.release(x);
  EXPECT_THAT(textsOf(device.run("k", {x, 0, 0}, 1)),
              ElementsAre(AllOf(HasSubstr("use after free"), HasSubstr("which is freed"))));
}

TEST(Findings, UninitializedMemory) {
  EXPECT_THAT(Ran("  ld.global.u32 %r0, [%y+8];", 1).texts,
              ElementsAre(AllOf(HasSubstr("uninitialized memory: reads 4 bytes"),
                                HasSubstr("8 bytes after the begin of allocation 2"))));
  EXPECT_THAT(Ran("  .shared .b32 s[4];\n  ld.shared.u32 %r0, [s];", 1).texts,
              ElementsAre(HasSubstr("uninitialized memory")));
  EXPECT_THAT(Ran("  .local .b32 s[4];\n  ld.local.u32 %r0, [s];", 1).texts,
              ElementsAre(HasSubstr("uninitialized memory")));
  // One byte of four was written.
  EXPECT_THAT(Ran("  st.global.u8 [%y], %t;\n  ld.global.u32 %r0, [%y];", 1).texts,
              ElementsAre(HasSubstr("uninitialized memory")));
  EXPECT_THAT(Ran("  st.global.u32 [%y], %t;\n  ld.global.u32 %r0, [%y];", 1).texts, IsEmpty());
}

TEST(Findings, UndefinedRegisters) {
  EXPECT_THAT(Ran("  add.u32 %r0, %r1, 1;").texts,
              ElementsAre(HasSubstr("undefined register: register '%r1' is read")));
  EXPECT_THAT(Ran("  @%p3 add.u32 %r0, %t, 1;").texts, ElementsAre(HasSubstr("predicate '%p3'")));
  // One lane of the warp wrote it.
  EXPECT_THAT(Ran("  setp.eq.u32 %p0, %t, 3;\n  @%p0 mov.u32 %r1, 1;\n  add.u32 %r0, %r1, 1;").texts,
              ElementsAre(HasSubstr("thread (0,0,0)")));
  // Moves and choices carry it along.
  EXPECT_THAT(
      Ran("  mov.u32 %r0, %r1;\n  setp.lt.u32 %p0, %t, 99;\n  selp.u32 %r2, %t, %r0, %p0;\n  add.u32 %r3, %r2, 1;")
          .texts,
      IsEmpty());
  EXPECT_THAT(Ran("  mov.u32 %r0, %r1;\n  add.u32 %r2, %r0, 1;").texts, ElementsAre(HasSubstr("'%r0'")));
}

const char *const kExchange = R"(
  .shared .align 4 .b32 s[64];
  mov.u32 %r0, s;
  shl.b32 %r1, %t, 2;
  add.u32 %r2, %r0, %r1;
  st.shared.u32 [%r2], %t;
  BARRIER
  xor.b32 %r3, %r2, 252;
  ld.shared.u32 %r4, [%r3];
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %y, %d0;
  st.global.u32 [%d1], %r4;)";

std::string exchange(const std::string &barrier) {
  std::string text = kExchange;
  return text.replace(text.find("BARRIER"), 7, barrier);
}

TEST(Findings, SharedRace) {
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    EXPECT_THAT(Ran(exchange("bar.sync 0;"), 64, order).texts, IsEmpty());
    const Ran r(exchange(""), 64, order);
    EXPECT_THAT(r.texts,
                Contains(AllOf(HasSubstr("race:"), HasSubstr("at line "), HasSubstr("nothing orders the two"))));
    EXPECT_EQ(r.result.result(), kLaunchFailed);
    // A barrier of warps does not order different warps.
    EXPECT_THAT(Ran(exchange("bar.warp.sync -1;"), 64, order).texts, Contains(HasSubstr("race:")));
  }
}

TEST(Findings, RaceIsFoundWhereNumbersAreRight) {
  // All lanes of one warp run in step here, so the values come out right; nothing says that they do.
  const std::string body = R"(
  .shared .align 4 .b32 s[32];
  mov.u32 %r0, s;
  shl.b32 %r1, %t, 2;
  add.u32 %r2, %r0, %r1;
  st.shared.u32 [%r2], %t;
  xor.b32 %r3, %r2, 4;
  ld.shared.u32 %r4, [%r3];
  mul.wide.u32 %d0, %t, 4;
  add.u64 %d1, %y, %d0;
  st.global.u32 [%d1], %r4;)";
  Ran r(body);
  EXPECT_THAT(r.texts,
              ElementsAre(HasSubstr("race: reads 4 bytes of shared memory at 0x4, which thread 1 wrote at line 16")));
  EXPECT_THAT(r.device.download<uint32_t>(r.y, 3), ElementsAre(1, 0, 3));
}

TEST(Findings, GlobalRace) {
  EXPECT_THAT(Ran("  st.global.u32 [%y], %t;", 2).texts,
              ElementsAre(AllOf(HasSubstr("race: writes 4 bytes of global memory"), HasSubstr("(allocation 2"))));
  // Of two blocks no barrier orders anything.
  EXPECT_THAT(Ran("  bar.sync 0;\n  st.global.u32 [%y], %t;\n  bar.sync 0;", 1, Order::Forward, 2).texts,
              ElementsAre(HasSubstr("which block 0, thread 0 wrote")));
  EXPECT_THAT(Ran("  ld.global.u32 %r0, [%x];\n  setp.eq.u32 %p0, %t, 1;\n  @%p0 st.global.u32 [%x], %r0;", 2).texts,
              ElementsAre(HasSubstr("read at line")));
  // Bytes of one word are several things.
  EXPECT_THAT(Ran("  cvt.u64.u32 %d0, %t;\n  add.u64 %d1, %y, %d0;\n  st.global.u8 [%d1], %t;").texts, IsEmpty());
  // Atomics do not race with each other, but with other accesses.
  EXPECT_THAT(Ran("  red.global.add.u32 [%x], 1;").texts, IsEmpty());
  EXPECT_THAT(Ran("  red.global.add.u32 [%x], 1;\n  ld.global.u32 %r0, [%x];").texts, ElementsAre(HasSubstr("race")));
}

TEST(Findings, ReadOnlyPath) {
  EXPECT_THAT(Ran("  st.global.u32 [%x], %t;\n  ld.global.nc.u32 %r0, [%x];", 1).texts,
              ElementsAre(HasSubstr("ld.global.nc may read only")));
}

TEST(Findings, Deadlock) {
  const Ran r(R"(
  setp.lt.u32 %p0, %t, 32;
  @%p0 bra one;
  bar.sync 1;
  bra.uni done;
one:
  bar.sync 0;
done:)",
              64);
  EXPECT_THAT(r.texts, ElementsAre(AllOf(HasSubstr("deadlock: no thread can go on"),
                                         HasSubstr("32 threads wait at a barrier at line 14"),
                                         HasSubstr("32 threads wait at a barrier at line 17"))));
  EXPECT_THAT(
      Ran("  setp.lt.u32 %p0, %t, 16;\n  @%p0 bra skip;\n  shfl.sync.idx.b32 %r0, %t, 0, 31, -1;\nskip:\n  bar.sync 0;")
          .texts,
      ElementsAre(
          AllOf(HasSubstr("16 threads wait for lanes of their warp"), HasSubstr("16 threads wait at a barrier"))));
}

TEST(Findings, MismatchedBarrier) {
  EXPECT_THAT(
      Ran("  setp.lt.u32 %p0, %t, 16;\n  @%p0 bra one;\n  bar.sync 0;\n  bra.uni done;\none:\n  bar.sync 0;\ndone:")
          .texts,
      ElementsAre(HasSubstr("mismatched barrier: lanes of one warp wait at barrier 0")));
  EXPECT_THAT(Ran("  setp.lt.u32 %p0, %t, 32;\n  @%p0 bra one;\n  bar.sync 0, 96;\n  bra.uni done;\none:\n  bar.sync "
                  "0, 64;\ndone:",
                  96)
                  .texts,
              Contains(HasSubstr("mismatched barrier")));
  // Threads that have ended do not count.
  EXPECT_THAT(Ran("  setp.lt.u32 %p0, %t, 16;\n  @%p0 ret;\n  bar.sync 0;").texts, IsEmpty());
}

TEST(Findings, TrapAndHang) {
  Ran r("  trap;");
  EXPECT_THAT(r.texts, ElementsAre(HasSubstr("trap: the program stopped itself")));
  Device device;
  device.load(kernelText("loop:\n  add.u64 %x, %x, 1;\n  bra loop;"));
  device.options.maxInstructions = 1000000;
  const LaunchResult result = device.run("k", {0, 0, 0}, 32);
  EXPECT_THAT(textsOf(result), ElementsAre(HasSubstr("hang: no end after")));
  EXPECT_EQ(result.result(), kLaunchTimeout);
}

TEST(Findings, CopiesAreNotThereBeforeTheyAreWaitedFor) {
  const std::string body = R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r0, s;
  and.b32 %r5, %t, 15;
  shl.b32 %r1, %r5, 4;
  add.u32 %r2, %r0, %r1;
  cvt.u64.u32 %d0, %r1;
  add.u64 %d1, %x, %d0;
  setp.lt.u32 %p0, %t, 16;
  @%p0 cp.async.cg.shared.global [%r2], [%d1], 16;
  cp.async.commit_group;
  WAIT
  bar.sync 0;
  ld.shared.u32 %r3, [s+4];
  mul.wide.u32 %d2, %t, 4;
  add.u64 %d3, %y, %d2;
  st.global.u32 [%d3], %r3;)";
  auto with = [&](const std::string &wait) {
    std::string text = body;
    return text.replace(text.find("WAIT"), 4, wait);
  };
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    Ran good(with("cp.async.wait_group 0;"), 32, order);
    EXPECT_THAT(good.texts, IsEmpty());
    EXPECT_THAT(good.device.download<uint32_t>(good.y, 2), ElementsAre(1, 1));
    EXPECT_THAT(Ran(with(""), 32, order).texts,
                Contains(HasSubstr(
                    "in flight: reads 4 bytes of shared memory at 0x4, which a copy that is not waited for writes")));
    // One group may still be in flight.
    EXPECT_THAT(Ran(with("cp.async.wait_group 1;"), 32, order).texts, Contains(HasSubstr("in flight")));
  }
}

TEST(Findings, BankConflictsAndSectorsAreCounted) {
  const Ran strided("  .shared .align 4 .b32 s[1024];\n  mov.u32 %r0, s;\n  shl.b32 %r1, %t, 7;\n  add.u32 %r0, %r0, "
                    "%r1;\n  st.shared.u32 [%r0], %t;");
  EXPECT_EQ(strided.result.counters.bankConflicts, 31u);
  // Of copies to every other piece of 16 bytes eight threads, for which there are banks, take two accesses.
  auto copies = [](const std::string &distance) {
    return Ran("  .shared .align 16 .b8 s[1024];\n  mov.u32 %r0, s;\n  mul.lo.u32 %r1, %t, " + distance +
               ";\n  add.u32 %r0, %r0, %r1;\n  cp.async.cg.shared.global [%r0], [%x], 16;\n"
               "  cp.async.wait_all;");
  };
  EXPECT_EQ(copies("16").result.counters.bankConflicts, 0u);
  EXPECT_EQ(copies("32").result.counters.bankConflicts, 4u);
  const Ran wide(
      "  and.b32 %r1, %t, 7;\n  mul.wide.u32 %d0, %r1, 32;\n  add.u64 %d1, %x, %d0;\n  ld.global.u32 %r0, [%d1];", 8);
  EXPECT_EQ(wide.result.counters.globalSectors, 8u);
  EXPECT_EQ(wide.result.counters.idealSectors, 1u);
}

std::string errorOf(const std::string &body) {
  DeviceMemory memory;
  return loadModule(kernelText(body), memory)->error;
}

TEST(Findings, UnknownTextIsRefusedWithItsLine) {
  EXPECT_EQ(errorOf("  frobnicate.u32 %r0, %r1;"), "line 11: unknown instruction 'frobnicate'");
  EXPECT_EQ(errorOf("\n  add.wobbly.u32 %r0, %r1, %r2;"), "line 12: unknown modifier '.wobbly' of 'add'");
  EXPECT_THAT(errorOf("  add.u32 %r0, %r1;"), HasSubstr("with 2 operands, expected 3"));
  EXPECT_THAT(errorOf("  add.u32 %r0, %r1, %d0;"), HasSubstr("register '%d0' of type .b64, expected one of type .u32"));
  EXPECT_THAT(errorOf("  add.f32 %f0, %f1, 1;"), HasSubstr("an integer constant"));
  EXPECT_THAT(errorOf("  bra nowhere;"), HasSubstr("unknown label 'nowhere'"));
  EXPECT_THAT(errorOf("  mov.u32 %r0, %r99;"), HasSubstr("unknown register '%r99'"));
  EXPECT_THAT(errorOf("  mov.u32 %r0, %nosuch;"), HasSubstr("unknown special register '%nosuch'"));
  EXPECT_THAT(errorOf("  call.uni foo, ();"), HasSubstr("call of unknown function 'foo'"));
  EXPECT_THAT(errorOf("  fma.f16 %h0, %h1, %h2, %h3;"), HasSubstr("expected '.rn'"));
  DeviceMemory memory;
  EXPECT_THAT(loadModule(kernelText("  call.uni foo, ();", "sm_80", "8.0", ".extern .func foo;"), memory)->error,
              HasSubstr("unresolved extern function 'foo'"));
}

} // namespace
