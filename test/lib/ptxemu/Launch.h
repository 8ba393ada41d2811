// Running a kernel.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_LIB_PTXEMU_LAUNCH_H
#define MLC_TEST_LIB_PTXEMU_LAUNCH_H

#include "test/lib/ptxemu/Program.h"
#include "test/lib/ptxemu/Report.h"

namespace ptxemu {

/// In which order what may run in any order runs.
enum class Order : uint8_t { Forward, Reverse, Random };

/// How a kernel runs.
struct RunOptions {
  Order order = Order::Forward;
  uint64_t seed = 1;
  bool findRaces = true;
  bool findUninitialized = true;                ///< memory
  bool findUndefined = true;                    ///< registers
  bool countAccesses = true;                    ///< sectors and bank conflicts
  unsigned processors = 4;                      ///< multiprocessors: blocks that are there at the same time
  uint64_t maxInstructions = 20'000'000'000ull; ///< of threads; more of them is a hang

  /// From PTXEMU_ORDER (forward, reverse, random or random:SEED), PTXEMU_CHECKS (all, none, or a list of races,
  /// uninitialized, undefined), PTXEMU_SMS, PTXEMU_MAX_INSTRUCTIONS.
  static RunOptions fromEnvironment();
};

/// The shape of a launch.
struct LaunchShape {
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  uint64_t dynamicShared = 0; ///< bytes
  unsigned cluster[3] = {1, 1, 1};
};

/// What a launch did.
struct LaunchResult {
  std::vector<Finding> findings;
  Counters counters;
  Result result() const { return findings.empty() ? kSuccess : resultOf(findings[0].mistake); }
};

/// What a multiprocessor of a compute capability (80 for 8.0) has.
struct ProcessorLimits {
  unsigned threads, blocks, registers;
  uint64_t shared, sharedPerBlock; ///< bytes; a block's with the attribute of the function set
};
ProcessorLimits limitsOf(unsigned chip);

/// What is wrong with a launch before it begins: a result, and a text; kSuccess if nothing is. `maxDynamicShared` is
/// what the function's attribute allows.
Result checkLaunch(const Kernel &kernel, const LaunchShape &shape, const ProcessorLimits &limits,
                   uint64_t maxDynamicShared, std::string &why);

/// Blocks of a kernel that a multiprocessor holds at the same time.
unsigned blocksPerProcessor(const Kernel &kernel, unsigned threads, uint64_t dynamicShared,
                            const ProcessorLimits &limits);

/// Runs `kernel` to its end. `parameters` are its parameters at their offsets.
LaunchResult launch(const Kernel &kernel, const LaunchShape &shape, const std::vector<uint8_t> &parameters,
                    DeviceMemory &memory, const RunOptions &options);

} // namespace ptxemu

#endif // MLC_TEST_LIB_PTXEMU_LAUNCH_H
