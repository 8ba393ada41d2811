// NCCL over the memory and the streams of the emulated driver: communicators of the devices of one process.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// It is stricter than NCCL: what a group has must have its other ends in the same group, with the same counts and
// types, where NCCL would wait for them, or do anything. Ops of a group come in no order but that of their streams.
#include "test/lib/ptxemu/FakeDriver.h"

#include <cstdlib>
#include <cstring>
#include <string>

using namespace ptxemu;

namespace {

enum Result : int {
  kDone = 0,
  kUnhandledCudaError = 1,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
};
constexpr int kSum = 0;

struct Clique;
/// What one device has of a clique.
struct Communicator {
  std::shared_ptr<Clique> clique;
  unsigned rank = 0, device = 0;
};
struct Clique {
  unsigned size = 0;
};

/// What a call asked for.
struct Op {
  enum Kind { Send, Receive, AllReduce, AllGather } kind;
  uint64_t from, to;
  size_t count;
  int type;
  unsigned peer; ///< of Send and Receive
  Communicator *communicator = nullptr;
  Communicator its = {}; ///< what that is, which may be given back before the op is done
  Stream *stream = nullptr;
};

const char *nameOf(Op::Kind kind) {
  static const char *const kNames[] = {"ncclSend", "ncclRecv", "ncclAllReduce", "ncclAllGather"};
  return kNames[kind];
}

/// Communicators that there are; those that a process leaves are found at its end.
struct Known {
  std::set<Communicator *> communicators;
  ~Known() {
    if (!communicators.empty())
      Driver::get().report(std::to_string(communicators.size()) + " communicators of NCCL were not given back");
  }
};
Known &known() {
  Driver::get(); // which is there after this
  static Known all;
  return all;
}

thread_local std::vector<Op> group;
thread_local int depth = 0;
thread_local int groupError = kDone;
std::string lastError;

} // namespace

/// The error, with a text for ncclGetLastError.
static int refuse(int result, const std::string &text) {
  lastError = text;
  Driver::get().report(text);
  return result;
}

/// What stands at the begin of each function: PTXEMU_FAIL gives errors of NCCL, too, and what is wrong with the driver
/// is one of them.
static int enter(const char *function) {
  Driver &driver = Driver::get();
  const int result = driver.enter(function, /*needsContext=*/false);
  if (result && driver.sticky) {
    lastError = "Cuda failure " + std::to_string(driver.sticky);
    return kUnhandledCudaError;
  }
  if (result)
    lastError = std::string(function) + " fails, as PTXEMU_FAIL says";
  return result;
}

#define NCCL_ENTER()                                                                                                   \
  Driver &driver = Driver::get();                                                                                      \
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);                                                            \
  if (const int early = enter(__func__))                                                                               \
    return early;

