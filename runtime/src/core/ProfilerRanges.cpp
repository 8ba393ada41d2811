// Spans of a run as ranges of a profiler that watches the process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ProfilerRanges.h"

#include "absl/strings/str_cat.h"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mlcrt {

/// What ranges of this project lie in, among those of libraries.
static constexpr const char kDomain[] = "mlc";

namespace {
/// Places for the functions of all modules. A profiler may write to those that nothing here calls.
struct Places {
  static constexpr unsigned kMost = 16;
  std::array<std::array<nvtx::Function, kMost>, nvtx::kModulesEnd> functions{};
  std::array<std::array<nvtx::Function *, kMost>, nvtx::kModulesEnd> tables{};

  Places() {
    for (int module = 0; module < nvtx::kModulesEnd; ++module)
      for (unsigned i = 1; i < nvtx::kPlaces[module]; ++i) // the first has no function
        tables[module][i] = &functions[module][i];
  }
};
} // namespace

static Places &places() {
  static Places all;
  return all;
}

static int getModule(int module, nvtx::FunctionTable *table, unsigned *bytes) {
  if (module < nvtx::kCore || module >= nvtx::kModulesEnd)
    return 0;
  if (table)
    *table = places().tables[module].data();
  if (bytes)
    *bytes = nvtx::kPlaces[module] * sizeof(nvtx::Function *);
  return 1;
}

static const void *getTable(uint32_t id) {
  static const nvtx::CallbacksTable callbacks = {sizeof(nvtx::CallbacksTable), getModule};
  static const nvtx::VersionTable version = {sizeof(nvtx::VersionTable), nvtx::kVersion, 0, [](uint32_t) {}};
  return id == nvtx::kCallbacksTable ? static_cast<const void *>(&callbacks)
         : id == nvtx::kVersionTable ? &version
                                     : nullptr;
}

absl::StatusOr<const ProfilerRanges *> ProfilerRanges::load(const std::string &library) {
  auto refuse = [&](const std::string &what) {
    return absl::FailedPreconditionError(absl::StrCat("no ranges for a profiler: ", what, "; expected: a library that ",
                                                      nvtx::kInjectionVariable, " names, as a profiler sets it"));
  };
  // Never closed: it has threads of its own.
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return refuse(why ? why : library);
  }
  auto initialize = reinterpret_cast<nvtx::Initialize>(dlsym(handle, nvtx::kInitializeName));
  if (!initialize)
    return refuse(absl::StrCat("'", library, "' lacks the function ", nvtx::kInitializeName));
  if (!initialize(getTable))
    return nullptr;
  auto find = [](nvtx::Module module, int function) { return places().functions[module][function]; };
  static ProfilerRanges ranges;
  ranges.push_ = reinterpret_cast<nvtx::DomainRangePush>(find(nvtx::kCore2, nvtx::kDomainRangePushEx));
  ranges.pop_ = reinterpret_cast<nvtx::DomainRangePop>(find(nvtx::kCore2, nvtx::kDomainRangePop));
  ranges.nameThread_ = reinterpret_cast<nvtx::NameOsThread>(find(nvtx::kCore, nvtx::kNameOsThreadA));
  if (!ranges.push_ || !ranges.pop_)
    return nullptr; // it looks at something else
  auto create = reinterpret_cast<nvtx::DomainCreate>(find(nvtx::kCore2, nvtx::kDomainCreateA));
  ranges.domain_ = create ? create(kDomain) : nullptr; // null is the domain of programs that name none
  return &ranges;
}

absl::StatusOr<const ProfilerRanges *> ProfilerRanges::injected() {
  static const absl::StatusOr<const ProfilerRanges *> found = []() -> absl::StatusOr<const ProfilerRanges *> {
    const char *library = std::getenv(nvtx::kInjectionVariable);
    if (!library || !*library)
      return nullptr;
    return load(library);
  }();
  return found;
}

void ProfilerRanges::push(const char *name, int64_t step) const {
  nvtx::Event event;
  event.payloadType = nvtx::kInt64;
  event.payload = step;
  event.messageType = nvtx::kAscii;
  event.message = name;
  push_(domain_, &event);
}

void ProfilerRanges::pop() const { pop_(domain_); }

void ProfilerRanges::nameThread(const std::string &name) const {
  if (nameThread_)
    nameThread_(static_cast<uint32_t>(::syscall(SYS_gettid)), name.c_str());
}

} // namespace mlcrt
