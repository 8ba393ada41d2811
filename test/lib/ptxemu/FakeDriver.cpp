// The state of the driver: settings, errors, and the order in which work is done.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lib/ptxemu/FakeDriver.h"

#include <cstdio>
#include <cstdlib>

namespace ptxemu {

static uint64_t numberOf(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

static std::unique_ptr<Driver> &holder() {
  static std::unique_ptr<Driver> driver;
  return driver;
}

namespace {
thread_local int threadDevice = -1;
thread_local const Driver *threadDriver = nullptr;
} // namespace

Driver &Driver::get() {
  static std::mutex making;
  std::lock_guard<std::mutex> lock(making);
  if (!holder())
    holder().reset(new Driver());
  return *holder();
}

void Driver::reset() {
  holder().reset();
  threadDriver = nullptr;
}

/// How many of the devices CUDA_VISIBLE_DEVICES leaves: its list ends at the first number that is no device's.
static uint64_t visibleDevices(uint64_t count) {
  const char *given = getenv("CUDA_VISIBLE_DEVICES");
  if (!given)
    return count;
  std::set<uint64_t> seen;
  for (const char *at = given; *at;) {
    char *end = nullptr;
    const unsigned long long number = std::strtoull(at, &end, 10);
    if (end == at || *at == '-' || number >= count || !seen.insert(number).second)
      break;
    at = *end == ',' ? end + 1 : end;
  }
  return seen.size();
}

Driver::Driver() : options(RunOptions::fromEnvironment()), random_(options.seed) {
  chip = static_cast<unsigned>(numberOf("PTXEMU_CHIP", 80));
  version = static_cast<unsigned>(numberOf("PTXEMU_DRIVER", 12040));
  memorySize = numberOf("PTXEMU_MEMORY", 4ull << 30);
  failAllocationsAfter = numberOf("PTXEMU_FAIL_ALLOCATIONS_AFTER", ~0ull);
  for (unsigned i = 0; i < visibleDevices(numberOf("PTXEMU_DEVICES", 1)); ++i)
    devices.push_back(std::make_unique<DriverDevice>(memorySize, i));
  if (const char *path = getenv("PTXEMU_REPORT"))
    reportPath_ = path;
  if (const char *path = getenv("PTXEMU_COUNTERS"))
    countersPath_ = path;
  // PTXEMU_FAIL=FUNCTION:CALL:RESULT,...
  if (const char *faults = getenv("PTXEMU_FAIL")) {
    const std::string text = faults;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(',', at), text.size());
      const std::string one = text.substr(at, end - at);
      const size_t first = one.find(':'), second = first == std::string::npos ? first : one.find(':', first + 1);
      if (second != std::string::npos)
        faults_.push_back({one.substr(0, first), std::strtoull(one.c_str() + first + 1, nullptr, 10),
                           atoi(one.c_str() + second + 1), 0});
      at = end + 1;
    }
  }
  // PTXEMU_LOSE_AFTER=LAUNCHES or LAUNCHES:RESULT
  if (const char *lose = getenv("PTXEMU_LOSE_AFTER")) {
    const std::string text = lose;
    loseAfter_ = std::strtoull(text.c_str(), nullptr, 10);
    if (const size_t colon = text.find(':'); colon != std::string::npos)
      loseResult_ = atoi(text.c_str() + colon + 1);
  }
}

Driver::~Driver() { writeCounters(); }

void Driver::writeCounters() {
  FILE *file = countersPath_.empty() ? nullptr : fopen(countersPath_.c_str(), "w");
  if (!file)
    return;
  fprintf(file,
          "{\"launches\": %llu, \"graph_launches\": %llu, \"graphs\": %llu, \"nodes_changed\": %llu, \"allocations\": "
          "%llu, \"waits\": %llu, \"early_waits\": %llu, \"bytes_to_device\": %llu, \"bytes_to_host\": %llu, "
          "\"bytes_on_device\": %llu, \"bytes_between_devices\": %llu, "
          "\"nccl_copies\": %llu, \"nccl_collectives\": %llu, \"kernels\": [",
          static_cast<unsigned long long>(launches), static_cast<unsigned long long>(graphLaunches),
          static_cast<unsigned long long>(graphsMade), static_cast<unsigned long long>(nodesChanged),
          static_cast<unsigned long long>(allocations), static_cast<unsigned long long>(waits),
          static_cast<unsigned long long>(earlyWaits), static_cast<unsigned long long>(bytesToDevice),
          static_cast<unsigned long long>(bytesToHost), static_cast<unsigned long long>(bytesOnDevice),
          static_cast<unsigned long long>(bytesBetween), static_cast<unsigned long long>(ncclCopies),
          static_cast<unsigned long long>(ncclCollectives));
  const char *separator = "\n";
  for (const auto &[name, counted] : counters) {
    fprintf(file, "%s  %s", separator, counted.json().c_str());
    separator = ",\n";
  }
  fprintf(file, "\n]}\n");
  fclose(file);
}

void Driver::report(const std::string &text) {
  lastText = text;
  FILE *file = reportPath_.empty() ? stderr : fopen(reportPath_.c_str(), "a");
  if (!file)
    return;
  fprintf(file, "ptxemu: %s\n", text.c_str());
  if (file == stderr)
    fflush(file);
  else
    fclose(file);
}

void Driver::addCounters(const Counters &counted) {
  Counters &sum = counters[counted.kernel];
  sum.kernel = counted.kernel;
  sum.add(counted);
}

