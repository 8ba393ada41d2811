// Products of matrices, the loads of their fragments, and mbarriers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include "test/lib/ptxemu/Numbers.h"

using namespace ptxemu;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// Small whole numbers, which every format holds and whose sums are exact.
int valueAt(int i) { return (i * 7 + i / 5) % 9 - 4; }

/// Elements of a matrix as they lie in memory.
template <typename T> std::vector<T> matrix(size_t count, int seed, T (*make)(int)) {
  std::vector<T> made;
  for (size_t i = 0; i < count; ++i)
    made.push_back(make(valueAt(static_cast<int>(i) + seed)));
  return made;
}
uint16_t half(int value) { return toHalf(value).bits; }
uint16_t brain(int value) { return toBFloat(value).bits; }
float single(int value) { return static_cast<float>(value); }
int8_t byte(int value) { return static_cast<int8_t>(value); }

/// Loads fragments as the ISA lays them out, word by word: A of 16 rows (x, row-major), B of 8 columns (y, each column
/// together), C of zeros; D goes to z, row-major. Elements have `size` bytes.
std::string mmaText(const std::string &op, int rows, int depth, int size, const std::string &type) {
  const int each = 4 / size, countA = rows * depth / 32 / each, countB = depth * 8 / 32 / each, countD = rows * 8 / 32;
  const std::string d = type == "s32" ? "%r" : "%f", suffix = type == "s32" ? "u32" : "f32";
  std::string text = "  shr.u32 %r0, %t, 2;\n  and.b32 %r1, %t, 3;\n";
  std::string a, b, c;
  for (int i = 0; i < countA; ++i) {
    const int half = rows == 16 ? i % 2 : 0, part = rows == 16 ? i / 2 : i;
    // ((group + 8 half) * depth + within * each + part * 4 each) * size
    text += "  mul.lo.u32 %r2, %r0, " + std::to_string(depth * size) +
            ";\n  mad.lo.u32 %r2, %r1, 4, %r2;\n"
            "  add.u32 %r2, %r2, " +
            std::to_string(half * 8 * depth * size + part * 16) +
            ";\n"
            "  cvt.u64.u32 %d0, %r2;\n  add.u64 %d0, %x, %d0;\n  ld.global.u32 %r" +
            std::to_string(3 + i) + ", [%d0];\n";
    a += (i ? ", %r" : "%r") + std::to_string(3 + i);
  }
  for (int i = 0; i < countB; ++i) {
    text += "  mul.lo.u32 %r2, %r0, " + std::to_string(depth * size) +
            ";\n  mad.lo.u32 %r2, %r1, 4, %r2;\n"
            "  add.u32 %r2, %r2, " +
            std::to_string(i * 16) +
            ";\n"
            "  cvt.u64.u32 %d0, %r2;\n  add.u64 %d0, %y, %d0;\n  ld.global.u32 %r" +
            std::to_string(8 + i) + ", [%d0];\n";
    b += (i ? ", %r" : "%r") + std::to_string(8 + i);
  }
  for (int i = 0; i < countD; ++i) {
    text += "  mov." + suffix + " " + d + std::to_string(11 + i) + ", " + (type == "s32" ? "0" : "0f00000000") + ";\n";
    c += (i ? ", " : "") + d + std::to_string(11 + i);
  }
  text += "  " + op + " {" + c + "}, {" + a + "}, {" + b + "}, {" + c + "};\n";
  for (int i = 0; i < countD; ++i)
    text +=
        "  mul.lo.u32 %r2, %r0, 32;\n  mad.lo.u32 %r2, %r1, 8, %r2;\n  cvt.u64.u32 %d0, %r2;\n  add.u64 %d0, %z, %d0;\n"
        "  st.global." +
        suffix + " [%d0+" + std::to_string(i / 2 * 256 + i % 2 * 4) + "], " + d + std::to_string(11 + i) + ";\n";
  return text;
}

template <typename T>
void checkMma(const std::string &op, int rows, int depth, T (*make)(int), const std::string &type = "f32",
              const std::string &target = "sm_80") {
  Device device;
  device.load(kernelText(mmaText(op, rows, depth, sizeof(T), type), target), target);
  const uint64_t x = device.upload(matrix<T>(static_cast<size_t>(rows * depth), 0, make)),
                 y = device.upload(matrix<T>(static_cast<size_t>(8 * depth), 3, make)), z = device.allocate(16 * 8 * 4);
  const LaunchResult result = device.run("k", {x, y, z}, 32);
  EXPECT_THAT(textsOf(result), IsEmpty()) << op;
  EXPECT_EQ(result.counters.matrixOps, 1u);
  const std::vector<uint32_t> words = device.download<uint32_t>(z, static_cast<size_t>(rows) * 8);
  for (int m = 0; m < rows; ++m)
    for (int n = 0; n < 8; ++n) {
      int sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += valueAt(m * depth + k) * valueAt(n * depth + k + 3);
      const uint32_t word = words[static_cast<size_t>(m) * 8 + static_cast<size_t>(n)];
      EXPECT_EQ(type == "s32" ? static_cast<int32_t>(word) : fromBits<float>(word), sum) << op << " " << m << " " << n;
    }
}

