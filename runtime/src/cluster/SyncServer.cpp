// Synchronous training: adds up the sums of a step, updates.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/SyncServer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

void SyncServer::loaded() {
  claimed_.assign(run_->virtual_shards(), false);
  tree_ = std::make_unique<SumTree>(run_->virtual_shards(), [this](const SumSet &a, const SumSet &b, SumSet &out) {
    return ranges_.add(a, b, symbols_, out);
  });
}

absl::Status SyncServer::checkPull(const std::string &method, const cluster::PullRequest &request) const {
  if (method == "hold")
    return absl::UnimplementedError("a server of a synchronous run is held by the steps of the chief");
  if (request.step() >= step_)
    return absl::OkStatus();
  return absl::AbortedError(
      absl::StrCat("the state of step ", request.step(), " is gone: the server is at step ", step_));
}

bool SyncServer::isDue(const Waiter &waiter) const {
  return waiter.step + (waiter.method == pushMethod() ? 1 : 0) <= step_;
}

void SyncServer::addState(const std::string &method, const TableIds &rows, cluster::StateReply &,
                          OutgoingMessage &message) {
  if (method == "progress")
    return;
  if (method == pushMethod() && isFirst())
    OutputWire::send(update_.outputs(), message);
  rowWire_.sendRows(rows, program_.state(), pool_, message);
  message.front = message.payloadSize(); // the next step begins with it
  if (method != "rows")
    (method == "fetch" ? all_ : read_).send(message);
}

std::vector<std::string> SyncServer::missing() const {
  if (!run_)
    return {options_.trainers.front()};
  std::vector<std::string> names;
  for (const std::string &trainer : options_.trainers)
    if (!contributed_.count(trainer) && !isDispensable(trainer))
      names.push_back(trainer);
  return names;
}

absl::Status SyncServer::check(const cluster::StepRequest &control) {
  if (!run_)
    return absl::AbortedError("a push before the run has begun");
  if (control.step() != step_)
    return absl::AbortedError(absl::StrCat("a push for step ", control.step(), ": the server is at step ", step_));
  const int64_t shards = run_->virtual_shards(), first = control.first_shard(), last = control.last_shard();
  if (first < 0 || first >= last || last > shards)
    return absl::InvalidArgumentError(absl::StrCat("shards [", first, ", ", last, ") of ", shards));
  for (const cluster::Node &node : control.nodes()) {
    const bool isLevel = node.level() >= 0 && node.level() <= rootLevel(shards);
    if (!isLevel || node.index() < 0 || node.index() > shards || (node.index() << node.level()) < first ||
        std::min(shards, (node.index() + 1) << node.level()) > last)
      return absl::InvalidArgumentError(absl::StrCat("node ", node.index(), " of level ", node.level(),
                                                     " is not of shards [", first, ", ", last, ")"));
  }
  Symbols symbols(control.symbols().begin(), control.symbols().end());
  if (absl::Status status = checkSums(symbols, control.nodes_size()); !status.ok())
    return status;
  if (std::find(claimed_.begin(), claimed_.end(), true) != claimed_.end() && symbols != symbols_)
    return absl::FailedPreconditionError(absl::StrCat("a push whose batch has ", absl::StrJoin(symbols, ", "),
                                                      " rows and values; that of others has ",
                                                      absl::StrJoin(symbols_, ", "), ": tasks read different data"));
  return absl::OkStatus();
}

absl::StatusOr<bool> SyncServer::claim(const cluster::StepRequest &control, const std::string &) {
  if (absl::Status status = check(control); !status.ok())
    return status;
  for (int64_t shard = control.first_shard(); shard < control.last_shard(); ++shard)
    if (claimed_[shard])
      return absl::AlreadyExistsError(absl::StrCat("shard ", shard, " of step ", step_, " was pushed before"));
  symbols_.assign(control.symbols().begin(), control.symbols().end());
  std::fill(claimed_.begin() + control.first_shard(), claimed_.begin() + control.last_shard(), true);
  return true;
}

absl::StatusOr<bool> SyncServer::isRepeated(const cluster::StepRequest &control, const std::string &task) const {
  if (!run_)
    return false;
  if (control.step() + 1 == step_)
    return contributedLast_.count(task) > 0;
  if (control.step() == step_ && claiming_.count(task))
    return absl::UnavailableError(absl::StrCat("a push of ", task, " for step ", step_, " is being received"));
  return control.step() == step_ && contributed_.count(task) > 0;
}

void SyncServer::unclaim(const cluster::StepRequest &control) {
  std::fill(claimed_.begin() + control.first_shard(), claimed_.begin() + control.last_shard(), false);
}

void SyncServer::take(const cluster::StepRequest &control, const std::string &task,
                      std::vector<std::unique_ptr<SumSet>> sums) {
  for (int i = 0; i < static_cast<int>(sums.size()); ++i)
    received_.emplace_back(SumNode{control.nodes(i).level(), control.nodes(i).index()}, std::move(sums[i]));
  numShardsHere_ += control.last_shard() - control.first_shard();
  contributed_.insert(task);
}

std::optional<std::pair<Symbols, int64_t>> SyncServer::sumsOf(const std::string &control) const {
  cluster::StepRequest request;
  if (!request.ParseFromString(control))
    return std::nullopt;
  return std::make_pair(Symbols(request.symbols().begin(), request.symbols().end()), int64_t{request.nodes_size()});
}

