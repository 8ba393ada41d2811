//===- Queue.cpp - A bounded queue of elements between entries that run at once ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Queue.h"

#include "common/data/ShufflePosition.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mlcrt {

void holdCells(Tensor &tensor, int32_t dtype, const int64_t *dims, int32_t rank, const void *cells) {
  if (dtype != MLCRT_STRING) {
    tensor.resize(dtype, dims, rank);
    std::memcpy(tensor.data(), cells, tensor.bytes());
    return;
  }
  const auto *strings = static_cast<const mlcrt_string *>(cells);
  const int64_t count = elementCount(dims, rank);
  int64_t bytes = count * static_cast<int64_t>(sizeof(mlcrt_string));
  for (int64_t i = 0; i < count; ++i)
    bytes += strings[i].size;
  tensor = Tensor(MLCRT_STRING, {dims, dims + rank}, bytes);
  char *text = tensor.as<char>() + tensor.bytes();
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(strings[i].data, strings[i].size, text);
    tensor.as<mlcrt_string>()[i] = {text, strings[i].size};
    text += strings[i].size;
  }
}

static int64_t priorityOf(const Queue::Element &element) { return *element.front().as<int64_t>(); }

absl::Status Queue::check(const Element &components, bool many) const {
  bool fits = components.size() == static_cast<size_t>(queue_.num_components);
  for (size_t c = 0; fits && c < components.size(); ++c) {
    const mlcrt_value &expected = queue_.components[c];
    const TensorView &found = components[c].buffer();
    fits = found.dtype == expected.dtype && found.rank() == expected.rank + many;
    for (int32_t d = 0; fits && d < expected.rank; ++d)
      fits = expected.dims[d] < 0 || expected.dims[d] == found.dims[d + many];
    fits = fits && (!many || found.dims[0] == components[0].dim(0));
    if (!fits)
      return absl::InvalidArgumentError(absl::StrCat("component ", c, " of queue '", queue_.name, "': found ",
                                                     describe(found), ", expected ",
                                                     many ? "equally many rows of " : "", typeText(expected)));
  }
  if (fits)
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("queue '", queue_.name, "': found ", components.size(),
                                                 " components, expected ", queue_.num_components));
}

void Queue::put(Element element) {
  auto at = elements_.end();
  if (queue_.kind == MLCRT_QUEUE_PRIORITY)
    at = std::upper_bound(elements_.begin(), elements_.end(), priorityOf(element),
                          [](int64_t priority, const Element &other) { return priority < priorityOf(other); });
  elements_.insert(at, std::move(element));
}

Queue::Element Queue::pop() {
  if (queue_.kind == MLCRT_QUEUE_RANDOM_SHUFFLE)
    std::swap(elements_[mlc::common::shufflePosition(static_cast<uint64_t>(queue_.seed), draws_++, elements_.size())],
              elements_.front());
  Element element = std::move(elements_.front());
  elements_.pop_front();
  return element;
}

absl::Status Queue::insert(std::vector<Element> elements) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (closed_)
    return absl::CancelledError(absl::StrCat("queue '", queue_.name, "' is closed"));
  const uint64_t ticket = nextIn_++;
  ++pending_;
  auto waitFor = [&](int64_t room) {
    hasRoom_.wait(lock, [&] {
      return cancelled_ || (turnIn_ == ticket && static_cast<int64_t>(elements_.size()) + room <= queue_.capacity);
    });
    return !cancelled_;
  };
  bool goesOn = waitFor(0);
  for (size_t i = 0; i < elements.size() && (goesOn = goesOn && waitFor(1)); ++i) {
    put(std::move(elements[i]));
    hasElements_.notify_all();
  }
  ++turnIn_;
  --pending_;
  hasRoom_.notify_all();
  // Who waits for elements of a closed queue may learn that none come.
  if (closed_)
    hasElements_.notify_all();
  if (goesOn)
    return absl::OkStatus();
  return absl::CancelledError(absl::StrCat("queue '", queue_.name, "' was closed while this waited to put in"));
}

absl::Status Queue::enqueue(Element element) {
  if (absl::Status status = check(element, /*many=*/false); !status.ok())
    return status;
  std::vector<Element> elements;
  elements.push_back(std::move(element));
  return insert(std::move(elements));
}

absl::Status Queue::enqueueMany(const Element &rows) {
  if (absl::Status status = check(rows, /*many=*/true); !status.ok())
    return status;
  std::vector<Element> elements(rows[0].dim(0));
  for (size_t i = 0; i < elements.size(); ++i)
    for (const Tensor &component : rows) {
      std::vector<int64_t> dims = component.dims();
      dims.erase(dims.begin());
      const auto rank = static_cast<int32_t>(dims.size());
      const int64_t bytes = elementCount(dims.data(), rank) * dtypeSize(component.dtype());
      Tensor row;
      holdCells(row, component.dtype(), dims.data(), rank, component.as<char>() + static_cast<int64_t>(i) * bytes);
      elements[i].push_back(std::move(row));
    }
  return insert(std::move(elements));
}

