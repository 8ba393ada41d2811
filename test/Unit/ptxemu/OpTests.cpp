// Modules of tests, their inputs, and ptxas.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpTests.h"

#include "test/lib/ptxemu/Numbers.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace ptxemu {

static unsigned bytesOf(char letter) {
  switch (letter) {
  case 'h':
  case 'H':
  case 'B':
    return 2;
  case 'd':
  case 'F':
    return 8;
  default:
    return 4;
  }
}

const std::vector<uint64_t> &inputsOf(char letter) {
  static const std::vector<uint64_t>
      narrow = {0, 1, 2, 0x7fff, 0x8000, 0xffff, 0x1234, 0xfff9},
      middle = {0, 1, 7, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678, 0xfffffff0, 0x00ff00ff},
      wide = {0, 1, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x123456789abcdef0, 0xffffffff80000000},
      predicates = {0, 1}, counts = {0, 1, 3, 8, 15, 16, 31, 32, 33, 63, 64, 70, 255};
  static const std::vector<uint64_t> halves = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x0001, 0x83ff,
                                               0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x4248},
                                     brains = {0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x7f7f,
                                               0x7f80, 0xff80, 0x7fc0, 0x3eab, 0x4049},
                                     pairs = {0x3c00bc00, 0x00008000, 0x7bff0001, 0x7e003555, 0xfc007c00, 0x42484248},
                                     brainPairs = {0x3f80bf80, 0x00008000, 0x7f7f0001,
                                                   0x7fc03eab, 0xff807f80, 0x40494049};
  static const std::vector<uint64_t> singles = [] {
    std::vector<uint64_t> made;
    for (float value : {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.1415927f, -2.75f, 1e-40f, -1e-45f, 1.1754944e-38f,
                        3.4028235e38f, INFINITY, -INFINITY, NAN, 16777217.0f, 0.33333334f})
      made.push_back(toBits(value));
    return made;
  }();
  static const std::vector<uint64_t> doubles = [] {
    std::vector<uint64_t> made;
    for (double value : {0.0, -0.0, 1.0, -1.5, 3.141592653589793, 4.9e-324, 1.7976931348623157e308, double(INFINITY),
                         -double(INFINITY), double(NAN), 1.0 / 3, 1e-300})
      made.push_back(toBits(value));
    return made;
  }();
  switch (letter) {
  case 'h':
    return narrow;
  case 'd':
    return wide;
  case 'H':
    return halves;
  case 'B':
    return brains;
  case 'f':
    return singles;
  case 'F':
    return doubles;
  case 'p':
    return predicates;
  case 's':
    return counts;
  case 'P':
    return pairs;
  case 'Q':
    return brainPairs;
  default:
    return middle;
  }
}

/// Whether bits of the type of `letter` are a NaN.
static bool isNaN(char letter, uint64_t bits) {
  switch (letter) {
  case 'H':
    return (bits & 0x7fff) > 0x7c00;
  case 'B':
    return (bits & 0x7fff) > 0x7f80;
  case 'f':
    return (bits & 0x7fffffff) > 0x7f800000;
  case 'F':
    return (bits & ~0ull >> 1) > 0x7ff0000000000000ull;
  default:
    return false;
  }
}

static const char kNames[] = "abce";

std::string OpTests::kernel(const Case &test, size_t number) const {
  std::string text = ".visible .entry k" + std::to_string(number) + "(.param .u64 in, .param .u64 out) {\n";
  text += "  .reg .b64 %in, %out, %at; .reg .b32 %t, %n; .reg .pred o_p, %go;\n";
  const char result = test.signature[0];
  const std::string operands = test.signature.substr(2);
  auto declare = [&](char letter, const std::string &name) {
    text += letter == 'p' ? "  .reg .pred " + name + "; .reg .b32 " + name + "_word;\n"
                          : "  .reg .b" + std::to_string(8 * bytesOf(letter)) + " " + name + ";\n";
  };
  declare(result, "o");
  for (size_t i = 0; i < operands.size(); ++i)
    declare(operands[i], std::string(1, kNames[i]));
  text += "  ld.param.u64 %in, [in];\n  ld.param.u64 %out, [out];\n  mov.u32 %t, %tid.x;\n";
  // Operands of a thread stand side by side, 8 bytes each; the number of threads is the block's.
  text += "  mov.u32 %n, %ctaid.x;\n  mad.lo.u32 %t, %n, 256, %t;\n  mad.wide.u32 %at, %t, 32, %in;\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name(1, kNames[i]), place = "[%at+" + std::to_string(8 * i) + "]";
    if (operands[i] == 'p')
      text += "  ld.global.b32 " + name + "_word, " + place + ";\n  setp.ne.u32 " + name + ", " + name + "_word, 0;\n";
    else
      text += "  ld.global.b" + std::to_string(8 * bytesOf(operands[i])) + " " + name + ", " + place + ";\n";
  }
  text += "  " + test.line + "\n  mad.wide.u32 %at, %t, 8, %out;\n";
  if (result == 'p')
    text += "  selp.b32 o_word, 1, 0, o;\n  st.global.b32 [%at], o_word;\n";
  else
    text += "  st.global.b" + std::to_string(8 * bytesOf(result)) + " [%at], o;\n";
  return text + "  ret;\n}\n";
}