absl::Status SyncServer::receive(const cluster::StepRequest &control, IncomingMessage &request,
                                 std::vector<std::unique_ptr<SumSet>> &sums, TableIds &rows) {
  Symbols symbols(control.symbols().begin(), control.symbols().end());
  for (int i = 0; i < control.nodes_size(); ++i) {
    sums.emplace_back();
    if (absl::Status status = receiveSums(request, symbols, sums.back()); !status.ok())
      return status;
  }
  absl::StatusOr<TableIds> ids = rowWire_.receiveIds(request);
  if (!ids.ok())
    return ids.status();
  rows = *std::move(ids);
  return request.finish();
}

void SyncServer::push(IncomingMessage request, const std::string &task, Reply reply) {
  cluster::StepRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  std::shared_ptr<Credits::Hold> hold = takeHold(request);
  bool isEnded = false, isNeeded = false, isAgain = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    isEnded = end_.has_value();
    if (!isEnded) {
      absl::StatusOr<bool> repeated = isRepeated(control, task);
      if (repeated.ok() && *repeated)
        if (absl::Status status = checkSums({control.symbols().begin(), control.symbols().end()}, control.nodes_size());
            !status.ok())
          repeated = status;
      absl::StatusOr<bool> claimed = !repeated.ok() || *repeated ? repeated : claim(control, task);
      if (!claimed.ok())
        return reply(claimed.status());
      isAgain = *repeated;
      isNeeded = *claimed && !isAgain;
      if (isNeeded)
        claiming_.insert(task);
    }
  }
  std::vector<std::unique_ptr<SumSet>> sums;
  TableIds rows;
  absl::Status status = isNeeded || isAgain ? receive(control, request, sums, rows) : absl::OkStatus();
  int64_t awaited = control.step();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (isNeeded)
      claiming_.erase(task);
    if (!status.ok()) {
      if (isNeeded)
        unclaim(control);
      return reply(status);
    }
    for (size_t i = 0; isAgain && i < sums.size(); ++i)
      keepSpare(std::move(sums[i]));
    if (isNeeded) {
      take(control, task, std::move(sums));
      holds_.push_back(hold);
    }
    if (!isEnded)
      awaited = awaitedStep(control, task);
  }
  if (control.is_backup() && !isEnded) {
    reply(makeMessage(cluster::StateReply()));
    changed_.notify_all();
    return;
  }
  addWaiter({pushMethod(), task, awaited, Clock::now(), std::move(reply), std::move(rows), std::move(hold)});
}

bool SyncServer::isIn(SumNode node) const {
  const int64_t end = std::min(run_->virtual_shards(), (node.index + 1) << node.level);
  for (int64_t shard = node.index << node.level; shard < end; ++shard)
    if (!isIn(shard))
      return false;
  return true;
}

absl::Status SyncServer::addAndUpdate() {
  tree_->begin();
  auto source = [this](SumNode node, SumSet &sums) -> absl::StatusOr<SumTree::Found> {
    auto found =
        std::find_if(received_.begin(), received_.end(), [&](const auto &entry) { return entry.first == node; });
    if (found == received_.end() || !isIn(node))
      return node.level == 0 ? SumTree::Found::Absent : SumTree::Found::Below;
    std::swap(sums, *found->second);
    return SumTree::Found::Here;
  };
  absl::StatusOr<SumSet *> root = tree_->fold({rootLevel(run_->virtual_shards()), 0}, source);
  if (!root.ok())
    return root.status();
  if (!*root)
    return absl::InvalidArgumentError(absl::StrCat("step ", step_, " has a batch without rows"));
  RangeUpdate::Call call;
  call.context.seed = run_->seed();
  call.context.step = step_;
  call.sums = *root;
  call.global = &symbols_;
  return update(step_, call);
}

void SyncServer::stepDone() {
  ++step_;
  for (auto &[node, set] : received_)
    keepSpare(std::move(set));
  received_.clear();
  holds_.clear();
  contributedLast_ = std::exchange(contributed_, {});
  numShardsHere_ = 0;
  std::fill(claimed_.begin(), claimed_.end(), false);
}

absl::StatusOr<bool> SyncServer::advance(std::unique_lock<std::mutex> &lock) {
  if (!isComplete())
    return false;
  // Nothing that the update reads changes meanwhile: every training task waits for it, or its push is not needed.
  lock.unlock();
  absl::Status status = addAndUpdate();
  lock.lock();
  if (!status.ok())
    return status;
  stepDone();
  return true;
}

absl::Status SyncServer::checkStall() const {
  // The first step waits for tasks that come; later ones for tasks that were there.
  const auto patience = run_ && step_ > run_->step() ? options_.stallTimeout : options_.startTimeout;
  auto longest = std::min_element(waiters_.begin(), waiters_.end(),
                                  [](const Waiter &a, const Waiter &b) { return a.since < b.since; });
  // Of every step: nothing is made that nobody reads.
  constexpr std::chrono::milliseconds kShort{100};
  if (longest == waiters_.end() || Clock::now() - longest->since < kShort) {
    if (options_.peers)
      options_.peers->clearStall();
    return absl::OkStatus();
  }
  if (options_.peers)
    return options_.peers->judge({longest->task, longest->step, longest->since, missing()}, patience);
  if (Clock::now() - longest->since <= patience)
    return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat(longest->task, " waits since ", std::chrono::duration_cast<std::chrono::seconds>(patience).count(),
                   " s at step ", longest->step, " for ", absl::StrJoin(missing(), ", ")));
}

} // namespace mlcrt
