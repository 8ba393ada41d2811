// Channels between parts of entries in several tasks.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/ChannelExchange.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <numeric>

namespace mlcrt {

/// Calls that end when the peer answers or is found dead.
static constexpr std::chrono::milliseconds kPatience = std::chrono::hours(7 * 24);
static constexpr std::chrono::seconds kFarewell{2};

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// The components of `element` one after the other; it stays as long as the slices.
static std::vector<Slice> payloadOf(std::shared_ptr<const Queue::Element> element) {
  std::vector<Slice> slices;
  for (const Tensor &tensor : *element) {
    if (tensor.dtype() != MLCRT_STRING) {
      slices.push_back({tensor.data(), tensor.bytes(), element});
      continue;
    }
    auto sizes = std::make_shared<std::vector<int64_t>>();
    for (int64_t i = 0; i < tensor.elements(); ++i)
      sizes->push_back(tensor.as<mlcrt_string>()[i].size);
    slices.push_back({sizes->data(), static_cast<int64_t>(sizes->size() * sizeof(int64_t)), sizes});
    for (int64_t i = 0; i < tensor.elements(); ++i)
      slices.push_back({tensor.as<mlcrt_string>()[i].data, tensor.as<mlcrt_string>()[i].size, element});
  }
  slices.erase(std::remove_if(slices.begin(), slices.end(), [](const Slice &slice) { return slice.size == 0; }),
               slices.end());
  return slices;
}

/// Reads a tensor of strings of these dims.
static absl::Status readStrings(IncomingMessage &message, const int64_t *dims, int32_t rank, Tensor &tensor) {
  const int64_t count = elementCount(dims, rank);
  if (count < 0 || count > message.remaining() / static_cast<int64_t>(sizeof(int64_t)))
    return absl::InvalidArgumentError(absl::StrCat("a message of ", count, " strings is too short for their sizes"));
  std::vector<int64_t> sizes(count);
  if (absl::Status status = message.read(sizes.data(), count * sizeof(int64_t)); !status.ok())
    return status;
  int64_t total = 0;
  for (int64_t size : sizes)
    if (size < 0 || __builtin_add_overflow(total, size, &total) || total > message.remaining())
      return absl::InvalidArgumentError("a message whose strings are longer than it");
  std::string bytes(total, '\0');
  if (absl::Status status = message.read(bytes.data(), total); !status.ok())
    return status;
  std::vector<mlcrt_string> cells(count);
  const char *at = bytes.data();
  for (int64_t i = 0; i < count; at += sizes[i++])
    cells[i] = {at, sizes[i]};
  holdCells(tensor, MLCRT_STRING, dims, rank, cells.data());
  return absl::OkStatus();
}

absl::StatusOr<Queue::Element> ChannelExchange::read(const mlcrt_channel &channel,
                                                     const cluster::ChannelRequest &control,
                                                     IncomingMessage &message) const {
  const mlcrt_artifact &table = program_.artifact().table();
  const mlcrt_queue &queue = table.queues[channel.queue];
  const Symbols &symbols = options_.entries.at(channel.entry);
  if (!std::equal(control.symbols().begin(), control.symbols().end(), symbols.begin(), symbols.end()))
    return absl::FailedPreconditionError(absl::StrCat("inputs of '", table.entries[channel.entry].name,
                                                      "' have other sizes than those of ", options_.self,
                                                      ": dimension symbols [", absl::StrJoin(control.symbols(), ", "),
                                                      "], there [", absl::StrJoin(symbols, ", "), "]"));
  Queue::Element element(queue.num_components);
  int64_t next = 0;
  for (int32_t c = 0; c < queue.num_components; ++c) {
    const mlcrt_value &value = queue.components[c];
    Dims dims(static_cast<size_t>(value.rank));
    for (int32_t d = 0; d < value.rank; ++d, ++next) {
      dims[d] = next < control.dims_size() ? control.dims(static_cast<int>(next)) : -1;
      if (dims[d] < 0 || (value.dims[d] >= 0 && dims[d] != value.dims[d]))
        return absl::InvalidArgumentError(absl::StrCat("component ", c, " of a message of '", queue.name,
                                                       "' has other dimensions than ", typeText(value)));
    }
    if (value.dtype == MLCRT_STRING) {
      if (absl::Status status = readStrings(message, dims.data(), value.rank, element[c]); !status.ok())
        return status;
      continue;
    }
    const TensorView shape = {nullptr, value.dtype, dims};
    const int64_t bytes = byteCount(shape);
    if (bytes < 0 || bytes > message.remaining())
      return absl::InvalidArgumentError(
          absl::StrCat("a message of '", queue.name, "' is too short for ", describe(shape)));
    element[c].resize(value.dtype, dims);
    if (absl::Status status = message.read(element[c].data(), bytes); !status.ok())
      return status;
  }
  if (next != control.dims_size())
    return absl::InvalidArgumentError(
        absl::StrCat("a message of '", queue.name, "' has ", control.dims_size(), " dimensions, expected ", next));
  if (absl::Status status = message.finish(); !status.ok())
    return status;
  return element;
}

//===----------------------------------------------------------------------===//
// Beginning and end
//===----------------------------------------------------------------------===//

ChannelExchange::ChannelExchange(Program &program, Sessions &sessions, Options options)
    : program_(program), sessions_(sessions), options_(std::move(options)) {
  const mlcrt_artifact &table = program.artifact().table();
  for (int32_t c = 0; c < table.num_channels; ++c) {
    const mlcrt_channel &channel = table.channels[c];
    const std::string &from = options_.tasks[channel.from], &to = options_.tasks[channel.to];
    if (from == to || !options_.entries.count(channel.entry))
      continue;
    Queue &queue = program.queues().queue(channel.queue);
    if (to == options_.self) {
      Inlet &inlet = inlets_[c];
      inlet.queue = &queue;
      inlet.from = from;
    } else if (from == options_.self) {
      outlets_.push_back({c, &queue, to, {}});
    }
  }
  for (auto &[number, inlet] : inlets_)
    inlet.thread = std::thread([this, &inlet = inlet] { serve(inlet); });
}

std::vector<std::string> ChannelExchange::peers() const {
  const mlcrt_artifact &table = program_.artifact().table();
  std::vector<std::string> peers;
  for (int64_t p = 0; p < table.num_parts; ++p)
    if (const std::string &task = options_.tasks[table.parts[p].device];
        options_.entries.count(table.parts[p].entry) && task != options_.self &&
        std::find(peers.begin(), peers.end(), task) == peers.end())
      peers.push_back(task);
  return peers;
}

void ChannelExchange::start(std::map<std::string, PeerLink *> links) {
  links_ = std::move(links);
  for (Outlet &outlet : outlets_)
    outlet.thread = std::thread([this, &outlet] { send(outlet); });
  watcher_ = std::thread([this] { watch(); });
}

/// Ends the run when somebody is not heard of any more, or wants it to end.
void ChannelExchange::watch() {
  constexpr std::chrono::milliseconds kInterval{50};
  std::unique_lock<std::mutex> lock(mutex_);
  while (!isStopped_ && failure_.ok()) {
    absl::Status found;
    if (options_.isInterrupted())
      found = absl::CancelledError("interrupted");
    for (const auto &[task, link] : links_)
      if (options_.peers && !done_.count(task) && options_.peers->isDead(task) && found.ok())
        found = absl::UnavailableError(options_.peers->obituary(task));
    if (!found.ok()) {
      lock.unlock();
      fail(found);
      return;
    }
    changed_.wait_for(lock, kInterval);
  }
}

void ChannelExchange::fail(const absl::Status &status, const std::string &task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_.ok() || isStopped_)
      return;
    failure_ = status;
    failedAt_ = task;
    isCancelling_ = true;
  }
  changed_.notify_all();
  program_.queues().cancelAll();
  for (const auto &[peer, link] : links_)
    link->cancelCalls(status);
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isCancelling_ = false;
  }
  changed_.notify_all();
}

