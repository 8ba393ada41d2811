// Who may talk to whom.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Handshake.h"

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <random>

namespace mlcrt {

std::string taskName(const std::string &role, int64_t index) { return absl::StrCat(role, " ", index); }

/// Of a refusal: what it says to who may not know this task's side.
static constexpr char kBrief[] = "mlc/brief";

/// A claim of somebody who may be anybody, to be shown.
static std::string shown(absl::string_view claim) {
  constexpr size_t kMost = 200;
  return absl::StrCat(absl::CHexEscape(claim.substr(0, kMost)), claim.size() > kMost ? "..." : "");
}

static absl::Status differs(absl::string_view what, absl::string_view theirs, absl::string_view mine,
                            absl::string_view help) {
  const std::string claim = absl::StrCat("the ", what, " of the peer is ", shown(theirs));
  const std::string reason = help.empty() ? "" : absl::StrCat(": ", help);
  absl::Status status = absl::FailedPreconditionError(absl::StrCat(claim, ", mine is ", mine, reason));
  const std::string brief = absl::StrCat(claim, ", mine is another one", reason);
  status.SetPayload(kBrief, absl::Cord(absl::string_view(brief)));
  return status;
}

static std::string orderOf(const std::string &sums) { return sums.empty() ? "that of the program" : shown(sums); }

bool Sessions::isOfCluster(const cluster::HelloRequest &hello) const {
  return std::any_of(config_.tasks.begin(), config_.tasks.end(), [&](const mlc::common::ClusterTask &task) {
    return task.role == hello.role() && task.index == hello.index();
  });
}

absl::StatusOr<cluster::HelloReply> Sessions::admit(const cluster::HelloRequest &hello) {
  if (hello.protocol() != self_.protocol())
    return differs("protocol", absl::StrCat(hello.protocol()), absl::StrCat(self_.protocol()),
                   "all tasks must run one version of the trainer");
  const std::string name = taskName(shown(hello.role()), hello.index());
  // First: other code has other fingerprints, too.
  if (hello.cpu_features() != self_.cpu_features())
    return differs("CPU level", hello.cpu_features(), self_.cpu_features(), "all tasks must run one binary");
  if (hello.plan_fingerprint() != self_.plan_fingerprint())
    return differs("plan fingerprint", hello.plan_fingerprint(), self_.plan_fingerprint(),
                   absl::StrCat(name, " runs another model or another version of it"));
  if (hello.state_fingerprint() != self_.state_fingerprint())
    return differs("state fingerprint", hello.state_fingerprint(), self_.state_fingerprint(),
                   absl::StrCat(name, " runs another model"));
  for (int i = 0; i < std::min(hello.settings_size(), self_.settings_size()); ++i)
    if (hello.settings(i) != self_.settings(i))
      return differs("setting", hello.settings(i), self_.settings(i), "");
  if (hello.settings_size() != self_.settings_size())
    return differs("number of settings", absl::StrCat(hello.settings_size()), absl::StrCat(self_.settings_size()), "");
  if (!isOfCluster(hello) && hello.role() != "evaluator")
    return absl::PermissionDeniedError(absl::StrCat(name, " is no task of the cluster"));
  const bool isGone = isGone_ && isGone_(name);
  cluster::HelloReply reply;
  bool isAgain = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = std::find_if(tasks_.begin(), tasks_.end(), [&](const auto &each) {
      return each.second.role == hello.role() && each.second.index == hello.index();
    });
    isAgain = known != tasks_.end();
    if (isAgain && known->second.incarnation == hello.incarnation()) {
      reply.set_session(known->first);
      return reply;
    }
    if (hello.has_sums() && sums_.value_or(hello.sums()) != hello.sums())
      return differs("order of sums", orderOf(hello.sums()), orderOf(*sums_),
                     absl::StrCat(name, " has other GPUs than a training task that came before"));
    if (isAgain && !isGone)
      return absl::AlreadyExistsError(absl::StrCat("there is a ", name, " already, another process"));
    if (isAgain)
      tasks_.erase(known);
    // Not to be guessed by who was not let in.
    std::random_device random;
    uint64_t session = 0;
    while (session == 0 || tasks_.count(session))
      session = static_cast<uint64_t>(random()) << 32 | random();
    tasks_.emplace(session, Task{hello.role(), hello.index(), hello.incarnation()});
    if (hello.has_sums())
      sums_ = hello.sums();
    reply.set_session(session);
  }
  if (admitted_)
    admitted_(name, isAgain);
  return reply;
}

void Sessions::hello(const IncomingMessage &request, const Reply &reply, std::optional<int64_t> credit) {
  cluster::HelloRequest control;
  if (absl::Status status = parseControl(request, control); !status.ok())
    return reply(status);
  absl::StatusOr<cluster::HelloReply> admitted = admit(control);
  if (!admitted.ok()) {
    absl::Status refusal = admitted.status();
    if (absl::optional<absl::Cord> brief = refusal.GetPayload(kBrief); brief && !knowsPeers_)
      refusal = absl::Status(refusal.code(), std::string(*brief));
    // Before this run ends of it: who is refused hears why.
    reply(refusal);
    // Where the task itself is here, another one is a mistake or a stranger, which the run does not need.
    if (refused_ && knowsPeers_ && absl::IsFailedPrecondition(admitted.status()) && isOfCluster(control) &&
        !has(control.role(), control.index()))
      refused_(taskName(control.role(), control.index()), admitted.status());
    return;
  }
  if (credit)
    admitted->set_credit(*credit);
  reply(makeMessage(*admitted));
}

absl::StatusOr<Sessions::Task> Sessions::find(uint64_t session) const {
  std::lock_guard<std::mutex> lock(mutex_);
  auto found = tasks_.find(session);
  if (found == tasks_.end())
    return absl::NotFoundError("a call of a task that did not say hello");
  return found->second;
}

bool Sessions::has(const std::string &role, int64_t index) const {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(tasks_.begin(), tasks_.end(),
                     [&](const auto &entry) { return entry.second.role == role && entry.second.index == index; });
}

} // namespace mlcrt
