// Grids: which blocks run when, and what a launch may ask for.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Launch.h"
#include "test/lib/ptxemu/Block.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>

namespace ptxemu {

RunOptions RunOptions::fromEnvironment() {
  RunOptions options;
  if (const char *order = getenv("PTXEMU_ORDER")) {
    const std::string text = order;
    if (text == "reverse")
      options.order = Order::Reverse;
    else if (text.compare(0, 6, "random") == 0)
      options.order = Order::Random;
    if (text.size() > 7 && text[6] == ':')
      options.seed = std::strtoull(text.c_str() + 7, nullptr, 10);
  }
  if (const char *checks = getenv("PTXEMU_CHECKS")) {
    const std::string text = std::string(",") + checks + ",";
    auto has = [&](const char *name) {
      return text == ",all," || text.find(std::string(",") + name + ",") != std::string::npos;
    };
    options.findRaces = has("races");
    options.findUninitialized = has("uninitialized");
    options.findUndefined = has("undefined");
  }
  if (const char *processors = getenv("PTXEMU_SMS"))
    options.processors = std::max(1, atoi(processors));
  if (const char *most = getenv("PTXEMU_MAX_INSTRUCTIONS"))
    options.maxInstructions = std::strtoull(most, nullptr, 10);
  return options;
}

ProcessorLimits limitsOf(unsigned chip) {
  const uint64_t kib = 1024;
  if (chip >= 120)
    return {1536, 24, 65536, 100 * kib, 99 * kib};
  if (chip >= 90)
    return {2048, 32, 65536, 228 * kib, 227 * kib};
  if (chip >= 86)
    return {1536, chip == 89 ? 24u : 16u, 65536, 100 * kib, 99 * kib};
  if (chip >= 80)
    return {2048, 32, 65536, 164 * kib, 163 * kib};
  return {1024, 16, 65536, 64 * kib, 64 * kib};
}

Result checkLaunch(const Kernel &kernel, const LaunchShape &shape, const ProcessorLimits &limits,
                   uint64_t maxDynamicShared, std::string &why) {
  const uint64_t threads = static_cast<uint64_t>(shape.block[0]) * shape.block[1] * shape.block[2];
  const Function &entry = *kernel.entry;
  for (unsigned i = 0; i < 3; ++i) {
    static const unsigned mostThreads[] = {1024, 1024, 64}, mostBlocks[] = {0x7fffffff, 65535, 65535};
    if (shape.block[i] == 0 || shape.grid[i] == 0) {
      why = "a launch without threads";
      return kInvalidValue;
    }
    if (shape.block[i] > mostThreads[i] || shape.grid[i] > mostBlocks[i]) {
      why = "a grid of " + std::to_string(shape.grid[i]) + " blocks of " + std::to_string(shape.block[i]) +
            " threads in dimension " + std::to_string(i) + ", expected at most " + std::to_string(mostBlocks[i]) +
            " and " + std::to_string(mostThreads[i]);
      return kInvalidValue;
    }
    if (shape.cluster[i] == 0 || shape.grid[i] % shape.cluster[i]) {
      why = "a grid that is no multiple of its clusters";
      return kInvalidValue;
    }
  }
  if (threads > 1024) {
    why = std::to_string(threads) + " threads in a block, expected at most 1024";
    return kInvalidValue;
  }
  if (entry.maxThreads && threads > entry.maxThreads) {
    why = std::to_string(threads) + " threads in a block, and the kernel says .maxntid of " +
          std::to_string(entry.maxThreads);
    return kInvalidValue;
  }
  if (entry.requiredThreads && (shape.block[0] != entry.requiredShape[0] || shape.block[1] != entry.requiredShape[1] ||
                                shape.block[2] != entry.requiredShape[2])) {
    why = std::to_string(threads) + " threads in a block, and the kernel says .reqntid of " +
          std::to_string(entry.requiredThreads);
    return kInvalidValue;
  }
  if (kernel.entry->maxRegisters && kernel.entry->maxRegisters * threads > limits.registers) {
    why = std::to_string(threads) + " threads of " + std::to_string(kernel.entry->maxRegisters) +
          " registers, expected at most " + std::to_string(limits.registers) + " in a block";
    return kLaunchOutOfResources;
  }
  if (kernel.staticShared > 48 * 1024) {
    why = std::to_string(kernel.staticShared) + " bytes of static shared memory, expected at most 49152";
    return kInvalidValue;
  }
  if (shape.dynamicShared > maxDynamicShared) {
    why = std::to_string(shape.dynamicShared) +
          " bytes of dynamic shared memory, and the function's attribute allows " + std::to_string(maxDynamicShared) +
          " (cuFuncSetAttribute)";
    return kInvalidValue;
  }
  if (kernel.dynamicOffset + shape.dynamicShared > limits.sharedPerBlock) {
    why = std::to_string(kernel.dynamicOffset + shape.dynamicShared) + " bytes of shared memory, expected at most " +
          std::to_string(limits.sharedPerBlock);
    return kInvalidValue;
  }
  return kSuccess;
}

unsigned blocksPerProcessor(const Kernel &kernel, unsigned threads, uint64_t dynamicShared,
                            const ProcessorLimits &limits) {
  const unsigned warps = (threads + 31) / 32;
  unsigned blocks = std::min(limits.blocks, limits.threads / std::max(32u, warps * 32));
  const uint64_t shared = kernel.staticShared + dynamicShared + 1024; // one KiB of each block is the system's
  blocks = std::min<uint64_t>(blocks, limits.shared / shared);
  // Registers are given to warps by 256.
  const unsigned perWarp = (kernel.registersEstimate * 32 + 255) / 256 * 256;
  return std::min(blocks, limits.registers / std::max(1u, perWarp * warps));
}

LaunchResult launch(const Kernel &kernel, const LaunchShape &shape, const std::vector<uint8_t> &parameters,
                    DeviceMemory &memory, const RunOptions &options) {
  static std::atomic<uint32_t> launches{0};
  LaunchResult result;
  result.counters.kernel = kernel.name;
  result.counters.launches = 1;
  Grid grid{kernel,  shape,  parameters, memory,
            options, result, ++launches, std::mt19937_64(options.seed * 1000003 + launches),
            {},      {},     false};
  const uint32_t total = shape.grid[0] * shape.grid[1] * shape.grid[2];
  std::vector<uint32_t> order(total);
  for (uint32_t i = 0; i < total; ++i)
    order[i] = options.order == Order::Reverse ? total - 1 - i : i;
  if (options.order == Order::Random)
    std::shuffle(order.begin(), order.end(), grid.random);
  // Blocks that are there run in turns. One that does not wait for another is done in its first.
  const unsigned threads = shape.block[0] * shape.block[1] * shape.block[2];
  const size_t most =
      std::max(1u, blocksPerProcessor(kernel, threads, shape.dynamicShared, limitsOf(80))) * options.processors;
  std::deque<std::unique_ptr<Block>> there;
  size_t next = 0;
  const uint64_t turn = options.order == Order::Random ? 1 << 12 : 1 << 18;
  while (next < total || !there.empty()) {
    if (next < total && there.size() < most) {
      there.push_front(std::make_unique<Block>(grid, order[next++]));
      ++result.counters.blocks;
    }
    const size_t at = options.order == Order::Random ? grid.random() % there.size() : 0;
    const Block::Status status = there[at]->run(turn);
    if (status == Block::Status::Failed || grid.stopped)
      break;
    if (status == Block::Status::Done) {
      there.erase(there.begin() + static_cast<long>(at));
      continue;
    }
    if (result.counters.instructions > options.maxInstructions) {
      Finding finding;
      finding.mistake = Mistake::Hang;
      finding.hasThread = false;
      finding.what = "no end after " + std::to_string(result.counters.instructions) + " instructions of threads";
      grid.report(std::move(finding), true);
      break;
    }
    if (options.order != Order::Random) { // the others first
      there.push_back(std::move(there.front()));
      there.pop_front();
    }
  }
  return result;
}

} // namespace ptxemu
