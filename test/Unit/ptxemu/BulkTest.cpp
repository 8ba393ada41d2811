// Bulk copies: linear ones, and boxes of tensors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include "test/lib/ptxemu/TensorMap.h"

using namespace ptxemu;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// The first thread sets the mbarrier up and copies 512 bytes to shared memory, all wait and copy them to y.
const char *const kBulk = R"(
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b64 bar[1];
  mov.u32 %r0, tile;
  mov.u32 %r1, bar;
  setp.eq.u32 %p0, %t, 0;
  @!%p0 bra wait;
  mbarrier.init.shared.b64 [%r1], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 %d2, [%r1], BYTES;
  COPY
wait:
  bar.sync 0;
poll:
  mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
  @!%p1 bra poll;
  shl.b32 %r2, %t, 4;
  add.u32 %r3, %r0, %r2;
  ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];
  cvt.u64.u32 %d0, %r2;
  add.u64 %d1, %y, %d0;
  st.global.v4.u32 [%d1], {%r4, %r5, %r6, %r7};)";

std::string bulkText(const std::string &copy, const std::string &bytes) {
  std::string text = kBulk;
  text.replace(text.find("BYTES"), 5, bytes);
  return kernelText(text.replace(text.find("COPY"), 4, copy), "sm_90", "8.0");
}

TEST(Bulk, Copies) {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 128; ++i)
    values.push_back(i);
  const std::string copy = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%x], 512, [%r1];";
  Device device;
  device.load(bulkText(copy, "512"), "sm_90");
  const uint64_t x = device.upload(values), y = device.allocate(512);
  EXPECT_THAT(textsOf(device.run("k", {x, y, 0}, 32)), IsEmpty());
  EXPECT_EQ(device.download<uint32_t>(y, 128), values);
  device.load(bulkText(copy, "256"), "sm_90");
  EXPECT_THAT(textsOf(device.run("k", {x, y, 0}, 32)), Contains(HasSubstr("deadlock")));
  // Who does not wait reads what is not there.
  std::string text = bulkText(copy, "512");
  text.replace(text.find("@!%p1 bra poll;"), 15, "");
  device.load(text, "sm_90");
  EXPECT_THAT(textsOf(device.run("k", {x, y, 0}, 32)),
              Contains(HasSubstr("in flight: reads 16 bytes of shared memory")));
}

/// A tensor, the innermost dimension first, and a box of 512 bytes.
TensorMap mapOf(uint8_t elementSize, std::vector<uint64_t> sizes, std::vector<uint64_t> strides,
                std::vector<uint16_t> box, unsigned swizzle = 0) {
  TensorMap map = {};
  map.magic = TensorMap::kMagic;
  std::copy(sizes.begin(), sizes.end(), map.sizes);
  std::copy(strides.begin(), strides.end(), map.strides);
  std::copy(box.begin(), box.end(), map.box);
  map.rank = static_cast<uint8_t>(sizes.size());
  map.elementSize = elementSize;
  map.swizzle = static_cast<uint8_t>(swizzle);
  return map;
}

/// Copies the box at `at` to `to` and reads it; `before` stands before the copy.
struct BoxRun {
  std::vector<int> at;
  std::string to = "%r0", bytes = "512", before;

  std::string text() const {
    std::string coordinates, copy = before;
    for (size_t i = 0; i < at.size(); ++i) {
      copy += "mov.u32 %r" + std::to_string(8 + i) + ", " + std::to_string(at[i]) + ";\n  ";
      coordinates += (i ? ", %r" : "%r") + std::to_string(8 + i);
    }
    return bulkText(copy + "cp.async.bulk.tensor." + std::to_string(at.size()) +
                        "d.shared::cluster.global.mbarrier::complete_tx::bytes [" + to + "], [%z, {" + coordinates +
                        "}], [%r1];",
                    bytes);
  }
  /// The findings; `got` has what is in shared memory.
  std::vector<std::string> run(Device &device, TensorMap map, const std::vector<uint8_t> &tensor,
                               std::vector<uint8_t> *got = nullptr) {
    device.load(text(), "sm_90");
    const uint64_t x = device.upload(tensor), y = device.allocate(512);
    map.address = x;
    std::vector<uint8_t> bytesOfMap(128, 0);
    memcpy(bytesOfMap.data(), &map, sizeof map);
    const uint64_t z = device.upload(bytesOfMap);
    std::vector<std::string> findings = textsOf(device.run("k", {x, y, z}, 32));
    if (got && findings.empty())
      *got = device.download<uint8_t>(y, 512);
    return findings;
  }
};