int Driver::enter(const char *function, bool needsContext) {
  for (Fault &fault : faults_)
    if (fault.function == function && ++fault.seen == fault.call) {
      // What an illegal access or a failed launch gives stays, as all that a lost context gives.
      const bool isOfCall =
          fault.result < kIllegalAddress || fault.result == kLaunchOutOfResources || fault.result == kNotSupported;
      return isOfCall ? fault.result : fail(fault.result);
    }
  if (sticky)
    return sticky;
  if (!initialized && needsContext)
    return kNotInitialized;
  if (needsContext && !current())
    return kInvalidContext;
  return kSuccess;
}

int Driver::fail(int result) {
  if (result && !sticky)
    sticky = result;
  return result;
}

int Driver::noteLaunch() {
  if (launches++ >= loseAfter_) {
    report("the device is lost, as PTXEMU_LOSE_AFTER says");
    return fail(loseResult_);
  }
  return kSuccess;
}

DriverDevice *Driver::current() {
  return threadDriver == this && threadDevice >= 0 ? devices[static_cast<size_t>(threadDevice)].get() : nullptr;
}

Stream &Driver::streamOf(void *handle) {
  // 1 and 2 are names of the default stream.
  if (reinterpret_cast<uintptr_t>(handle) <= 2)
    return current()->nullStream;
  return *static_cast<Stream *>(handle);
}

int Driver::submit(Stream &stream, const std::string &kind, std::function<int()> run, TaskRef *made) {
  if (stream.point.capture) {
    Capture &capture = *stream.point.capture;
    if (capture.broken)
      return kStreamCaptureInvalidated;
    capture.graph.nodes.push_back({stream.point.nodes, std::move(run), kind, /*body=*/nullptr});
    stream.point.nodes = {capture.graph.nodes.size() - 1};
    return kSuccess;
  }
  DriverDevice &device = *devices[stream.device];
  // The default stream waits for the others, which wait for it.
  if (&stream == &device.nullStream && !captures.empty()) {
    for (Capture *capture : captures)
      if (capture->mode == 0) {
        capture->broken = true;
        return kStreamCaptureImplicit;
      }
  }
  auto task = std::make_shared<Task>();
  task->run = std::move(run);
  task->stream = &stream;
  auto follow = [&](Stream &other) {
    if (other.last && !other.last->done)
      task->after.push_back(other.last);
  };
  follow(stream);
  if (&stream == &device.nullStream) {
    for (Stream *other : device.streams)
      if (other->blocking)
        follow(*other);
  } else if (stream.blocking) {
    follow(device.nullStream);
  }
  stream.last = task;
  pending_.push_back(task);
  if (made)
    *made = task;
  return kSuccess;
}

int Driver::runTask(const TaskRef &task) {
  task->done = true;
  task->after.clear();
  if (sticky)
    return sticky;
  return fail(task->run());
}

void Driver::collect(const TaskRef &task, std::set<Task *> &needed) {
  std::vector<Task *> stack{task.get()};
  while (!stack.empty()) {
    Task *next = stack.back();
    stack.pop_back();
    if (next->done || !needed.insert(next).second)
      continue;
    for (const TaskRef &before : next->after)
      stack.push_back(before.get());
  }
}

int Driver::finish(const TaskRef &task) {
  if (!task || task->done)
    return sticky;
  std::set<Task *> needed;
  collect(task, needed);
  // Forward: what is needed and nothing else, so that the rest is as late as can be. Reverse: all the rest first, the
  // last first. Random: any of both.
  while (!task->done) {
    std::vector<size_t> ready, others;
    for (size_t i = 0; i < pending_.size(); ++i) {
      bool may = true;
      for (const TaskRef &before : pending_[i]->after)
        may = may && before->done;
      if (may)
        (needed.count(pending_[i].get()) ? ready : others).push_back(i);
    }
    size_t which;
    if (options.order == Order::Forward)
      which = ready.front();
    else if (options.order == Order::Reverse)
      which = others.empty() ? ready.back() : others.back();
    else if (!others.empty() && random_() % 2)
      which = others[random_() % others.size()];
    else
      which = ready[random_() % ready.size()];
    const TaskRef next = pending_[which];
    pending_.erase(pending_.begin() + static_cast<long>(which));
    runTask(next);
  }
  return sticky;
}

int Driver::finishAll(unsigned device) {
  for (bool found = true; found;) {
    found = false;
    for (const TaskRef &task : pending_)
      if (task->stream->device == device) {
        const TaskRef kept = task;
        finish(kept);
        found = true;
        break;
      }
  }
  return sticky;
}

int Driver::mayWait(Stream *stream) {
  if (stream && stream->point.capture) {
    stream->point.capture->broken = true;
    return kStreamCaptureUnsupported;
  }
  // Waiting for the device, or what may do so, breaks captures that are not relaxed.
  if (!stream)
    for (Capture *capture : captures)
      if (capture->mode != 2) {
        capture->broken = true;
        return kStreamCaptureUnsupported;
      }
  return kSuccess;
}

// The current context is kept by thread; these are the only functions that look at it.
void setCurrentDevice(Driver *driver, int device) {
  threadDriver = driver;
  threadDevice = device;
}

} // namespace ptxemu

/// Forgets all state and reads the environment anew, for tests in one process.
PTXEMU_EXPORT void ptxemuReset() { ptxemu::Driver::reset(); }
/// The text of the last finding; empty if there was none.
PTXEMU_EXPORT const char *ptxemuLastFinding() { return ptxemu::Driver::get().lastText.c_str(); }