TEST(Matrix, Products) {
  checkMma<uint16_t>("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16, half);
  checkMma<uint16_t>("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, half);
  checkMma<uint16_t>("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, brain);
  checkMma<float>("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, single);
  checkMma<float>("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 4, single);
  checkMma<int8_t>("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 32, byte, "s32");
  checkMma<int8_t>("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 16, 16, byte, "s32");
  checkMma<int8_t>("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 8, 16, byte, "s32");
}

TEST(Matrix, NeedsAWholeWarp) {
  Device device;
  device.load(
      kernelText(
          "  setp.lt.u32 %p0, %t, 31;\n  mov.u32 %r0, 0;\n  mov.f32 %f0, 0f00000000;\n  @!%p0 ret;\n"
          "  mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f0,%f0,%f0}, {%r0,%r0}, {%r0}, {%f0,%f0,%f0,%f0};"),
      "");
  EXPECT_THAT(textsOf(device.run("k", {0, 0, 0}, 32)),
              ElementsAre(HasSubstr("for all 32 lanes of a warp, of which 31")));
}

TEST(Matrix, LoadsFragments) {
  // Element (r, c) of matrix m is 256 m + 16 r + c.
  Device device;
  device.load(kernelText(R"(
  .shared .align 16 .b8 s[512];
  mov.u32 %r0, s;
  shl.b32 %r1, %t, 4;
  add.u32 %r2, %r0, %r1;
  mul.wide.u32 %d0, %t, 16;
  add.u64 %d1, %x, %d0;
  ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d1];
  st.shared.v4.u32 [%r2], {%r3, %r4, %r5, %r6};
  bar.sync 0;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];
  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r7, %r8}, [%r2];
  movmatrix.sync.aligned.m8n8.trans.b16 %r9, %r3;
  mul.wide.u32 %d0, %t, 32;
  add.u64 %d1, %y, %d0;
  st.global.v4.u32 [%d1], {%r3, %r4, %r5, %r6};
  st.global.v4.u32 [%d1+16], {%r7, %r8, %r9, %r9};)"));
  std::vector<uint16_t> elements;
  for (int m = 0; m < 4; ++m)
    for (int i = 0; i < 64; ++i)
      elements.push_back(static_cast<uint16_t>(256 * m + 16 * (i / 8) + i % 8));
  const uint64_t x = device.upload(elements), y = device.allocate(32 * 32);
  const LaunchResult result = device.run("k", {x, y, 0}, 32);
  EXPECT_THAT(textsOf(result), IsEmpty());
  EXPECT_EQ(result.counters.bankConflicts, 0u);
  const std::vector<uint32_t> words = device.download<uint32_t>(y, 256);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t row = lane / 4, column = lane % 4 * 2;
    for (uint32_t m = 0; m < 4; ++m)
      EXPECT_EQ(words[8 * lane + m], (256 * m + 16 * row + column) | (256 * m + 16 * row + column + 1) << 16);
    const uint32_t transposed = (16 * column + row) | (16 * (column + 1) + row) << 16;
    EXPECT_EQ(words[8 * lane + 4], transposed);
    EXPECT_EQ(words[8 * lane + 5], transposed + 0x01000100);
    EXPECT_EQ(words[8 * lane + 6], transposed);
  }
}

TEST(Matrix, LoadOfWhatAnotherWarpWritesNeedsABarrier) {
  Device device;
  device.load(kernelText(R"(
  .shared .align 16 .b8 s[1024];
  mov.u32 %r0, s;
  shl.b32 %r1, %t, 4;
  add.u32 %r2, %r0, %r1;
  st.shared.v4.u32 [%r2], {%t, %t, %t, %t};
  xor.b32 %r1, %r1, 512;
  add.u32 %r2, %r0, %r1;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];)"));
  EXPECT_THAT(textsOf(device.run("k", {0, 0, 0}, 64)), Contains(HasSubstr("race: ")));
}

// A barrier in shared memory: warp 1 waits for 32 arrivals of warp 0, twice.
TEST(Matrix, MemoryBarriers) {
  const std::string body = R"(
  .shared .align 8 .b64 bar[1];
  .shared .align 4 .b32 s[32];
  mov.u32 %r0, s;
  and.b32 %r1, %t, 31;
  shl.b32 %r1, %r1, 2;
  add.u32 %r2, %r0, %r1;
  setp.eq.u32 %p0, %t, 0;
  @%p0 mbarrier.init.shared.b64 [bar], 32;
  bar.sync 0;
  setp.ge.u32 %p1, %t, 32;
  @%p1 bra consume;
  st.shared.u32 [%r2], %t;
  mbarrier.arrive.shared.b64 %d2, [bar];
  bra.uni done;
consume:
  WAIT
  xor.b32 %r3, %r2, 4;
  ld.shared.u32 %r4, [%r3];
  cvt.u64.u32 %d0, %r1;
  add.u64 %d1, %x, %d0;
  st.global.u32 [%d1], %r4;
done:)";
  auto with = [&](const std::string &wait) {
    std::string text = body;
    return kernelText(text.replace(text.find("WAIT"), 4, wait), "sm_90");
  };
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    Device device;
    device.options.order = order;
    device.load(with("mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n  @!%p2 bra consume;"), "sm_90");
    const uint64_t x = device.allocate(128);
    EXPECT_THAT(textsOf(device.run("k", {x, 0, 0}, 64)), IsEmpty());
    EXPECT_THAT(device.download<uint32_t>(x, 3), ElementsAre(1, 0, 3));
  }
  Device device;
  device.load(with(""), "sm_90");
  EXPECT_THAT(textsOf(device.run("k", {device.allocate(128), 0, 0}, 64)), Contains(HasSubstr("race")));
  // The phase after the first never ends.
  device.load(with("mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n  @!%p2 bra consume;\nagain:\n"
                   "  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1;\n  @!%p2 bra again;"),
              "sm_90");
  EXPECT_THAT(textsOf(device.run("k", {device.allocate(128), 0, 0}, 64)),
              Contains(HasSubstr("deadlock: no thread can go on: 32 threads poll an mbarrier at line 30")));
}

/// One warpgroup multiplies 64 by 16 and 16 by 8 halves. A and B lie in shared memory, K together, in rows of 32 bytes
/// with the swizzle of that width; z gets D, row-major.
std::string wgmmaText(const std::string &fence, const std::string &wait) {
  return kernelText(R"(
  .shared .align 1024 .b8 tile[4096];
  mov.u32 %r0, tile;
  // A thread of the first 64 copies a row of A, one of the next 8 a row of B.
  setp.ge.u32 %p0, %t, 72;
  @%p0 bra copied;
  shl.b32 %r1, %t, 5;
  cvt.u64.u32 %d0, %r1;
  add.u64 %d1, %x, %d0;
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1];
  shr.u32 %r6, %r1, 7;
  and.b32 %r6, %r6, 1;
  shl.b32 %r6, %r6, 4;
  xor.b32 %r7, %r1, %r6;
  add.u32 %r8, %r0, %r7;
  st.shared.v4.u32 [%r8], {%r2, %r3, %r4, %r5};
  ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d1+16];
  xor.b32 %r7, %r7, 16;
  add.u32 %r8, %r0, %r7;
  st.shared.v4.u32 [%r8], {%r2, %r3, %r4, %r5};
copied:
  fence.proxy.async;
  bar.sync 0;
  // Swizzle of 32 bytes: layout 3; groups of 8 rows are 256 bytes apart.
  cvt.u64.u32 %d2, %r0;
  shr.u64 %d2, %d2, 4;
  or.b64 %d2, %d2, 0xC000001000010000;
  add.u64 %d3, %d2, 128;
  mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f3F800000; mov.f32 %f3, 0f3F800000;
  setp.eq.u32 %p1, 0, 0;
  )" + fence + R"(
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, %p1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  )" + wait + R"(
  // Row (t / 32) * 16 + t % 32 / 4, column 2 (t % 4).
  shr.u32 %r1, %t, 5;
  shl.b32 %r1, %r1, 4;
  and.b32 %r2, %t, 31;
  shr.u32 %r2, %r2, 2;
  add.u32 %r1, %r1, %r2;
  shl.b32 %r1, %r1, 5;
  and.b32 %r2, %t, 3;
  shl.b32 %r2, %r2, 3;
  add.u32 %r1, %r1, %r2;
  cvt.u64.u32 %d0, %r1;
  add.u64 %d1, %z, %d0;
  st.global.v2.f32 [%d1], {%f0, %f1};
  st.global.v2.f32 [%d1+256], {%f2, %f3};)",
                    "sm_90a");
}

