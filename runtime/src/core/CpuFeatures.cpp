//===- CpuFeatures.cpp - Does this processor have what an artifact was compiled for? ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/CpuFeatures.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cstdint>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace mlcrt {

#if defined(__x86_64__)

namespace {
enum class Register { Eax, Ebx, Ecx, Edx };
/// What the operating system must save for the feature to be usable.
enum class Saved { Nothing, Ymm, Zmm, Tiles };

struct Feature {
  const char *name; // as LLVM spells it
  uint32_t leaf, subleaf;
  Register reg;
  int bit;
  Saved saved = Saved::Nothing;
};
} // namespace

// Bits as in the Intel and AMD manuals on CPUID.
static constexpr Feature kFeatures[] = {
    {"cmov", 1, 0, Register::Edx, 15},
    {"cx8", 1, 0, Register::Edx, 8},
    {"fxsr", 1, 0, Register::Edx, 24},
    {"mmx", 1, 0, Register::Edx, 23},
    {"sse", 1, 0, Register::Edx, 25},
    {"sse2", 1, 0, Register::Edx, 26},
    {"x87", 1, 0, Register::Edx, 0},
    {"sse3", 1, 0, Register::Ecx, 0},
    {"pclmul", 1, 0, Register::Ecx, 1},
    {"ssse3", 1, 0, Register::Ecx, 9},
    {"fma", 1, 0, Register::Ecx, 12, Saved::Ymm},
    {"cx16", 1, 0, Register::Ecx, 13},
    {"sse4.1", 1, 0, Register::Ecx, 19},
    {"sse4.2", 1, 0, Register::Ecx, 20},
    {"crc32", 1, 0, Register::Ecx, 20},
    {"movbe", 1, 0, Register::Ecx, 22},
    {"popcnt", 1, 0, Register::Ecx, 23},
    {"aes", 1, 0, Register::Ecx, 25},
    {"xsave", 1, 0, Register::Ecx, 27},
    {"avx", 1, 0, Register::Ecx, 28, Saved::Ymm},
    {"f16c", 1, 0, Register::Ecx, 29, Saved::Ymm},
    {"rdrnd", 1, 0, Register::Ecx, 30},
    {"sahf", 0x80000001, 0, Register::Ecx, 0},
    {"lzcnt", 0x80000001, 0, Register::Ecx, 5},
    {"sse4a", 0x80000001, 0, Register::Ecx, 6},
    {"prfchw", 0x80000001, 0, Register::Ecx, 8},
    {"xop", 0x80000001, 0, Register::Ecx, 11, Saved::Ymm},
    {"lwp", 0x80000001, 0, Register::Ecx, 15},
    {"fma4", 0x80000001, 0, Register::Ecx, 16, Saved::Ymm},
    {"tbm", 0x80000001, 0, Register::Ecx, 21},
    {"mwaitx", 0x80000001, 0, Register::Ecx, 29},
    {"64bit", 0x80000001, 0, Register::Edx, 29},
    {"clzero", 0x80000008, 0, Register::Ebx, 0},
    {"rdpru", 0x80000008, 0, Register::Ebx, 4},
    {"wbnoinvd", 0x80000008, 0, Register::Ebx, 9},
    {"fsgsbase", 7, 0, Register::Ebx, 0},
    {"sgx", 7, 0, Register::Ebx, 2},
    {"bmi", 7, 0, Register::Ebx, 3},
    {"avx2", 7, 0, Register::Ebx, 5, Saved::Ymm},
    {"bmi2", 7, 0, Register::Ebx, 8},
    {"invpcid", 7, 0, Register::Ebx, 10},
    {"rtm", 7, 0, Register::Ebx, 11},
    {"avx512f", 7, 0, Register::Ebx, 16, Saved::Zmm},
    {"avx512dq", 7, 0, Register::Ebx, 17, Saved::Zmm},
    {"rdseed", 7, 0, Register::Ebx, 18},
    {"adx", 7, 0, Register::Ebx, 19},
    {"avx512ifma", 7, 0, Register::Ebx, 21, Saved::Zmm},
    {"clflushopt", 7, 0, Register::Ebx, 23},
    {"clwb", 7, 0, Register::Ebx, 24},
    {"avx512cd", 7, 0, Register::Ebx, 28, Saved::Zmm},
    {"sha", 7, 0, Register::Ebx, 29},
    {"avx512bw", 7, 0, Register::Ebx, 30, Saved::Zmm},
    {"avx512vl", 7, 0, Register::Ebx, 31, Saved::Zmm},
    {"avx512vbmi", 7, 0, Register::Ecx, 1, Saved::Zmm},
    {"pku", 7, 0, Register::Ecx, 4},
    {"waitpkg", 7, 0, Register::Ecx, 5},
    {"avx512vbmi2", 7, 0, Register::Ecx, 6, Saved::Zmm},
    {"shstk", 7, 0, Register::Ecx, 7},
    {"gfni", 7, 0, Register::Ecx, 8},
    {"vaes", 7, 0, Register::Ecx, 9, Saved::Ymm},
    {"vpclmulqdq", 7, 0, Register::Ecx, 10, Saved::Ymm},
    {"avx512vnni", 7, 0, Register::Ecx, 11, Saved::Zmm},
    {"avx512bitalg", 7, 0, Register::Ecx, 12, Saved::Zmm},
    {"avx512vpopcntdq", 7, 0, Register::Ecx, 14, Saved::Zmm},
    {"rdpid", 7, 0, Register::Ecx, 22},
    {"kl", 7, 0, Register::Ecx, 23},
    {"cldemote", 7, 0, Register::Ecx, 25},
    {"movdiri", 7, 0, Register::Ecx, 27},
    {"movdir64b", 7, 0, Register::Ecx, 28},
    {"enqcmd", 7, 0, Register::Ecx, 29},
    {"uintr", 7, 0, Register::Edx, 5},
    {"avx512vp2intersect", 7, 0, Register::Edx, 8, Saved::Zmm},
    {"serialize", 7, 0, Register::Edx, 14},
    {"tsxldtrk", 7, 0, Register::Edx, 16},
    {"pconfig", 7, 0, Register::Edx, 18},
    {"amx-bf16", 7, 0, Register::Edx, 22, Saved::Tiles},
    {"avx512fp16", 7, 0, Register::Edx, 23, Saved::Zmm},
    {"amx-tile", 7, 0, Register::Edx, 24, Saved::Tiles},
    {"amx-int8", 7, 0, Register::Edx, 25, Saved::Tiles},
    {"avxvnni", 7, 1, Register::Eax, 4, Saved::Ymm},
    {"avx512bf16", 7, 1, Register::Eax, 5, Saved::Zmm},
    {"amx-fp16", 7, 1, Register::Eax, 21, Saved::Tiles},
    {"hreset", 7, 1, Register::Eax, 22},
    {"avxifma", 7, 1, Register::Eax, 23, Saved::Ymm},
    {"avxvnniint8", 7, 1, Register::Edx, 4, Saved::Ymm},
    {"avxneconvert", 7, 1, Register::Edx, 5, Saved::Ymm},
    {"avxvnniint16", 7, 1, Register::Edx, 10, Saved::Ymm},
    {"prefetchi", 7, 1, Register::Edx, 14},
    {"xsaveopt", 0xd, 1, Register::Eax, 0},
    {"xsavec", 0xd, 1, Register::Eax, 1},
    {"xsaves", 0xd, 1, Register::Eax, 3},
    {"ptwrite", 0x14, 0, Register::Ebx, 4},
};