std::vector<uint8_t> bytesUpTo(size_t count) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < count; ++i)
    bytes.push_back(static_cast<uint8_t>(i * 7 + i / 251 + 1));
  return bytes;
}

/// The byte of a box at row `row`, byte `byte` is that of the tensor, or 0 outside of it. What is swizzled: bits 4 to 6
/// of an address in shared memory change with bits 7 to 9, one, two or three of them.
TEST(Bulk, BoxesOfMatrices) {
  Device device;
  const std::vector<uint8_t> tensor = bytesUpTo(20 * 160);
  for (const uint8_t elementSize : {uint8_t(2), uint8_t(4)})
    for (unsigned swizzle = 0; swizzle < 4; ++swizzle) {
      // Rows of the box are as long as the swizzle has them; those of the matrix end within a word.
      const int row = swizzle ? 16 << swizzle : 64, size = elementSize, columns = 142 / size;
      for (const int column : {-3, 0, columns - 5}) {
        const TensorMap map = mapOf(elementSize, {static_cast<uint64_t>(columns), 18}, {160},
                                    {static_cast<uint16_t>(row / size), static_cast<uint16_t>(512 / row)}, swizzle);
        std::vector<uint8_t> got(512);
        ASSERT_THAT((BoxRun{{column, 15}}.run(device, map, tensor, &got)), IsEmpty());
        for (int i = 0; i < 512; ++i) {
          const int c = column + i % row / size, r = 15 + i / row;
          const uint8_t expected =
              c >= 0 && c < columns && r < 18 ? tensor[static_cast<size_t>(r * 160 + c * size + i % size)] : uint8_t(0);
          const auto at = static_cast<unsigned>(i);
          EXPECT_EQ(got[at ^ ((at >> 7 & ((1u << swizzle) - 1)) << 4)], expected) << i << " " << swizzle;
        }
      }
    }
}

TEST(Bulk, BoxesOfThreeDimensions) {
  Device device;
  // 12 x 6 x 5 of f32, rows 48 bytes apart and planes 320.
  const std::vector<uint8_t> tensor = bytesUpTo(5 * 320);
  const TensorMap map = mapOf(4, {12, 6, 5}, {48, 320}, {8, 4, 4});
  std::vector<uint8_t> got(512);
  ASSERT_THAT((BoxRun{{6, 3, -1}}.run(device, map, tensor, &got)), IsEmpty());
  for (int i = 0; i < 512; ++i) {
    const int x = 6 + i % 32 / 4, y = 3 + i / 32 % 4, z = i / 128 - 1;
    const bool isInside = x < 12 && y < 6 && z >= 0;
    EXPECT_EQ(got[static_cast<size_t>(i)],
              isInside ? tensor[static_cast<size_t>(z * 320 + y * 48 + x * 4 + i % 4)] : uint8_t(0))
        << i;
  }
}

TEST(Bulk, WrongBoxes) {
  Device device;
  const std::vector<uint8_t> tensor = bytesUpTo(1024);
  const TensorMap map = mapOf(4, {16, 16}, {64}, {16, 8}, 2);
  auto findings = [&](BoxRun run) { return run.run(device, map, tensor); };
  EXPECT_THAT(findings({{0, 0}}), IsEmpty());
  // The barrier waits for bytes that do not come, or for fewer than do.
  EXPECT_THAT(findings({{0, 0}, "%r0", "1024"}), Contains(HasSubstr("deadlock")));
  EXPECT_THAT(findings({{0, 0}, "%r0", "256"}), Contains(HasSubstr("deadlock")));
  EXPECT_THAT(findings({{0, 0}, "%r7", "512", "add.u32 %r7, %r0, 128;\n  "}),
              Contains(HasSubstr("misaligned: a box at 128 in shared memory, expected a multiple of 512")));
  EXPECT_THAT(findings({{0, 0, 0}}), Contains(HasSubstr("a tensor map of 2 dimensions, expected 3")));
  EXPECT_THAT(findings({{0, 0}, "%r0", "512", "mbarrier.inval.shared.b64 [%r1];\n  "}),
              Contains(HasSubstr("no mbarrier is initialized")));
  EXPECT_THAT(findings({{0, 0}, "%r0", "512", "mbarrier.init.shared.b64 [%r1], 1;\n  "}),
              Contains(HasSubstr("an mbarrier stands there, which was not invalidated")));
  // The tensor ends after 1,024 bytes, whatever the map says.
  EXPECT_THAT((BoxRun{{0, 12}}.run(device, mapOf(4, {16, 32}, {64}, {16, 8}), tensor)),
              Contains(HasSubstr("out of bounds")));
}

} // namespace
