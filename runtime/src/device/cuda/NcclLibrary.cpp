//===- NcclLibrary.cpp - NCCL, as it is found at run time ---------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/NcclLibrary.h"

#include "absl/strings/str_cat.h"

#include <cstdlib>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <mutex>

namespace mlcrt {

static constexpr const char kNcclName[] = "libnccl.so.2", kNcclVariable[] = "MLC_NCCL_LIBRARY";

std::string ncclVersionText(int version) {
  const int major = version < 10000 ? 1000 : 10000;
  return absl::StrCat(version / major, ".", version % major / 100, ".", version % 100);
}

std::string NcclLibrary::describe(NcclResult result, NcclCommunicator communicator) const {
  const char *text = ncclGetErrorString(result);
  std::string described = absl::StrCat(text ? text : "an error without a text", " (", result, ")");
  const char *last = ncclGetLastError ? ncclGetLastError(communicator) : nullptr;
  if (last && *last)
    absl::StrAppend(&described, ": ", last);
  return described;
}

static absl::Status failed(const std::string &what) { return absl::FailedPreconditionError(what); }

/// Finds the functions of an open library.
static absl::Status findFunctions(void *handle, NcclLibrary &nccl) {
  const std::string named = absl::StrCat("NCCL's library '", nccl.library, "' ");
#define MLCRT_NCCL_FIND(name, type, parameters) nccl.name = reinterpret_cast<type(*) parameters>(dlsym(handle, #name));
  MLCRT_NCCL_REQUIRED(MLCRT_NCCL_FIND)
  MLCRT_NCCL_OPTIONAL(MLCRT_NCCL_FIND)
#undef MLCRT_NCCL_FIND
  const std::string expected = absl::StrCat("; expected: NCCL ", ncclVersionText(kLeastNccl), " or later");
  // An old one lacks functions because it is old.
  if (nccl.ncclGetVersion && nccl.ncclGetVersion(&nccl.version) == 0 && nccl.version < kLeastNccl)
    return failed(absl::StrCat(named, "is NCCL ", ncclVersionText(nccl.version), expected));
#define MLCRT_NCCL_CHECK(name, type, parameters)                                                                       \
  if (!nccl.name)                                                                                                      \
    return failed(absl::StrCat(named, "lacks the function " #name, expected));
  MLCRT_NCCL_REQUIRED(MLCRT_NCCL_CHECK)
#undef MLCRT_NCCL_CHECK
  return absl::OkStatus();
}

absl::StatusOr<const NcclLibrary *> NcclLibrary::open(const std::string &library) {
  std::string wanted = library;
  const char *given = std::getenv(kNcclVariable);
  if (wanted.empty())
    wanted = given && *given ? given : kNcclName;
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<NcclLibrary>> opened;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<NcclLibrary> &nccl = opened[wanted];
  if (nccl)
    return nccl.get();
  // Never closed: it has threads of its own.
  void *handle = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *why = dlerror();
    return failed(absl::StrCat("no NCCL: ", why ? why : wanted, "; expected: ", kNcclName, ", or another library that ",
                               kNcclVariable, " names"));
  }
  auto found = std::make_unique<NcclLibrary>();
  found->library = wanted;
  if (absl::Status status = findFunctions(handle, *found); !status.ok())
    return status;
  nccl = std::move(found);
  return nccl.get();
}

} // namespace mlcrt
