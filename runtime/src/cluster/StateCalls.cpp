// Calls to servers that are answered with tensors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/StateCalls.h"

#include "runtime/src/core/RunObservation.h"

#include <algorithm>

namespace mlcrt {

static int64_t bytesOf(const std::vector<Placement::Span> &spans) {
  int64_t bytes = 0;
  for (const Placement::Span &span : spans)
    bytes += span.size;
  return bytes;
}

StateCalls::StateCalls(std::deque<ServerTensors> &servers, const Wanted &wanted, int64_t large)
    : servers_(servers), wanted_(wanted), large_(large), calls_(servers.size()) {
  for (size_t k = 0; k < servers.size(); ++k) {
    Call &call = calls_[k];
    if (wanted.outputs && k == 0)
      OutputWire::place(*wanted.outputs, call.front);
    if (wanted.rows) {
      call.rowBytes = -bytesOf(call.front);
      servers[k].rows.place(*wanted.rows, *wanted.pulled, call.front);
      call.rowBytes += bytesOf(call.front);
    }
    call.frontBytes = call.bytes = bytesOf(call.front);
    if (!wanted.variables)
      continue;
    const VariableWire &wire = servers[k].*wanted.variables;
    call.isPlaceable = wire.place(call.variables);
    const std::vector<int32_t> variables = wire.variables();
    for (size_t i = 0; i < call.variables.size(); ++i) {
      call.bytes += call.variables[i].size;
      const auto variable = static_cast<size_t>(variables[i]);
      if (pieces_.size() <= variable)
        pieces_.resize(variable + 1);
      pieces_[variable].push_back({k, call.bytes});
    }
  }
}

StateCalls::~StateCalls() { awaitEnd(); }

void StateCalls::begin(size_t server) {
  std::lock_guard<std::mutex> lock(mutex_);
  Call &call = calls_[server];
  call.isOpen = true;
  call.isPlaced = call.isRead = false;
  call.arrived = 0;
}

PlaceFunction StateCalls::placeOf(size_t server) {
  if (!calls_[server].isPlaceable || calls_[server].bytes <= large_)
    return nullptr;
  return [this, server](const std::string &text, int64_t) -> absl::StatusOr<Placement> {
    Call &call = calls_[server];
    Placement placement;
    placement.spans = call.front;
    placement.spans.insert(placement.spans.end(), call.variables.begin(), call.variables.end());
    placement.owner = std::make_shared<int>(); // tells that it was used
    placement.arrived = [this, server](int64_t bytes) {
      std::lock_guard<std::mutex> lock(mutex_);
      calls_[server].arrived = bytes;
      changed_.notify_all();
    };
    std::lock_guard<std::mutex> lock(mutex_);
    if (!call.control.ParseFromString(text))
      return absl::InvalidArgumentError("a message whose control part cannot be read");
    call.isPlaced = true;
    return placement;
  };
}

void StateCalls::done(size_t server, absl::StatusOr<IncomingMessage> reply) {
  std::lock_guard<std::mutex> lock(mutex_);
  Call &call = calls_[server];
  call.reply = std::move(reply);
  if (call.reply.ok() && !call.isPlaced)
    if (absl::Status status = parseControl(*call.reply, call.control); !status.ok())
      call.reply = status;
  call.isOpen = false;
  changed_.notify_all();
}

template <typename Condition> void StateCalls::wait(std::unique_lock<std::mutex> &lock, Condition condition) {
  if (condition())
    return;
  Timeline *timeline = wanted_.observation ? wanted_.observation->timeline() : nullptr;
  const Timeline::Clock::time_point since = Timeline::Clock::now();
  changed_.wait(lock, condition);
  if (timeline)
    timeline->add("wait", since, Timeline::Clock::now(), timeline->step());
}

bool StateCalls::hasFailed(size_t server) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !calls_[server].isOpen && !calls_[server].reply.ok();
}