void OpTests::run() const {
  std::string text = ".version " + version_ + "\n.target " + target_ + "\n.address_size 64\n";
  for (size_t i = 0; i < cases_.size(); ++i)
    text += kernel(cases_[i], i);
  expectAssembles(text, target_);
  Device device;
  device.load(text, "");
  if (!device.module)
    return;
  for (size_t i = 0; i < cases_.size(); ++i) {
    const Case &test = cases_[i];
    const std::string operands = test.signature.substr(2);
    // All combinations, or every few of them where there are too many.
    size_t total = 1;
    for (char letter : operands)
      total *= inputsOf(letter).size();
    const size_t step = total > 2048 ? total / 1021 : 1;
    std::vector<uint64_t> inputs;
    for (size_t at = 0; at < total; at += step) {
      size_t rest = at;
      for (size_t k = 0; k < 4; ++k) {
        const std::vector<uint64_t> *values = k < operands.size() ? &inputsOf(operands[k]) : nullptr;
        inputs.push_back(values ? (*values)[rest % values->size()] : 0);
        rest /= values ? values->size() : 1;
      }
    }
    const size_t count = inputs.size() / 4, blocks = (count + 255) / 256;
    inputs.resize(blocks * 256 * 4, 0);
    const uint64_t in = device.upload(inputs), out = device.upload(std::vector<uint64_t>(blocks * 256, 0));
    const LaunchResult result = device.run("k" + std::to_string(i), {in, out}, 256, static_cast<unsigned>(blocks));
    EXPECT_THAT(textsOf(result), testing::IsEmpty()) << test.line;
    const std::vector<uint64_t> outputs = device.download<uint64_t>(out, count);
    const char letter = test.signature[0];
    int wrong = 0;
    for (size_t k = 0; k < count && wrong < 3; ++k) {
      const uint64_t mask = bytesOf(letter) == 8 ? ~0ull : (1ull << (8 * bytesOf(letter))) - 1;
      const uint64_t expected = test.reference(&inputs[4 * k]) & mask;
      if (outputs[k] == expected || (isNaN(letter, expected) && isNaN(letter, outputs[k])))
        continue;
      ++wrong;
      ADD_FAILURE() << test.line << std::hex << " of 0x" << inputs[4 * k] << ", 0x" << inputs[4 * k + 1] << ", 0x"
                    << inputs[4 * k + 2] << ", 0x" << inputs[4 * k + 3] << " is 0x" << outputs[k] << ", expected 0x"
                    << expected;
    }
    device.memory.release(in);
    device.memory.release(out);
  }
}

void expectAssembles(const std::string &text, const std::string &target) {
  static const char *const assembler =
      access("/usr/local/cuda/bin/ptxas", X_OK) == 0 ? "/usr/local/cuda/bin/ptxas" : nullptr;
  if (!assembler) {
    static bool told = false;
    if (!told)
      fprintf(stderr, "********** no ptxas: nothing says that the PTX of this test is PTX **********\n");
    told = true;
    return;
  }
  char name[] = "/tmp/ptxemu-test-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  ASSERT_EQ(write(file, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  close(file);
  const std::string log = std::string(name) + ".log";
  const std::string command =
      std::string(assembler) + " -O0 -arch=" + target + " " + name + " -o /dev/null > " + log + " 2>&1";
  const int status = system(command.c_str());
  if (status != 0) {
    std::ifstream in(log);
    std::string errors((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    ADD_FAILURE() << "ptxas refuses the text:\n" << errors.substr(0, 2000) << "\n" << text.substr(0, 20000);
  }
  unlink(name);
  unlink(log.c_str());
}

void Device::load(const std::string &text, const std::string &target) {
  if (!target.empty())
    expectAssembles(text, target);
  module = loadModule(text, memory);
  if (!module->error.empty()) {
    ADD_FAILURE() << module->error << "\n" << text.substr(0, 20000);
    module.reset();
  }
}

LaunchResult Device::run(const std::string &kernel, const std::vector<uint64_t> &parameters, unsigned threads,
                         unsigned blocks, uint64_t dynamicShared) {
  LaunchShape shape;
  shape.grid[0] = blocks;
  shape.block[0] = threads;
  shape.dynamicShared = dynamicShared;
  std::vector<uint8_t> bytes(parameters.size() * 8);
  memcpy(bytes.data(), parameters.data(), bytes.size());
  const Kernel *found = module ? module->find(kernel) : nullptr;
  if (!found) {
    ADD_FAILURE() << "no kernel " << kernel;
    return {};
  }
  bytes.resize(found->parameterBytes);
  return launch(*found, shape, bytes, memory, options);
}

std::string kernelText(const std::string &body, const std::string &target, const std::string &version,
                       const std::string &outside) {
  return ".version " + version + "\n.target " + target + "\n.address_size 64\n" + outside +
         "\n.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z) {\n"
         "  .reg .b64 %x, %y, %z, %d<16>; .reg .b32 %t, %r<16>; .reg .f32 %f<16>; .reg .b16 %h<16>; .reg .pred %p<8>;\n"
         "  ld.param.u64 %x, [x];\n  ld.param.u64 %y, [y];\n  ld.param.u64 %z, [z];\n  mov.u32 %t, %tid.x;\n" +
         body + "\n  ret;\n}\n";
}

std::vector<std::string> textsOf(const LaunchResult &result) {
  std::vector<std::string> texts;
  for (const Finding &finding : result.findings)
    texts.push_back(finding.text());
  return texts;
}

} // namespace ptxemu
