// Times what compiled code asks of the runtime.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A segment has no context of its own, so each wrapped one gets a function of its own; it hands the original a frame
// whose services are those of this file.
#include "benchmarks/step/Profile.h"

#include "absl/strings/str_cat.h"
#include "runtime/src/core/Services.h"

#include <array>
#include <chrono>
#include <utility>

#include <dlfcn.h>

namespace mlcbench {

namespace {
struct RawEvent {
  ProfileEvent::Kind kind;
  const char *segment;
  const char *service; // null for loops
  mlcrt_task_fn task;
  int64_t tasks;
  int64_t nanoseconds;
  int64_t estimate;
};

/// What compiled code hands to parallel_for for a group, and a part of it: private to the code generator, see
/// lib/Codegen/RunGroup.h.
struct GroupPart {
  mlcrt_task_fn kernel;
  void *arguments;
  int64_t tasks;
  int64_t cost; // nanoseconds of a task
};
struct Group {
  const GroupPart *parts;
  int64_t count;
};

constexpr size_t kMaxSegments = 16;

struct Profiler {
  std::array<mlcrt_segment, kMaxSegments> originals;
  std::vector<mlcrt_segment> segments;
  std::vector<mlcrt_entry> entries;
  mlcrt_artifact table;
  std::shared_ptr<const mlcrt::Artifact> artifact;
  std::vector<RawEvent> events;
  int64_t groupTasks = 0;
  const char *segment = "";
  int64_t last = 0; // end of the last call, or start of the segment
};
} // namespace

static Profiler profiler;

static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void endSerial(int64_t time) {
  profiler.events.push_back({ProfileEvent::Serial, profiler.segment, nullptr, nullptr, 0, time - profiler.last, 0});
}

/// Runs `call` as an event. Tasks call no services that are timed: only the thread that runs the segment comes here.
template <typename Call>
static int32_t timed(ProfileEvent::Kind kind, const char *service, mlcrt_task_fn task, int64_t tasks, Call call,
                     int64_t estimate = 0) {
  int64_t start = now();
  endSerial(start);
  int32_t code = call();
  profiler.last = now();
  profiler.events.push_back({kind, profiler.segment, service, task, tasks, profiler.last - start, estimate});
  return code;
}

/// Offset of the function in its object, or 0.
static int64_t offsetOf(mlcrt_task_fn task) {
  Dl_info info = {};
  void *address = reinterpret_cast<void *>(task);
  return dladdr(address, &info) ? static_cast<char *>(address) - static_cast<char *>(info.dli_fbase) : 0;
}

static int32_t parallelFor(void *env, mlcrt_task_fn fn, void *args, int64_t tasks) {
  if (profiler.groupTasks == 0 || offsetOf(fn) != profiler.groupTasks)
    return timed(ProfileEvent::Loop, nullptr, fn, tasks,
                 [&] { return mlcrt::services().parallel_for(env, fn, args, tasks); });
  const Group &group = *static_cast<const Group *>(args);
  for (int64_t i = 0; i < group.count; ++i) {
    const GroupPart &part = group.parts[i];
    int32_t code = timed(
        ProfileEvent::Loop, nullptr, part.kernel, part.tasks,
        [&] { return mlcrt::services().parallel_for(env, part.kernel, part.arguments, part.tasks); },
        part.tasks * part.cost);
    if (code != MLCRT_OK)
      return code;
  }
  return MLCRT_OK;
}

static int32_t uniqueIds(void *env, const int64_t *ids, int64_t n, int64_t *unique, int64_t *ends, int64_t *order,
                         int64_t *count) {
  return timed(ProfileEvent::Service, "unique_ids", nullptr, n,
               [&] { return mlcrt::services().unique_ids(env, ids, n, unique, ends, order, count); });
}

static int32_t checkIds(void *env, const int64_t *ids, int64_t n, int64_t low, int64_t high, const void *cells,
                        int32_t dtype, int32_t table, const char *what, const char *feature) {
  return timed(ProfileEvent::Service, "check_ids", nullptr, n,
               [&] { return mlcrt::services().check_ids(env, ids, n, low, high, cells, dtype, table, what, feature); });
}

static const mlcrt_services &timedServices() {
  static const mlcrt_services table = [] {
    mlcrt_services services = mlcrt::services();
    services.parallel_for = parallelFor;
    services.unique_ids = uniqueIds;
    services.check_ids = checkIds;
    return services;
  }();
  return table;
}

template <size_t Index> static int32_t runTimed(mlcrt_frame *frame) {
  const mlcrt_segment &original = profiler.originals[Index];
  mlcrt_frame inner = *frame;
  inner.services = &timedServices();
  profiler.segment = original.name;
  profiler.last = now();
  int32_t code = original.run(&inner);
  endSerial(now());
  return code;
}

template <size_t... Index>
static constexpr std::array<mlcrt_segment_fn, kMaxSegments> wrappers(std::index_sequence<Index...>) {
  return {runTimed<Index>...};
}

absl::StatusOr<std::shared_ptr<const mlcrt::Artifact>> profiled(std::shared_ptr<const mlcrt::Artifact> artifact,
                                                                const mlcrt_entry &entry, int64_t groupTasks) {
  static constexpr auto functions = wrappers(std::make_index_sequence<kMaxSegments>());
  if (static_cast<size_t>(entry.num_segments) > kMaxSegments)
    return absl::InvalidArgumentError(
        absl::StrCat("entry '", entry.name, "' has ", entry.num_segments, " segments; at most ", kMaxSegments));
  profiler.groupTasks = groupTasks;
  profiler.table = artifact->table();
  profiler.segments.assign(entry.segments, entry.segments + entry.num_segments);
  for (int32_t s = 0; s < entry.num_segments; ++s) {
    profiler.originals[s] = entry.segments[s];
    profiler.segments[s].run = functions[s];
  }
  profiler.entries.assign(profiler.table.entries, profiler.table.entries + profiler.table.num_entries);
  profiler.entries[&entry - profiler.table.entries].segments = profiler.segments.data();
  profiler.table.entries = profiler.entries.data();
  profiler.artifact = std::move(artifact);
  return mlcrt::Artifact::fromTable(&profiler.table, profiler.artifact->origin());
}

std::vector<ProfileEvent> takeProfile() {
  std::vector<ProfileEvent> events;
  for (const RawEvent &raw : profiler.events) {
    std::string name = raw.kind == ProfileEvent::Loop ? absl::StrCat("0x", absl::Hex(offsetOf(raw.task)))
                       : raw.service                  ? raw.service
                                                      : "";
    events.push_back({raw.kind, raw.segment, std::move(name), raw.tasks, raw.nanoseconds, raw.estimate});
  }
  profiler.events.clear();
  return events;
}

} // namespace mlcbench
