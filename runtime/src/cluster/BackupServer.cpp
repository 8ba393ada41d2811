// Synchronous training with backup workers.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/BackupServer.h"

#include "runtime/src/cluster/Coordinator.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <utility>

namespace mlcrt {

BackupServer::~BackupServer() { unfollow(); }

void BackupServer::loaded() {
  SyncServer::loaded();
  const int64_t shards = run_->virtual_shards();
  const auto n = static_cast<size_t>(tasks());
  times_.emplace(tasks(), (shards + tasks() - 1) / tasks());
  workers_ = backup_.workers >= 0 ? backup_.workers : isDrop() ? 0 : 1;
  began_ = Clock::now();
  answered_.assign(n, began_);
  left_.assign(n, false);
  behind_.assign(n, false);
  members_.assign(n, false);
  here_.assign(static_cast<size_t>(shards), false);
  given_.assign(static_cast<size_t>(shards), Clock::time_point::min());
}

int BackupServer::numberOf(const std::string &task) const {
  return static_cast<int>(std::find(options_.trainers.begin(), options_.trainers.end(), task) -
                          options_.trainers.begin());
}

size_t BackupServer::ownerOf(int64_t shard) const {
  size_t task = 0;
  while (shard >= shardsOf(static_cast<int64_t>(task), tasks(), run_->virtual_shards()).last)
    ++task;
  return task;
}

bool BackupServer::isHere(int task) const {
  const ShardRange range = shardsOf(task, tasks(), run_->virtual_shards());
  return std::all_of(here_.begin() + range.first, here_.begin() + range.last, [](bool isHere) { return isHere; });
}

int BackupServer::numHere() const {
  int here = 0;
  for (int task = 0; task < tasks(); ++task)
    here += isHere(task);
  return here;
}

bool BackupServer::isChiefAwaited() const {
  return std::any_of(run_->chief_every().begin(), run_->chief_every().end(),
                     [this](int64_t every) { return every > 0 && step_ % every == 0; });
}

void BackupServer::left(const std::string &task) {
  if (const int number = numberOf(task); run_ && number < tasks())
    left_[static_cast<size_t>(number)] = true;
}

void BackupServer::addReport(cluster::EndReply &report) const {
  *report.mutable_backup() = report_;
  report.mutable_backup()->set_workers(workers_);
}

//===----------------------------------------------------------------------===//
// Pushes
//===----------------------------------------------------------------------===//

bool BackupServer::isNeeded(const cluster::StepRequest &control) const {
  if (control.step() != step_ || isUpdating_ || (isDrop() && isDecided_ && isComplete()))
    return false;
  return !std::all_of(here_.begin() + control.first_shard(), here_.begin() + control.last_shard(),
                      [](bool isHere) { return isHere; });
}

absl::StatusOr<bool> BackupServer::claim(const cluster::StepRequest &control, const std::string &task) {
  if (numberOf(task) >= tasks())
    return absl::PermissionDeniedError(absl::StrCat(task, " does not train"));
  const bool isPast = run_ && control.step() >= run_->step() && control.step() < step_;
  if (!isPast)
    if (absl::Status status = check(control); !status.ok())
      return status;
  const ShardRange own = shardsOf(numberOf(task), tasks(), run_->virtual_shards());
  const bool isOwn = control.first_shard() == own.first && control.last_shard() == own.last;
  if (isDrop() && !isOwn)
    return absl::InvalidArgumentError(
        absl::StrCat("shards [", control.first_shard(), ", ", control.last_shard(), ") are not those of ", task));
  if (!control.is_backup()) {
    const auto number = static_cast<size_t>(numberOf(task));
    const std::chrono::duration<double> seconds = Clock::now() - answered_[number];
    times_->add(control.step(), static_cast<int>(number), seconds.count());
    if (isPast) {
      behind_[number] = false;
      answered_[number] = Clock::now();
    } else {
      held_.erase(task);
    }
  }
  if (!isPast && isNeeded(control))
    return true;
  report_.set_late_pushes(report_.late_pushes() + 1);
  return false;
}

void BackupServer::take(const cluster::StepRequest &control, const std::string &task,
                        std::vector<std::unique_ptr<SumSet>> sums) {
  if (!isNeeded(control)) {
    report_.set_late_pushes(report_.late_pushes() + 1);
    return;
  }
  if (numShardsHere_ == 0) {
    symbols_.assign(control.symbols().begin(), control.symbols().end());
    claimed_.front() = true;
  }
  // Of nodes that overlap the greatest is what is added; they have the same bits.
  for (int i = 0; i < static_cast<int>(sums.size()); ++i) {
    const SumNode node = {control.nodes(i).level(), control.nodes(i).index()};
    if (std::none_of(received_.begin(), received_.end(), [&](const auto &entry) { return entry.first == node; }))
      received_.emplace_back(node, std::move(sums[static_cast<size_t>(i)]));
  }
  for (int64_t shard = control.first_shard(); shard < control.last_shard(); ++shard) {
    if (here_[shard])
      continue;
    here_[shard] = true;
    ++numShardsHere_;
    if (control.is_backup())
      report_.set_recomputed_shards(report_.recomputed_shards() + 1);
  }
  if (!control.is_backup())
    contributed_.insert(task);
}

/// A task that comes too late for its step begins with the next one, rather than be late once more, if this one does
/// not need it.
int64_t BackupServer::awaitedStep(const cluster::StepRequest &control, const std::string &task) {
  if (!isDrop() || control.step() >= step_)
    return control.step();
  const std::optional<double> fence = times_->fence();
  const std::chrono::duration<double> since = Clock::now() - began_;
  const bool isChief = numberOf(task) == 0;
  if (!fence || since.count() < *fence - *times_->median() || active() - 1 < least() || (isChief && isChiefAwaited()))
    return control.step();
  held_.insert(task);
  return step_;
}

absl::Status BackupServer::checkPull(const std::string &method, const cluster::PullRequest &request) const {
  if (method == "late" && request.step() > step_)
    return absl::AbortedError(
        absl::StrCat("step ", request.step(), " has no late tasks: the server is at step ", step_));
  if (method == "hold")
    return SyncServer::checkPull(method, request);
  // Who is late gets the state as it is, and says so.
  return absl::OkStatus();
}

bool BackupServer::isDue(const Waiter &waiter) const {
  if (waiter.method == "late")
    return waiter.step < step_;
  if (waiter.method == pushMethod() && waiter.step == step_ && held_.count(waiter.task)) {
    // If others do not come either, this one is needed.
    const bool isLong = Clock::now() - began_ > std::chrono::duration<double>(2 * times_->fence().value_or(0));
    return isLong || active() < least() || (numberOf(waiter.task) == 0 && isChiefAwaited());
  }
  return SyncServer::isDue(waiter);
}

void BackupServer::addState(const std::string &method, const TableIds &rows, cluster::StateReply &,
                            OutgoingMessage &message) {
  if (method == "progress" || method == "late")
    return;
  if (method == pushMethod() && isFirst())
    OutputWire::sendCopy(update_.outputs(), message);
  (method == "fetch" ? all_ : read_).sendCopy(message);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int BackupServer::active() const {
  return tasks() - static_cast<int>(std::count(left_.begin(), left_.end(), true)) - static_cast<int>(held_.size());
}

int BackupServer::least() const {
  const auto gone = static_cast<int>(std::count(left_.begin(), left_.end(), true));
  return std::max(1, std::min(tasks() - static_cast<int>(workers_), tasks() - gone));
}

bool BackupServer::isComplete() const {
  if (!isDrop())
    return SyncServer::isComplete();
  if (!isDecided_)
    return false;
  for (int task = 0; task < tasks(); ++task)
    if (members_[static_cast<size_t>(task)] && !isHere(task))
      return false;
  return true;
}

absl::StatusOr<bool> BackupServer::advance(std::unique_lock<std::mutex> &lock) {
  if (!failure_.ok())
    return failure_;
  Answers answers;
  if (!isDrop())
    answers = giveShards();
  else if (!isDecided_ && isFirst())
    answers = decide();
  else if (!isDecided_)
    askMembers();
  if (!answers.empty()) {
    lock.unlock();
    for (auto &[reply, message] : answers)
      reply(std::move(message));
    lock.lock();
    return true;
  }
  if (!isComplete())
    return false;
  isUpdating_ = true;
  absl::StatusOr<bool> moved = SyncServer::advance(lock);
  isUpdating_ = false;
  return moved;
}

void BackupServer::stepDone() {
  if (isDrop())
    for (size_t shard = 0; shard < here_.size(); ++shard)
      if (!members_[ownerOf(static_cast<int64_t>(shard))])
        report_.set_dropped_shards(report_.dropped_shards() + 1);
  began_ = Clock::now();
  for (int task = 0; task < tasks(); ++task) {
    const std::string &name = options_.trainers[static_cast<size_t>(task)];
    const bool isWaiting = contributed_.count(name) || held_.count(name) ||
                           std::any_of(waiters_.begin(), waiters_.end(), [&](const Waiter &waiter) {
                             return waiter.task == name && waiter.method == pushMethod();
                           });
    behind_[static_cast<size_t>(task)] = !isWaiting;
    if (isWaiting)
      answered_[static_cast<size_t>(task)] = began_;
  }
  held_.clear();
  std::fill(here_.begin(), here_.end(), false);
  std::fill(given_.begin(), given_.end(), Clock::time_point::min());
  lastGiven_.clear();
  isDecided_ = false;
  toldHere_ = 0;
  std::fill(members_.begin(), members_.end(), false);
  SyncServer::stepDone();
  choose();
}

void BackupServer::choose() {
  constexpr int64_t kEvery = 16;
  if (backup_.workers >= 0 || (step_ - run_->step()) % kEvery != 0 || times_->steps() < kEvery)
    return;
  // A task that stops altogether is in no measured time; where nobody is late, one that may help costs nothing.
  const int64_t best = isDrop() ? times_->bestForDrop() : std::max(1, times_->bestForRedundant());
  if (best == workers_)
    return;
  report_.set_changes(report_.changes() + 1);
  if (backup_.note && isFirst())
    backup_.note(absl::StrCat("b = ", best, " at step ", step_, ", was ", workers_));
  workers_ = best;
}

//===----------------------------------------------------------------------===//
// Redundant
//===----------------------------------------------------------------------===//

bool BackupServer::isLate(int task, Clock::time_point now) const {
  if (isHere(task) || (task == 0 && isChiefAwaited() && !left_[0]))
    return false;
  if (left_[static_cast<size_t>(task)] || behind_[static_cast<size_t>(task)])
    return true;
  const std::optional<double> fence = times_->fence();
  return fence && 2 * numHere() >= tasks() && now - began_ >= std::chrono::duration<double>(*fence);
}

/// Whether a shard is on its way from another task; one that takes twice what is late does not count any more.
bool BackupServer::isGivenAway(int64_t shard, Clock::time_point now) const {
  const Clock::time_point at = given_[static_cast<size_t>(shard)];
  return at != Clock::time_point::min() && now - at < std::chrono::duration<double>(2 * times_->fence().value_or(1));
}

std::optional<int64_t> BackupServer::lateShard(Clock::time_point now) const {
  std::vector<int64_t> fresh; // of tasks of which no shard was given away
  int64_t open = 0;
  for (int task = 0; task < tasks(); ++task) {
    if (!isLate(task, now))
      continue;
    const ShardRange range = shardsOf(task, tasks(), run_->virtual_shards());
    bool isOpen = false;
    int64_t next = -1;
    for (int64_t shard = range.last - 1; shard >= range.first; --shard) {
      if (here_[static_cast<size_t>(shard)])
        continue;
      if (isGivenAway(shard, now))
        isOpen = true;
      else
        next = shard;
    }
    isOpen = isOpen || std::any_of(here_.begin() + range.first, here_.begin() + range.last, [](bool h) { return h; });
    open += isOpen;
    if (next >= 0 && isOpen && open <= workers_)
      return next;
    if (next >= 0 && !isOpen)
      fresh.push_back(next);
  }
  if (fresh.empty() || open >= workers_)
    return std::nullopt;
  return fresh.front();
}

bool BackupServer::isDueInUpdate(const Waiter &waiter) const {
  return waiter.method == "late" && waiter.step == step_ && isUpdating_;
}

void BackupServer::noteQuestion(const std::string &task, const cluster::PullRequest &request) {
  auto last = lastGiven_.find(task);
  if (request.step() != step_ || last == lastGiven_.end() || (request.has_got() && request.got() == last->second))
    return;
  given_[static_cast<size_t>(last->second)] = Clock::time_point::min();
  lastGiven_.erase(last);
}

BackupServer::Answers BackupServer::giveShards() {
  Answers given;
  const Clock::time_point now = Clock::now();
  // The update may wait for another server that lacks shards still: those who ask here are to ask there.
  const bool isDone = isComplete();
  for (size_t i = 0; i < waiters_.size();) {
    if (waiters_[i].method != "late" || waiters_[i].step != step_) {
      ++i;
      continue;
    }
    const std::optional<int64_t> shard = isDone ? std::nullopt : lateShard(now);
    if (!shard && !isDone)
      break;
    cluster::StateReply control;
    control.set_step(step_);
    if (shard) {
      given_[static_cast<size_t>(*shard)] = now;
      lastGiven_[waiters_[i].task] = *shard;
      control.mutable_late()->set_first(*shard);
      control.mutable_late()->set_last(*shard + 1);
    }
    given.emplace_back(std::move(waiters_[i].reply), makeMessage(control));
    waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return given;
}

ParameterServer::Clock::time_point BackupServer::wakeAt() const {
  const bool isAsked = run_ && std::any_of(waiters_.begin(), waiters_.end(),
                                           [](const Waiter &waiter) { return waiter.method == "late"; });
  const std::optional<double> fence = isAsked ? times_->fence() : std::nullopt;
  if (!fence)
    return Clock::time_point::max();
  const auto of = [](double seconds) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  const Clock::time_point now = Clock::now();
  Clock::time_point at = Clock::time_point::max();
  if (const Clock::time_point late = began_ + of(*fence); late > now)
    at = late;
  for (const Clock::time_point given : given_)
    if (given != Clock::time_point::min() && given + of(2 * *fence) > now)
      at = std::min(at, given + of(2 * *fence));
  return at;
}

//===----------------------------------------------------------------------===//
// Drop
//===----------------------------------------------------------------------===//

BackupServer::Answers BackupServer::decide() {
  std::map<std::string, Guest> &guests = guests_[step_];
  std::vector<bool> members(static_cast<size_t>(tasks()));
  int count = 0;
  for (int task = 0; task < tasks(); ++task) {
    const bool isHereEverywhere =
        isHere(task) && static_cast<int>(guests.size()) == plan_.servers() - 1 &&
        std::all_of(guests.begin(), guests.end(), [task](const auto &each) { return each.second.here.count(task); });
    members[static_cast<size_t>(task)] = isHereEverywhere;
    count += isHereEverywhere;
  }
  const bool hasChief = members[0] || !isChiefAwaited() || left_[0];
  // Rows of a short batch may be with the others.
  const bool hasRows = numShardsHere_ == run_->virtual_shards() ||
                       std::any_of(received_.begin(), received_.end(), [&](const auto &each) {
                         return members[ownerOf(each.first.index << each.first.level)];
                       });
  if (count < least() || !hasChief || !hasRows)
    return {};
  members_ = members;
  isDecided_ = true;
  lastMembers_.clear();
  for (int task = 0; task < tasks(); ++task)
    if (members[static_cast<size_t>(task)])
      lastMembers_.push_back(task);
  cluster::StateReply reply;
  *reply.mutable_members() = {lastMembers_.begin(), lastMembers_.end()};
  Answers answers;
  for (auto &[name, guest] : guests)
    answers.emplace_back(std::move(guest.reply), makeMessage(reply));
  guests_.erase(guests_.begin(), guests_.upper_bound(step_));
  return answers;
}

void BackupServer::handleServer(IncomingMessage request, const std::string &task, Reply reply) {
  cluster::MembersRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  std::optional<Reply> before;
  cluster::StateReply known;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (end_) {
      known.set_end(*end_);
      known.set_exit(exit_);
    } else if (!run_ || control.step() < step_ - 1 || control.step() > step_ + 1) {
      // Another server is at most one step behind, or ahead: steps have an exchange, or their members, of server 0.
      return reply(
          absl::AbortedError(absl::StrCat("members of step ", control.step(), ": the server is at step ", step_)));
    } else if ((control.step() == step_ && isDecided_) || control.step() < step_) {
      *known.mutable_members() = {lastMembers_.begin(), lastMembers_.end()};
    } else {
      Guest &guest = guests_[control.step()][task];
      if (guest.reply)
        before = std::move(guest.reply);
      // What a server said before may come after it.
      guest.here.insert(control.here().begin(), control.here().end());
      guest.reply = reply;
    }
  }
  if (before)
    (*before)(makeMessage(cluster::StateReply()));
  if (!known.end().empty() || known.members_size())
    return reply(makeMessage(known));
  changed_.notify_all();
}

void BackupServer::askMembers() {
  const int here = numHere();
  if (here == toldHere_)
    return;
  const bool isBroken = std::exchange(toldHere_, here) < 0;
  if (isBroken && Clock::now() < askAgainAt_) {
    toldHere_ = -1;
    return;
  }
  askAgainAt_ = Clock::now() + std::chrono::milliseconds(50);
  cluster::MembersRequest request;
  request.set_step(step_);
  for (int task = 0; task < tasks(); ++task)
    if (isHere(task))
      request.add_here(task);
  const auto timeout = std::max(options_.stallTimeout, options_.startTimeout) + std::chrono::seconds(5);
  first_->start("members", request, {}, timeout, [this, step = step_](absl::StatusOr<IncomingMessage> answer) {
    cluster::StateReply reply;
    absl::Status status = answer.ok() ? parseControl(*answer, reply) : answer.status();
    std::lock_guard<std::mutex> lock(mutex_);
    if (step != step_ || isDecided_ || end_)
      return;
    if (absl::IsUnavailable(status) && first_ && first_->lost().ok()) {
      toldHere_ = -1; // the connection broke: `advance` asks again at its next look
    } else if (!status.ok()) {
      failure_ = status;
    } else if (!reply.end().empty()) {
      end_ = reply.end(); // the chief tells this server, too
      exit_ = reply.exit();
    } else if (reply.members_size()) {
      for (int64_t task : reply.members())
        if (task >= 0 && task < tasks())
          members_[static_cast<size_t>(task)] = true;
      isDecided_ = true;
    }
    changed_.notify_all();
  });
}

void BackupServer::giveUp(std::vector<Waiter> &waiters) {
  for (auto &[step, guests] : guests_)
    for (auto &[name, guest] : guests)
      waiters.push_back({"members", name, step, Clock::now(), std::move(guest.reply)});
  guests_.clear();
}

} // namespace mlcrt
