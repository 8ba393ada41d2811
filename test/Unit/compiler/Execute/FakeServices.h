// A table of services that stands in for the runtime: what mlcrt/services.def says, done plainly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TEST_EXECUTE_FAKESERVICES_H
#define MLC_TEST_EXECUTE_FAKESERVICES_H

#include "EmulatedKernels.h"
#include "GuardedMemory.h"
#include "mlcrt/abi.h"

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mlc::execute {

/// How a call of compiled code is run.
struct RunOptions {
  /// Threads that the frame tells of. Worker numbers take turns below it.
  int64_t threads = 1;
  /// parallel_for runs the last range first.
  bool reverse = false;
  /// Tasks of a range of parallel_for.
  int64_t grain = 1;
  /// What outputs and the workspace hold before the call.
  uint8_t fill = 0xa5;
  /// If not empty: the service of this name fails with `failCode` when it is called for the `failCall`th time (from 1).
  std::string failService;
  int64_t failCall = 1;
  int32_t failCode = MLCRT_INTERNAL;
};

/// An error that a service or compiled code reported.
struct ReportedError {
  int32_t code;
  int64_t row;
  std::string message;
};

/// Services for one call of a segment after another, serial.
class FakeServices {
public:
  /// Tables are those of `artifact`.
  FakeServices(const mlcrt_artifact &artifact, RunOptions options);

  const mlcrt_services &table() const;
  const RunOptions &getOptions() const { return options; }
  /// Names of the services called, in order.
  const std::vector<std::string> &getCalls() const { return calls; }
  int64_t countCalls(const std::string &name) const;
  const std::vector<ReportedError> &getErrors() const { return errors; }
  /// Allocations that the services themselves made.
  int64_t getAllocations() const { return allocations; }
  /// Of a program with a device: the memory of the host and of the device that a segment works on. What the host may
  /// not touch is closed until tasks run on the device, which is when parallel_for or device_launch is called.
  void setMemories(std::vector<GuardedMemory *> ofHost, std::vector<GuardedMemory *> ofDevice);
  /// Opens all of it.
  void clearMemories();
  /// Whether nothing was written around any piece of the arena so far.
  bool isArenaIntact();

private:
  friend struct ServiceTable;
  friend struct ServiceCall;
  friend struct StringServices;
  friend struct FileServices;
  const mlcrt_artifact &artifact;
  RunOptions options;
  std::vector<std::string> calls;
  std::vector<ReportedError> errors;
  std::map<std::string, int64_t> numCalls;
  int64_t allocations = 0;
  /// Elements of FIFO queues, and what was staged and taken: each a batch of components, dims and bytes.
  struct Component {
    std::vector<int64_t> dims;
    std::vector<char> bytes;
  };
  using Element = std::vector<Component>;
  std::map<int32_t, std::deque<Element>> queues;
  std::set<int32_t> closedQueues;
  Element staged, taken;
  /// Strings that were made.
  std::deque<std::string> texts;
  /// Files of tensors by path, and what was staged and loaded.
  struct FileTensor {
    std::string name;
    int32_t dtype;
    std::vector<int64_t> dims;
    std::vector<char> bytes;
  };
  std::map<std::string, std::vector<FileTensor>> files;
  std::vector<FileTensor> stagedFile, loadedFile;
  void enter(bool device);
  void openDevice();
  std::vector<GuardedMemory *> hostMemories, deviceMemories;
  /// Kernels of the device, once one was launched.
  std::unique_ptr<EmulatedKernels> kernels;
  /// What allocate gave: each piece between guards; released ones are gone.
  std::vector<GuardedMemory> arena;
  /// What space_allocate gave.
  std::list<GuardedMemory> deviceArena;
  bool arenaIntact = true;
};

} // namespace mlc::execute

#endif // MLC_TEST_EXECUTE_FAKESERVICES_H
