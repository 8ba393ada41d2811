// A profiler that writes what it is shown, a line each, to the file that MLC_TEST_PROFILER_LOG names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/NvtxInterface.h"

#include <cstdio>
#include <cstdlib>

using namespace mlcrt;

template <typename... Parts> static void write(const char *format, Parts... parts) {
  std::FILE *file = std::fopen(std::getenv("MLC_TEST_PROFILER_LOG"), "a");
  if (!file)
    std::abort();
  std::fprintf(file, format, parts...);
  std::fclose(file);
}

namespace mlcrt::nvtx {
struct DomainObject {
  const char *name;
};
} // namespace mlcrt::nvtx

static nvtx::Domain createDomain(const char *name) { return new nvtx::DomainObject{name}; }

static int push(nvtx::Domain domain, const nvtx::Event *event) {
  write("push %s: %s at %lld\n", domain->name, event->message, static_cast<long long>(event->payload));
  return 0;
}

static int pop(nvtx::Domain domain) {
  write("pop %s\n", domain->name);
  return 0;
}

static void nameThread(uint32_t, const char *name) { write("thread %s\n", name); }

/// Writes the functions of a module to their places; false: the program has none for them.
template <typename Fn>
static bool set(const nvtx::CallbacksTable &callbacks, int module, unsigned place, Fn *function) {
  nvtx::FunctionTable table = nullptr;
  unsigned bytes = 0;
  if (!callbacks.getModule(module, &table, &bytes) || place >= bytes / sizeof *table || !table[place])
    return false;
  *table[place] = reinterpret_cast<nvtx::Function>(function);
  return true;
}

extern "C" int InitializeInjectionNvtx2(nvtx::GetTable getTable) {
  if (std::getenv("MLC_TEST_PROFILER_REFUSES"))
    return 0;
  auto *version = static_cast<const nvtx::VersionTable *>(getTable(nvtx::kVersionTable));
  auto *callbacks = static_cast<const nvtx::CallbacksTable *>(getTable(nvtx::kCallbacksTable));
  if (!version || version->version != nvtx::kVersion || !callbacks || getTable(2))
    return 0;
  version->setProfilerVersion(nvtx::kVersion);
  return set(*callbacks, nvtx::kCore2, nvtx::kDomainCreateA, createDomain) &&
         set(*callbacks, nvtx::kCore2, nvtx::kDomainRangePushEx, push) &&
         set(*callbacks, nvtx::kCore2, nvtx::kDomainRangePop, pop) &&
         set(*callbacks, nvtx::kCore, nvtx::kNameOsThreadA, nameThread) &&
         !callbacks->getModule(nvtx::kModulesEnd, nullptr, nullptr);
}