/// Of another task with its name.
absl::Status ChannelExchange::failure() const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.ok() || failedAt_ == options_.self)
    return failure_;
  return absl::Status(failure_.code(), absl::StrCat(failedAt_, ": ", failure_.message()));
}

void ChannelExchange::tellPeers() {
  cluster::PartsDoneRequest request;
  {
    // The end of other calls must not end these.
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !isCancelling_; });
    request.set_code(static_cast<int>(failure_.code()));
    request.set_message(std::string(failure_.message()));
    request.set_task(failedAt_);
  }
  std::mutex mutex;
  std::condition_variable changed;
  size_t open = links_.size();
  for (const auto &[task, link] : links_)
    // Whoever is gone already needs no telling.
    link->start("done", request, {}, kFarewell, [&](const absl::StatusOr<IncomingMessage> &) {
      std::lock_guard<std::mutex> lock(mutex);
      --open;
      changed.notify_all();
    });
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return open == 0; });
}

absl::Status ChannelExchange::finish(absl::Status own) {
  if (!own.ok())
    fail(own);
  // What was put in goes out; nothing more does.
  for (Outlet &outlet : outlets_)
    outlet.queue->close(/*cancelPending=*/false);
  for (Outlet &outlet : outlets_)
    if (outlet.thread.joinable())
      outlet.thread.join();
  tellPeers();
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !isCancelling_ && (!failure_.ok() || done_.size() == links_.size()); });
    isStopped_ = true;
  }
  changed_.notify_all();
  for (auto &[number, inlet] : inlets_)
    inlet.queue->close(/*cancelPending=*/true);
  return failure();
}

