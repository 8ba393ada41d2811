// How much memory the messages of each task may take at a server. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CLUSTER_CREDITS_H
#define MLCRT_CLUSTER_CREDITS_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace mlcrt {

/// Bounds the bytes of payloads that tasks sent and that are still needed, and of copies that are answers on their way.
/// Half of the memory is cut into shares, one for each task; an exchange (request and answer) of up to `credit()` needs
/// nothing else. For a larger one a task asks beforehand, and gets it from the other half when there is room. Nobody
/// has more than was granted: what exceeds it is refused. Thread-safe.
class Credits {
public:
  /// What some bytes are charged to; they are free again when the last owner of this is gone.
  class Hold {
  public:
    virtual ~Hold() = default;
    /// Charges more. kResourceExhausted, and nothing charged, beyond what the task may have.
    virtual absl::Status add(int64_t bytes) = 0;
  };

  /// `onRoom` is called when there is more room for those who wait, by any thread, one of the transport too: it may do
  /// no more than wake another.
  Credits(int64_t memory, int64_t tasks, std::function<void()> onRoom);
  /// No call of `onRoom` comes any more.
  ~Credits();
  Credits(const Credits &) = delete;
  Credits &operator=(const Credits &) = delete;

  /// What an exchange may have unasked: half of a share, as one that is sent again may find its first copy there.
  int64_t credit() const;
  /// The most that can be asked for.
  int64_t most() const;

  /// Charges a task's bytes, which use what was granted to it. kResourceExhausted, with both numbers, beyond that.
  absl::StatusOr<std::shared_ptr<Hold>> charge(const std::string &task, int64_t bytes);

  using Answer = std::function<void(absl::Status)>;
  /// Grants a task one exchange of so many bytes, in the order of those who ask; an earlier grant that it did not use
  /// is void (kAborted if it waited). kResourceExhausted if there never is so much or, unless it `waits`, if there is
  /// not now. Those who wait are answered by `grant`.
  void ask(const std::string &task, int64_t bytes, bool waits, Answer answer);
  /// Whether somebody waits.
  bool isAwaited() const;
  /// Answers those for whom there is room.
  void grant();
  /// The task is gone: what it was granted and did not use is for others.
  void leave(const std::string &task);
  /// Answers all who wait, and who come, with an error.
  void fail(const absl::Status &status);

  /// Bytes that are charged now, and the most that ever were.
  int64_t held() const;
  int64_t peak() const;

private:
  class Held;
  struct State;
  const std::shared_ptr<State> state_; // outlived by messages
};

} // namespace mlcrt

#endif // MLCRT_CLUSTER_CREDITS_H
