// What a program and a profiler say to each other by NVTX 3, as far as it is used. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_NVTXINTERFACE_H
#define MLCRT_CORE_NVTXINTERFACE_H

#include <cstddef>
#include <cstdint>

// A profiler names a library in NVTX_INJECTION64_PATH. A program that has ranges to show loads it, and calls its
// function InitializeInjectionNvtx2 with one that gives tables by number. By the table of callbacks the profiler gets
// lists of places for functions, a list a module, and writes its own into those that it has. NVIDIA's headers
// (nvtx3/nvToolsExt.h) are compared with this where a test finds them.
namespace mlcrt::nvtx {

inline constexpr const char kInjectionVariable[] = "NVTX_INJECTION64_PATH";
inline constexpr const char kInitializeName[] = "InitializeInjectionNvtx2";
inline constexpr uint32_t kVersion = 3;

/// Numbers of tables, and what gives them; null: there is no such table.
enum TableId : uint32_t { kCallbacksTable = 1, kVersionTable = 3 };
using GetTable = const void *(*)(uint32_t id);
/// The profiler's; 0: it does not want to see this program.
using Initialize = int (*)(GetTable getTable);

/// A place for a function; null: the profiler has none.
using Function = void (*)();
/// Pointers to places; the first has no function.
using FunctionTable = Function **;

/// Modules, and functions of those that are used by their places.
enum Module : int { kCore = 1, kCuda = 2, kOpenCl = 3, kCudaRuntime = 4, kCore2 = 5, kSync = 6, kModulesEnd = 7 };
enum CoreFunction : int { kNameOsThreadA = 14 };
enum Core2Function : int { kDomainRangePushEx = 4, kDomainRangePop = 5, kDomainCreateA = 12 };
/// Places of each module.
inline constexpr unsigned kPlaces[kModulesEnd] = {0, 16, 9, 15, 7, 16, 7};

struct CallbacksTable {
  size_t size = sizeof(CallbacksTable);
  /// `bytes` is the size of the table. 0: there is no such module.
  int (*getModule)(int module, FunctionTable *table, unsigned *bytes) = nullptr;
};

struct VersionTable {
  size_t size = sizeof(VersionTable);
  uint32_t version = kVersion;
  uint32_t reserved = 0;
  /// The profiler tells its own.
  void (*setProfilerVersion)(uint32_t version) = nullptr;
};

using Domain = struct DomainObject *;

/// A range: its name, and a number that is shown with it.
struct Event {
  uint16_t version = kVersion;
  uint16_t size = sizeof(Event);
  uint32_t category = 0;
  int32_t colorType = 0;
  uint32_t color = 0;
  int32_t payloadType = 0; ///< kInt64
  int32_t reserved = 0;
  int64_t payload = 0;
  int32_t messageType = 0; ///< kAscii
  const char *message = nullptr;
};
inline constexpr int32_t kInt64 = 2, kAscii = 1;

using NameOsThread = void (*)(uint32_t thread, const char *name);
using DomainCreate = Domain (*)(const char *name);
using DomainRangePush = int (*)(Domain domain, const Event *event);
using DomainRangePop = int (*)(Domain domain);

} // namespace mlcrt::nvtx

#endif // MLCRT_CORE_NVTXINTERFACE_H
