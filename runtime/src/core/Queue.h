//===- Queue.h - A bounded queue of elements between entries that run at once ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CORE_QUEUE_H
#define MLCRT_CORE_QUEUE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "mlcrt/abi.h"
#include "runtime/src/core/Tensor.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace mlcrt {

/// One queue of an artifact (mlcrt_queue). Any number of threads may use it at once. Those that put in are served in
/// the order in which they came, as are those that take out.
class Queue {
public:
  /// A tensor for each component. The bytes of strings lie in the memory of the tensor itself, after its cells
  /// (holdCells).
  using Element = std::vector<Tensor>;

  /// `description` outlives the queue.
  explicit Queue(const mlcrt_queue &description) : queue_(description) {}
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  const mlcrt_queue &description() const { return queue_; }

  /// Puts one element in; waits while the queue is full. kCancelled: the queue is closed, or was closed with
  /// `cancelPending` meanwhile. kInvalidArgument: the components have other dtypes or dims than the queue's.
  absl::Status enqueue(Element element);
  /// Puts in an element for each row of the components, one after the other; waits whenever the queue is full.
  /// Errors as above; what went in before an error stays.
  absl::Status enqueueMany(const Element &rows);

  /// Takes one element out; waits while there is none to give. kOutOfRange: the queue is closed and empty.
  absl::StatusOr<Element> dequeue();
  /// Takes `count` elements out at once, as rows of each component, padded with zeros to the largest. Waits until they
  /// are there. kOutOfRange: the queue is closed with less, or, with `orRest`, which takes the rest, with none.
  /// kInvalidArgument: the queue cannot ever give as many.
  absl::StatusOr<Element> dequeueMany(int64_t count, bool orRest);

  /// Nothing goes in any more; with `cancelPending` not even what waits to.
  void close(bool cancelPending);
  /// As at first: open and empty. Nobody may be waiting.
  void reopen();
  int64_t size() const;
  bool isClosed() const;

private:
  absl::Status check(const Element &components, bool many) const;
  absl::Status insert(std::vector<Element> elements);
  absl::StatusOr<std::vector<Element>> take(int64_t count, bool orRest);
  /// The rest holds the lock.
  void put(Element element);
  Element pop();
  bool hasEnded() const { return closed_ && (pending_ == 0 || cancelled_); }

  const mlcrt_queue &queue_;
  mutable std::mutex mutex_;
  std::condition_variable hasRoom_, hasElements_;
  std::deque<Element> elements_;
  /// Tickets: who puts in or takes out has the next number and waits until it is its turn.
  uint64_t nextIn_ = 0, turnIn_ = 0, nextOut_ = 0, turnOut_ = 0;
  uint64_t draws_ = 0;
  int64_t pending_ = 0; ///< threads on their way in
  bool closed_ = false, cancelled_ = false;
};

/// Makes `tensor` hold copies of `cells`, of `dtype` and the `rank` dims `dims`: of strings their bytes, too.
void holdCells(Tensor &tensor, int32_t dtype, const int64_t *dims, int32_t rank, const void *cells);

/// The queues of an artifact, open and empty at first.
class Queues {
public:
  explicit Queues(const mlcrt_artifact &artifact);
  int32_t size() const { return static_cast<int32_t>(queues_.size()); }
  Queue &queue(int32_t index) { return *queues_[index]; }
  /// The queue of that name, or null.
  Queue *find(std::string_view name);
  /// Closes all queues, so that nobody waits for what does not come any more.
  void cancelAll();

private:
  std::vector<std::unique_ptr<Queue>> queues_;
};

} // namespace mlcrt

#endif // MLCRT_CORE_QUEUE_H
