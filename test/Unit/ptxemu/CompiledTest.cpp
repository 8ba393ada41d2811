// What clang makes of C kernels runs, in all orders, and gives what the host computes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <unistd.h>

using namespace ptxemu;
using testing::IsEmpty;

namespace {

std::string textOf(const std::string &path) {
  std::ifstream in(path);
  return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
}

/// The recorded PTX, and what clang makes now where there is one.
std::vector<std::string> modules() {
  std::vector<std::string> texts = {textOf(PTXEMU_INPUTS "/kernels.ptx")};
  EXPECT_FALSE(texts[0].empty());
  if (access(PTXEMU_CLANG, X_OK) != 0) {
    fprintf(stderr, "********** no clang: only recorded PTX is run **********\n");
    return texts;
  }
  const std::string out = "/tmp/ptxemu-compiled-" + std::to_string(getpid()) + ".ptx";
  const std::string command =
      PTXEMU_CLANG " --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -S -nogpulib " PTXEMU_INPUTS "/kernels.c -o " + out;
  EXPECT_EQ(system(command.c_str()), 0);
  texts.push_back(textOf(out));
  unlink(out.c_str());
  return texts;
}

int64_t power(int64_t base, int exponent) {
  uint64_t result = 1;
  while (exponent-- > 0)
    result *= static_cast<uint64_t>(base);
  return static_cast<int64_t>(result);
}

int64_t mixed(uint32_t value) {
  std::vector<int> digits;
  for (; value; value /= 10)
    digits.push_back(static_cast<int>(value % 10));
  uint64_t result = 0;
  const int count = static_cast<int>(digits.size());
  for (int k = 0; k < count; ++k)
    switch (digits[k] % 6) {
    case 0:
      result += static_cast<uint64_t>(power(digits[k], k));
      break;
    case 1:
      result ^= static_cast<uint64_t>(digits[count - 1 - k]) << 3;
      break;
    case 2:
      result *= 3;
      break;
    case 3:
      result -= static_cast<uint64_t>(power(digits[count - 1], 3));
      break;
    case 4:
      result = static_cast<uint64_t>(static_cast<int64_t>(result) / 7 + 1);
      break;
    default:
      result = ~result;
    }
  return static_cast<int64_t>(result);
}

TEST(Compiled, KernelsOfC) {
  for (const std::string &text : modules())
    for (Order order : {Order::Forward, Order::Reverse, Order::Random}) {
      Device device;
      device.options.order = order;
      device.load(text, order == Order::Forward ? "sm_80" : "");

      std::vector<float> x(1000);
      std::iota(x.begin(), x.end(), 1.0f);
      const uint64_t in = device.upload(x), out = device.allocate(16);
      EXPECT_THAT(textsOf(device.run("sum", {in, out, 1000}, 128, 3)), IsEmpty());
      const std::vector<float> sums = device.download<float>(out, 3);
      EXPECT_EQ(sums[0] + sums[1] + sums[2], 500500.0f);

      std::vector<int> y(300);
      for (size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<int>(i * 7919 * (i % 13 + 1));
      const uint64_t numbers = device.upload(y), results = device.allocate(8 * 300);
      EXPECT_THAT(textsOf(device.run("mixed", {numbers, results, 300}, 64, 5)), IsEmpty());
      const std::vector<int64_t> got = device.download<int64_t>(results, 300);
      for (size_t i = 0; i < y.size(); ++i)
        EXPECT_EQ(got[i], mixed(static_cast<uint32_t>(y[i]))) << y[i];

      std::vector<double> z(100);
      for (size_t i = 0; i < z.size(); ++i)
        z[i] = std::sin(static_cast<double>(i)) * 50;
      const uint64_t doubles = device.upload(z), floats = device.allocate(16 * 100);
      EXPECT_THAT(textsOf(device.run("numbers", {doubles, floats, 100}, 32, 4)), IsEmpty());
      const std::vector<float> values = device.download<float>(floats, 400);
      for (size_t i = 0; i < z.size(); ++i) {
        const float b = static_cast<float>(z[i]);
        const _Float16 c = static_cast<_Float16>(b);
        EXPECT_EQ(values[4 * i], std::fma(1.0f, b / 3.0f, std::sqrt(std::fabs(b))));
        // One rounding: the compiler fuses it.
        const _Float16 fused = static_cast<_Float16>(static_cast<double>(c) * c + 1.5);
        EXPECT_EQ(values[4 * i + 1], static_cast<float>(fused));
        EXPECT_EQ(values[4 * i + 2],
                  static_cast<float>(std::floor(z[i] * 0.7)) - static_cast<float>(static_cast<int>(z[i])));
        EXPECT_EQ(values[4 * i + 3], std::fmax(b, 0.5f) * static_cast<float>(static_cast<uint64_t>(std::fabs(z[i]))));
      }
    }
}

} // namespace
