// Tests of single instructions: a line of PTX, inputs, and what the host computes of them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_UNIT_PTXEMU_OPTESTS_H
#define MLC_TEST_UNIT_PTXEMU_OPTESTS_H

#include "test/lib/ptxemu/DeviceMemory.h"
#include "test/lib/ptxemu/Launch.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <functional>
#include <string>
#include <vector>

namespace ptxemu {

/// The result of an instruction for its operands, as bits.
using Reference = std::function<uint64_t(const uint64_t *operands)>;

template <typename T> inline T fromBits(uint64_t bits) {
  T value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T> inline uint64_t toBits(T value) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename R, typename... A, size_t... I> Reference referenceOf(R (*compute)(A...), std::index_sequence<I...>) {
  return [compute](const uint64_t *operands) { return toBits<R>(compute(fromBits<A>(operands[I])...)); };
}
/// A reference of typed values: ref(+[](float a, float b) { return a + b; }).
template <typename R, typename... A> Reference ref(R (*compute)(A...)) {
  return referenceOf(compute, std::index_sequence_for<A...>());
}

/// A table of instructions that become kernels of one module: each is run for all combinations of inputs.
///
/// A signature says what the result and the operands a, b, c, e are: h, r, d integers of 16, 32, 64 bits; H an f16, B a
/// bf16, f an f32, F an f64, p a predicate, s a small count, P a pair of f16, Q a pair of bf16, e.g. "f=ff". The result
/// is o in the line.
class OpTests {
public:
  explicit OpTests(std::string target = "sm_80", std::string version = "8.0")
      : target_(std::move(target)), version_(std::move(version)) {}

  void add(std::string line, std::string signature, Reference reference) {
    cases_.push_back({std::move(line), std::move(signature), std::move(reference)});
  }
  /// Assembles the module where there is an assembler, and runs all kernels.
  void run() const;

private:
  struct Case {
    std::string line, signature;
    Reference reference;
  };
  std::string kernel(const Case &test, size_t number) const;
  std::string target_, version_;
  std::vector<Case> cases_;
};

/// Inputs of a letter of a signature.
const std::vector<uint64_t> &inputsOf(char letter);

/// Expects ptxas to accept `text` for its target; says so loudly where there is no ptxas.
void expectAssembles(const std::string &text, const std::string &target);

/// Loads modules and runs kernels in a memory of its own.
class Device {
public:
  explicit Device(uint64_t limit = 1ull << 28) : memory(limit) {}

  /// Loads `text`, which must be right, and must assemble for `target` (none: not checked).
  void load(const std::string &text, const std::string &target = "sm_80");
  /// A new allocation with these bytes, initialized.
  template <typename T> uint64_t upload(const std::vector<T> &values) {
    Allocation *made = memory.allocate(values.size() * sizeof(T));
    memcpy(made->data, values.data(), values.size() * sizeof(T));
    made->init.set(0, values.size() * sizeof(T));
    return made->base;
  }
  uint64_t allocate(uint64_t size) { return memory.allocate(size)->base; }
  template <typename T> std::vector<T> download(uint64_t base, size_t count) {
    std::vector<T> values(count);
    memcpy(values.data(), memory.find(base)->data, count * sizeof(T));
    return values;
  }
  /// Runs a kernel whose parameters are all of 8 bytes.
  LaunchResult run(const std::string &kernel, const std::vector<uint64_t> &parameters, unsigned threads,
                   unsigned blocks = 1, uint64_t dynamicShared = 0);

  DeviceMemory memory;
  std::unique_ptr<Module> module;
  RunOptions options;
};

/// A module of one kernel `k` with parameters x, y and z of 8 bytes, which are in registers %x, %y and %z; the thread
/// is in %t. Registers %r<16>, %d<16>, %f<16>, %h<16>, %p<8> are declared.
std::string kernelText(const std::string &body, const std::string &target = "sm_80", const std::string &version = "8.0",
                       const std::string &outside = "");

/// The texts of findings.
std::vector<std::string> textsOf(const LaunchResult &result);

} // namespace ptxemu

#endif // MLC_TEST_UNIT_PTXEMU_OPTESTS_H