TEST(Matrix, WarpgroupProducts) {
  const std::vector<uint16_t> elements = matrix<uint16_t>(72 * 16, 0, half);
  for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
    Device device;
    device.options.order = order;
    device.load(wgmmaText("wgmma.fence.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"), "sm_90a");
    const uint64_t x = device.upload(elements), z = device.allocate(64 * 8 * 4);
    const LaunchResult result = device.run("k", {x, 0, z}, 128);
    EXPECT_THAT(textsOf(result), IsEmpty());
    EXPECT_EQ(result.counters.matrixOps, 1u);
    const std::vector<float> got = device.download<float>(z, 512);
    for (int m = 0; m < 64; ++m)
      for (int n = 0; n < 8; ++n) {
        int sum = 1; // what the accumulator held
        for (int k = 0; k < 16; ++k)
          sum += valueAt(m * 16 + k) * valueAt((64 + n) * 16 + k);
        EXPECT_EQ(got[static_cast<size_t>(m * 8 + n)], sum) << m << " " << n;
      }
  }
  Device device;
  device.load(wgmmaText("wgmma.fence.sync.aligned;", ""), "");
  const uint64_t x = device.upload(elements), z = device.allocate(64 * 8 * 4);
  EXPECT_THAT(textsOf(device.run("k", {x, 0, z}, 128)),
              Contains(HasSubstr("register '%f0' is read, which nothing wrote")));
  device.load(wgmmaText("", "wgmma.wait_group.sync.aligned 0;"), "");
  EXPECT_THAT(textsOf(device.run("k", {x, 0, z}, 128)), Contains(HasSubstr("without a wgmma.fence")));
  // Another product, whose results those of the first one are, after their registers may have been used.
  const std::string wait = "wgmma.wait_group.sync.aligned 0;", again = R"(
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, %p1, 1, 1, 0, 0;
  wgmma.commit_group.sync.aligned;
  )" + wait;
  device.load(wgmmaText("wgmma.fence.sync.aligned;", wait + again), "");
  EXPECT_THAT(textsOf(device.run("k", {x, 0, z}, 128)), Contains(HasSubstr("without a wgmma.fence")));
  device.load(wgmmaText("wgmma.fence.sync.aligned;", wait + "wgmma.fence.sync.aligned;" + again), "");
  EXPECT_THAT(textsOf(device.run("k", {x, 0, z}, 128)), IsEmpty());
  // Shared memory that is written while a product still reads it.
  device.load(wgmmaText("wgmma.fence.sync.aligned;", "st.shared.u32 [%r0], %t;\n  wgmma.wait_group.sync.aligned 0;"),
              "");
  EXPECT_THAT(textsOf(device.run("k", {x, 0, z}, 128)),
              Contains(HasSubstr(
                  "in flight: writes 4 bytes of shared memory at 0x0, which a wgmma that is not waited for reads")));
}

