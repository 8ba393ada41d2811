// The last words of each task.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/PeerTable.h"

#include "runtime/src/core/RunObservation.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>

namespace mlcrt {

static int64_t secondsOf(PeerTable::Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// What a peer says of itself, in bounds: it is shown, added up and kept.
static cluster::Life bounded(const cluster::Life &said) {
  constexpr size_t kActivity = 32;
  auto count = [](int64_t value) { return std::clamp<int64_t>(value, 0, int64_t(1) << 53); };
  cluster::Life life;
  std::string activity = said.activity().substr(0, kActivity);
  std::replace_if(activity.begin(), activity.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  life.set_activity(activity);
  life.set_step(count(said.step()));
  life.set_activity_milliseconds(count(said.activity_milliseconds()));
  life.set_examples(count(said.examples()));
  life.set_bytes(count(said.bytes()));
  life.set_staleness_sum(count(said.staleness_sum()));
  life.set_staleness_count(count(said.staleness_count()));
  return life;
}

void PeerTable::countUp(const std::string &task, bool isUp) const {
  if (!options_.observation)
    return;
  MetricRegistry &registry = options_.observation->metrics().registry;
  registry
      .value(MetricRegistry::Kind::Gauge, "mlc_peer_up", "1 if the task was heard of within three heartbeats.",
             {{"peer", task}})
      .set(isUp);
  if (!isUp)
    return;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  registry
      .value(MetricRegistry::Kind::Gauge, "mlc_peer_last_heard_timestamp_seconds",
             "When the task was heard of last, since unix epoch in seconds.", {{"peer", task}}, 1e-3)
      .set(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

void PeerTable::setProblem(const std::string &problem) const {
  if (options_.observation)
    options_.observation->setProblem(problem);
}

void PeerTable::heard(const std::string &task, const cluster::Life &life) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    Peer &peer = peers_[task];
    if (peer.hasLeft)
      return;
    peer.hasBefore = peer.heard != Clock::time_point();
    peer.before = std::move(peer.life);
    peer.heardBefore = peer.heard;
    peer.life = bounded(life);
    peer.heard = options_.now();
  }
  countUp(task, true);
}

void PeerTable::left(const std::string &task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = peers_.find(task);
    if (found == peers_.end())
      return;
    found->second.hasLeft = true;
  }
  countUp(task, false);
}

void PeerTable::admitted(const std::string &task) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    peers_.erase(task);
  }
  heard(task, cluster::Life());
}

void PeerTable::noteSilent() const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto &[task, peer] : peers_)
    if (isSilent(peer))
      countUp(task, false);
}

bool PeerTable::isAlive(const std::string &task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = peers_.find(task);
  return found != peers_.end() && !found->second.hasLeft && !isSilent(found->second);
}

bool PeerTable::isDead(const std::string &task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = peers_.find(task);
  return found != peers_.end() && !found->second.hasLeft && isSilent(found->second);
}

bool PeerTable::isGone(const std::string &task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = peers_.find(task);
  return found != peers_.end() && (found->second.hasLeft || isSilent(found->second));
}

std::string PeerTable::describeLocked(const std::string &task) const {
  auto found = peers_.find(task);
  if (found == peers_.end())
    return task + " (never heard of)";
  const Peer &peer = found->second;
  if (peer.hasLeft)
    return task + " (has left)";
  return absl::StrCat(task, " (at step ", peer.life.step(), ", '", peer.life.activity(), "' for ",
                      peer.life.activity_milliseconds() / 1000, " s, heard of ", secondsOf(silence(peer)), " s ago)");
}

std::string PeerTable::obituaryLocked(const std::string &task) const {
  auto found = peers_.find(task);
  if (found == peers_.end())
    return task + " was never heard of";
  return absl::StrCat(task, " was not heard of for ", secondsOf(silence(found->second)), " s (", options_.missed,
                      " heartbeats)");
}

std::string PeerTable::describe(const std::string &task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return describeLocked(task);
}

std::string PeerTable::obituary(const std::string &task) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return obituaryLocked(task);
}

absl::Status PeerTable::judge(const Wait &wait, std::chrono::milliseconds patience) {
  std::string warning;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const Clock::duration waited = options_.now() - wait.since;
    std::vector<std::string> described;
    bool allLive = true;
    for (const std::string &task : wait.missing) {
      auto found = peers_.find(task);
      const bool isKnown = found != peers_.end();
      const std::string waits = absl::StrCat("; ", wait.task, " waits at step ", wait.step, " for it");
      if (isKnown && found->second.hasLeft)
        return absl::UnavailableError(absl::StrCat(task, " has left", waits));
      if (isKnown && isSilent(found->second))
        return absl::DeadlineExceededError(absl::StrCat(obituaryLocked(task), waits));
      allLive = allLive && isKnown;
      described.push_back(describeLocked(task));
    }
    const std::string text = absl::StrCat(wait.task, " waits since ", secondsOf(waited), " s at step ", wait.step,
                                          " for ", absl::StrJoin(described, ", "));
    if (waited > patience && !allLive)
      return absl::DeadlineExceededError(text);
    if (stallSince_ != wait.since) {
      if (!stall_.empty())
        setProblem("");
      stallSince_ = wait.since;
      nextWarning_ = std::max<Clock::duration>(patience / 4, std::chrono::seconds(1));
      stall_.clear();
    }
    if (waited >= nextWarning_) {
      nextWarning_ = std::max<Clock::duration>(2 * nextWarning_, waited);
      stall_ = warning = text;
    }
  }
  if (!warning.empty()) {
    if (options_.observation)
      options_.observation->metrics().stallWarnings.add(1);
    setProblem(warning);
    warn(warning);
  }
  return absl::OkStatus();
}

std::string PeerTable::stall() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return stall_;
}

void PeerTable::clearStall() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (stall_.empty())
    return;
  stall_.clear();
  stallSince_ = {};
  setProblem("");
}

PeerTable::Totals PeerTable::totals() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Totals totals;
  for (const auto &[task, peer] : peers_) {
    // The bytes of servers are those of the tasks that call them; their staleness, too.
    if (peer.hasLeft || isSilent(peer) || !peer.hasBefore || peer.life.examples() == 0)
      continue;
    const double seconds = std::chrono::duration<double>(peer.heard - peer.heardBefore).count();
    if (seconds > 0) {
      totals.examplesPerSecond += static_cast<double>(peer.life.examples() - peer.before.examples()) / seconds;
      totals.bytesPerSecond += static_cast<double>(peer.life.bytes() - peer.before.bytes()) / seconds;
    }
    totals.stalenessSum += peer.life.staleness_sum() - peer.before.staleness_sum();
    totals.stalenessCount += peer.life.staleness_count() - peer.before.staleness_count();
  }
  return totals;
}

} // namespace mlcrt