absl::StatusOr<std::vector<Queue::Element>> Queue::take(int64_t count, bool orRest) {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t ticket = nextOut_++;
  hasElements_.wait(lock, [&] {
    if (turnOut_ != ticket)
      return false;
    return hasEnded() || static_cast<int64_t>(elements_.size()) - queue_.min_after_dequeue >= count;
  });
  ++turnOut_;
  hasElements_.notify_all();
  const auto held = static_cast<int64_t>(elements_.size());
  if (held == 0 || (held < count && !orRest))
    return absl::OutOfRangeError(
        absl::StrCat("queue '", queue_.name, "' is closed with ", held, " elements, ", count, " asked for"));
  std::vector<Element> taken(std::min(count, held));
  for (Element &element : taken)
    element = pop();
  hasRoom_.notify_all();
  return taken;
}

absl::StatusOr<Queue::Element> Queue::dequeue() {
  absl::StatusOr<std::vector<Element>> taken = take(1, /*orRest=*/false);
  if (!taken.ok())
    return taken.status();
  return std::move(taken->front());
}

/// Copies `from` to the corner of row `row` of `to`, which has the dims of the largest after its first.
static void copyCorner(const Tensor &from, int64_t row, const Tensor &to) {
  const int32_t rank = from.rank();
  const int64_t cell = dtypeSize(from.dtype());
  if (from.elements() == 0)
    return;
  const int64_t line = rank ? from.dim(rank - 1) : 1;
  const int64_t lines = from.elements() / line;
  for (int64_t i = 0; i < lines; ++i) {
    // The line's number in `from` as indices, and those as a place in `to`.
    int64_t rest = i, place = 0, stride = rank ? to.dim(rank) : 1;
    for (int32_t d = rank - 2; d >= 0; --d) {
      place += rest % from.dim(d) * stride;
      rest /= from.dim(d);
      stride *= to.dim(d + 1);
    }
    std::memcpy(to.as<char>() + (row * stride + place) * cell, from.as<char>() + i * line * cell, line * cell);
  }
}

absl::StatusOr<Queue::Element> Queue::dequeueMany(int64_t count, bool orRest) {
  if (count < 1 || count > queue_.capacity - queue_.min_after_dequeue)
    return absl::InvalidArgumentError(absl::StrCat("queue '", queue_.name, "' can give 1 to ",
                                                   queue_.capacity - queue_.min_after_dequeue,
                                                   " elements at once; found ", count));
  absl::StatusOr<std::vector<Element>> taken = take(count, orRest);
  if (!taken.ok())
    return taken.status();
  Element batch;
  for (int32_t c = 0; c < queue_.num_components; ++c) {
    std::vector<int64_t> dims(1 + queue_.components[c].rank);
    dims[0] = static_cast<int64_t>(taken->size());
    for (const Element &element : *taken)
      for (int32_t d = 0; d < element[c].rank(); ++d)
        dims[1 + d] = std::max(dims[1 + d], element[c].dim(d));
    Tensor rows(static_cast<mlcrt_dtype>(queue_.components[c].dtype), dims);
    for (size_t i = 0; i < taken->size(); ++i)
      copyCorner((*taken)[i][c], static_cast<int64_t>(i), rows);
    // The bytes of strings are still those of the elements, which end here.
    if (rows.dtype() == MLCRT_STRING)
      holdCells(batch.emplace_back(), MLCRT_STRING, dims.data(), static_cast<int32_t>(dims.size()), rows.data());
    else
      batch.push_back(std::move(rows));
  }
  return batch;
}

void Queue::close(bool cancelPending) {
  std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  cancelled_ |= cancelPending;
  hasRoom_.notify_all();
  hasElements_.notify_all();
}

void Queue::reopen() {
  std::lock_guard<std::mutex> lock(mutex_);
  elements_.clear();
  closed_ = cancelled_ = false;
}

int64_t Queue::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(elements_.size());
}

bool Queue::isClosed() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return closed_;
}

Queues::Queues(const mlcrt_artifact &artifact) {
  for (int64_t i = 0; i < artifact.num_queues; ++i)
    queues_.push_back(std::make_unique<Queue>(artifact.queues[i]));
}

void Queues::cancelAll() {
  for (std::unique_ptr<Queue> &queue : queues_)
    queue->close(/*cancelPending=*/true);
}

Queue *Queues::find(std::string_view name) {
  for (const std::unique_ptr<Queue> &queue : queues_)
    if (name == queue->description().name)
      return queue.get();
  return nullptr;
}

} // namespace mlcrt