absl::Status StateCalls::read(size_t server) {
  Call &call = calls_[server];
  IncomingMessage &message = *call.reply;
  if (!call.isPlaceable)
    bytes_ += message.remaining() - call.bytes; // of what lies otherwise in memory
  auto readSpans = [&message](const std::vector<Placement::Span> &spans) {
    absl::Status status;
    for (size_t i = 0; status.ok() && i < spans.size(); ++i)
      status = message.read(spans[i].data, spans[i].size);
    return status;
  };
  absl::Status status = readSpans(call.front);
  if (status.ok())
    status = call.isPlaceable ? readSpans(call.variables) : (servers_[server].*wanted_.variables).receive(message);
  return status.ok() ? message.finish() : status;
}

absl::Status StateCalls::awaitFront() {
  std::unique_lock<std::mutex> lock(mutex_);
  // What breaks off after the front is told when it is missed.
  auto isFrontHere = [](const Call &call) { return call.isPlaced && call.arrived >= call.frontBytes; };
  auto hasNoFront = [&](const Call &call) { return !call.isOpen && !call.reply.ok() && !isFrontHere(call); };
  wait(lock, [&] {
    return std::any_of(calls_.begin(), calls_.end(), hasNoFront) ||
           std::all_of(calls_.begin(), calls_.end(),
                       [&](const Call &call) { return !call.isOpen || isFrontHere(call); });
  });
  for (const Call &call : calls_)
    if (hasNoFront(call))
      return call.reply.status();
  for (const Call &call : calls_)
    if (!call.control.end().empty()) {
      end_ = call.control.end();
      endExit_ = call.control.exit();
      return absl::OkStatus();
    }
  std::vector<size_t> unplaced;
  for (size_t k = 0; k < calls_.size(); ++k) {
    bytes_ += calls_[k].bytes;
    if (!calls_[k].isPlaced && !calls_[k].isRead)
      unplaced.push_back(k);
  }
  // These calls are over. Reading takes locks of variables.
  lock.unlock();
  for (size_t k : unplaced) {
    if (absl::Status status = read(k); !status.ok())
      return status;
    calls_[k].isRead = true;
  }
  return absl::OkStatus();
}

absl::Status StateCalls::awaitVariable(int32_t variable) {
  if (isAllHere_ || static_cast<size_t>(variable) >= pieces_.size())
    return absl::OkStatus();
  std::unique_lock<std::mutex> lock(mutex_);
  for (const Piece &piece : pieces_[static_cast<size_t>(variable)]) {
    const Call &call = calls_[piece.server];
    wait(lock, [&] { return !call.isOpen || call.arrived >= piece.end; });
    if (!call.isOpen && !call.reply.ok())
      return call.reply.status();
  }
  tell(variable);
  return absl::OkStatus();
}

void StateCalls::tell(int32_t variable) {
  std::vector<Piece> &pieces = pieces_[static_cast<size_t>(variable)];
  if (pieces.empty() || pieces.front().isTold)
    return;
  pieces.front().isTold = true;
  (servers_[pieces.front().server].*wanted_.variables).changed(variable);
}

absl::Status StateCalls::awaitAll() {
  if (isAllHere_)
    return absl::OkStatus();
  awaitEnd();
  for (const Call &call : calls_)
    if (!call.reply.ok())
      return call.reply.status();
  for (size_t variable = 0; variable < pieces_.size(); ++variable)
    tell(static_cast<int32_t>(variable));
  isAllHere_ = true;
  return absl::OkStatus();
}

bool StateCalls::awaitEnd(std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  auto isEnd = [this] {
    return std::none_of(calls_.begin(), calls_.end(), [](const Call &call) { return call.isOpen; });
  };
  if (timeout != std::chrono::milliseconds::max())
    return changed_.wait_for(lock, timeout, isEnd);
  wait(lock, isEnd);
  return true;
}

} // namespace mlcrt