/// Bytes of an element; 0: no such type.
static size_t sizeOf(int type) {
  switch (type) {
  case 0: // int8
  case 1: // uint8
    return 1;
  case 6: // float16
  case 9: // bfloat16
    return 2;
  case 2: // int32
  case 3: // uint32
  case 7: // float32
    return 4;
  case 4: // int64
  case 5: // uint64
  case 8: // float64
    return 8;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

template <typename T> static void addTo(std::vector<char> &sum, const std::vector<char> &more) {
  for (size_t at = 0; at < sum.size(); at += sizeof(T)) {
    T a, b;
    memcpy(&a, &sum[at], sizeof(T));
    memcpy(&b, &more[at], sizeof(T));
    a = static_cast<T>(a + b);
    memcpy(&sum[at], &a, sizeof(T));
  }
}

/// Halves of 8 bits less than f32 are rounded to nearest, ties to even.
static void addBfloats(std::vector<char> &sum, const std::vector<char> &more) {
  for (size_t at = 0; at < sum.size(); at += 2) {
    uint32_t bits[2] = {0, 0};
    memcpy(reinterpret_cast<char *>(&bits[0]) + 2, &sum[at], 2);
    memcpy(reinterpret_cast<char *>(&bits[1]) + 2, &more[at], 2);
    float terms[2];
    memcpy(terms, bits, sizeof(bits));
    terms[0] += terms[1];
    memcpy(bits, terms, 4);
    bits[0] += 0x7fff + ((bits[0] >> 16) & 1);
    memcpy(&sum[at], reinterpret_cast<char *>(&bits[0]) + 2, 2);
  }
}

static void addElements(int type, std::vector<char> &sum, const std::vector<char> &more) {
  switch (type) {
  case 0:
  case 1:
    return addTo<uint8_t>(sum, more);
  case 2:
  case 3:
    return addTo<uint32_t>(sum, more);
  case 4:
  case 5:
    return addTo<uint64_t>(sum, more);
  case 6:
    return addTo<_Float16>(sum, more);
  case 7:
    return addTo<float>(sum, more);
  case 8:
    return addTo<double>(sum, more);
  default:
    return addBfloats(sum, more);
  }
}

/// Adds the values of all ranks from the last one to the first: an order that is not that of the ranks.
static int reduceAll(const std::vector<Op> &ops) {
  Driver &driver = Driver::get();
  const size_t bytes = ops.front().count * sizeOf(ops.front().type);
  std::vector<char> sum, more(bytes);
  for (size_t r = ops.size(); r-- > 0;) {
    DriverDevice &device = *driver.devices[ops[r].its.device];
    if (const int result = copyToHost(device, more.data(), ops[r].from, bytes))
      return result;
    if (sum.empty())
      sum = more;
    else
      addElements(ops[r].type, sum, more);
  }
  for (const Op &op : ops)
    if (const int result = copyToDevice(*driver.devices[op.its.device], op.to, sum.data(), bytes))
      return result;
  return kSuccess;
}

static int gatherAll(const std::vector<Op> &ops) {
  Driver &driver = Driver::get();
  const size_t bytes = ops.front().count * sizeOf(ops.front().type);
  for (const Op &target : ops)
    for (size_t r = 0; r < ops.size(); ++r) {
      const uint64_t place = target.to + r * bytes;
      if (place == ops[r].from)
        continue; // in place
      if (const int result = copyBetween(*driver.devices[target.its.device], place, *driver.devices[ops[r].its.device],
                                         ops[r].from, bytes))
        return result;
    }
  return kSuccess;
}

/// Ops that are done together, each at its stream's turn.
struct Exchange {
  std::vector<Op> ops;
  std::function<int(const std::vector<Op> &)> run;
};

/// An exchange begins when all of its streams have come to the group, and a stream goes on when all of its exchanges
/// are done.
static int submitAll(Driver &driver, const std::vector<Exchange> &exchanges) {
  std::map<Stream *, TaskRef> begins;
  std::map<Stream *, std::vector<TaskRef>> ends;
  for (const Exchange &exchange : exchanges)
    for (const Op &op : exchange.ops)
      if (TaskRef &begin = begins[op.stream]; !begin)
        if (driver.submit(*op.stream, "nccl", [] { return kSuccess; }, &begin))
          return refuse(kUnhandledCudaError, "a stream that records takes nothing of NCCL");
  for (const Exchange &exchange : exchanges) {
    // On a stream of its own, so that nothing orders it among those of the group.
    auto lane = std::make_shared<Stream>();
    lane->device = exchange.ops.front().its.device;
    lane->blocking = false;
    TaskRef made;
    driver.submit(*lane, "nccl", [exchange, lane] { return exchange.run(exchange.ops); }, &made);
    lane->last = nullptr;
    for (const Op &op : exchange.ops) {
      made->after.push_back(begins[op.stream]);
      ends[op.stream].push_back(made);
    }
  }
  for (auto &[stream, tasks] : ends) {
    TaskRef end;
    driver.submit(*stream, "nccl", [] { return kSuccess; }, &end);
    for (const TaskRef &task : tasks)
      end->after.push_back(task);
  }
  return kDone;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

static std::string describe(const Op &op) {
  std::string text = std::string(nameOf(op.kind)) + " of rank " + std::to_string(op.its.rank);
  if (op.kind == Op::Send)
    text += " to " + std::to_string(op.peer);
  if (op.kind == Op::Receive)
    text += " from " + std::to_string(op.peer);
  return text + ", " + std::to_string(op.count) + " of type " + std::to_string(op.type);
}

static bool areAlike(const Op &a, const Op &b) { return a.count == b.count && a.type == b.type; }

/// Finds the other end of each op.
static int match(const std::vector<Op> &ops, std::vector<Exchange> &exchanges) {
  std::vector<bool> isMatched(ops.size(), false);
  auto find = [&](size_t from, auto isIt) {
    for (size_t i = from; i < ops.size(); ++i)
      if (!isMatched[i] && isIt(ops[i])) {
        isMatched[i] = true;
        return i;
      }
    return ops.size();
  };
  for (size_t i = 0; i < ops.size(); ++i) {
    const Op &op = ops[i];
    const std::shared_ptr<Clique> &clique = op.its.clique;
    if (isMatched[i])
      continue;
    isMatched[i] = true;
    Exchange exchange{{op}, {}};
    if (op.kind == Op::Send || op.kind == Op::Receive) {
      const size_t other = find(i + 1, [&](const Op &each) {
        return each.its.clique == clique && each.kind == (op.kind == Op::Send ? Op::Receive : Op::Send) &&
               each.its.rank == op.peer && each.peer == op.its.rank;
      });
      if (other == ops.size())
        return refuse(kInvalidUsage, describe(op) + ": the group has no other end of it");
      if (!areAlike(op, ops[other]))
        return refuse(kInvalidUsage, describe(op) + " meets " + describe(ops[other]));
      const Op &send = op.kind == Op::Send ? op : ops[other], &receive = op.kind == Op::Send ? ops[other] : op;
      exchange.ops = {send, receive};
      exchange.run = [](const std::vector<Op> &both) {
        Driver &driver = Driver::get();
        ++driver.ncclCopies;
        return copyBetween(*driver.devices[both[1].its.device], both[1].to, *driver.devices[both[0].its.device],
                           both[0].from, both[0].count * sizeOf(both[0].type));
      };
    } else {
      exchange.ops.clear();
      isMatched[i] = false;
      for (unsigned rank = 0; rank < clique->size; ++rank) {
        const size_t its = find(i, [&](const Op &each) {
          return each.its.clique == clique && each.kind == op.kind && each.its.rank == rank;
        });
        if (its == ops.size())
          return refuse(kInvalidUsage, describe(op) + ": rank " + std::to_string(rank) + " has none in the group");
        if (!areAlike(op, ops[its]))
          return refuse(kInvalidUsage, describe(op) + " meets " + describe(ops[its]));
        exchange.ops.push_back(ops[its]);
      }
      ++Driver::get().ncclCollectives;
      exchange.run = op.kind == Op::AllReduce ? reduceAll : gatherAll;
    }
    exchanges.push_back(std::move(exchange));
  }
  return kDone;
}

static int endGroup() {
  std::vector<Op> ops = std::move(group);
  group.clear();
  if (const int error = groupError) {
    groupError = kDone;
    return error;
  }
  for (const Op &op : ops)
    if (!known().communicators.count(op.communicator))
      return refuse(kInvalidArgument, "a communicator was given back while a group has calls of it");
  std::vector<Exchange> exchanges;
  if (const int error = match(ops, exchanges))
    return error;
  return submitAll(Driver::get(), exchanges);
}

/// Takes a call into the group, or does it.
static int ask(Op op, void *communicator, void *stream) {
  auto note = [](int error) {
    if (depth > 0 && !groupError)
      groupError = error;
    return error;
  };
  Driver &driver = Driver::get();
  op.communicator = static_cast<Communicator *>(communicator);
  if (!known().communicators.count(op.communicator))
    return note(refuse(kInvalidArgument, std::string(nameOf(op.kind)) + " of what is no communicator"));
  op.its = *op.communicator;
  if (sizeOf(op.type) == 0)
    return note(refuse(kInvalidArgument, describe(op) + ": no such type"));
  bool isStream = false;
  for (const auto &device : driver.devices)
    isStream |= device->streams.count(static_cast<Stream *>(stream)) > 0;
  if (!isStream)
    return note(refuse(kInvalidArgument, describe(op) + " on what is no stream"));
  op.stream = static_cast<Stream *>(stream);
  if (op.stream->device != op.its.device)
    return note(refuse(kInvalidArgument, describe(op) + " is on a stream of device " +
                                             std::to_string(op.stream->device) + ", and the rank's is device " +
                                             std::to_string(op.its.device)));
  if ((op.kind == Op::Send || op.kind == Op::Receive) && op.peer >= op.its.clique->size)
    return note(refuse(kInvalidArgument, describe(op) + ": there is no such rank"));
  group.push_back(op);
  return depth > 0 ? kDone : endGroup();
}

//===----------------------------------------------------------------------===//
// Functions of NCCL
//===----------------------------------------------------------------------===//

PTXEMU_EXPORT int ncclGetVersion(int *version) {
  NCCL_ENTER()
  const char *text = getenv("PTXEMU_NCCL");
  *version = text ? atoi(text) : 22304;
  return kDone;
}

PTXEMU_EXPORT const char *ncclGetErrorString(int result) {
  static const char *const kTexts[] = {"no error",
                                       "unhandled cuda error",
                                       "unhandled system error",
                                       "internal error",
                                       "invalid argument",
                                       "invalid usage",
                                       "remote process exited or there was a network error",
                                       "NCCL operation in progress"};
  return result >= 0 && result < 8 ? kTexts[result] : "unknown result code";
}

PTXEMU_EXPORT const char *ncclGetLastError(void *) { return lastError.c_str(); }

PTXEMU_EXPORT int ncclCommInitAll(void **communicators, int count, const int *ordinals) {
  NCCL_ENTER()
  std::set<int> seen;
  for (int r = 0; r < count; ++r) {
    const int device = ordinals ? ordinals[r] : r;
    if (device < 0 || static_cast<size_t>(device) >= driver.devices.size() || !seen.insert(device).second)
      return refuse(kInvalidArgument, "rank " + std::to_string(r) + " of " + std::to_string(count) + " is on device " +
                                          std::to_string(device) + ", of which there is none, or it is another rank's");
  }
  auto clique = std::make_shared<Clique>();
  for (int r = 0; r < count; ++r) {
    auto *communicator =
        new Communicator{clique, static_cast<unsigned>(r), static_cast<unsigned>(ordinals ? ordinals[r] : r)};
    ++clique->size;
    known().communicators.insert(communicator);
    communicators[r] = communicator;
  }
  return count > 0 ? kDone : refuse(kInvalidArgument, "a clique of no device");
}

static int giveBack(void *handle, const char *function) {
  auto *communicator = static_cast<Communicator *>(handle);
  if (!known().communicators.erase(communicator))
    return refuse(kInvalidArgument, std::string(function) + " of what is no communicator");
  delete communicator;
  return kDone;
}

PTXEMU_EXPORT int ncclCommDestroy(void *communicator) {
  NCCL_ENTER()
  return giveBack(communicator, __func__);
}

PTXEMU_EXPORT int ncclCommAbort(void *communicator) {
  // Works where nothing else does any more. What was asked for is done as if it had been in time.
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  return giveBack(communicator, __func__);
}

PTXEMU_EXPORT int ncclCommGetAsyncError(void *communicator, int *error) {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  *error = kDone;
  if (!known().communicators.count(static_cast<Communicator *>(communicator)))
    return refuse(kInvalidArgument, std::string(__func__) + " of what is no communicator");
  // What PTXEMU_FAIL gives is what it tells.
  *error = enter(__func__);
  return kDone;
}

PTXEMU_EXPORT int ncclGroupStart() {
  NCCL_ENTER()
  ++depth;
  return kDone;
}

PTXEMU_EXPORT int ncclGroupEnd() {
  Driver &driver = Driver::get();
  std::lock_guard<std::recursive_mutex> lock(driver.mutex);
  if (depth == 0)
    return refuse(kInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  // It ends in any case.
  --depth;
  if (const int early = enter(__func__))
    groupError = early;
  return depth > 0 ? groupError : endGroup();
}

PTXEMU_EXPORT int ncclSend(const void *from, size_t count, int type, int peer, void *communicator, void *stream) {
  NCCL_ENTER()
  return ask({Op::Send, reinterpret_cast<uint64_t>(from), 0, count, type, static_cast<unsigned>(peer)}, communicator,
             stream);
}

PTXEMU_EXPORT int ncclRecv(void *to, size_t count, int type, int peer, void *communicator, void *stream) {
  NCCL_ENTER()
  return ask({Op::Receive, 0, reinterpret_cast<uint64_t>(to), count, type, static_cast<unsigned>(peer)}, communicator,
             stream);
}

PTXEMU_EXPORT int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *communicator,
                                void *stream) {
  NCCL_ENTER()
  if (operation != kSum)
    return refuse(kInvalidArgument,
                  "ncclAllReduce: sums alone are emulated, found operation " + std::to_string(operation));
  return ask({Op::AllReduce, reinterpret_cast<uint64_t>(from), reinterpret_cast<uint64_t>(to), count, type, 0},
             communicator, stream);
}

PTXEMU_EXPORT int ncclAllGather(const void *from, void *to, size_t count, int type, void *communicator, void *stream) {
  NCCL_ENTER()
  return ask({Op::AllGather, reinterpret_cast<uint64_t>(from), reinterpret_cast<uint64_t>(to), count, type, 0},
             communicator, stream);
}