/// What threads wrote is read by another proxy: a fence of who wrote, or of who reads, stands in between.
TEST(Matrix, ProxiesNeedAFence) {
  const std::string fence = "fence.proxy.async;\n  bar.sync 0;", wait = "wgmma.wait_group.sync.aligned 0;";
  auto products = [&](const std::string &instead) {
    std::string text = wgmmaText("wgmma.fence.sync.aligned;", wait);
    return text.replace(text.find(fence), fence.size(), instead);
  };
  auto stores = [](const std::string &between) {
    return kernelText(R"(
  .shared .align 128 .b8 s[128];
  mov.u32 %r0, s;
  mad.lo.u32 %r1, %t, 4, %r0;
  st.shared.u32 [%r1], %t;
  )" + between + R"(
  setp.ne.u32 %p0, %t, 0;
  @%p0 ret;
  mov.u32 %r2, 128;
  cp.async.bulk.global.shared::cta.bulk_group [%z], [%r0], %r2;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;)",
                      "sm_90", "8.0");
  };
  Device device;
  const uint64_t x = device.upload(matrix<uint16_t>(72 * 16, 0, half)), z = device.allocate(64 * 8 * 4);
  auto findingsOf = [&](const std::string &text, unsigned threads) {
    device.load(text, "");
    return textsOf(device.run("k", {x, 0, z}, threads));
  };
  const auto isMissing = Contains(HasSubstr("by the async proxy, which thread "));
  EXPECT_THAT(findingsOf(products("bar.sync 0;"), 128), isMissing);
  EXPECT_THAT(findingsOf(products("bar.sync 0;\n  fence.proxy.async.shared::cta;"), 128), IsEmpty());
  // That of global memory is none, nor is one before what it is to order.
  EXPECT_THAT(findingsOf(products("fence.proxy.async.global;\n  bar.sync 0;"), 128), isMissing);
  EXPECT_THAT(findingsOf(stores("fence.proxy.async;\n  bar.sync 0;"), 32), IsEmpty());
  EXPECT_THAT(findingsOf(stores("bar.sync 0;\n  fence.proxy.async;"), 32), IsEmpty());
  EXPECT_THAT(findingsOf(stores("bar.sync 0;"), 32), isMissing);
  EXPECT_THAT(findingsOf(stores("fence.proxy.async;\n  st.shared.u32 [%r1], %t;\n  bar.sync 0;"), 32), isMissing);
}

} // namespace
