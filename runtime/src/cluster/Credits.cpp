// How much memory the messages of each task may take at a server.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/Credits.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace mlcrt {

struct Credits::State {
  struct Account {
    int64_t held = 0;
    int64_t granted = 0; ///< of the pool, not used yet
    int64_t inUse = 0;   ///< of the pool, of holds
  };
  struct Asker {
    std::string task;
    int64_t bytes;
    Answer answer;
  };
  using Answers = std::vector<std::pair<Answer, absl::Status>>;

  State(int64_t memory, int64_t tasks, std::function<void()> onRoom)
      : share(std::max<int64_t>(0, memory) / (2 * std::max<int64_t>(1, tasks))),
        pool(std::max<int64_t>(0, memory) - share * std::max<int64_t>(1, tasks)), left(pool),
        onRoom(std::move(onRoom)) {}

  absl::Status add(const std::string &task, int64_t bytes) {
    Account &account = accounts[task];
    const int64_t limit = share + account.granted + account.inUse;
    if (bytes > limit - account.held)
      return absl::ResourceExhaustedError(absl::StrCat(task, " has ", account.held,
                                                       " bytes of messages here and sends or asks for ", bytes,
                                                       " more; its credit is ", limit));
    account.held += bytes;
    held += bytes;
    peak = std::max(peak, held);
    return absl::OkStatus();
  }
  /// Those whose turn it is.
  Answers grant() {
    Answers answers;
    for (; !askers.empty() && (!failure.ok() || askers.front().bytes <= left); askers.pop_front()) {
      Asker &asker = askers.front();
      if (failure.ok()) {
        left -= asker.bytes;
        accounts[asker.task].granted = asker.bytes;
      }
      answers.emplace_back(std::move(asker.answer), failure);
    }
    return answers;
  }
  /// What the task waits for, or has and did not use.
  void giveBack(const std::string &task, const absl::Status &why, Answers &answers) {
    for (auto asker = askers.begin(); asker != askers.end();) {
      if (asker->task != task) {
        ++asker;
        continue;
      }
      answers.emplace_back(std::move(asker->answer), why);
      asker = askers.erase(asker);
    }
    left += std::exchange(accounts[task].granted, 0);
  }
  static void send(const Answers &answers) {
    for (const auto &[answer, status] : answers)
      answer(status);
  }

  const int64_t share, pool;
  std::mutex mutex;
  int64_t left; ///< of the pool
  int64_t held = 0, peak = 0;
  std::map<std::string, Account> accounts;
  std::deque<Asker> askers;
  absl::Status failure;
  std::function<void()> onRoom;
};

class Credits::Held : public Credits::Hold {
public:
  Held(std::shared_ptr<State> state, std::string task) : state_(std::move(state)), task_(std::move(task)) {}
  ~Held() override {
    std::lock_guard<std::mutex> lock(state_->mutex);
    State::Account &account = state_->accounts[task_];
    account.held -= bytes_;
    account.inUse -= granted_;
    state_->held -= bytes_;
    state_->left += granted_;
    if (granted_ > 0 && !state_->askers.empty() && state_->onRoom)
      state_->onRoom();
  }
  absl::Status add(int64_t bytes) override {
    std::lock_guard<std::mutex> lock(state_->mutex);
    absl::Status status = state_->add(task_, bytes);
    if (!status.ok())
      return status;
    bytes_ += bytes;
    // What was granted is for one exchange: it ends with this.
    State::Account &account = state_->accounts[task_];
    const int64_t granted = std::exchange(account.granted, 0);
    account.inUse += granted;
    granted_ += granted;
    return absl::OkStatus();
  }

private:
  const std::shared_ptr<State> state_;
  const std::string task_;
  int64_t bytes_ = 0, granted_ = 0;
};

Credits::Credits(int64_t memory, int64_t tasks, std::function<void()> onRoom)
    : state_(std::make_shared<State>(memory, tasks, std::move(onRoom))) {}

Credits::~Credits() {
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->onRoom = nullptr;
}

int64_t Credits::credit() const { return state_->share / 2; }
int64_t Credits::most() const { return state_->pool; }

absl::StatusOr<std::shared_ptr<Credits::Hold>> Credits::charge(const std::string &task, int64_t bytes) {
  auto hold = std::make_shared<Held>(state_, task);
  if (absl::Status status = hold->add(bytes); !status.ok())
    return status;
  return std::shared_ptr<Hold>(std::move(hold));
}

void Credits::ask(const std::string &task, int64_t bytes, bool waits, Answer answer) {
  State::Answers answers;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->giveBack(task, absl::AbortedError(absl::StrCat(task, " asked again before it had its answer")), answers);
    const bool isTooMuch = bytes < 0 || bytes > state_->pool;
    if (isTooMuch || (!waits && bytes > state_->left))
      answers.emplace_back(std::move(answer),
                           absl::ResourceExhaustedError(absl::StrCat(
                               task, " asks for ", bytes, " bytes of messages; ", isTooMuch ? "at most " : "there are ",
                               isTooMuch ? state_->pool : state_->left, isTooMuch ? " are granted" : " left")));
    else
      state_->askers.push_back({task, bytes, std::move(answer)});
    for (auto &each : state_->grant())
      answers.push_back(std::move(each));
  }
  State::send(answers);
}

bool Credits::isAwaited() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return !state_->askers.empty();
}

void Credits::grant() {
  State::Answers answers;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    answers = state_->grant();
  }
  State::send(answers);
}

void Credits::leave(const std::string &task) {
  State::Answers answers;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->giveBack(task, absl::CancelledError(absl::StrCat(task, " has left")), answers);
    for (auto &each : state_->grant())
      answers.push_back(std::move(each));
  }
  State::send(answers);
}

void Credits::fail(const absl::Status &status) {
  State::Answers answers;
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->failure = status;
    answers = state_->grant();
  }
  State::send(answers);
}

int64_t Credits::held() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->held;
}

int64_t Credits::peak() const {
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->peak;
}

} // namespace mlcrt