/// Bits of XCR0 that the operating system has set: the register states it saves.
static uint64_t savedStates() {
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & (1u << 27))) // OSXSAVE
    return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

static bool hasFeature(const Feature &feature) {
  uint32_t r[4];
  if (!__get_cpuid_count(feature.leaf, feature.subleaf, &r[0], &r[1], &r[2], &r[3]) ||
      !(r[static_cast<int>(feature.reg)] >> feature.bit & 1))
    return false;
  uint64_t needed = 0;
  if (feature.saved == Saved::Ymm)
    needed = 0x6; // SSE and AVX state
  else if (feature.saved == Saved::Zmm)
    needed = 0xe6; // and opmask, upper halves, upper registers
  else if (feature.saved == Saved::Tiles)
    needed = 0x60000;
  return (savedStates() & needed) == needed;
}

static const Feature *findFeature(std::string_view name) {
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return &feature;
  return nullptr;
}

#endif // __x86_64__

absl::Status checkCpuFeatures(std::string_view required) {
  std::vector<std::string> missing, unknown;
  while (!required.empty()) {
    size_t comma = required.find(',');
    std::string_view name = required.substr(0, comma);
    required.remove_prefix(comma == std::string_view::npos ? required.size() : comma + 1);
    if (!name.empty() && name[0] == '+')
      name.remove_prefix(1);
    if (name.empty())
      continue;
#if defined(__x86_64__)
    const Feature *feature = findFeature(name);
    if (!feature)
      unknown.emplace_back(name);
    else if (!hasFeature(*feature))
      missing.emplace_back(name);
#else
    unknown.emplace_back(name);
#endif
  }
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("the processor lacks ", absl::StrJoin(missing, ", "), ", which the artifact was compiled for"));
  if (!unknown.empty())
    return absl::FailedPreconditionError(absl::StrCat(
        "the artifact needs a processor with ", absl::StrJoin(unknown, ", "), ", which this runtime does not know"));
  return absl::OkStatus();
}

} // namespace mlcrt
