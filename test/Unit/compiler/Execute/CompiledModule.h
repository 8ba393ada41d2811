// Compiled df modules, loaded into the test and run over guarded memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_COMPILEDMODULE_H
#define MLC_TEST_EXECUTE_COMPILEDMODULE_H

#include "EntryCall.h"
#include "FakeServices.h"
#include "mlcrt/abi.h"

#include <memory>
#include <string>
#include <vector>

namespace mlc::execute {

/// Runs the segments of an entry by the runtime's rules: operands come from `call` and `state`, which takes what they
/// write; outputs and workspace hold garbage before. Fails the test where code touches memory other than its operands
/// and workspace, writes what it declares to read, changes a shape or allocates. The code is that of the first segment
/// that fails; then there are no outputs.
EntryResult runEntry(const mlcrt_artifact &artifact, const mlcrt_entry &entry, const EntryCall &call,
                     interp::State &state, FakeServices &services);

/// In place of a CPU: x86-64-v3 with another memory for kernels, where variables lie. What the host touches there, or a
/// kernel in the host's memory, faults.
inline constexpr char kTwoSpaces[] = "two spaces";
/// In the place of a CPU: x86-64-v3 with a GPU, which the emulator of PTX is.
inline constexpr char kCuda[] = "cuda";

/// An artifact that mlc::compile made of a df module or a spec.
class CompiledModule {
public:
  /// Compiles `text` for `cpu` (or kTwoSpaces, kCuda), without `optimize` at -O0 (as the host's part of kCuda always
  /// is; PTX is optimized), and loads it. Null after a failure of the test: it does not compile; it imports more than
  /// memcpy, memmove and memset; it exports other than mlc_artifact_query.
  static std::unique_ptr<CompiledModule> create(const std::string &text, const std::string &cpu, bool optimize = true);
  ~CompiledModule();
  CompiledModule(const CompiledModule &) = delete;

  const mlcrt_artifact &artifact() const { return *table; }
  /// The entry called `name`, or null.
  const mlcrt_entry *lookup(const std::string &name) const;

  /// runEntry of the entry that `call` names.
  EntryResult run(const EntryCall &call, interp::State &state, FakeServices &services) const;
  /// The same with services of its own.
  EntryResult run(const EntryCall &call, interp::State &state, const RunOptions &options = {}) const;

private:
  CompiledModule(void *handle, const mlcrt_artifact *table) : handle(handle), table(table) {}
  void *handle;
  const mlcrt_artifact *table;
};

/// A message of a compiled module without the name of the file, which is a new one for each.
std::string withoutFile(std::string message);

/// Names of the dynamic symbols of a shared library.
struct DynamicSymbols {
  std::vector<std::string> imports, exports;
};
DynamicSymbols dynamicSymbolsOf(const std::string &path);

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_COMPILEDMODULE_H