ChannelExchange::~ChannelExchange() {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    isStopped_ = true;
    changed_.wait(lock, [&] { return !isCancelling_; });
  }
  changed_.notify_all();
  for (auto &[number, inlet] : inlets_)
    inlet.queue->close(/*cancelPending=*/true);
  for (Outlet &outlet : outlets_)
    outlet.queue->close(/*cancelPending=*/true);
  for (auto &[number, inlet] : inlets_)
    inlet.thread.join();
  for (Outlet &outlet : outlets_)
    if (outlet.thread.joinable())
      outlet.thread.join();
  if (watcher_.joinable())
    watcher_.join();
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

void ChannelExchange::send(Outlet &outlet) {
  PeerLink &link = *links_.at(outlet.to);
  const mlcrt_channel &channel = program_.artifact().table().channels[outlet.channel];
  while (true) {
    absl::StatusOr<Queue::Element> element = outlet.queue->dequeue();
    if (!element.ok())
      return; // closed: no more will come
    auto held = std::make_shared<const Queue::Element>(*std::move(element));
    cluster::ChannelRequest request;
    request.set_channel(outlet.channel);
    for (const Tensor &tensor : *held)
      for (int32_t d = 0; d < tensor.rank(); ++d)
        request.add_dims(tensor.buffer().dims[d]);
    for (int64_t symbol : options_.entries.at(channel.entry))
      request.add_symbols(symbol);
    cluster::ChannelReply response;
    absl::Status status = link.call("message", request, payloadOf(held), kPatience, response).status();
    // The peer has failed, and is about to say why.
    if (absl::IsAborted(status))
      return;
    if (!status.ok()) {
      fail(status);
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

/// Puts messages into the queue, and gives leave to send the next.
void ChannelExchange::serve(Inlet &inlet) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return inlet.isFull || isStopped_ || !failure_.ok(); });
    const absl::Status failure = failure_;
    if (!inlet.isFull)
      return;
    Queue::Element element = std::move(inlet.next);
    Reply reply = std::move(inlet.reply);
    inlet.isFull = false;
    lock.unlock();
    absl::Status status = failure.ok() ? inlet.queue->enqueue(std::move(element)) : failure;
    if (status.ok())
      reply(makeMessage(cluster::ChannelReply()));
    else
      reply(absl::AbortedError(absl::StrCat(options_.self, " takes no more messages")));
    lock.lock();
  }
}

void ChannelExchange::take(IncomingMessage &request, Reply reply) {
  cluster::ChannelRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  auto it = inlets_.find(control.channel());
  if (it == inlets_.end() || it->second.from != task->name())
    return reply(absl::InvalidArgumentError(
        absl::StrCat("channel ", control.channel(), " does not lead from ", task->name(), " to ", options_.self)));
  Inlet &inlet = it->second;
  absl::StatusOr<Queue::Element> element =
      read(program_.artifact().table().channels[control.channel()], control, request);
  if (!element.ok()) {
    reply(element.status());
    // A message that is no message changes nothing; inputs that differ are no basis for going on.
    if (absl::IsFailedPrecondition(element.status()))
      fail(element.status(), task->name());
    return;
  }
  std::unique_lock<std::mutex> lock(mutex_);
  if (isStopped_ || !failure_.ok()) {
    lock.unlock();
    return reply(absl::AbortedError(absl::StrCat(options_.self, " takes no more messages")));
  }
  if (inlet.isFull) {
    lock.unlock();
    return reply(absl::FailedPreconditionError(
        absl::StrCat("channel ", control.channel(), ": a message before the last one has found room")));
  }
  inlet.next = *std::move(element);
  inlet.reply = std::move(reply);
  inlet.isFull = true;
  lock.unlock();
  changed_.notify_all();
}

absl::StatusOr<Placement> ChannelExchange::place(std::string_view, const std::string &control, int64_t payloadSize) {
  cluster::ChannelRequest request;
  if (!request.ParseFromString(control))
    return absl::InvalidArgumentError("a message whose control part cannot be read");
  if (absl::StatusOr<Sessions::Task> task = sessions_.find(request.session()); !task.ok())
    return task.status();
  if (payloadSize > INT32_MAX)
    return absl::ResourceExhaustedError(
        absl::StrCat("a message of ", payloadSize, " bytes; channels take at most ", INT32_MAX));
  return Placement();
}

void ChannelExchange::handle(std::string_view method, IncomingMessage request, Reply reply) {
  if (method == "hello")
    return sessions_.hello(request, reply);
  if (method == "message")
    return take(request, std::move(reply));
  if (method != "done")
    return reply(absl::UnimplementedError(absl::StrCat(options_.self, " has no method '", std::string(method), "'")));
  cluster::PartsDoneRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<Sessions::Task> task = sessions_.find(control.session());
  if (!task.ok())
    return reply(task.status());
  reply(makeMessage(cluster::PartsDoneReply()));
  if (control.code() != 0) {
    const absl::Status failure(static_cast<absl::StatusCode>(control.code()), control.message());
    return fail(failure, control.task().empty() ? task->name() : control.task());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  done_.insert(task->name());
  changed_.notify_all();
}

} // namespace mlcrt
