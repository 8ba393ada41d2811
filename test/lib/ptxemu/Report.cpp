// Texts of findings and counters.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/Report.h"

#include <algorithm>

namespace ptxemu {

std::string_view nameOf(Mistake mistake) {
  static constexpr std::string_view names[] = {"out of bounds",
                                               "misaligned",
                                               "use after free",
                                               "uninitialized memory",
                                               "undefined register",
                                               "race",
                                               "deadlock",
                                               "mismatched barrier",
                                               "in flight",
                                               "invalid",
                                               "trap",
                                               "launch",
                                               "hang"};
  return names[static_cast<size_t>(mistake)];
}

Result resultOf(Mistake mistake) {
  switch (mistake) {
  case Mistake::OutOfBounds:
  case Mistake::UseAfterFree:
    return kIllegalAddress;
  case Mistake::Misaligned:
    return kMisalignedAddress;
  case Mistake::Invalid:
    return kIllegalInstruction;
  case Mistake::Hang:
    return kLaunchTimeout;
  default:
    return kLaunchFailed;
  }
}

std::string Finding::text() const {
  auto triple = [](const unsigned (&v)[3]) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
  };
  std::string text = "kernel '" + kernel + "'";
  if (line)
    text += ", line " + std::to_string(line);
  if (hasThread)
    text += ", block " + triple(block) + ", thread " + triple(thread);
  return text + ": " + std::string(nameOf(mistake)) + ": " + what;
}

void Counters::add(const Counters &other) {
  launches += other.launches;
  blocks += other.blocks;
  instructions += other.instructions;
  warpInstructions += other.warpInstructions;
  longestWarp = std::max(longestWarp, other.longestWarp);
  globalRequests += other.globalRequests;
  globalSectors += other.globalSectors;
  idealSectors += other.idealSectors;
  sharedRequests += other.sharedRequests;
  bankConflicts += other.bankConflicts;
  matrixOps += other.matrixOps;
  atomics += other.atomics;
  divergentBranches += other.divergentBranches;
  barriers += other.barriers;
  asyncCopies += other.asyncCopies;
}

std::string Counters::json() const {
  std::string text = "{\"kernel\": \"" + kernel + "\"";
  auto field = [&](const char *name, uint64_t value) {
    text += std::string(", \"") + name + "\": " + std::to_string(value);
  };
  field("launches", launches);
  field("blocks", blocks);
  field("instructions", instructions);
  field("warp_instructions", warpInstructions);
  field("longest_warp", longestWarp);
  field("global_requests", globalRequests);
  field("global_sectors", globalSectors);
  field("ideal_sectors", idealSectors);
  field("shared_requests", sharedRequests);
  field("bank_conflicts", bankConflicts);
  field("matrix_ops", matrixOps);
  field("atomics", atomics);
  field("divergent_branches", divergentBranches);
  field("barriers", barriers);
  field("async_copies", asyncCopies);
  return text + "}";
}

} // namespace ptxemu
